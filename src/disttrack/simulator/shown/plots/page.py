"""The pages that figures are drawn for: a screen, and one or two columns of a paper."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Final

from disttrack.simulator.errors import must_be_one_of

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
SINGLE: Final = Page("single", 3.3, 0.62, 8.0, titled=False, forms=("pdf", "svg", "png"))
DOUBLE: Final = Page("double", 7.0, 0.8, 8.0, titled=False, forms=("pdf", "svg", "png"))
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
