"""The pages that figures are drawn for: a screen, and one or two columns of a paper."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

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
    """

    name: str
    width: float | None
    height: float = 1.0
    largest: float = 100.0
    titled: bool = True
    forms: tuple[str, ...] = FORMS

    @property
    def narrow(self) -> bool:
        """Return whether there is no room for labels beside lines, nor for panels beside each other."""
        return self.width is not None and self.width < 5


SCREEN: Final = Page("", None)
SINGLE: Final = Page("single", 3.3, 0.62, 8.0, titled=False, forms=("pdf", "svg", "png"))
DOUBLE: Final = Page("double", 7.0, 0.8, 8.0, titled=False, forms=("pdf", "svg", "png"))
STYLES: Final[dict[str, tuple[Page, ...]]] = {"screen": (SCREEN,), "paper": (SINGLE, DOUBLE)}
"""Styles by name: a paper's figures are as wide as one column, and as two."""

PAGE: Final[ContextVar[Page]] = ContextVar("page", default=SCREEN)
"""Set by `simulator.shown.plots.style.house_style`."""


def page() -> Page:
    """Return the page that figures are drawn for, inside of the house style."""
    return PAGE.get()
