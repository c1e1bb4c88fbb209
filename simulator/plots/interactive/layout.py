"""Where the panels of a figure stand, and the layout of their axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from simulator.plots.interactive.looks import PIXELS, plain
from simulator.plots.interactive.scales import Unsupported, scale

BETWEEN: Final = 64
"""Pixels between rows of panels, with labels below the upper or a title above the lower ones."""
CLOSE: Final = 26
"""Pixels between rows of panels that share their axis below and have no titles."""


@dataclass(frozen=True)
class Panel:
    """One panel of a figure.

    Attributes
    ----------
    number
        From 1; its axes are `x` and `y` with that number, without it for the first.
    row, column
        Its place, from 0.
    height
        Height in pixels.
    title
        What stands above it.
    x, y
        What its axes show, as plain text.
    words
        Those of its axes, "x" and "y", whose ticks are named by words and so have no other scale.
    """

    number: int
    row: int
    column: int
    height: int
    title: str
    x: str
    y: str
    words: tuple[str, ...] = ()

    def axis(self, which: str) -> str:
        """Return what plotly calls an axis of this panel: x, y2."""
        return which if self.number == 1 else f"{which}{self.number}"

    def key(self, which: str) -> str:
        """Return where the layout has an axis of this panel: xaxis, yaxis2."""
        return f"{which}axis" if self.number == 1 else f"{which}axis{self.number}"


def panels_of(figure: Figure) -> list[tuple[Panel, Axes]]:
    """Return the panels that are seen, in the order in which they were made; bars of colour scales are none.

    Raises
    ------
    Unsupported
        A panel is not flat, or has a second scale over the first.
    """
    shown = [axes for axes in figure.axes if axes.get_visible() and axes.get_label() != "<colorbar>"]
    found: list[tuple[Panel, Axes]] = []
    for number, axes in enumerate(shown, start=1):
        if axes.name != "rectilinear":
            raise Unsupported(f"a panel of kind {axes.name!r}")
        row, column = _place(axes, shown)
        if any((panel.row, panel.column) == (row, column) for panel, _ in found):
            raise Unsupported("a second scale over a panel")
        words = tuple(which for which in ("x", "y") if scale(axes, which)[1])
        title = " ".join(filter(None, (plain(axes.get_title(loc=side)) for side in ("left", "center", "right"))))
        height = round(axes.get_position().height * figure.get_figheight() * 72 * PIXELS)
        x, y = (_label(axes, which) for which in ("x", "y"))
        found.append((Panel(number, row, column, height, title, x, y, words), axes))
    if not found:
        raise Unsupported("no panels")
    return found


def _place(axes: Axes, shown: list[Axes]) -> tuple[int, int]:
    """Return row and column: of the grid, or by where it stands if it is in none."""
    spec = axes.get_subplotspec()
    if spec is not None:
        return spec.rowspan.start, spec.colspan.start
    at = [(round(1 - one.get_position().y1, 3), round(one.get_position().x0, 3)) for one in shown]
    top, left = at[shown.index(axes)]
    return sorted({each for each, _ in at}).index(top), sorted({each for _, each in at}).index(left)


def _label(axes: Axes, which: str) -> str:
    """Return what an axis shows; of panels that share it, the label that one of them has."""
    shared = axes.get_shared_x_axes() if which == "x" else axes.get_shared_y_axes()
    own = axes.get_xlabel if which == "x" else axes.get_ylabel
    others = [one for one in axes.get_figure(root=True).axes if shared.joined(axes, one)]  # type: ignore[union-attr]
    labels = [own(), *((one.get_xlabel() if which == "x" else one.get_ylabel()) for one in others)]
    return plain(next(filter(None, labels), ""))


def placed(panels: list[Panel], all_axes: list[Axes]) -> dict[str, Any]:
    """Return the layout: the axes of every panel, its place, the height of all."""
    rows, columns = (1 + max(getattr(panel, name) for panel in panels) for name in ("row", "column"))
    heights = [max((panel.height for panel in panels if panel.row == row), default=0) for row in range(rows)]
    gaps = [_gap(row, panels, all_axes) for row in range(rows - 1)]
    total = sum(heights) + sum(gaps)
    width, gap = 1 / columns, 0.07 if columns > 1 else 0.0
    found: dict[str, Any] = {"height": total}
    for panel, axes in zip(panels, all_axes, strict=True):
        top = sum(heights[: panel.row]) + sum(gaps[: panel.row])
        left = panel.column * width + (gap / 2 if panel.column else 0.0)
        right = (panel.column + 1) * width - (gap / 2 if panel.column < columns - 1 else 0.0)
        ends = {"x": [left, right], "y": [1 - (top + panel.height) / total, 1 - top / total]}
        for which in ("x", "y"):
            other = "y" if which == "x" else "x"
            domain = [max(0.0, round(end, 5)) for end in ends[which]]
            one = scale(axes, which)[0] | {"domain": domain, "anchor": panel.axis(other), "automargin": True}
            if (first := _shared_with(which, axes, panels, all_axes)) is not None and first is not panel:
                one["matches"] = first.axis(which)
            found[panel.key(which)] = one
    return found


def _gap(row: int, panels: list[Panel], all_axes: list[Axes]) -> int:
    """Return the pixels between a row and the next."""
    named = any(
        scale(axes, "x")[0]["showticklabels"] or axes.get_xlabel()
        for panel, axes in zip(panels, all_axes, strict=True)
        if panel.row == row
    )
    return BETWEEN if named or any(panel.title for panel in panels if panel.row == row + 1) else CLOSE


def _shared_with(which: str, axes: Axes, panels: list[Panel], all_axes: list[Axes]) -> Panel | None:
    """Return the first panel that shares an axis with this one."""
    shared = axes.get_shared_x_axes() if which == "x" else axes.get_shared_y_axes()
    return next((panel for panel, one in zip(panels, all_axes, strict=True) if shared.joined(axes, one)), None)
