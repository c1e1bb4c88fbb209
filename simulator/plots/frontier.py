"""The `frontier` figure: the largest error against words, with the border between right and wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import THIN, Axis, Description, Fill, Item, Look, Panel, Series
from disttrack.simulator.plots.errors import FLOOR, FLOOR_NOTE, border, error_axis, error_over_alpha
from disttrack.simulator.plots.kinds import Frontier
from disttrack.simulator.plots.marks import mark
from disttrack.simulator.plots.matrix import mostly_failing
from disttrack.simulator.plots.panels import look_of, shape
from disttrack.simulator.plots.sentences import rounded
from disttrack.simulator.plots.sweep import axis_label, edges_of, infinite_note
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import Line, Tables, lines, swept_axes

_FEW: Final = 3
"""Up to so many adversaries have a panel each; of more, the protocols have."""
_ELSEWHERE: Final = Look("#C4C4C4", ".", "", size=5, edge=0, order=1.5)
"""Marks of other panels."""


def describe(plot: Frontier, tables: Tables) -> Description:
    """Return the figure."""
    trials, one_alpha = _with_errors(tables)
    kinds = tuple(dict.fromkeys(trials["protocol"]))
    axis = next((axis for axis in swept_axes(trials) if pd.api.types.is_numeric_dtype(trials[axis])), "")
    panels = _panels(tables, trials)
    rows, columns = shape(len(panels))
    edges = edges_of(trials["_error"], FLOOR if one_alpha else 1e-9, 1.2 if one_alpha else 1e-9)
    games = _Games(trials, axis, kinds, one_alpha, edges)
    x, y = games.axes(len(panels))
    made = []
    for place, (title, mine) in enumerate(panels):
        items = [*games.items(mine), *(border(y.ends[1] or inf, named=not place) if one_alpha else [])]
        made.append(Panel(items, x, y, title))
    entries: dict[str, tuple[Look | Fill, str]] = {}
    for line in lines(trials, axis):
        entries.setdefault(line.label, (games.mark(line), line.label))
    by_protocol = len(panels) > 1 and panels[0][1]["protocol"].nunique() == 1
    return Description(
        made, columns, 4.2 if rows == 1 else 2.5 * rows, plot.title or tables.title, fixed(tables, axis),
        _note(games, by_protocol), _caption(games, tables), list(entries.values()),
    )  # fmt: skip


def _with_errors(tables: Tables) -> tuple[pd.DataFrame, bool]:
    """Return the games with their errors in the unit of the figure, and whether all of them promise the same."""
    trials = tables.trials[tables.trials["alpha"].astype(float) > 0]
    one_alpha = trials["alpha"].nunique() <= 1
    error = error_over_alpha(trials) if one_alpha else trials["max_rel_error"].astype(float)
    trials = trials.assign(_error=error)
    trials = trials[trials["_error"].notna()]
    if trials.empty:
        raise ValueError("a frontier figure needs games of protocols that promise an accuracy alpha")
    return trials, one_alpha


def _panels(tables: Tables, trials: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Return the games of each panel with its title: a panel per result, or per adversary, or per protocol."""
    if tables.several:
        return [(result, trials[trials["result"] == result]) for result in tables.scenarios]
    adversaries = trials["adversary"].nunique()
    if adversaries == 1:
        return [("", trials)]
    if adversaries <= _FEW:
        return [(f"against {name}", games) for name, games in trials.groupby("adversary", sort=False)]
    return [(_headed(str(name), games), games) for name, games in trials.groupby("protocol", sort=False)]


def _headed(protocol: str, games: pd.DataFrame) -> str:
    """Return the title of a protocol's panel: against how many adversaries it fails."""
    failing, all_of_them = len(mostly_failing(games)), games["adversary"].nunique()
    return f"{protocol}: fails against {failing} of {all_of_them}" if failing else f"{protocol}: holds"


def _note(games: _Games, by_protocol: bool) -> str:
    """Return what marks and lines are."""
    trials, axis = games.trials, games.axis
    note = "Dots: games. Marks: medians of each point and adversary. Lower is more accurate, further left is cheaper."
    broken = trials.groupby(["result", "point"])["verdict"].agg(lambda verdicts: (verdicts == "failed").mean() >= 0.5)
    if broken.any():
        note += " Hollow marks: at least half of the games failed."
    if by_protocol:
        note += " Grey: the marks of the other panels."
    if axis and max(line.games.groupby("adversary")[axis].nunique().max() for line in lines(trials, axis)) > 1:
        note += f" A line joins the points of one protocol and adversary in the order of {axis_label(axis)}."
    if not games.one_alpha:
        note += " Dashes of a colour: the accuracy α that is promised at each mark; below them it is kept."
    if games.one_alpha and (trials["_error"] <= FLOOR).any():
        note += FLOOR_NOTE
    return note + infinite_note(trials["_error"])


def _caption(shown: _Games, tables: Tables) -> str:
    parts = []
    for protocol, games in shown.trials.groupby("protocol", sort=False):
        failed = int((games["verdict"] == "failed").sum())
        against = "; ".join(mostly_failing(games))
        held = f"{len(games) - failed} of {len(games)} games hold" + f" (fails against {against})" * bool(against)
        parts.append(f"{protocol}: {rounded(float(games['words'].median()))} words, {held}")
    what = "Largest relative error of each game" + (" in units of the promised α" if shown.one_alpha else "")
    more = "" if shown.one_alpha else " Dashes are the promised accuracies."
    return (
        f"{what} against the words it sent; dots are games, marks medians of a point, hollow ones fail."
        f"{more}{infinite_note(shown.trials['_error'])} Fixed: {fixed(tables)}. {'; '.join(parts)}."
    )


@dataclass(frozen=True)
class _Games:
    """All games of the figure.

    Parameters
    ----------
    trials
        Their rows, with the error under `_error`.
    axis
        The swept axis along which a protocol's points are joined; empty for none.
    kinds
        The protocols.
    one_alpha
        Whether errors are in units of the one accuracy that all promise.
    edges
        What the scale of errors shows.
    """

    trials: pd.DataFrame
    axis: str
    kinds: tuple[str, ...]
    one_alpha: bool
    edges: tuple[float, float]

    def mark(self, line: Line) -> Look:
        """Return the mark of a line."""
        return look_of(line, self.kinds, dashes="", size=7 if line.order == 0 else 4.5)

    def items(self, games: pd.DataFrame) -> list[Item]:
        """Return what a panel shows, with the marks of others in grey where it has one protocol of several."""
        found: list[Item] = []
        if games["protocol"].nunique() == 1 and len(self.kinds) > 1:
            others = self.trials[~self.trials.index.isin(games.index)].groupby(["result", "point"])
            there = others[["words", "_error"]].median()
            found.append(Series("elsewhere", there["words"].to_numpy(), there["_error"].to_numpy(), _ELSEWHERE))
        for line in lines(games, self.axis):
            for _, mine in line.games.groupby("adversary", sort=False):
                found += self._group(line, mine)
        return found

    def _group(self, line: Line, games: pd.DataFrame) -> Iterator[Series]:
        """Yield the games of one line against one adversary: dots, medians, their path along the axis."""
        name, colour = f"{line.label}, {games['adversary'].iloc[0]}", mark(line.protocol, self.kinds).colour
        dots = Look(colour, ".", "", size=4, edge=0, alpha=0.5, order=2)
        yield Series(name, games["words"].to_numpy(), games["_error"].to_numpy(), dots, "games")
        columns = dict.fromkeys(["words", "_error", "alpha", *[self.axis] * bool(self.axis)])
        middle = games.groupby("point")[list(columns)].median()
        failed = (games["verdict"] == "failed").groupby(games["point"]).mean() >= 0.5
        middle = middle.assign(_failed=failed)
        if self.axis:
            middle = middle.sort_values(self.axis, kind="stable")
        joined = bool(self.axis) and middle[self.axis].is_unique
        x, y = middle["words"].to_numpy(), middle["_error"].to_numpy()
        look = look_of(line, self.kinds, dashes="-" * joined, width=0.8, size=self.mark(line).size)
        yield Series(name, x, y, look, signed=self.one_alpha or self.edges[1] < inf)
        at = middle["_failed"].to_numpy(dtype=bool)
        if at.any():
            hollow = look_of(
                line, self.kinds, dashes="", size=look.size, hollow=True, edge=1.4, order=3.1
            )  # fmt: skip
            yield Series(name, x[at], y[at], hollow, "fails")
        if not self.one_alpha:
            yield Series(name, x, middle["alpha"].to_numpy(), Look(colour, "", THIN, 0.9, order=1.8), "promised")

    def axes(self, panels: int) -> tuple[Axis, Axis]:
        """Return the logarithmic scales of words and of errors."""
        errors, alphas = np.clip(self.trials["_error"], *self.edges), self.trials["alpha"]
        low, high = float(errors.min()), float(errors.max())
        if self.one_alpha:
            low, high = min(0.5, low) / 1.3, max(1.7, high * 1.4)
        else:
            low, high = min(low, float(alphas.min())) / 1.4, max(high, float(alphas.max())) * 1.4
        left, right = float(self.trials["words"].min()), float(self.trials["words"].max())
        steps = (1.0, 2.0, 5.0) if right < 40 * left and panels == 1 else (1.0,)
        words = Axis("words", "log", (left / 1.3, max(right * 1.3, left * 10)), most=8, steps=steps, text=short)
        label = "largest error, in units of α" if self.one_alpha else "largest relative error"
        return words, error_axis(label, low, high, self.edges)
