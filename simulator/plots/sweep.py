"""A measure of games along a swept axis: medians, bands over trials, bounds and fitted powers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.plots.fits import Fit, fitted
from disttrack.simulator.results.read import Line, Tables, lines, name

Floats = npt.NDArray[np.float64]

MANY: Final = 20
"""Up to this number of games at a place the band is least to largest, beyond it 5 % to 95 %."""

_SYMBOLS: Final = {
    "sites": "k",
    "items": "N",
    "alpha": r"(1/\alpha)",
    "start": "N_0",
    "epsilon": r"\varepsilon",
    "steps": "T",
    "experts": "n",
    "queries": "k",
    "rows": "t",
}
_PLAIN: Final = {"alpha": "1/α", "start": "N₀", "epsilon": "ε"}
_LABELS: Final = {
    "sites": "number of sites, k",
    "items": "items, N",
    "alpha": "accuracy, 1/α",
    "start": "items at the start",
    "steps": "steps, T",
    "experts": "number of experts, n",
    "queries": "number of queries, k",
    "rows": "rows of the sketch, t",
    "epsilon": "privacy budget, ε",
    "latency": "latency of a message, in steps",
    "loss": "share of messages that are lost",
    "crash_rate": "crashes of a site, per step",
}


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    line
        The games behind it.
    x, middle, low, high
        Places on the axis and, at each, the median and the ends of the band.
    bound
        Theory at each place, NaN where there is none.
    failed
        Share of the games at each place that failed.
    """

    line: Line
    x: Floats
    middle: Floats
    low: Floats
    high: Floats
    bound: Floats
    failed: Floats

    @property
    def broken(self) -> npt.NDArray[np.bool_]:
        """Return the places at which at least half of the games failed."""
        return self.failed >= 0.5

    @cached_property
    def fit(self) -> Fit | None:
        """Return the power through all of its marks; None where they do not lie on one."""
        return fitted(self.x, self.middle)


Drawn = list[tuple[str, list[Curve]]]
"""The lines of each panel with its title."""


def place(games: pd.DataFrame, axis: str) -> pd.Series[float]:
    """Return where games stand on an axis; the axis of alpha shows 1/alpha."""
    values = pd.to_numeric(games[axis], errors="coerce").astype(float)
    return 1.0 / values if axis == "alpha" else values


def panels_of_curves(
    tables: Tables,
    axis: str,
    measure: Callable[[pd.DataFrame], pd.Series[float]],
    theory: Callable[[dict[str, Any]], float | None] | None = None,
) -> Drawn:
    """Return the lines of each panel with its title, panels without any left out.

    Along an axis that is one adversary's parameter, the games against the others stand nowhere.

    Parameters
    ----------
    measure
        What to show of each game.
    theory
        The bound for a game (a row of trials.csv), None if there is none.
    """
    if place(tables.trials, axis).isna().all():
        raise ValueError(f"x: {axis!r} has words for values, and a line needs numbers")
    drawn = [(title, _curves(games, axis, measure, theory)) for title, games in panels(tables)]
    return [(title, found) for title, found in drawn if found]


def panels(tables: Tables) -> list[tuple[str, pd.DataFrame]]:
    """Return the games of each panel and its title: a panel an adversary, and a result where several are."""
    by = ["result"] * tables.several + ["adversary"]
    return [
        (" · ".join([*map(str, values[:-1]), f"against {values[-1]}"]), games)
        for values, games in tables.trials.groupby(by, sort=False)
    ]  # fmt: skip


def _curves(
    games: pd.DataFrame,
    axis: str,
    measure: Callable[[pd.DataFrame], pd.Series[float]],
    theory: Callable[[dict[str, Any]], float | None] | None,
) -> list[Curve]:
    """Return the lines of one panel."""
    found = []
    for line in lines(games, axis, apart=("adversary",)):
        table = pd.DataFrame({"x": place(line.games, axis), "y": measure(line.games)}).dropna()
        if table.empty:
            continue
        groups = table.groupby("x")["y"]
        failed = (line.games["verdict"] == "failed").astype(float).loc[table.index]
        many = bool(groups.size().max() > MANY)
        bounds = []
        for index in groups.apply(lambda values: values.index[0]):
            game = {str(key): value for key, value in line.games.loc[index].items()}
            bound = theory(game) if theory else None
            bounds.append(np.nan if bound is None else bound)
        middle = groups.median()
        found.append(
            Curve(
                line,
                x=middle.index.to_numpy(dtype=float),
                middle=middle.to_numpy(dtype=float),
                low=groups.agg(_quantile, 0.05 if many else 0.0).to_numpy(dtype=float),
                high=groups.agg(_quantile, 0.95 if many else 1.0).to_numpy(dtype=float),
                bound=np.array(bounds, dtype=float),
                failed=np.array(failed.groupby(table["x"]).mean(), dtype=float),
            )
        )
    return found


def _quantile(values: pd.Series[float], share: float) -> float:
    """Return a quantile, between two values by the share; also of values of which some are infinite."""
    ordered = np.sort(values.to_numpy(dtype=float))
    before, part = divmod(share * (len(ordered) - 1), 1)
    low = float(ordered[int(before)])
    return low + part * (float(ordered[int(before) + 1]) - low) if part and low < np.inf else low


def power(curve: Curve, axis: str) -> str:
    """Return the power through all marks of a line with its error, as text; empty where they do not lie on one."""
    if curve.fit is None:
        return ""
    return rf"$\propto {_SYMBOLS.get(axis, 'x')}^{{{curve.fit.text()}}}$".replace(" ± ", r"\pm ")


def symbol(axis: str) -> str:
    """Return the letter of an axis, as plain text."""
    return _PLAIN.get(axis, _SYMBOLS.get(axis, name(axis)))


def axis_label(axis: str) -> str:
    """Return the label of a swept axis with its unit."""
    return _LABELS.get(axis, name(axis))


def power_note(found: Sequence[Curve], axis: str) -> str:
    """Return in words what stands beside the lines whose marks lie on a power, if there is one."""
    if not any(curve.fit for curve in found):
        return ""
    return (
        f" Beside a line: the power of {symbol(axis)} through its marks, with its standard error, where they are one."
    )


def marks_note(games: pd.DataFrame, found: Sequence[Curve]) -> str:
    """Return in words what the marks and bands are, and what a hollow mark is if there is one."""
    hollow = any(curve.broken.any() for curve in found)
    failing = " Hollow marks: at least half of the games failed." if hollow else ""
    sizes = games.groupby(["result", "point"]).size()
    least, most = int(sizes.min()), int(sizes.max())
    if most == 1:
        return f"Marks: one game each.{failing}"
    ends = "5 % to 95 %" if most > MANY else "least to largest"
    return f"Marks: medians. Bands: {ends} of {'the' if least != most else most} games.{failing}"


def infinite_note(values: Any) -> str:
    """Return in words how many of these games are infinite; empty if none is.

    >>> infinite_note([1.0, float("inf")]), infinite_note([1.0])
    (' ∞: infinite, in 1 of 2 games.', '')
    """
    values = np.asarray(values, dtype=float)
    values = values[~np.isnan(values)]
    many = int(np.isinf(values).sum())
    return f" ∞: infinite, in {many:,} of {len(values):,} games." if many else ""


def edges_of(values: Any, low: float = -inf, least: float = 0.0) -> tuple[float, float]:
    """Return the edges of a scale: infinite values stand at 1.25 times the largest finite one.

    Parameters
    ----------
    low
        The lower edge.
    least
        The upper edge, if there is one, stands above this value.

    Examples
    --------
    >>> edges_of([1.0, 4.0]), edges_of([1.0, 4.0, inf], 0.1)
    ((-inf, inf), (0.1, 5.0))
    """
    values = np.asarray(values, dtype=float)
    finite = values[np.isfinite(values)]
    high = 1.25 * max(least, float(finite.max(initial=least))) if np.isposinf(values).any() else inf
    return low, high
