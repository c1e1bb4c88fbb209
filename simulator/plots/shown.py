"""What a plot shows of a result: its games, its description, its figure and its caption."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from matplotlib.figure import Figure

from disttrack.simulator.plots.base import Plot
from disttrack.simulator.plots.description import Description, Series, rounded
from disttrack.simulator.plots.render import render
from disttrack.simulator.points.facts import first_line
from disttrack.simulator.results.read import Tables

NAMED: Final = 10
"""Series whose values a caption states; of more it states how many there are."""


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
    left_out = f" Left out: {tables.lost:,} of the games, which ended in an error." if tables.lost else ""
    return replace(described, note=f"{described.note}{left_out}".strip())


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


def caption_of(plot: Plot, described: Description | None) -> str:
    """Return the caption of one figure, one line of plain text: what it shows, with its numbers, and what is fixed.

    A plot that draws by itself, or cannot be drawn from these tables, has the first line of its class's docstring.
    """
    text = first_line(type(plot))
    if described is not None:
        fixed = f" Fixed: {described.subtitle}." if described.subtitle else ""
        text = f"{values_in_words(described)}{fixed}"
    line = " ".join(re.sub(r"\$(\d+)\^\{(\d+)\}\$", r"\1^\2", text).split())  # no formulas in plain text
    return line[:1].upper() + line[1:] + "." * (not line.endswith((".", "!", "?")))


def values_in_words(described: Description) -> str:
    """Return the caption of a description or, without one, first and last value of its series, up to `NAMED`."""
    if described.caption:
        return described.caption
    parts, left = [], NAMED
    for panel in described.panels:
        series = panel.of(Series, "")
        texts = []
        for one in series[: max(0, left)]:
            values = one.x if panel.y.names else one.y
            ends = dict.fromkeys(rounded(float(values[place])) for place in (0, -1))
            texts.append(f"{one.name} ({' to '.join(ends)})")
        left -= len(series)
        parts += [f"{panel.title}: " * bool(panel.title) + ", ".join(texts)] if texts else []
    more = f"; {-left} more" if left < 0 else ""
    x, y = described.panels[0].x.label, described.panels[0].y.label
    label = f"{y} against {x}" if y else x
    return f"{label[:1].upper()}{label[1:]}: {'; '.join(parts)}{more}."
