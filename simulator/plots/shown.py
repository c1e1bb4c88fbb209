"""What a plot shows of a result: its games, its description, its figure and its caption."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import Any

from matplotlib.figure import Figure

from disttrack.simulator.plots.base import Plot
from disttrack.simulator.plots.description import Description
from disttrack.simulator.plots.render import render
from disttrack.simulator.plots.sentences import capital
from disttrack.simulator.results.read import Tables


def prepared(tables: Tables, plot: Plot) -> tuple[Plot, Tables]:
    """Return a plot with its axes called as the tables call them, and the games that it shows.

    Raises
    ------
    ValueError
        No game meets its condition.
    """
    names = tables.called
    axes = {key: names[value] for key in ("x", "y") if (value := getattr(plot, key, "")) in names}
    if axes:  # whoever asks for items where the task has steps gets the steps
        plot = replace(plot, **axes)
    if getattr(plot, "controls", False):
        tables = tables.with_controls()
    return plot, tables.where(plot.where).with_adversaries_named(getattr(plot, "x", "")).in_words_of_task()


def described_of(tables: Tables, plot: Plot) -> Description | None:
    """Return what a figure shows; None for a plot that draws by itself.

    Raises
    ------
    ValueError
        The tables do not hold what it needs, or the user's own class went wrong.
    """
    if type(plot).draw is not Plot.draw:
        return None
    described: Description = _called(tables, plot, "describe", Description)
    return replace(described, note=f"{described.note} {_left_out(tables.lost)}".strip())


def figure_of(tables: Tables, plot: Plot, described: Description | None = None) -> Figure:
    """Return one figure; to be called in the house style. `described` is its description if it is known already."""
    described = described or described_of(tables, plot)
    return render(described) if described is not None else _called(tables, plot, "draw", Figure)


def _called(tables: Tables, plot: Plot, method: str, wanted: type[Any]) -> Any:
    """Return what a method of a plot makes of the games that it shows; of a user's class all errors in one line."""
    plot, chosen = prepared(tables, plot)
    name = f"{type(plot).__name__}.{method}"
    try:
        made = getattr(plot, method)(chosen)
    except Exception as error:
        if isinstance(error, ValueError) or type(plot).__module__.startswith("disttrack.simulator.plots."):
            raise
        raise ValueError(f"{name} raised {type(error).__name__}: {error}") from error
    if not isinstance(made, wanted):
        raise ValueError(f"{name} must return a {wanted.__module__.split('.')[0]} {wanted.__name__}; got {made!r}")
    return made


def caption_of(tables: Tables, plot: Plot, described: Description | None, otherwise: str = "") -> str:
    """Return the caption of one figure: one line of plain text; what the plot says of itself if no more is known.

    Parameters
    ----------
    tables
        All games of the results; those that the plot shows are chosen here, as they are for drawing.
    described
        What it shows; None for a plot that draws by itself, or cannot be drawn from these tables.
    otherwise
        What it says where it has no description.
    """
    text = described.caption if described is not None else ""
    if not text and type(plot).draw is not Plot.draw:
        with suppress(Exception):  # a plot of the user's own: drawing says what is wrong
            text = _called(tables, plot, "caption", str)
    text = text or otherwise or plot.says or plot.kind or type(plot).__name__
    line = " ".join(re.sub(r"\$(\d+)\^\{(\d+)\}\$", r"\1^\2", text).split())  # no formulas in plain text
    return capital(line) + ("" if line.endswith((".", "!", "?")) or not line else ".")


def _left_out(lost: int) -> str:
    """Return what a figure says of games that an error ended."""
    games = "games that ended in an error are" if lost > 1 else "game that ended in an error is"
    return f"{lost:,} {games} left out." if lost else ""
