"""The tables of one or more results for figures and pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from disttrack.simulator.claims.columns import TRIALS
from disttrack.simulator.claims.expressions import ExpressionError, rows
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.swept import flat
from disttrack.simulator.results.folder import NoResults, Results, finished, opened
from disttrack.simulator.results.formats import with_name
from disttrack.simulator.results.labels import SIDES, UNUSUAL, label_of, texts, unusual_of
from disttrack.simulator.tasks.base import Task, called

GAME: Final = ("result", "point", "trial")
"""Columns that name one game."""
_CONTROLS_FROM: Final = 1_000_000
"""Points of controls have numbers from here on."""


@dataclass(frozen=True)
class Tables:
    """The tables of one result, or of several put together.

    Parameters
    ----------
    trials, series, kinds
        The tables of the same names, with a first column `result` that names the directory.
    scenarios
        The scenario of each result, as its manifest has it.
    points
        The points of each result by number, as its manifest has them: every parameter of both sides.
    task
        The kind of the games, which names their sizes; `Task` if it is not known, or the results differ in it.
    own
        The users' classes that the results were made with, by reference or name.
    controls
        The games of the claims' controls, like `trials`; the protocol's name includes its fault.
    lost
        How many games an error ended; they are not in `trials`.
    title
        The headline of the result, or those of several beside each other.
    """

    trials: pd.DataFrame
    series: pd.DataFrame
    kinds: pd.DataFrame
    controls: pd.DataFrame
    scenarios: dict[str, dict[str, Any]]
    points: dict[str, dict[int, dict[str, Any]]]
    task: type[Task]
    own: dict[str, Any]
    lost: int
    title: str

    @property
    def called(self) -> dict[str, str]:
        """Return the columns of sizes that the task calls something else, and its words."""
        return called(self.task.sizes)

    @property
    def several(self) -> bool:
        """Return whether more than one result is in it."""
        return len(self.scenarios) > 1

    def where(self, condition: str) -> Tables:
        """Return the games that meet a condition on the columns of trials.csv, with their timelines.

        Raises
        ------
        ValueError
            If the condition cannot be read or no game meets it.
        """
        if not condition:
            return self
        columns = {column.lstrip("_"): self.trials[column].to_numpy() for column in self.trials.columns}
        columns = {**{key: columns[name] for name, key in self.called.items() if name in columns}, **columns}
        try:
            trials = self.trials[rows(condition, columns).astype(bool)]
        except ExpressionError as error:
            raise ValueError(f"where: {error}") from error
        if trials.empty:
            raise ValueError(f"where: no game meets {condition!r}")
        return replace(self, trials=trials, series=_of_games(self.series, trials), kinds=_of_games(self.kinds, trials))

    def with_controls(self) -> Tables:
        """Return the tables with the games of the claims' controls among the others."""
        return replace(self, trials=_together([self.trials, self.controls]))

    def timeline(self, game: Any) -> pd.DataFrame:
        """Return the rows of series.csv of a game, a row of trials.csv, in their order."""
        return self.series[(self.series[list(GAME)] == [game[key] for key in GAME]).all(axis=1)]

    def in_words_of_task(self) -> Tables:
        """Return the tables with the columns of sizes called as the task calls them: items are steps, or rounds."""
        free = {column: key for column, key in self.called.items() if key not in self.trials}
        return replace(self, trials=self.trials.rename(columns=free))

    def with_adversaries_named(self, x: str = "") -> Tables:
        """Return the tables with parameters of an adversary as a part of its name: swept and unusual ones but `x`."""
        points = [point for points in self.points.values() for point in points.values()]
        mine = _columns(points, "adversary") - _columns(points, "protocol")
        mine -= {*TRIALS, x, x.removeprefix("adversary_"), f"adversary_{x}"}  # a measure may have the parameter's name
        own = [column for column in self.trials.columns if column in mine]
        named = []
        for game in self.trials[["adversary", UNUSUAL["adversary"], *own]].to_dict("records"):
            kind, others = str(game.pop("adversary")), game.pop(UNUSUAL["adversary"])
            swept = {str(column): with_name(str(column), value) for column, value in game.items() if value == value}
            named.append(label_of(kind, [*swept.values(), *texts(others, (x, *swept))]))
        return replace(self, trials=self.trials.assign(adversary=named).drop(columns=own))


def _of_games(table: pd.DataFrame, trials: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a series or kinds table that belong to these games."""
    return table.merge(trials[list(GAME)].drop_duplicates(), on=list(GAME)) if len(table) else table


def read_tables(places: Sequence[str | Path | Results]) -> Tables:
    """Return the tables of one or more results: folders, or results that are open already.

    Raises
    ------
    ValueError
        If a folder holds no results, or no games.
    """
    named: dict[str, Results] = {}
    for one in map(opened, places):
        folder = one.dir.resolve().name
        number = 1 + sum(other.dir.resolve().name == folder for other in named.values())
        named[folder if number == 1 else f"{folder} ({number})"] = one
    if not named:
        raise ValueError("no result directory was given")
    points = {name: one.points for name, one in named.items()}
    tasks = {_task_of(one) for one in named.values()}
    trials = _together(_of_result(_with_unusual(finished(one.trials), one), name, one) for name, one in named.items())
    lost = sum(len(one.trials) for one in named.values()) - len(trials)
    if trials.empty:
        why = f"all of its {lost:,} games ended in an error" if lost else "trials.csv is empty"
        raise NoResults(f"{opened(places[0]).dir}: holds no games: {why}")
    return Tables(
        trials,
        series=_together(_of_result(one.series, name) for name, one in named.items()),
        kinds=_together(_of_result(one.kinds, name) for name, one in named.items()),
        controls=_together(_of_result(_controls_of(one), name, one) for name, one in named.items()),
        scenarios={name: one.scenario for name, one in named.items()},
        points=points,
        task=tasks.pop() if len(tasks) == 1 else Task,
        own={key: maker for one in named.values() for key, maker in one.own.items()},
        lost=lost,
        title=" | ".join(dict.fromkeys(one.headline for one in named.values())),
    )


def _of_result(table: pd.DataFrame, name: str, results: Results | None = None) -> pd.DataFrame:
    """Return a table with the result's name as its first column.

    With the results, columns that are no parameters of any point, and those that the task measures, have an underscore
    before their names; so has in any case a column called `result`.
    """
    table = table.rename(columns={"result": "_result"})
    table.insert(0, "result", name)
    if results is None:
        return table
    points = results.points.values()
    known = {key for point in points for key in flat(point.get("network") or {})}
    known |= _columns(points, "protocol") | _columns(points, "adversary")
    known -= {*_task_of(results).columns}
    known |= {*TRIALS, "result", "part", "start", "latency"}
    return table.rename(columns={one: f"_{one}" for one in table.columns if one[0] != "_" and one not in known})


def _with_unusual(trials: pd.DataFrame, results: Results) -> pd.DataFrame:
    """Return games with the columns `UNUSUAL`."""
    trials, task = trials.copy(), _task_of(results)
    for side in SIDES:
        every = {number: unusual_of(task, side, point, results.own) for number, point in results.points.items()}
        own: Any = [tuple(every.get(int(number), {}).items()) for number in trials["point"]]
        trials[UNUSUAL[side]] = own
    return trials


def _columns(points: Iterable[Mapping[str, Any]], role: str) -> set[str]:
    """Return the columns that parameters of a side may have."""
    names = {name for point in points for name in point.get(role) or {}}
    return names | {f"{role}_{name}" for name in names}


def _controls_of(results: Results) -> pd.DataFrame:
    """Return the games of a result's controls; their points have numbers that no point of the scenario has."""
    games = results.controls
    if games.empty:
        return pd.DataFrame(columns=[*TRIALS, *UNUSUAL.values()])
    named = [
        str(kind) if kind in broken else f"{kind}, {broken}"
        for kind, broken in zip(games["protocol"], games["broken"].astype(str), strict=True)
    ]
    games = _with_unusual(games, results)
    for column in UNUSUAL.values():  # the parameters of other sides than those of the point are not known
        own = zip(games["broken"].astype(str), games[column], strict=True)
        games[column] = [pairs if broken.startswith("fault ") else () for broken, pairs in own]
    places = games["point"].astype(int) + _CONTROLS_FROM * (1 + pd.factorize(games["claim"])[0])
    return games.assign(protocol=named, point=places).drop(columns=["claim", "broken"])


def _together(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return tables one below the other; the columns of an empty one do not count."""
    first, *others = tables
    return pd.concat([table for table in (first, *others) if len(table)] or [first], ignore_index=True)


def _task_of(results: Results) -> type[Task]:
    """Return the kind of a result's games; `Task` if it is a user's class that was not given."""
    try:
        return results.task
    except ScenarioError:
        return Task
