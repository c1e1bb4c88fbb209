"""A description drawn with matplotlib: into a figure of its own, or on a user's axes.

The panels and series of a figure have ids by which the script of a page finds them in the SVG: `panel-0`, with scales
and ends of its axes after it, and `series-3-17` for a part of the fourth series.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import count
from math import ceil
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.text import Annotation, Text
from matplotlib.ticker import FixedFormatter, FixedLocator, FuncFormatter, LogLocator, MaxNLocator, NullLocator

from disttrack.simulator.shown.plots.base import LETTER, WIDTH, page
from disttrack.simulator.shown.plots.description import (
    Area,
    Axis,
    Bars,
    Cells,
    Description,
    Fill,
    Item,
    Look,
    Panel,
    Region,
    Rule,
    Series,
    Words,
    is_crowded,
    labels_in_legend,
)
from disttrack.simulator.shown.plots.style import Layout, ink, new_figure, uncover

_GAP: Final = 8.0
"""Distance from the end of the line, in points."""
_LED: Final = 20.0
"""The same where a label of the panel has a leader."""
_OPEN: Final = 5.5
"""Least size of a hollow mark: that it is hollow shows that games failed."""
_SIGN: Final = 9
"""Size of a sign for a mark beyond an edge of the scale."""
_GAME_SIGN: Final = 4
"""Size of a sign for one game."""
_FAR: Final = 0.3
"""A label further from the end of its line than this share of its height has a leader."""
_APART: Final = 6.0
"""The least distance of a title from the next panel, in points."""
_SHORTEST: Final = 8
"""Lines of titles have more letters."""
_SMALLEST: Final = 5.5
"""Size of the letters of a title at least, in points."""
_TALL: Final = 24
"""With more rows than this the numbers of the axis below them are above them too."""
_MANY: Final = 30
"""A line of more points does not mark all of them."""
_MARKED: Final = 12
"""Marks of such a line, evenly spaced, across a panel."""
_CAP: Final = 9.0
"""Width of the ends of an interval, in points: more than that of a mark."""
_STILL: Final = 1.0
"""A label that is moved by less, in points, takes no room from the axes."""


def render(described: Description, given: Sequence[Axes] = ()) -> Figure:
    """Return the figure of a description; to be called in the house style.

    Parameters
    ----------
    given
        Axes to draw on, one a panel; empty for a new figure.

    Raises
    ------
    ValueError
        There are fewer or more of them than panels.
    """
    if (page().narrow or any(map(is_crowded, described.panels))) and not given:
        described = labels_in_legend(described)
    entries = [(_handle(look), name) for look, name in described.legend]
    figure, made = _given(described, given) if given else _new(described, entries)
    words: list[Text] = []
    numbers = {name: place for place, name in enumerate(described.names())}
    parts = count()
    beside = max((len(name) for name in described.panels[0].y.names), default=0)
    letters = max(10, int(((page().width or described.width or WIDTH) / LETTER - beside) / described.columns))
    labels, titles = [], []
    for axes, panel in zip(made, described.panels, strict=False):
        for item in panel.items:
            gid = f"series-{numbers.get(getattr(item, 'name', ''), -1)}-{next(parts)}"
            _draw(axes, panel, item, gid)
            if isinstance(item, Words):
                words.append(axes.texts[-1])
            if isinstance(item, Series) and item.label:
                labels.append((axes, item, float(np.clip(item.y[-1], *panel.y.edges)), f"{gid}-label"))
        # matplotlib looks for its place, a tenth of each layout; only a common factor of the ticks moves it
        above = None if panel.y.scale == "linear" and panel.y.text is None else 1.0
        title = axes.set_title(_broken(panel.title, letters), y=above)
        if described.columns > 2:
            title.set_fontsize(8.5)
        titles.append((axes, title, panel.title))
        if not panel.framed:
            axes.set_axis_off()
    for axes, panel in zip(made, described.panels, strict=False):  # an open end of a shared axis is that of all panels
        _scale(axes, panel.x, "x")
        _scale(axes, panel.y, "y")
    place_labels, layout = _label_ends(labels), figure.get_layout_engine()
    if given:
        for _ in range(2 if labels else 0):  # as in `Layout`
            figure.draw_without_rendering()
            place_labels()
        uncover(words)
        _finish(described, made, entries)
    else:
        assert isinstance(layout, Layout)
        layout.beside = lambda: any([_break_titles(titles, letters), place_labels(), uncover(words)])
        _label_axes(described, made)
        figure.align_ylabels(made)
    for place, axes in enumerate(made[: len(described.panels)]):
        scales = (axes.get_xscale(), *axes.get_xlim()), (axes.get_yscale(), *axes.get_ylim())
        ends = "_".join(f"{kind}_{low:.9g}_{high:.9g}" for kind, low, high in scales)
        axes.patch.set_gid(f"panel-{place}_{ends}")
    return figure


def _broken(title: str, letters: int) -> str:
    """Return a title in lines of at most this many letters, broken at spaces, after commas and before brackets.

    A longer word stays whole.

    Examples
    --------
    >>> _broken("against feedback(block=200), alpha=0.05", 18).split("\\n")
    ['against feedback', '(block=200),', 'alpha=0.05']
    """
    lines = []
    for whole in title.split("\n"):
        lines.append("")
        for part in re.split(r"(?<=[ ,])|(?=\()", whole):
            if lines[-1] and len(f"{lines[-1]}{part}".rstrip()) > letters:
                lines.append("")
            lines[-1] += part
    return "\n".join(line.strip() for line in lines)


def _break_titles(titles: Sequence[tuple[Axes, Text, str]], most: int) -> bool:
    """Break titles that would run into the next panel of their row or leave the figure; return whether one did.

    One whose words are longer than the panel is wide is written smaller, and its words are broken at last.

    Parameters
    ----------
    titles
        Axes that have their places, each with its title as it is drawn and as it was.
    most
        Letters of a line so far.
    """
    boxes, changed = [axes.get_window_extent() for axes, _, _ in titles], False
    for (_, drawn, text), box in zip(titles, boxes, strict=True):
        figure = drawn.get_figure(root=True)
        assert figure is not None
        beside = [other.x0 for other in boxes if other.x0 > box.x1 and other.y0 < box.y1 and box.y0 < other.y1]
        end = min(beside, default=figure.bbox.x1) - _APART * figure.dpi / 72
        size = float(drawn.get_fontsize())
        for letters in range(most, _SHORTEST, -1):
            if not text or drawn.get_window_extent().x1 <= end:
                break
            drawn.set_text(_broken(text, letters) if size > _SMALLEST else textwrap.fill(text, letters))
            changed = True
        place = drawn.get_window_extent()
        if text and place.x1 > end and size > _SMALLEST:
            drawn.set_fontsize(max(_SMALLEST, 0.98 * size * (end - place.x0) / place.width))
            changed = True
    return changed


def _new(described: Description, entries: Sequence[tuple[Line2D | Patch, str]]) -> tuple[Figure, list[Axes]]:
    """Return a new figure with axes for each panel, and hidden ones in the rest of the last row."""
    figure = new_figure(
        described.height, described.title, described.subtitle, described.note, described.width or WIDTH, entries
    )
    rows = ceil(len(described.panels) / described.columns)
    x, y = described.share
    grid: Any = figure.subplots(rows, described.columns, sharex=x, sharey=y, squeeze=False)
    made = list(grid.flat)
    for left in made[len(described.panels) :]:
        left.set_visible(False)
    return figure, made


def _given(described: Description, given: Sequence[Axes]) -> tuple[Figure, list[Axes]]:
    """Return the user's axes, with scales shared as they would be in a figure of its own."""
    wanted = len(described.panels)
    if wanted != len(given):
        raise ValueError(
            f"ax: {wanted} panels, not {len(given)}; narrow the figure with where=…, or give a list of axes"
        )
    for share, join in zip(described.share, (Axes.sharex, Axes.sharey), strict=True):
        for other in given[1:] if share == "all" else ():
            join(other, given[0])
    return given[0].get_figure(root=True), list(given)  # type: ignore[return-value]


def _finish(described: Description, axes: Sequence[Axes], entries: Sequence[tuple[Line2D | Patch, str]]) -> None:
    """Add labels, legend and the title of a single panel, which a new figure has around its panels."""
    for one, panel in zip(axes, described.panels, strict=True):
        one.set(xlabel=panel.x.label, ylabel=panel.y.label)
    if len(axes) == 1 and not described.panels[0].title:
        axes[0].set_title(described.title, wrap=True)
    if entries:
        handles, texts = zip(*entries, strict=True)
        # beside the panel, never over data
        axes[-1].legend(handles, texts, fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))


def _label_axes(described: Description, made: Sequence[Axes]) -> None:
    """Write the labels of a panel where no panel beside or below it has the same axis; numbers in all of its row."""
    x, y = described.share
    for place, (axes, panel) in enumerate(zip(made, described.panels, strict=False)):
        last_of_row = place - place % described.columns + described.columns - 1
        if last_of_row + described.columns >= len(described.panels) or x == "none":
            axes.tick_params(labelbottom=True)
        if place + described.columns >= len(described.panels) or x == "none":
            axes.set_xlabel(panel.x.label)
        if place % described.columns == 0 or y == "none":
            axes.set_ylabel(panel.y.label)


def _scale(axes: Axes, axis: Axis, which: str) -> None:
    """Set one axis: scale, ends, ticks and their texts."""
    drawn: Any = axes.xaxis if which == "x" else axes.yaxis
    if axis.names:
        drawn.set(major_locator=FixedLocator(list(range(len(axis.names)))), major_formatter=FixedFormatter(axis.names))
        axes.grid(visible=False, axis="both" if which == "x" else "y")
        axes.tick_params(axis=which, length=0)  # type: ignore[arg-type]
        if which == "y":
            axes.set_ylim(len(axis.names) - 0.5, -0.5)
            axes.tick_params(axis="x", labeltop=len(axis.names) > _TALL)
        return
    if axis.scale == "log":
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
    low, high = axis.ends
    if axis.ends != (None, None):
        axes.set_xlim(low, high) if which == "x" else axes.set_ylim(low, high)
    if axis.ticks is not None:
        drawn.set_major_locator(FixedLocator(list(axis.ticks)))
    elif axis.most:
        few = axis.scale == "log" and low and high and high < 200 * low
        many: Any = LogLocator(10, subs=(1, 2, 5) if few else (1,), numticks=axis.most)
        drawn.set_major_locator(many if axis.scale == "log" else MaxNLocator(axis.most, steps=(1, 2, 5, 10)))
    drawn.set_minor_locator(NullLocator())
    if axis.text is not None:
        text = axis.text
        drawn.set_major_formatter(FuncFormatter(lambda value, _: text(value)))


def _draw(axes: Axes, panel: Panel, item: Item, gid: str) -> None:
    """Draw one item of a panel."""
    match item:
        case Series():
            _series(axes, panel, item, gid)
        case Area(role="interval"):
            _intervals(axes, panel, item, gid)
        case Area(fill=fill):
            low, high = _ends(panel, item)
            axes.fill_between(item.x, low, high, **_filled(fill), zorder=item.order, label=item.name, gid=gid)
        case Bars(fill=fill):
            for bar in axes.barh(item.at, item.width, left=item.left, label=item.name, **_filled(fill)):
                bar.set_gid(f"{gid}-{bar.get_y():g}")
        case Cells():
            _cells(axes, item, gid)
        case Rule():
            axes.axhline(item.at, **_line(item.look))
        case Region(fill=fill):
            axes.axhspan(item.low, item.high, zorder=0, **_filled(fill))
        case _:
            where: dict[str, Any] = {"transform": axes.transAxes} if item.shares else {}
            axes.text(item.x, item.y, item.text, color=item.colour, size=item.size, va="center", zorder=3.5, **where)


def _line(look: Look) -> dict[str, Any]:
    """Return a look in matplotlib's words."""
    words: dict[str, object] = {"color": look.colour, "linestyle": look.dashes or "none", "zorder": look.order}
    if look.marker:
        size = max(look.size, _OPEN) if look.hollow else look.size
        words |= {"marker": look.marker, "markersize": size * rcParams["lines.markersize"] / Look().size}
    if look.hollow:
        words["markerfacecolor"] = "white"
    widths = {"markeredgewidth": look.edge, "linewidth": look.width}
    words |= {name: width for name, width in widths.items() if width is not None}
    return words | ({"alpha": look.alpha} if look.alpha < 1 else {})


def _filled(fill: Fill) -> dict[str, Any]:
    words: dict[str, object] = {"facecolor": fill.colour, "edgecolor": fill.edge, "linewidth": fill.width}
    return words | ({"hatch": fill.hatch} if fill.hatch else {}) | ({"alpha": fill.alpha} if fill.alpha < 1 else {})


def _handle(look: Look | Fill) -> Line2D | Patch:
    """Return the handle of a look in a legend."""
    return Patch(**_filled(look)) if isinstance(look, Fill) else Line2D([], [], **_line(look))


def _series(axes: Axes, panel: Panel, item: Series, gid: str) -> None:
    """Draw points, and signs for the marks beyond the edges of the scale."""
    x, y = np.clip(item.x, *panel.x.edges), np.clip(item.y, *panel.y.edges)
    low, high = panel.y.edges
    few = 1 / _MARKED if len(x) > _MANY and item.look.dashes else None
    games = item.role == "games"
    own = bool(item.look.dashes) or games or not item.role
    # no line runs along the edge, and no value below it is drawn as if it were there
    seen = np.where(y > low, y, np.nan) if own else y
    axes.plot(x, seen, **_line(item.look), markevery=few, label=item.name, gid=gid)
    signs = [(y <= low, low / 1.17, r"$\downarrow$"), *[(y >= high, high * 1.17, r"$\infty$")] * (not games)]
    for there, place, marker in signs:
        if item.look.marker and (games or not item.role) and there.any():
            size, order = (_GAME_SIGN, item.look.order) if games else (_SIGN, 3.2)
            axes.plot(
                x[there], np.full(int(there.sum()), place), color=item.look.colour, alpha=item.look.alpha,
                marker=marker, markersize=size, linestyle="", clip_on=False, zorder=order, gid=f"{gid}-{marker[2:-1]}",
            )  # fmt: skip


def _ends(panel: Panel, item: Area) -> list[npt.NDArray[np.float64]]:
    """Return the lower and the upper ends of an area; those below the scale are at the end of the axis."""
    low, high = panel.y.edges
    return [np.clip(end, min(low, panel.y.ends[0] or low), high) for end in (item.low, item.high)]


def _intervals(axes: Axes, panel: Panel, item: Area, gid: str) -> None:
    """Draw a bar with caps from end to end at each place, beside its neighbours in front of the line."""
    x, y = np.repeat(item.x, 3), np.column_stack([*_ends(panel, item), np.full(len(item.x), np.nan)]).ravel()
    axes.plot(
        x, y, color=item.fill.colour, label=item.name, gid=gid, zorder=3.05,
        marker="_", markersize=_CAP, markeredgewidth=0.9, linewidth=0.9,
    )  # fmt: skip


def _cells(axes: Axes, item: Cells, gid: str) -> None:
    """Draw shaded cells with their texts, and lines between them."""
    shades = LinearSegmentedColormap.from_list("shades", list(item.shades))
    axes.imshow(item.values, cmap=shades, vmin=0, vmax=1, aspect="auto", gid=gid)
    for (row, column), value in np.ndenumerate(item.values):
        colour = "white" if value > 0.55 else Look().colour
        axes.text(column, row, item.texts[row][column], ha="center", va="center", size=8, color=colour)
    rows, columns = np.shape(item.values)
    for place in range(1, columns):
        axes.axvline(place - 0.5, color="#BBBBBB", linewidth=0.6)
    for place in range(1, rows):
        axes.axhline(place - 0.5, color="#BBBBBB", linewidth=0.6)


def spread(wanted: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Return centres in the order of the wanted ones, clear of each other and, if there is room, between two ends.

    They are moved as little as can be: the sum of squares of the displacements is least.

    Parameters
    ----------
    sizes
        Of the labels around the centres.

    >>> spread([10, 11, 50], [4, 4, 4], 0, 100), spread([98, 99], [4, 4], 0, 100)
    ([8.5, 12.5, 50.0], [94.0, 98.0])
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    halves = np.array([sizes[index] / 2 for index in order])
    # without the least distances between them, places must only not decrease
    steps = np.concatenate(([0.0], np.cumsum(halves[:-1] + halves[1:])))
    placed = _rising(np.array([wanted[index] for index in order]) - steps)
    least, most = low + halves[0], high - halves[-1] - steps[-1]
    centres = np.empty(len(wanted))
    centres[order] = np.minimum(np.maximum(placed, least), max(most, least)) + steps
    return [float(centre) for centre in centres]


def _rising(wanted: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the values nearest to the wanted ones that do not decrease: blocks of equal ones, pooled from the left.

    scipy.optimize has the same, but takes a third of a second to be imported.
    """
    blocks: list[tuple[float, int]] = []
    for value in wanted:
        total, many = float(value), 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / many:
            before, others = blocks.pop()
            total, many = before + total, others + many
        blocks.append((total, many))
    return np.repeat([total / many for total, many in blocks], [many for _, many in blocks])


def _is_far(own: int, centre: float, ends: Sequence[float], most: float) -> bool:
    """Return whether a label is further from the end of its line than `most`, or not nearer to it than to others'."""
    away = abs(centre - ends[own])
    return away > most or any(abs(centre - end) <= away for place, end in enumerate(ends) if place != own)


def _label_ends(labels: Sequence[tuple[Axes, Series, float, str]]) -> Callable[[], bool]:
    """Write the labels of series to the right of their ends; return the function that finds their places.

    It is called when the axes have theirs. Where there is no room beside the end, the label has a leader. The function
    returns whether a label was moved.

    Parameters
    ----------
    labels
        For each its axes, the series, the height at which its last point is drawn, and the id in an SVG.
    """
    written: dict[Axes, list[Annotation]] = {}
    for axes, one, height, gid in labels:
        label = axes.annotate(
            one.label, (float(one.x[-1]), height), xytext=(_GAP, 0), textcoords="offset points",
            color=ink(one.look.colour), size=9, va="center", annotation_clip=False, gid=gid,
            arrowprops={"arrowstyle": "-", "color": one.look.colour, "linewidth": 0.7, "relpos": (0, 0.5),
                        "shrinkA": 1.5, "shrinkB": 4},
        )  # fmt: skip
        assert label.arrow_patch is not None
        label.arrow_patch.set_gid(f"{gid}-leader")
        written.setdefault(axes, []).append(label)

    def place() -> bool:
        return sum([_place_labels(axes, mine) for axes, mine in written.items()]) > 0  # of each panel

    return place


def _place_labels(axes: Axes, labels: Sequence[Annotation]) -> bool:
    """Move the labels of a panel beside the ends of their lines, clear of each other; return whether one was moved."""
    ends = [float(axes.transData.transform(label.xy)[1]) for label in labels]
    sizes = [Text.get_window_extent(label).height * 1.12 for label in labels]
    box, least = axes.get_window_extent(), min(sizes)
    centres = spread(ends, sizes, float(box.y0) - least, float(box.y1) + least)
    far = [_is_far(place, centre, ends, _FAR * least) for place, centre in enumerate(centres)]
    dpi, moved = axes.get_figure(root=True).dpi, False  # type: ignore[union-attr]
    for label, end, centre, is_far in zip(labels, ends, centres, far, strict=True):
        x, y = _LED if any(far) else _GAP, (centre - end) * 72 / dpi
        before = label.get_position()
        moved = moved or abs(x - before[0]) + abs(y - before[1]) > _STILL
        label.set_position((x, y))
        assert label.arrow_patch is not None
        label.arrow_patch.set_visible(is_far)
    return moved
