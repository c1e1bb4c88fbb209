"""Frontiers: the largest error, or another column, against the cost; a dot per game, a mark per point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.experiments.results.lines import Line, lines, swept_axes
from disttrack.simulator.experiments.results.read import Tables, fixed
from disttrack.simulator.game.columns import ADVERSARY, FAILED, OK, POINT, VERDICT
from disttrack.simulator.game.tasks.answers import judged_error, over_alpha
from disttrack.simulator.kinds.names import count, name_of
from disttrack.simulator.shown.plots.description import Description, Item, Look, Panel, Series, rounded
from disttrack.simulator.shown.plots.kinds import Frontier
from disttrack.simulator.shown.plots.panels import (
    ABOUT_ONE,
    FLOOR,
    FLOOR_NOTE,
    HOLLOW_NOTE,
    IN_ALPHA,
    border,
    column_of,
    edges_of,
    looks_of_lines,
    measured_label,
    shape,
    value_axis,
)
from disttrack.simulator.shown.plots.sweep import absent, facets, infinite_note

_ROUNDING: Final = 1e-9
"""Relative errors of at most this are 0 but for rounding."""


class _Errors(NamedTuple):
    """The y axis of a `frontier` figure: label, value of each game, lower edge, and whether 1 is a limit."""

    label: str
    values: pd.Series[float]
    low: float
    limited: bool = False


def _errors(plot: Frontier, tables: Tables) -> _Errors:
    """Return the column that the figure names, or the errors: in units of alpha where all games promise the same."""
    trials = tables.trials
    if plot.y:
        values = trials[column_of(trials, "y", plot.y)].astype(float)
        return _Errors(measured_label(plot.y, tables), values, _least(values))
    trials = trials[trials.alpha.astype(float) > 0]
    if trials.alpha.nunique() <= 1:
        return _Errors(f"{tables.error}, {IN_ALPHA}", over_alpha(trials), FLOOR, limited=True)
    values = judged_error(trials)
    return _Errors(
        "largest relative error" if tables.error == "largest error" else tables.error,
        values,
        _least(values.where(values > _ROUNDING, 0.0)),
    )


def frontier(plot: Frontier, tables: Tables) -> Description:
    """Return a `frontier` figure."""
    errors = _errors(plot, tables)
    trials = tables.trials.loc[errors.values.index]
    swept, costs = swept_axes(trials), trials[column_of(trials, "cost", plot.cost)]
    trials = trials.assign(_error=errors.values, _cost=costs).dropna(subset=["_error", "_cost"])
    if trials.empty:
        raise ValueError("no protocol promises an alpha")
    kinds = tuple(dict.fromkeys(trials.protocol))
    # a line of another column goes over all settings of a protocol
    apart = (ADVERSARY, *swept)
    axis = "" if plot.y else next((axis for axis in swept if _is_axis(trials, axis)), "")
    values = np.r_[trials["_error"], ABOUT_ONE if errors.limited else []]
    y = value_axis(errors.label, values, edges_of(values, errors.low))
    edges = edges_of(trials["_cost"], _least(trials["_cost"])) if plot.y else (-inf, inf)
    x = value_axis(measured_label(plot.cost, tables), trials["_cost"], edges, most=6)
    made = []
    by = apart if plot.y else (ADVERSARY,)
    groups, crowded = facets(replace(tables, trials=trials), axis, apart=by)
    looks = looks_of_lines((line for facet in groups for line in facet.lines), kinds)
    for facet in groups:
        items: list[Item] = border() if errors.limited else []
        for line in facet.lines:
            items += _line(line, looks[line.label], POINT if plot.y else axis)
        made.append(Panel(items, x, y, facet.title))
    rows, columns = shape(len(made))
    shown = trials[trials.index.isin([one for facet in groups for line in facet.lines for one in line.games.index])]
    what = (errors.label if plot.y else tables.error).capitalize()
    seen = "; ".join(_outcome(line, x.label) for line in lines(shown, axis, apart))
    return Description(
        made, columns, 4.2 if rows == 1 else 2.5 * rows,
        subtitle=fixed(replace(tables, trials=tables.trials.loc[trials.index]), axis),
        marks=f"dots: games, marks: medians{_joined(made, axis)}",
        note=_frontier_note(trials, made, limited=errors.limited)
        + absent(lines(tables.trials), trials.index, "without values" if plot.y else "without α")
        + crowded,
        caption=f"{what} against {x.label}, at the median: {seen}.",
        legend=[(replace(look, dashes=""), label) for label, look in looks.items()], games=[*shown.index],
    )  # fmt: skip


def _outcome(line: Line, cost: str) -> str:
    """Return the median cost of a line, over several points of the least and the largest; and how many games hold."""
    medians = line.games.groupby(POINT)["_cost"].median()
    verdicts = line.games[VERDICT].value_counts()
    judged = int(verdicts.get(OK, 0) + verdicts.get(FAILED, 0))
    held = [f"{verdicts.get('ok', 0)} of {count(judged, 'game')} hold"] if judged else []
    rest = len(line.games) - judged
    open_ = [f"{rest} without a verdict"] if rest else []
    least, most = rounded(medians.min()), rounded(medians.max())
    return f"{line.label}: {least}{f' to {most}' * (least != most)} {cost}, {', '.join(held + open_)}"


def _joined(made: Sequence[Panel], axis: str) -> str:
    """Return along which axis marks are joined, if they are; without an axis it is the order of the points."""
    several = any(len(one.x) > 1 and one.look.dashes for panel in made for one in panel.of(Series, ""))
    return f", joined by {name_of(axis) if axis else 'point'}" * several


def _frontier_note(trials: pd.DataFrame, made: Sequence[Panel], *, limited: bool) -> str:
    """Return what marks of a `frontier` figure mean that are not standard."""
    beyond = [(trials[f"_{name}"] < axis.edges[0]).any() for name, axis in (("error", made[0].y), ("cost", made[0].x))]
    notes = [HOLLOW_NOTE * any(panel.of(Series, "fails") for panel in made)]
    notes.append((FLOOR_NOTE if limited else "↓: 0.") * bool(beyond[0]))
    notes.append("The leftmost marks: 0." * bool(beyond[1]))
    return " ".join(one.strip() for one in (*notes, infinite_note(trials["_error"])) if one)


def _is_axis(trials: pd.DataFrame, axis: str) -> bool:
    """Return whether a line runs along an axis: numbers of which it has several."""
    known = pd.api.types.is_numeric_dtype(trials[axis])
    return known and any(line.games[axis].nunique() > 1 for line in lines(trials, axis))


def _least(values: npt.ArrayLike) -> float:
    """Return the lower edge of a scale of numbers that may be 0: half of the least above it."""
    above = np.asarray(values, dtype=float)
    return float(above[above > 0].min(initial=1.0)) / 2


def _line(line: Line, look: Look, axis: str) -> Iterator[Series]:
    """Yield the games of one line: dots, medians of points along the axis, hollow marks where they failed."""
    games = line.games
    dots = Look(look.colour, ".", "", size=4, edge=0, alpha=0.5, order=2)
    yield Series(line.label, games["_cost"].to_numpy(), games["_error"].to_numpy(), dots, "games")
    by = [axis] if axis else [POINT]
    middle = games.groupby(by)[["_cost", "_error"]].median()
    x, y = middle["_cost"].to_numpy(), middle["_error"].to_numpy()
    yield Series(line.label, x, y, replace(look, dashes="-" if axis else "", width=0.8))
    at = ((games.verdict == FAILED).groupby([games[key] for key in by]).mean() >= 0.5).to_numpy()
    hollow = replace(look, dashes="", hollow=True, edge=1.4, order=3.1)
    if at.any():
        yield Series(line.label, x[at], y[at], hollow, "fails")
