"""Plots: the figures that a scenario asks for under `plots:`, several results side by side, and the timeline of a game.

Matplotlib is imported when something is drawn, and not before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from simulator.plots.base import Plot
from simulator.scenario.figures import check_plot

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from simulator.results.folder import Results

__all__ = ["PLOTS", "Plot", "captions", "check_plot", "compare", "draw", "timeline_of"]

PLOTS: Final = {
    "cost": "simulator.plots.kinds:Cost",
    "error": "simulator.plots.kinds:Error",
    "measure": "simulator.plots.kinds:Measure",
    "timeline": "simulator.plots.kinds:Timeline",
    "breakdown": "simulator.plots.kinds:Breakdown",
    "frontier": "simulator.plots.kinds:Frontier",
    "matrix": "simulator.plots.kinds:Matrix",
    "size": "simulator.plots.kinds:SizeOverTime",
    "budget": "simulator.plots.kinds:Budget",
    "ratio": "simulator.plots.kinds:Ratio",
    "flags": "simulator.plots.kinds:Flags",
    "spread": "simulator.plots.kinds:Spread",
    "share": "simulator.plots.kinds:Share",
    "halts": "simulator.plots.kinds:Halts",
}
"""The built-in kinds and their classes, loaded when they are asked for; installed packages may add to them."""


def draw(
    directory: str | Path | Results,
    requests: Sequence[Plot | Mapping[str, Any] | str] | None = None,
    *,
    missing: bool = False,
    style: str = "screen",
) -> list[Path]:
    """Draw the figures of a result into its folder `figures`; return the files, PNG and SVG of each.

    Parameters
    ----------
    directory
        Where a run wrote its tables, or the results themselves.
    requests
        Which figures; left out, those that the scenario asks for, or some that suit it if it asks for none.
    missing
        Whether to draw only those that are not there, or are older than the tables.
    style
        screen, or paper: without titles, in one and two columns' width, with fonts in the files, as PDF too, into the
        folder `figures/paper`.

    Raises
    ------
    ValueError
        There is no result in the directory, or a figure cannot be drawn from it; the others have been drawn.
    """
    from simulator.plots.figures import draw_all

    return draw_all(directory, requests, missing=missing, style=style)


def captions(directory: str | Path | Results) -> dict[str, str]:
    """Return what each figure of a result shows, in one line of plain text, for captions and alternative texts.

    Nothing is drawn. The same texts stand beside drawn figures in ``figures/captions.json``.

    Parameters
    ----------
    directory
        Where a run wrote its tables, or the results themselves.

    Returns
    -------
    captions
        By the name of the figure's file without its ending, in the order in which the scenario asks for figures.
    """
    from simulator.plots.figures import captions_of

    return captions_of(directory)


def compare(
    directories: Sequence[str | Path | Results],
    kind: Plot | Mapping[str, Any] | str = "frontier",
    out: str | Path | None = None,
    style: str = "screen",
) -> list[Path]:
    """Draw several results side by side, on common scales; return the files, PNG and SVG.

    Parameters
    ----------
    directories
        Where the runs wrote their tables.
    kind
        The figure: a kind alone, or a mapping as under `plots:`.
    out
        The folder to write to; left out, ``figures`` in the current folder.
    style
        screen or paper, as for `draw`.
    """
    from simulator.plots.figures import draw_compared

    return draw_compared(directories, kind, out, style)


def timeline_of(game: Any, path: str | Path | None = None) -> Figure:
    """Return the timeline of a `Game` as a matplotlib figure, written to `path` too if one is given.

    Of a game that was recorded every step is shown, of another one its checkpoints.

    Parameters
    ----------
    path
        Ends in .png or .svg; without an ending both are written.
    """
    from simulator.plots.figures import draw_one_game

    return draw_one_game(game, path)
