"""The folder of a result and its tables, each read once, on first use."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Never

from disttrack.simulator.displays import display
from disttrack.simulator.errors import MEANT, ScenarioError, explained, without
from disttrack.simulator.experiments.results.accessor import Plotter
from disttrack.simulator.experiments.results.stored import MANIFEST, Plain, read_manifest, read_table, table_file
from disttrack.simulator.experiments.scenario.settings import SIDES, Row, Settings
from disttrack.simulator.game.columns import (
    CLAIMS_CSV,
    ERROR,
    KINDS_CSV,
    OK,
    PART,
    POINT,
    SERIES_CSV,
    TASK,
    TRIALS_CSV,
    UNDECIDED,
    UNSENT,
    VERDICT,
)
from disttrack.simulator.game.tasks.base import Task
from disttrack.simulator.kinds.names import in_words
from disttrack.simulator.kinds.point import unusual
from disttrack.simulator.kinds.registry import Family, find, kinds
from disttrack.simulator.kinds.source import is_reference

if TYPE_CHECKING:
    import pandas as pd

LISTED: Final = 3
"""Folders of results in a folder up to which a message names them."""


_OF_A_RUN: Final = {"findings": "claims", "errors": "trials"}
"""Attributes of what `run` returns, and the tables that have the same."""


class NoResults(ScenarioError, ValueError):
    """A folder holds no results."""


def _file(name: str) -> cached_property[Any]:
    """Return the property that reads a file of a result on first use; an absent table, or an empty file, is empty."""

    def read(results: Results) -> Any:
        tables = None if name == MANIFEST else results.manifest.get("tables")
        try:
            path = results.dir / name
            return read_manifest(path) if name == MANIFEST else read_table(path, tables)
        except ValueError as error:
            raise NoResults(f"{results.dir}: {error}; run the scenario again") from error

    return cached_property(read)


class Results:
    """The files of a run. They are data: no code that they name or contain is loaded.

    Parameters
    ----------
    folder
        The folder.
    own
        The user's classes that the result was made with, by reference (``mine.py:Mine``) or name.

    Attributes
    ----------
    dir
        The folder.
    trials, series, kinds, claims
        The tables, read on first use.
    manifest, scenario
        The origin of the results, and the scenario in it.
    ok
        Whether all claims hold.
    plot
        The figures.
    tables
        The games as figures and pages take them, made on first use by `simulator.experiments.results.read`.
    answers
        The table that answers the question, made on first use by `simulator.experiments.results.answers`.
    pictures
        The figures drawn in this process, by the names of their files.

    Raises
    ------
    NoResults
        The folder holds no results.
    """

    @explained()
    def __init__(self, folder: str | Path, own: Mapping[str, object] | None = None) -> None:
        self.dir = Path(folder)
        self.own = dict(own or {})
        self.tables: Any = None
        self.answers: Any = None
        self.pictures: dict[str, Any] = {}
        for needed in (TRIALS_CSV, MANIFEST):
            if not os.path.isfile(table_file(self.dir / needed)):  # also of a name that is too long
                others = (Path("results") / self.dir.stem, *self.dir.parents)
                near = next((f"{MEANT}{one}?" for one in others if table_file(one / needed).is_file()), "")
                near = near or _below(self.dir)
                raise NoResults(f"{self.dir}: holds no results: {needed} is missing{near}")

    trials: cached_property[pd.DataFrame] = _file(TRIALS_CSV)
    """A row per game."""
    series: cached_property[pd.DataFrame] = _file(SERIES_CSV)
    """The timelines: a row per checkpoint of a game; empty where they were not kept."""
    kinds: cached_property[pd.DataFrame] = _file(KINDS_CSV)
    """The cost by kind of message: a row per kind, direction and game."""
    claims: cached_property[pd.DataFrame] = _file(CLAIMS_CSV)
    """A row per claim, with measured value, interval and verdict."""
    controls: cached_property[pd.DataFrame] = _file("controls.csv")
    """The games of the claims' controls; empty if there are none."""
    manifest: cached_property[Plain] = _file(MANIFEST)
    """Scenario as read, versions, seeds, engines, machine, duration."""

    @property
    def plot(self) -> Plotter:
        """Figures: `plot.cost(x="sites", ax=axes)` draws one and returns its axes; `dir(results.plot)` lists them."""
        return Plotter(self)

    @property
    def scenario(self) -> Plain:
        """The scenario as the manifest has it."""
        return dict(self.manifest["scenario"])

    @property
    def headline(self) -> str:
        """The scenario's finding if all of its claims hold, else its question; the name of a result without these."""
        scenario, verdicts = self.scenario, self.claims.get(VERDICT)
        holds = verdicts is not None and len(verdicts) > 0 and (verdicts == "PASS").all()
        known = (scenario.get("finding") if holds else "", scenario.get("question"), self.manifest.get("name"))
        return next((str(one) for one in known if one), self.dir.resolve().name)

    @cached_property
    def points(self) -> dict[int, Plain]:
        """The points by number, as the manifest has them: every parameter of both sides."""
        return {int(point[POINT]): point for point in self.manifest.get("points") or []}

    @cached_property
    def task(self) -> type[Task]:
        """The class of the task; ScenarioError if it is a user's and was not given."""
        task: type[Task] = class_of(TASK, str(self.scenario.get(TASK) or "count"), self.own)
        return task

    @cached_property
    def known_task(self) -> type[Task]:
        """The class of the task; `Task` if it is a user's and was not given."""
        try:
            return self.task
        except ScenarioError:
            return Task

    @cached_property
    def settings(self) -> Settings:
        """The table of settings, of the points that were played."""
        return Settings(self.known_task, rows_of(self, self.known_task), [self.scenario])

    @property
    def ok(self) -> bool:
        """Return whether all claims hold and no game ended in an error."""
        errors = self.manifest.get("games", {}).get("errors")
        return bool(self.claims[VERDICT].isin(("PASS", "SKIPPED")).all()) and not errors

    if not TYPE_CHECKING:  # a checker refuses other names

        def __getattr__(self, name: str) -> Never:
            if table := _OF_A_RUN.get(name):
                raise AttributeError(f"a result has no {name!r}: see .{table}", name=name, obj=self)
            raise AttributeError(without("a result", name, {*dir(type(self)), *vars(self)}), name=name, obj=self)

    def __repr__(self) -> str:
        return f"Results({str(self.dir)!r})"

    def _repr_html_(self) -> str:
        return str(display("results.html")(self))


def _below(folder: Path) -> str:
    """Return the end of the message on a folder of folders of results, with these; empty if it has none."""
    below = sorted(table.parent for table in {*folder.glob("*/trials.csv"), *folder.glob("*/trials.csv.gz")})
    if len(below) > LISTED:
        return f"; its {len(below):,} folders do: disttrack results {folder}"
    return f"{MEANT}{' or '.join(map(str, below))}?" if below else ""


def class_of(family: Family, kind: str, own: Mapping[str, object], base: str = "") -> Any:
    """Return the class of a kind in a result: a registered one that extends `base`, or one that the user gave.

    Raises
    ------
    ScenarioError
        It is neither. A result is data: a file or module is never loaded because a result names it.
    """
    if not is_reference(kind):
        named = [maker for maker in own.values() if getattr(maker, "kind", "") == kind]
        if named and kind not in kinds(family):
            return named[0]  # of a package that was installed when the games were played
        try:
            return find(family, kind, base=base)
        except ScenarioError as error:
            if kind in kinds(family):
                raise
            raise ScenarioError(f"{error}; install its package, or --with FILE.py:Class") from error
    name = kind.rpartition(":")[2]
    given = [own[kind]] if kind in own else [maker for key, maker in own.items() if key.rpartition(":")[2] == name]
    if not given:
        raise ScenarioError(f"{kind!r} is yours: --with {kind}")
    return given[0]


def rows_of(results: Results, task: type[Task], games: pd.DataFrame | None = None) -> list[Row]:
    """Return the rows of the table of settings: the points that were played, or those of other games.

    Items are those of the games where all of a point have one number: a trace may have fewer than were asked for.
    Parameters that the manifest does not have come from the first game of a point: sizes that a scenario leaves out,
    and in results of earlier versions the names of the sides and the engine. `task` is the kind of the games as far as
    it is known.
    """
    rows: list[Row] = []
    table = results.trials if games is None else games
    sent = _sent(table[table[VERDICT] != ERROR], task)
    sizes = [name for size in task.sizes for name in (size.key, size.column)]
    read = table.columns.intersection([*sizes, PART, POINT, TASK, "alpha", *SIDES])  # to unpack all takes long
    for game in table[read].drop_duplicates(POINT).sort_values(POINT).to_dict("records"):
        point = {key: value for key, value in results.points.get(int(game[POINT]), {}).items() if value is not None}
        left_out: Plain = {size.column: game.get(size.key, game.get(size.column)) for size in task.sizes}
        unusual = {side: _unusual(task, side, point, results.own) for side in SIDES}
        rows.append(
            {
                **left_out,
                PART: game.get(PART),
                "engine_asked": "auto",
                **point,
                "unusual": unusual,
                **sent.get(game[POINT], {}),
                **{name: game.get(name) for name in (POINT, TASK, "alpha")},
                "called": {side: str(game[side]) for side in SIDES},
            }
        )
    return rows


def _sent(games: pd.DataFrame, task: type[Task]) -> dict[int, dict[str, int]]:
    """Return the number of items of the games of a point with those that an adversary which ended early did not send.

    Only where all games of the point have the same, and the task sends items to sites.
    """
    from disttrack.simulator.game.tasks.tracking import Count

    if not issubclass(task, Count):
        return {}
    column = next((size.key for size in task.sizes if size.column == "items" and size.key in games), "items")
    if column not in games:
        return {}
    numbers = defaultdict[int, set[float]](set)
    for point, items in zip(games[POINT], planned_items(games, column), strict=True):
        if items == items:
            numbers[int(point)].add(items)
    return {point: {"items": int(*each)} for point, each in numbers.items() if len(each) == 1}


def planned_items(games: pd.DataFrame, column: str = "items") -> pd.Series[float]:
    """Return the items of each game with those that its adversary did not send; a game that raised has all in them."""
    return games[column] + games[UNSENT].fillna(0) if UNSENT in games else games[column]


def _unusual(task: type[Task], side: Family, point: Row, own: Mapping[str, object]) -> dict[str, str]:
    """Return the parameters of a side that differ from its defaults, as notation.

    The manifest names them; those of earlier versions do not. Then nothing is returned of a user's class that was not
    given, and of a control: the defaults are not known.
    """
    given = point.get(side) or {}
    if "unusual" in point:
        return in_words({name: given.get(name) for name in point["unusual"].get(side, {})})
    if "kind" not in given:
        return {}
    try:
        return in_words(unusual(class_of(side, str(given["kind"]), own, task.bases[side]), given))
    except ScenarioError:
        return {}


def finished(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the games that did not end with an error."""
    return trials[trials[VERDICT] != ERROR]


def opened(place: str | Path | Results) -> Results:
    """Return the results in a folder, or results as they are."""
    return place if isinstance(place, Results) else Results(place)


def without_empty_promises(results: Results, games: pd.DataFrame) -> pd.DataFrame:
    """Return games of which those are undecided whose guarantee allows all that was offered."""
    import numpy as np  # not for figures that are as they were

    promises = results.known_task.promises
    if promises == Task.promises:
        return games
    points = {row[POINT]: row for row in results.settings.rows}
    rows = [{str(name): value for name, value in game.items()} for game in games.to_dict("records")]
    empty = [not promises(points[game[POINT]], game) for game in rows]
    verdicts = games[VERDICT].mask(np.array(empty, dtype=bool) & (games[VERDICT] == OK), UNDECIDED)
    return games.assign(verdict=verdicts, ok=games["ok"] & (verdicts == games[VERDICT]))
