"""The content of a figure as plain data: panels of series, areas, bars, cells, rules and words, their axes, its texts.

A kind of plot computes one description from the tables. `simulator.shown.plots.render` draws it with matplotlib; the
page of a report takes its values from it. Values are those of the tables, also where a scale cannot show them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, Final, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from disttrack.simulator.experiments.results.formats import number
from disttrack.simulator.shown.plots.marks import INK, Dashes, mark

THIN: Final = (0, (4, 2))
"""Short dashes: theory."""
DOTS: Final = ":"

Kind = TypeVar("Kind")
Share = Literal["all", "col", "row", "none"]
Numbers = npt.NDArray[np.float64] | Sequence[float]
Row = tuple[float, float | None, float | None, float | None]
"""A value of a table of a figure: x, y, and the ends of the range around it; None where there is none."""


_EARLY: Final = 0.03
"""A line ends early if it lacks more than this share of the longest one in its panel."""
_ROOM: Final = 14
"""More labels than fit beside a panel are in the legend."""


@dataclass(frozen=True)
class Look:
    """How points are drawn.

    Parameters
    ----------
    colour, marker
        Matplotlib's words; no marker for a line alone.
    dashes
        Of the line; empty for marks alone.
    width
        Of the line, in points; None for the style's own.
    size, edge
        Of a mark and its border, in points; marks in print are three quarters as large.
    hollow
        Whether marks are white inside.
    alpha
        Opacity.
    order
        Larger numbers are drawn in front.
    """

    colour: str = INK
    marker: str = ""
    dashes: Dashes = "-"
    width: float | None = None
    size: float = 6.0
    edge: float | None = None
    hollow: bool = False
    alpha: float = 1.0
    order: float = 3.0


def looks_of(protocols: Iterable[str], **more: Any) -> dict[str, Look]:
    """Return the look of each protocol of a figure, with the colour and the marker that it has in other figures too.

    Parameters
    ----------
    more
        Parameters of `Look` that all of them share.

    >>> looks_of(["robust", "robust", "exact"], dashes="")["robust"]
    Look(colour='#0072B2', marker='o', dashes='', width=None, size=6.0, edge=None, hollow=False, alpha=1.0, order=3.0)
    """
    kinds = tuple(dict.fromkeys(protocols))
    marks = {kind: mark(kind, kinds) for kind in kinds}
    return {kind: Look(**{"colour": each.colour, "marker": each.marker, **more}) for kind, each in marks.items()}


@dataclass(frozen=True)
class Fill:
    """How an area is filled: hatches and borders as matplotlib names them; `width` of the border in points."""

    colour: str
    alpha: float = 1.0
    hatch: str = ""
    edge: str = "none"
    width: float = 0.0


@dataclass(frozen=True, eq=False)
class Series:
    """Points, joined or marked.

    Parameters
    ----------
    name
        The series that they belong to, which is switched on and off as a whole.
    role
        Their role in the series: fails, bound, games; empty for the series itself.
    low, high
        Ends of the range around each point, for tables; they are drawn by an `Area` or a `Series` of their own.
    label
        Text beside its last point.
    power
        Exponent of the axis, with its standard error, if its points lie on a power.
    """

    name: str
    x: Numbers
    y: Numbers
    look: Look
    role: str = ""
    low: Numbers | None = None
    high: Numbers | None = None
    label: str = ""
    power: str = ""

    def __post_init__(self) -> None:
        for name in ("x", "y"):  # a column of a table has labels, and no last place
            object.__setattr__(self, name, np.asarray(getattr(self, name)))

    def rows(self) -> Iterator[Row]:
        """Yield its values."""
        low, high = (np.full(len(self.x), None) if end is None else end for end in (self.low, self.high))
        yield from zip(self.x, self.y, low, high, strict=True)


@dataclass(frozen=True, eq=False)
class Area:
    """The area between two curves over x, part of a series; of role `interval` a bar at each x."""

    name: str
    x: Numbers
    low: Numbers
    high: Numbers
    fill: Fill
    role: str = "range"
    order: float = 2.0

    def rows(self) -> Iterator[Row]:
        """Yield its ends."""
        for x, low, high in zip(self.x, self.low, self.high, strict=True):
            yield x, None, low, high


@dataclass(frozen=True, eq=False)
class Bars:
    """Horizontal bars of one series: each begins at `left`, is `width` long, and lies at `at`."""

    name: str
    left: Numbers
    width: Numbers
    at: Numbers
    fill: Fill
    role: str = ""

    def rows(self) -> Iterator[Row]:
        """Yield their lengths and ends."""
        for left, width, at in zip(self.left, self.width, self.at, strict=True):
            yield width, at, left, left + width


@dataclass(frozen=True, eq=False)
class Cells:
    """Cells of a table, shaded from 0 to 1 by `values` (rows of columns, NaN for no cell), with texts in them."""

    name: str
    values: npt.NDArray[np.float64]
    texts: Sequence[Sequence[str]]
    shades: Sequence[str]
    role: str = ""

    def rows(self) -> Iterator[Row]:
        """Yield column and row of each cell, and its value."""
        for (row, column), value in np.ndenumerate(self.values):
            yield column, row, value, value


@dataclass(frozen=True)
class Rule:
    """A reference line across a panel, at a value of its y axis."""

    at: float
    look: Look


@dataclass(frozen=True)
class Region:
    """A shaded part of a panel, between two values of its y axis."""

    low: float
    high: float
    fill: Fill


@dataclass(frozen=True)
class Words:
    """A text in a panel: in units of its axes, or of shares of the panel from its lower left corner."""

    x: float
    y: float
    text: str
    colour: str = INK
    size: float = 8.0
    shares: bool = False


Item = Series | Area | Bars | Cells | Rule | Region | Words


@dataclass(frozen=True)
class Axis:
    """An axis of a panel.

    Parameters
    ----------
    label
        Its quantity and unit.
    scale
        linear or log.
    ends
        Its ends; None to fit the values.
    ticks
        Places of its ticks; None for good ones, `most` at most (0 for any number).
    text
        Returns the text of a tick.
    names
        Words in place of numbers, at 0, 1, 2; on a y axis the first on top.
    edges
        Smallest and largest value that it shows: others are drawn there, marks with an arrow or a sign of infinity.
    """

    label: str = ""
    scale: str = "linear"
    ends: tuple[float | None, float | None] = (None, None)
    ticks: Sequence[float] | None = None
    most: int = 0
    text: Callable[[float], str] | None = None
    names: Sequence[str] = ()
    edges: tuple[float, float] = (-inf, inf)


@dataclass(frozen=True)
class Panel:
    """One panel; without `framed` its axes are not drawn."""

    items: Sequence[Item]
    x: Axis = field(default_factory=Axis)
    y: Axis = field(default_factory=Axis)
    title: str = ""
    framed: bool = True

    def of(self, kind: type[Kind], role: str | None = None) -> list[Kind]:
        """Return its items of a class, those of one role if it is given."""
        return [one for one in self.items if isinstance(one, kind) and role in (None, getattr(one, "role", None))]


@dataclass(frozen=True)
class Description:
    """A figure.

    Parameters
    ----------
    panels
        In rows, from left to right.
    columns
        Panels beside each other.
    height
        Height of the panels in inches, without title, legend and note.
    title, subtitle, note
        Texts above and below the panels.
    caption
        The numbers of the figure in plain text; empty for first and last value of each series.
    legend
        Looks with their names.
    marks
        What marks and bands are, which follows the subtitle.
    width
        In inches; None for the usual one.
    share
        Which panels have the same x axis, and the same y axis: all, col, row or none.
    games
        The rows of the table of games that it draws, which texts about all of them are about; None for all.
    """

    panels: Sequence[Panel]
    columns: int = 1
    height: float = 3.5
    title: str = ""
    subtitle: str = ""
    note: str = ""
    caption: str = ""
    legend: Sequence[tuple[Look | Fill, str]] = ()
    marks: str = ""
    width: float | None = None
    share: tuple[Share, Share] = ("all", "all")
    games: Sequence[int] | None = field(default=None, repr=False)

    @property
    def heading(self) -> str:
        """Return what the axes show, as a title.

        >>> Description([Panel([], Axis("number of sites, k"), Axis("words"))]).heading
        'Words by number of sites'
        """
        x, y = (axis.label for axis in (self.panels[0].x, self.panels[0].y))
        words = (", by " if ", " in y else " by ").join(text for text in (y, _without_letter(x)) if text)
        return words[:1].upper() + words[1:]

    def names(self) -> list[str]:
        """Return the names of its series, in order."""
        items = (one for panel in self.panels for one in panel.items)
        return list(dict.fromkeys(one.name for one in items if isinstance(one, Series | Area | Bars | Cells)))


def _without_letter(label: str) -> str:
    """Return the label of an axis without its letter: `number of sites, k` is `number of sites`."""
    words, _, letter = label.rpartition(", ")
    return words if words and len(letter) < 4 else label


def is_crowded(panel: Panel) -> bool:
    """Return whether a panel has more labels than fit beside it, or one that would lie across it, over other lines."""
    ends = [float(one.x[-1]) for one in panel.of(Series) if one.label]
    if len(ends) < 2 or panel.x.names:
        return False
    first = min(float(np.min(one.x)) for one in panel.of(Series) if one.label)
    return len(ends) > _ROOM or max(ends) - min(ends) > _EARLY * (max(ends) - first)


def labels_in_legend(described: Description) -> Description:
    """Return a description whose series have their names in the legend, and none beside their ends."""
    looks = {name: look for look, name in described.legend}
    panels = []
    for panel in described.panels:
        for one in panel.of(Series, ""):
            if one.label:
                looks.setdefault(one.name, one.look)
        items = [replace(item, label="") if isinstance(item, Series) else item for item in panel.items]
        panels.append(replace(panel, items=items))
    return replace(described, panels=panels, legend=[(look, name) for name, look in looks.items()])


def rounded(value: float) -> str:
    """Return a measured value with three digits.

    >>> rounded(36_998.5), rounded(0.02345), rounded(2.0)
    ('37,000', '0.0234', '2')
    """
    return number(float(f"{value:.3g}"))
