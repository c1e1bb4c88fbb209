"""What all figures have: the keys of plots, with which a scenario is checked, the pages they are drawn for, pictures.

Light: a scenario is checked with the classes of its plots before anything runs, so nothing here imports matplotlib or
pandas.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from disttrack.mechanisms.docstrings import inherit_parameters
from disttrack.simulator.errors import must_be, must_be_one_of
from disttrack.simulator.kinds.source import import_reference

if TYPE_CHECKING:
    from disttrack.simulator.experiments.results.read import Tables
    from disttrack.simulator.shown.plots.description import Description


_SMALLEST, _LARGEST = 1.0, 40.0
"""Inches."""
_LONGEST: Final = 100
"""Letters of the name of a file; of a longer one it has a digest."""
_COMPARED: Final = {">=": "-ge-", "<=": "-le-", "!=": "-ne-", ">": "-gt-", "<": "-lt-"}
"""Comparisons in the name of a file: without them two conditions would have one."""
_FORM: Final = {
    "scale": "as in x=log,y=linear",
    "size": f"width x height of {_SMALLEST:g} to {_LARGEST:g} inches, as in 3.3x2.4",
    "font": "the name of an installed font",
}
LOOK: Final = tuple(_FORM)
"""Keys that every figure has, which commands may give to all of them."""
_NO_NAME: Final = ("where", "title", "over", "band", *LOOK)
"""Keys that are no part of the name of a figure's file."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One figure that a scenario asks for. Its fields are the keys beside `kind` under `plots:`.

    A class implements `describe`, or `draw` with the same argument: it returns a matplotlib figure, of which a page
    shows the picture alone. A field called `x` is an axis that the scenario sweeps; a plot without one shows all points
    together.

    Parameters
    ----------
    where
        Which games, as a condition on the columns of trials.csv; empty for all.
    title
        Title of the figure; empty for what its axes show.
    scale
        Scales in place of the usual ones: `y=log`, or `x=linear,y=log`.
    size
        Width and height in inches, 3.3x2.4; empty for what the figure needs, or the columns of a paper.
    font
        Name of an installed font.
    """

    kind: ClassVar[str] = ""
    """Name in scenario files, and beginning of the name of the figure's file."""
    home: ClassVar[str] = ""
    """The function that describes it, ``module:function`` in the folder of its class, imported for drawing only."""
    narrow: ClassVar[bool] = True
    """Whether it can be read in one column of a paper."""
    of_columns: ClassVar[tuple[str, ...]] = ()
    """Keys whose texts name columns of trials.csv, several with commas between: unknown names are refused early."""
    of_form: ClassVar[Mapping[str, str]] = _FORM
    """What the texts of keys that the class adds must be, where that is not every text."""

    where: str = ""
    title: str = field(default="", compare=False)
    scale: str = ""
    size: str = ""
    font: str = ""

    def __init_subclass__(cls, **more: object) -> None:
        super().__init_subclass__(**more)
        inherit_parameters(cls)

    @property
    def scales(self) -> dict[str, str]:
        """Return the scale of each axis that has one in place of the usual.

        >>> Plot(scale="x=log, y=linear").scales
        {'x': 'log', 'y': 'linear'}
        """
        if not isinstance(self.scale, str):  # a key of a user's class
            return {}
        parts = [part.split("=") for part in self.scale.replace(" ", "").split(",") if part]
        if any(len(part) != 2 or part[0] not in ("x", "y") or part[1] not in ("log", "linear") for part in parts):
            raise ValueError(must_be(Plot.of_form["scale"], self.scale, "scale"))
        return dict(parts)

    @property
    def inches(self) -> tuple[float, float] | None:
        """Return width and height; None for the usual ones.

        >>> Plot(size="3.3x2.4").inches
        (3.3, 2.4)
        """
        if not self.size or not isinstance(self.size, str):  # a key of a user's class
            return None
        match = re.fullmatch(r"(\d+\.?\d*)x(\d+\.?\d*)", self.size)
        width, height = map(float, match.groups()) if match else (0.0, 0.0)
        if not all(_SMALLEST <= side <= _LARGEST for side in (width, height)):
            raise ValueError(must_be(Plot.of_form["size"], self.size, "size"))
        return width, height

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the columns of trials.csv, or other tables, without which it cannot be drawn."""
        return ()

    def describe(self, tables: Tables) -> Description:
        """Return the content of the figure, as data.

        Parameters
        ----------
        tables
            The games that meet `where`, with their timelines and messages.

        Raises
        ------
        ValueError
            The tables lack something; one line names it.
        """
        if not self.home:
            raise ValueError(f"{type(self).__name__} has neither describe(tables) nor draw(tables)")
        owner = next(one for one in type(self).__mro__ if "home" in vars(one))
        described: Description = import_reference(f"{owner.__module__.rpartition('.')[0]}.{self.home}")(self, tables)
        return described

    @property
    def name(self) -> str:
        """Return the file's name without its ending: kind, axis, and other texts that differ from defaults."""
        parts = [self.kind or type(self).__name__]
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name not in _NO_NAME and isinstance(value, str) and value != each.default:
                parts.append(value)
        return "-".join(part.replace("/", "-") for part in parts if part)


def asked_name(plot: Plot) -> str:
    """Return the same of a figure that a command asks for, with all keys, so that none takes the file of another."""
    rest = [plot.where]
    for each in fields(plot):
        value = getattr(plot, each.name)
        in_name = each.name in ("where", "title") or (isinstance(value, str) and each.name not in _NO_NAME)
        if not in_name and value != each.default:
            rest.append(each.name if value is True else f"{each.name} {value}")
    rest = [re.sub("[<>!]=?", lambda sign: _COMPARED.get(sign[0], "-"), text.lower()) for text in rest]
    name = "-".join(filter(None, [plot.name, *(re.sub("[^a-z0-9.]+", "-", text).strip("-.") for text in rest)]))
    return name if len(name) <= _LONGEST else f"{plot.kind}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def brief(caption: str) -> str:
    """Return what a figure shows, for the line below it; with its numbers the caption is the alternative text.

    >>> brief("Words against number of sites, k: robust (125,848 to 3,800,000). Fixed: α 0.01.")
    'Words against number of sites, k.'
    """
    return re.split(r"[:.] ", caption, maxsplit=1)[0].rstrip(".") + "."


@dataclass(frozen=True)
class Picture:
    """A figure that has been drawn.

    Attributes
    ----------
    name
        Its file's name without the ending.
    path
        Its SVG file, with the PNG beside it.
    caption
        Its content in plain text.
    described
        Its description; None if the plot draws by itself.
    svg
        The text of its SVG file if this process has drawn it from a description; empty for any other file.
    files
        All files that a comparison has written of it.
    """

    name: str
    path: Path
    caption: str
    described: Description | None = None
    svg: str = ""
    files: tuple[Path, ...] = ()


FORMS: Final = ("png", "svg")
"""Forms in which a figure is written."""
LETTER: Final = 0.07
"""Width of a letter of a title or legend, in inches."""
WIDTH: Final = 8.0
"""Width of a figure on a screen in inches; shown 800 pixels wide, a point of text is then 1.4 pixels."""


@dataclass(frozen=True)
class Page:
    """The page that figures are drawn for.

    Parameters
    ----------
    name
        Part of the names of the files; empty for a screen.
    width
        Width of a figure in inches; None for the figure's own.
    height
        Height of the panels, as a share of that on a screen.
    largest
        The largest text, in points.
    titled
        Whether the figure has title, fixed parameters and note; a paper has them in its caption.
    forms
        Forms in which figures are written.
    total
        Height of the whole figure in inches; None for what its panels need.
    font
        Name of the font; empty for that of the house.
    """

    name: str
    width: float | None
    height: float = 1.0
    largest: float = 100.0
    titled: bool = True
    forms: tuple[str, ...] = FORMS
    total: float | None = None
    font: str = ""

    @property
    def narrow(self) -> bool:
        """Return whether there is no room for labels beside lines, nor for panels beside each other."""
        return self.width is not None and self.width < 5


SCREEN: Final = Page("", None)
_PRINTED: Final = ("pdf", "svg", "png")
SINGLE: Final = Page("single", 3.3, 0.62, 8.0, titled=False, forms=_PRINTED)
DOUBLE: Final = Page("double", 7.0, 0.8, 8.0, titled=False, forms=_PRINTED)
STYLES: Final[dict[str, tuple[Page, ...]]] = {"screen": (SCREEN,), "paper": (SINGLE, DOUBLE)}
"""Styles by name: a paper's figures are as wide as one column, and as two."""


def pages(style: str, size: tuple[float, float] | None = None, font: str = "") -> list[Page]:
    """Return the pages of a style; with a size, in inches, there is one.

    >>> [page.name for page in pages("paper")], [page.width for page in pages("paper", (3.3, 2.4))]
    (['single', 'double'], [3.3])
    """
    if style not in STYLES:
        raise ValueError(must_be_one_of(STYLES, style, "style"))
    every = [replace(page, font=font) for page in STYLES[style]]
    if size is None:
        return every
    width, height = size
    return [replace(every[0], name=f"{width:g}x{height:g}" * (bool(every[0].name)), width=width, total=height)]


PAGE: Final[ContextVar[Page]] = ContextVar("page", default=SCREEN)
"""Set by `simulator.shown.plots.style.house_style`."""


def page() -> Page:
    """Return the page that figures are drawn for, inside of the house style."""
    return PAGE.get()
