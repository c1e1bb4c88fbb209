"""The tables of one or more results for figures and pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, cast

import pandas as pd

from disttrack.simulator.errors import refusing
from disttrack.simulator.experiments.claims.expressions import ExpressionError
from disttrack.simulator.experiments.claims.expressions import condition as holding
from disttrack.simulator.experiments.results.folder import (
    NoResults,
    Results,
    finished,
    opened,
    planned_items,
    rows_of,
    without_empty_promises,
)
from disttrack.simulator.experiments.results.formats import games_per_point, interval, span
from disttrack.simulator.experiments.results.lines import UNUSUAL, GameRow, lines, shared, swept_axes, texts
from disttrack.simulator.experiments.results.stored import Plain
from disttrack.simulator.experiments.scenario.settings import PROMISED, SIDES, Row, Settings
from disttrack.simulator.experiments.scenario.skipped import unmet
from disttrack.simulator.game.columns import ADVERSARY, ERROR, PART, POINT, PROTOCOL, RESULT, TRIAL, TRIALS, VERDICT
from disttrack.simulator.game.tasks.answers import meaning_of_held
from disttrack.simulator.game.tasks.base import Task, called
from disttrack.simulator.kinds.names import label_of, name_of, setting, with_name

GAME: Final = (RESULT, POINT, TRIAL)
"""Columns that name one game."""
ITEMS_SENT: Final = "_items sent"
"""Column of `trials`: the items that were really sent. No column of a task has such a name."""
_CONTROLS_FROM: Final = 1_000_000
"""Points of controls have numbers from here on."""


@dataclass(frozen=True)
class Tables:
    """The games of one result, or of several put together, as figures and pages take them.

    Parameters
    ----------
    trials
        The table of games, with a first column `result` that names the directory.
    controls
        The games of the claims' controls, like `trials`; the protocol's name includes its fault.
    results
        The results by their names.
    points
        The rows of the table of settings of each result, by the numbers of the points.
    of_adversaries
        The columns of `trials` that are parameters of adversaries.
    common
        Parameters in words that all protocols have alike: no label of a line states them.
    """

    trials: pd.DataFrame
    controls: pd.DataFrame
    results: Mapping[str, Results]
    points: Mapping[str, Mapping[int, Row]]
    of_adversaries: frozenset[str]
    common: tuple[str, ...] = ()

    @cached_property
    def series(self) -> pd.DataFrame:
        """The timelines of the games, by far the largest table, read on first use."""
        return self._of_games("series")

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """The cost of the games by kind of message."""
        return self._of_games("kinds")

    def _of_games(self, table: str) -> pd.DataFrame:
        """Return the rows of a table of the results that belong to the games."""
        whole = _together(_placed(name, getattr(one, table)) for name, one in self.results.items())
        return whole.merge(self.trials[list(GAME)].drop_duplicates(), on=list(GAME)) if len(whole) else whole

    @cached_property
    def swept(self) -> tuple[str, ...]:
        """The axes along which the games differ."""
        return swept_axes(self.trials)

    @cached_property
    def protocols(self) -> tuple[str, ...]:
        """The protocols that play, in order."""
        return tuple(dict.fromkeys(self.trials[PROTOCOL]))

    @cached_property
    def rested(self) -> set[tuple[object, ...]]:
        """The games by a clock that have more steps than items: bounds of their cost hold at an item a step only."""
        if not self.task.in_steps or self.series.empty:
            return set()
        last = self.series.groupby(list(GAME))[["step", "items"]].max()
        return set(last.index[last["step"] > last["items"]])

    @property
    def task(self) -> type[Task]:
        """The kind of the games, which names their sizes; `Task` if it is not known, or the results differ in it."""
        tasks = {one.known_task for one in self.results.values()}
        return tasks.pop() if len(tasks) == 1 else Task

    @property
    def held(self) -> str:
        """The meaning of a game that held, of a task where this alone would mislead; empty for others."""
        return meaning_of_held(self.task)

    @property
    def error(self) -> str:
        """What the error is called by which games are judged: on a network it is another than the plain one."""
        return "largest lag-aware error" if "_max_lag_error" in self.trials else "largest error"

    @property
    def links(self) -> bool:
        """Whether reliable links added words, which the columns of the protocols' costs leave out."""
        return "_words_link" in self.trials and bool((self.trials["_words_link"] > 0).any())

    @property
    def scenarios(self) -> dict[str, Plain]:
        """The scenario of each result, as its manifest has it."""
        return {name: one.scenario for name, one in self.results.items()}

    @property
    def own(self) -> dict[str, object]:
        """The users' classes that the results were made with, by reference or name."""
        return {key: maker for one in self.results.values() for key, maker in one.own.items()}

    @property
    def called(self) -> dict[str, str]:
        """The columns of sizes that the task calls something else, and its words."""
        return called(self.task.sizes)

    @property
    def several(self) -> bool:
        """Whether more than one result is in it."""
        return len(self.results) > 1

    @property
    def lost(self) -> int:
        """Number of games that an error ended; they are not in `trials`."""
        return sum(int((one.trials[VERDICT] == ERROR).sum()) for one in self.results.values())

    @property
    def ended(self) -> int:
        """Number of games that their adversary ended before all items were sent."""
        return int((self.trials["_unsent"] > 0).sum()) if "_unsent" in self.trials else 0

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
        with refusing("where", ExpressionError, by=ValueError):
            trials = self.trials[holding(condition, columns)]
        if trials.empty:
            raise ValueError(f"where: {unmet(condition, columns)}")
        return replace(self, trials=trials)

    def with_controls(self) -> Tables:
        """Return the tables with the games of the claims' controls among the others."""
        return replace(self, trials=_together([self.trials, self.controls]))

    def timeline(self, game: GameRow) -> pd.DataFrame:
        """Return the rows of series.csv of a game, a row of trials.csv, in their order."""
        return self.series[(self.series[list(GAME)] == [game[key] for key in GAME]).all(axis=1)]

    def in_words_of_task(self) -> Tables:
        """Return the tables with the columns of sizes called as the task calls them: items are steps, or rounds."""
        free = {column: key for column, key in self.called.items() if key not in self.trials}
        return replace(self, trials=self.trials.rename(columns=free))

    def with_common_apart(self) -> Tables:
        """Return the tables without the unusual parameters that all games of several protocols share."""
        column = UNUSUAL[PROTOCOL]
        common = shared(self.trials[column]) if len(self.protocols) > 1 else []
        left = [tuple(pair for pair in pairs if pair not in common) for pairs in self.trials[column]]
        trials = self.trials.copy()
        trials[column] = pd.Series(left, trials.index)
        return replace(self, trials=trials, common=tuple(text for _, text in common))

    def with_adversaries_named(self, x: str = "") -> Tables:
        """Return the tables with parameters of an adversary as a part of its name: swept and unusual ones but `x`."""
        own = [one for one in self.trials.columns if one in self.of_adversaries and name_of(one) != name_of(x)]
        named = []
        for game in self.trials[[RESULT, POINT, ADVERSARY, UNUSUAL[ADVERSARY], *own]].to_dict("records"):
            kind, others = str(game.pop(ADVERSARY)), game.pop(UNUSUAL[ADVERSARY])
            has = self.points[game.pop(RESULT)][game.pop(POINT)].get(ADVERSARY) or {}
            swept = {
                str(column): with_name(str(column), value)
                for column, value in game.items()
                if value == value and (value is not None or name_of(str(column)) in has)
            }
            named.append(label_of(kind, [*swept.values(), *texts(others, (x, *swept))]))
        return replace(self, trials=self.trials.assign(adversary=named).drop(columns=own))


def tables_of(results: Results) -> Tables:
    """Return the tables of one result, which are made once."""
    results.tables = made = results.tables or read_tables([results])
    return cast(Tables, made)


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
        raise ValueError("no result folder given")
    each = _with_differences([_one(name, one) for name, one in named.items()])
    together = Tables(
        trials=_together(one.trials for one in each),
        controls=_together(one.controls for one in each),
        results=named,
        points={name: points for one in each for name, points in one.points.items()},
        of_adversaries=frozenset().union(*(one.of_adversaries for one in each)),
    )
    if together.trials.empty:
        lost = together.lost
        why = f"all games ended in an error ({lost:,} of {lost:,})" if lost else "trials.csv is empty"
        raise NoResults(f"{opened(places[0]).dir}: holds no games: {why}")
    return together


def _one(name: str, results: Results) -> Tables:
    """Return the tables of one result.

    Columns of trials.csv that are no settings have an underscore before their names; so has in any case one called
    `result`.
    """
    settings = results.settings
    swept = settings.swept
    of_protocols = {one.name for one in settings.columns if one.side == PROTOCOL}  # such a one stays an axis
    known = {*TRIALS, RESULT, PART, "start", *swept}

    def trials(games: pd.DataFrame) -> pd.DataFrame:
        table = _placed(name, games.assign(**{ITEMS_SENT: games["items"], "items": planned_items(games)}))
        return table.rename(columns=lambda one: one if one[0] == "_" or one in known else f"_{one}")

    controls = _controls_of(results)
    return Tables(
        trials(_with_unusual(without_empty_promises(results, finished(results.trials)), settings.rows)),
        trials(controls),
        {name: results},
        {name: {row[POINT]: row for row in (*settings.rows, *rows_of(results, results.known_task, controls))}},
        frozenset(column for column, one in swept.items() if one.side == ADVERSARY and column not in of_protocols),
    )


def _placed(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of a result with a first column `result`, the name of the result."""
    table = table.rename(columns={RESULT: "_result"})
    table.insert(0, RESULT, name)
    return table


def _with_differences(each: list[Tables]) -> list[Tables]:
    """Return tables whose games have columns also for the parameters in which only the results differ."""
    if len({one.task for one in each}) != 1 or len(each) == 1:
        return each
    # the points of controls have no parameters of sides
    played = {place for one in each for place in zip(one.trials[RESULT], one.trials[POINT], strict=True)}
    rows = {
        (name, number): row
        for one in each
        for name, points in one.points.items()
        for number, row in points.items()
        if (name, number) in played
    }
    cells = Settings(each[0].task, list(rows.values())).cells()
    added = []
    for one in each:
        places = list(zip(one.trials[RESULT], one.trials[POINT], strict=True))
        missing = {column: dict(zip(rows, values, strict=True)) for column, values in cells.items()}
        columns: dict[str, Any] = {
            name: list(map(known.get, places)) for name, known in missing.items() if name not in one.trials
        }
        added.append(replace(one, trials=one.trials.assign(**columns)))
    return added


def _with_unusual(trials: pd.DataFrame, points: Sequence[Row]) -> pd.DataFrame:
    """Return games with the columns `UNUSUAL`."""
    unusual = {row[POINT]: row["unusual"] for row in points}
    own: dict[str, Any] = {
        column: [tuple(unusual[number].get(side, {}).items()) for number in trials[POINT]]
        for side, column in UNUSUAL.items()
    }
    return trials.assign(**own)


def _controls_of(results: Results) -> pd.DataFrame:
    """Return the games of a result's controls; their points have numbers that no point of the scenario has.

    Each is the control of a point of which there are games too.
    """
    games, points = results.controls, results.settings.rows
    if games.empty:
        return pd.DataFrame(columns=[*TRIALS, *UNUSUAL.values()])
    if strange := {*games[POINT]}.difference(row[POINT] for row in points):
        raise NoResults(f"{results.dir}: point {min(strange)} is in controls.csv only")
    named = [
        kind if kind in broken else f"{kind}, {broken}"
        for kind, broken in zip(games[PROTOCOL].astype(str), games["broken"].astype(str), strict=True)
    ]
    games = _with_unusual(games, points)
    for column in UNUSUAL.values():  # the parameters of other sides than those of the point are not known
        own = zip(games["broken"].astype(str), games[column], strict=True)
        games[column] = [pairs if broken.startswith("fault ") else () for broken, pairs in own]
    places = games[POINT].astype(int) + _CONTROLS_FROM * (1 + pd.factorize(games["claim"])[0])
    return games.assign(protocol=named, point=places).drop(columns=["claim", "broken"])


def _together(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return tables one below the other; the columns of an empty one do not count."""
    first, *others = tables
    return pd.concat([table for table in (first, *others) if len(table)] or [first], ignore_index=True)


def fixed(tables: Tables, x: str = "") -> str:
    """Return the parameters that all games share, for the line under a figure's title, and those that move with `x`.

    Parameters
    ----------
    x
        The axis of the figure, as a column of the games; empty for none.
    """
    here = tables.trials.drop_duplicates([RESULT, POINT]).sort_values([RESULT, POINT])
    rows = [
        {**tables.points[result][point], "called": dict(zip(SIDES, sides, strict=True))}
        for result, point, *sides in here[[RESULT, POINT, *SIDES]].itertuples(index=False)
    ]
    played = set(tables.trials.get(PART, ()))
    scenarios = [
        {**one, "parts": {name: own for name, own in (one.get("parts") or {}).items() if name in played}}
        for one in tables.scenarios.values()
    ]
    by_protocol = tables.trials.groupby(PROTOCOL)
    # some protocols have no alpha, and each of the others has it in all its games
    lacked = ["alpha"] if "alpha" in tables.trials and by_protocol["alpha"].nunique(dropna=False).max() == 1 else []
    # names of adversaries contain their parameters, and protocols are named beside the lines
    said = [
        one
        for one in Settings(tables.task, rows, scenarios).columns
        if one.stated and one.side != ADVERSARY and one.name != PROTOCOL
        if not one.sets_apart or one.name in (*PROMISED, *lacked)
    ]
    more = [*tables.common, *_moving(tables.trials, x), games_per_point(tables.trials[[RESULT, POINT]])]
    return " · ".join([*filter(None, (one.words(SIDES) for one in said)), *more])


def _moving(trials: pd.DataFrame, x: str) -> Iterator[str]:
    """Yield the parameters that vary along a line, against one adversary, with their values in the order of `x`.

    Games that have no place on the axis are not counted.
    """
    moving: dict[str, list[pd.Series[float]]] = {}
    trials = trials.dropna(subset=[x]) if x in trials else trials
    others = [axis for axis in swept_axes(trials) if name_of(axis) != name_of(x)]  # what all share moves nowhere
    for line in lines(trials, x) if x in trials and others else ():
        along = line.games.sort_values(x, key=lambda values: pd.to_numeric(values, errors="coerce"), kind="stable")
        for _, games in along.groupby(ADVERSARY):
            for axis in swept_axes(games):
                if name_of(axis) != name_of(x):
                    moving.setdefault(axis, []).append(games[axis].dropna())
    if moving:
        yield f"moving with {name_of(x)}: {', '.join(_range(axis, each) for axis, each in moving.items())}"


def _range(axis: str, each: Sequence[pd.Series[float]]) -> str:
    """Return the range of the values along some lines, from the largest one on if all of them fall."""
    values = pd.concat(each)
    if not pd.api.types.is_numeric_dtype(values):
        return f"{name_of(axis)}={', '.join(map(setting, dict.fromkeys(values)))}"
    falls = all(one.is_monotonic_decreasing for one in each)
    return f"{name_of(axis)}={interval(values.max(), values.min()) if falls else span([*values])}"
