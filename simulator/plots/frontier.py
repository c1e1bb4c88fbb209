"""The `frontier` figure: the largest error against words, with the border between right and wrong."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import Description, Item, Look, Panel, Series, rounded
from disttrack.simulator.plots.kinds import Frontier
from disttrack.simulator.plots.marks import mark
from disttrack.simulator.plots.panels import (
    ABOUT_ONE,
    ERROR_LABEL,
    FLOOR,
    FLOOR_NOTE,
    border,
    edges_of,
    error_over_alpha,
    look_of,
    shape,
    value_axis,
)
from disttrack.simulator.plots.sweep import infinite_note, panels
from disttrack.simulator.results.parameters import fixed
from disttrack.simulator.results.read import Line, Tables, lines, swept_axes


def describe(plot: Frontier, tables: Tables) -> Description:
    """Return the figure."""
    trials = tables.trials[tables.trials["alpha"].astype(float) > 0]
    one_alpha = trials["alpha"].nunique() <= 1
    error = error_over_alpha(trials) if one_alpha else trials["max_rel_error"].astype(float)
    trials = trials.assign(_error=error).dropna(subset=["_error", "words"])
    if trials.empty:
        raise ValueError("a frontier figure needs games of protocols that promise an accuracy alpha")
    kinds = tuple(dict.fromkeys(trials["protocol"]))
    axis = next((axis for axis in swept_axes(trials) if pd.api.types.is_numeric_dtype(trials[axis])), "")
    values = np.r_[trials["_error"], ABOUT_ONE if one_alpha else []]
    y = value_axis(
        ERROR_LABEL if one_alpha else "largest relative error", values, edges_of(values, FLOOR if one_alpha else 1e-9)
    )
    x = value_axis("words", trials["words"], most=6)
    looks: dict[str, Look] = {}
    made = []
    for title, there in panels(tables):
        games = trials.loc[trials.index.intersection(there.index)]
        items: list[Item] = border() if one_alpha else []
        for line in lines(games, axis):
            looks.setdefault(line.label, look_of(line, kinds, dashes=""))
            items += _line(line, kinds, axis)
        made.append(Panel(items, x, y, title))
    rows, columns = shape(len(made))
    note = "Dots: games. Marks: medians of each point, joined along the axis. Lower: more accurate, left: cheaper."
    note += " Hollow marks: at least half of the games failed." if any(p.of(Series, "fails") for p in made) else ""
    note += FLOOR_NOTE if one_alpha and (trials["_error"] <= FLOOR).any() else ""
    seen = []
    for protocol, games in trials.groupby("protocol", sort=False):
        held = int((games["verdict"] != "failed").sum())
        seen.append(f"{protocol}: {rounded(games['words'].median())} words, {held} of {len(games)} games hold")
    return Description(
        made, columns, 4.2 if rows == 1 else 2.5 * rows, plot.title or tables.title, fixed(tables, axis),
        note + infinite_note(trials["_error"]), f"Largest error against words, at the median: {'; '.join(seen)}.",
        [(look, label) for label, look in looks.items()],
    )  # fmt: skip


def _line(line: Line, kinds: tuple[str, ...], axis: str) -> Iterator[Series]:
    """Yield the games of one line: dots, medians of points along the axis, hollow marks where they failed."""
    games, colour = line.games, mark(line.protocol, kinds).colour
    dots = Look(colour, ".", "", size=4, edge=0, alpha=0.5, order=2)
    yield Series(line.label, games["words"].to_numpy(), games["_error"].to_numpy(), dots, "games")
    by = [axis] if axis else ["point"]
    middle = games.groupby(by)[["words", "_error"]].median()
    x, y = middle["words"].to_numpy(), middle["_error"].to_numpy()
    yield Series(line.label, x, y, look_of(line, kinds, dashes="-" if axis else "", width=0.8))
    at = ((games["verdict"] == "failed").groupby([games[key] for key in by]).mean() >= 0.5).to_numpy()
    hollow = look_of(line, kinds, dashes="", hollow=True, edge=1.4, order=3.1)
    if at.any():
        yield Series(line.label, x[at], y[at], hollow, "fails")
