"""Labels beside the ends of lines, pushed apart as little as is needed so that none covers another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from disttrack.simulator.plots.style import lay_out


@dataclass(frozen=True)
class EndLabel:
    """A label for the end of a line.

    Parameters
    ----------
    axes
        Where the line stands.
    x, y
        Its last point, in data units.
    text, colour
        What to write and how.
    gid
        Under which it is found in an SVG.
    """

    axes: Axes
    x: float
    y: float
    text: str
    colour: str
    gid: str = ""


def spread(wanted: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Return the centres nearest to the wanted ones (least squares) at which no two labels overlap.

    The order of the wanted centres is kept. With the room that lower labels take subtracted, what
    is left is an isotonic regression: neighbours that violate the order are pooled at their mean.

    Parameters
    ----------
    wanted, sizes
        Centre and height of each label, in one unit.
    low, high
        Ends of the room; when it is too small for all, it is left at both ends alike.

    Examples
    --------
    >>> spread([10, 11, 50], [4, 4, 4], 0, 100)
    [8.5, 12.5, 50.0]
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    taken: list[float] = []  # centre of each label if all were stacked from 0
    total = 0.0
    for index in order:
        taken.append(total + sizes[index] / 2)
        total += sizes[index]
    pools: list[tuple[float, int]] = []  # mean and number of members
    for index, place in zip(order, taken, strict=True):
        mean, members = float(wanted[index]) - place, 1
        while pools and pools[-1][0] > mean:
            before, count = pools.pop()
            mean = (mean * members + before * count) / (members + count)
            members += count
        pools.append((mean, members))
    if total > high - low:
        low = high = (low + high - total) / 2
    else:
        high -= total
    bases = [min(max(mean, low), high) for mean, members in pools for _ in range(members)]
    centres = [0.0] * len(wanted)
    for index, base, place in zip(order, bases, taken, strict=True):
        centres[index] = base + place
    return centres


def label_ends(figure: Figure, labels: Sequence[EndLabel], size: float = 9.0, gap: float = 8.0) -> None:
    """Write labels to the right of their lines' ends, each with a hair line if it had to move.

    Parameters
    ----------
    gap
        Distance from the end of the line, in points.
    """
    written = [
        label.axes.annotate(
            label.text,
            (label.x, label.y),
            xytext=(gap, 0),
            textcoords="offset points",
            color=label.colour,
            size=size,
            va="center",
            ha="left",
            annotation_clip=False,
            gid=label.gid,
        )
        for label in labels
    ]
    # twice: the room beside the axes depends on the labels, and their places on the room
    for _ in range(2):
        lay_out(figure)
        points = 72.0 / figure.dpi
        for axes in {id(label.axes): label.axes for label in labels}.values():
            mine = [index for index, label in enumerate(labels) if label.axes is axes]
            ends = [float(axes.transData.transform((labels[i].x, labels[i].y))[1]) for i in mine]
            heights = [float(written[i].get_window_extent().height) * 1.12 for i in mine]
            box = axes.get_window_extent()
            centres = spread(ends, heights, float(box.y0) - max(heights), float(box.y1) + max(heights))
            for index, end, centre in zip(mine, ends, centres, strict=True):
                written[index].set_position((gap, (centre - end) * points))
    for label, text in zip(labels, written, strict=True):
        if abs(text.get_position()[1]) > size * 0.5:
            label.axes.annotate(
                "",
                (label.x, label.y),
                xytext=(gap - 1, text.get_position()[1]),
                textcoords="offset points",
                arrowprops={
                    "arrowstyle": "-",
                    "color": label.colour,
                    "linewidth": 0.6,
                    "shrinkA": 0,
                    "shrinkB": 3,
                },
                annotation_clip=False,
            )
