"""The figure of a comparison: a row per point that results share, the medians of each result laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from disttrack.simulator.plots.description import Axis, Description, Look, Panel, Series
from disttrack.simulator.plots.sentences import capital
from disttrack.simulator.results.compared import Compared, Row
from disttrack.simulator.results.formats import setting

LOOKS: Final = tuple(
    Look(colour, marker, "")
    for colour, marker in (("#000000", "o"), ("#D55E00", "D"), ("#0072B2", "s"), ("#009E73", "^"), ("#CC79A7", "v"))
)
"""Colour and mark of each result, in order."""
MOST: Final = 40
"""Rows that are drawn."""


def overlay(compared: Compared, measure: str) -> Description:
    """Return the figure of one measure.

    Raises
    ------
    ValueError
        No point has it.
    """
    rows = [row for row in compared.rows if row.measure == measure and row.one.value is not None]
    points = list(dict.fromkeys(_point(row) for row in rows))[:MOST]
    if not points:
        raise ValueError(f"no shared point has {measure!r}")
    names = compared.names[: len(LOOKS)]
    step = 0.5 / max(2, len(compared.names))
    series = []
    for place, (name, look) in enumerate(zip(names, LOOKS, strict=False)):
        found = _medians(compared, rows, points, place)
        middle, low, high, at = (np.array(column, dtype=float) for column in zip(*found, strict=True))
        aside = (place - (len(names) - 1) / 2) * step
        series.append(Series(name, middle, at + aside, look, low=low, high=high, bars="x"))
    values = np.concatenate([one.x for one in series])
    wide = values.min() > 0 and values.max() > 10 * values.min()
    panel = Panel(series, Axis(measure, "log" if wide else "linear"), Axis(names=points))
    note = "Marks: medians over the games of a point. Bars: their intervals at 97.5 %."
    shared = ", ".join(compared.names)
    caption = f"{capital(measure)} at each point that {shared} share: medians over the games, with intervals."
    return Description(
        [panel], 1, 0.8 + 0.3 * len(points), f"{measure}: {shared}", "", note, caption,
        [(look, name) for name, look in zip(names, LOOKS, strict=False)],
    )  # fmt: skip


def _point(row: Row) -> str:
    """Return a point in words."""
    sides = [str(row.point[side]) for side in ("protocol", "adversary") if row.point.get(side)]
    rest = [
        f"{name.removeprefix('protocol ').removeprefix('adversary ')} {setting(value)}"
        for name, value in row.point.items()
        if name not in ("protocol", "adversary") and value is not None
    ]
    return ", ".join([" against ".join(sides), *rest])


def _medians(
    compared: Compared, rows: Sequence[Row], points: Sequence[str], place: int
) -> list[tuple[float, float, float, int]]:
    """Return median, ends of its interval and row for each point of one result."""
    found = {}
    for row in rows:
        point = _point(row)
        if point not in points or (place and row.other != compared.names[place]):
            continue
        middle = row.two if place else row.one
        if middle.value is not None:
            low, high = middle.low, middle.high
            ends = (middle.value if low is None else low, middle.value if high is None else high)
            found[point] = (middle.value, *ends, points.index(point))
    return list(found.values())
