"""The figure of a comparison: a row per point that results share, the medians of each result laid over each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from simulator.results.compared import Compared, Row
from simulator.results.formats import setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOOKS: Final = (("#000000", "o"), ("#D55E00", "D"), ("#0072B2", "s"), ("#009E73", "^"), ("#CC79A7", "v"))
"""Colour and mark of each result, in order."""
MOST: Final = 40
"""Rows that are drawn."""


def overlay(compared: Compared, measure: str) -> Figure:
    """Return the figure of one measure; to be called in the house style.

    Raises
    ------
    ValueError
        No point has it.
    """
    from matplotlib.lines import Line2D

    from simulator.plots.style import Legend, new_figure

    rows = [row for row in compared.rows if row.measure == measure and row.one.value is not None]
    points = list(dict.fromkeys(_said(row) for row in rows))[:MOST]
    if not points:
        raise ValueError(f"no shared point has {measure!r}")
    handles: list[tuple[Any, str]] = [
        (Line2D([], [], color=colour, marker=mark, linestyle=""), name)
        for (colour, mark), name in zip(LOOKS, compared.names, strict=False)
    ]
    note = "Marks: medians over the games of a point. Bars: their intervals at 97.5 %."
    title = f"{measure}: {', '.join(compared.names)}"
    figure = new_figure(0.8 + 0.3 * len(points), title, "", note, legends=[Legend("", handles)])
    axes = figure.subplots()
    step = 0.5 / max(2, len(compared.names))
    found = [_of(compared, rows, points, place) for place in range(min(len(compared.names), len(LOOKS)))]
    for place, (name, there, (colour, mark)) in enumerate(zip(compared.names, found, LOOKS, strict=False)):
        middles = [value for value, _, _, _ in there]
        ends = [[value - low for value, low, _, _ in there], [high - value for value, _, high, _ in there]]
        at = [row + (place - (len(found) - 1) / 2) * step for *_, row in there]
        axes.errorbar(middles, at, xerr=ends, color=colour, marker=mark, linestyle="", label=name, capsize=2)
    values = [value for there in found for value, *_ in there]
    if values and min(values) > 0 and max(values) > 10 * min(values):
        axes.set_xscale("log")
    axes.set_yticks(range(len(points)), points)
    axes.set_ylim(len(points) - 0.5, -0.5)
    axes.set_xlabel(measure)
    return figure


def _said(row: Row) -> str:
    """Return a point in words."""
    sides = [str(row.point[side]) for side in ("protocol", "adversary") if row.point.get(side)]
    rest = [
        f"{name.removeprefix('protocol ').removeprefix('adversary ')} {setting(value)}"
        for name, value in row.point.items()
        if name not in ("protocol", "adversary") and value is not None
    ]
    return ", ".join([" against ".join(sides), *rest])


def _of(
    compared: Compared, rows: Sequence[Row], points: Sequence[str], place: int
) -> list[tuple[float, float, float, int]]:
    """Return median, ends of its interval and row for each point of one result."""
    found = {}
    for row in rows:
        point = _said(row)
        if point not in points or (place and row.other != compared.names[place]):
            continue
        middle = row.two if place else row.one
        if middle.value is not None:
            low, high = middle.low, middle.high
            ends = (middle.value if low is None else low, middle.value if high is None else high)
            found[point] = (middle.value, *ends, points.index(point))
    return list(found.values())
