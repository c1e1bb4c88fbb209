"""Labels beside the ends of lines, pushed apart where one would cover another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from disttrack.simulator.plots.description import Series
from disttrack.simulator.plots.style import ink, lay_out

GAP: Final = 8.0
"""Distance from the end of the line, in points."""


def spread(wanted: Sequence[float], size: float, low: float, high: float) -> list[float]:
    """Return centres in the order of the wanted ones, at least `size` apart and, if there is room, between two ends.

    From below each is pushed up until it is clear of the one before; from above those beyond the end are pushed back.

    >>> spread([10, 11, 50], 4, 0, 100), spread([98, 99], 4, 0, 100)
    ([10, 14, 50], [94.0, 98.0])
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    centres = list(wanted)
    last = low - size / 2
    for index in order:
        last = centres[index] = max(centres[index], last + size)
    last = high + size / 2
    for index in reversed(order):
        last = centres[index] = min(centres[index], last - size)
    return centres


def label_ends(figure: Figure, labels: Sequence[tuple[Axes, Series, float, str]]) -> None:
    """Write the labels of series to the right of their ends.

    Parameters
    ----------
    labels
        For each its axes, the series, the height at which its last point is drawn, and the id in an SVG.
    """
    written = [
        axes.annotate(
            one.label, (float(one.x[-1]), height), xytext=(GAP, 0), textcoords="offset points",
            color=ink(one.look.colour), size=9, va="center", annotation_clip=False, gid=gid,
        )
        for axes, one, height, gid in labels
    ]  # fmt: skip
    # twice: the room beside the axes depends on the labels, and their places on the room
    for _ in range(2 if labels else 0):
        lay_out(figure)
        for axes in dict.fromkeys(axes for axes, *_ in labels):
            mine = [place for place, label in enumerate(labels) if label[0] is axes]
            ends = [float(axes.transData.transform(written[place].xy)[1]) for place in mine]
            size = max(float(written[place].get_window_extent().height) for place in mine) * 1.12
            box = axes.get_window_extent()
            centres = spread(ends, size, float(box.y0) - size, float(box.y1) + size)
            for place, end, centre in zip(mine, ends, centres, strict=True):
                written[place].set_position((GAP, (centre - end) * 72 / figure.dpi))
