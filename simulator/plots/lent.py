"""Figures that are drawn on a user's own axes: `with lent(axes):` every new figure takes these for its panels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_LENT: ContextVar[tuple[Axes, ...]] = ContextVar("lent", default=())


class OnLentAxes(Figure):
    """Stands for a figure, and has the user's axes for its panels; its own canvas is never shown.

    Parameters
    ----------
    axes
        Of the user's figure, one a panel.
    title
        Goes above a single panel; several have titles of their own.
    entries
        Of the legends.
    """

    def __init__(self, axes: Sequence[Axes], title: str, entries: Sequence[tuple[Any, str]]) -> None:
        theirs = axes[0].figure
        super().__init__(dpi=theirs.dpi)
        self.panels = tuple(axes)
        self._theirs = theirs
        self._title = title
        self._entries = entries

    def subplots(self, nrows: int = 1, ncols: int = 1, *, squeeze: bool = True, **options: Any) -> Any:
        """Return the axes that were lent; scales are shared as they would be in a figure of its own.

        Raises
        ------
        ValueError
            There are fewer or more of them than panels.
        """
        count = nrows * ncols
        if count != len(self.panels):
            given = f"{len(self.panels)} axes were" if len(self.panels) > 1 else "one was"
            raise ValueError(
                f"ax: this figure has {count} panels ({nrows} by {ncols}) and {given} given; narrow it with where=…, "
                "or give a list of axes"
            )
        for share, join in (("sharex", Axes.sharex), ("sharey", Axes.sharey)):
            if options.get(share) in (True, "all"):
                for other in self.panels[1:]:
                    join(other, self.panels[0])
        made = np.array(self.panels, dtype=object).reshape(nrows, ncols)
        if not squeeze:
            return made
        return made.item() if count == 1 else made.squeeze()

    def finish(self) -> None:
        """Put what a figure of its own has around its panels into them: the title over a single one, and the legend."""
        if len(self.panels) == 1 and not self.panels[0].get_title(loc="left"):
            self.panels[0].set_title(self._title, wrap=True)
        if self._entries:
            handles, texts = zip(*self._entries, strict=True)
            # beside the panel, never over data
            self.panels[-1].legend(handles, texts, fontsize="small", loc="center left", bbox_to_anchor=(1.01, 0.5))

    def draw_without_rendering(self) -> None:
        """Lay out the user's figure, where the panels are."""
        self._theirs.draw_without_rendering()  # type: ignore[union-attr]


class Panels(tuple[Axes, ...]):
    """The axes of a figure, one a panel. A notebook shows the figure, which is `figure`."""

    figure: Figure

    def _repr_png_(self) -> bytes | None:
        draw = getattr(self.figure, "_repr_png_", None)
        return draw() if draw is not None else None


@contextmanager
def lent(axes: Sequence[Axes]) -> Iterator[None]:
    """Draw what is drawn inside on these axes."""
    token = _LENT.set(tuple(axes))
    try:
        yield
    finally:
        _LENT.reset(token)


def on_lent_axes(title: str, entries: Sequence[tuple[Any, str]]) -> OnLentAxes | None:
    """Return what stands for a figure where axes have been lent, otherwise nothing."""
    axes = _LENT.get()
    return OnLentAxes(axes, title, entries) if axes else None
