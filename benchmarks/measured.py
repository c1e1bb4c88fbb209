"""A measured figure, and a row of the table for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes
    ----------
    what
        What is measured.
    value, unit
        The value and its unit.
    baseline
        The baseline of the same run, with its speed.
    ratio
        Ratio to the baseline; None if it is no ratio.
    wanted
        The goal, in words; empty for a figure without a goal.
    met
        Whether the goal is met; None for a figure without a goal.
    """

    what: str
    value: float
    unit: str
    baseline: str = ""
    ratio: float | None = None
    wanted: str = ""
    met: bool | None = None


def at_least(what: str, value: float, unit: str, baseline: str, ratio: float, wanted: float) -> Figure:
    """Return a figure whose ratio to the baseline must be at least `wanted`."""
    return Figure(what, value, unit, baseline, ratio, f"ratio of at least {wanted:g}", ratio >= wanted)


def row(figure: Figure) -> dict[str, Any]:
    """Return a figure as a row of goals.csv."""
    met = {None: "", True: "yes", False: "NO"}[figure.met]
    ratio = "" if figure.ratio is None else f"{figure.ratio:.4g}"
    return {**vars(figure), "value": f"{figure.value:.5g}", "ratio": ratio, "met": met}
