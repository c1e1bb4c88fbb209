"""Writing the tables of a run, and judging its claims on the games: a row per game, and the cost by kind of message."""

from __future__ import annotations

import csv
import hashlib
import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from disttrack.simulator.errors import one_line, printable
from disttrack.simulator.experiments.claims.expressions import Columns, column_of
from disttrack.simulator.experiments.claims.findings import ControlTable, Finding, findings_of
from disttrack.simulator.experiments.results.files import writing
from disttrack.simulator.experiments.results.stored import CONTROLS, ERRORS, guarded, text_rows
from disttrack.simulator.experiments.scenario.load import Scenario
from disttrack.simulator.game.columns import (
    CLAIMS,
    CLAIMS_CSV,
    COINLESS,
    GAME,
    KINDS,
    KINDS_CSV,
    PLACE,
    POINT,
    SERIES,
    SERIES_CSV,
    TASK,
    TRIAL,
    TRIALS_CSV,
    UNJUDGED,
    Scalar,
)
from disttrack.simulator.game.tasks.base import Record, lost
from disttrack.simulator.kinds.point import Point, canonical

PlacedRecord = tuple[int, int, int, Record]
"""A game and its place: point, trial, seed, record."""
KNOWN_BEFORE: Final = ("sites", "items", "alpha")
"""Columns of a game that show, with the swept ones, which point it belongs to."""
KNOWN_OF_LOST: Final = (*PLACE, "seed", TASK, *KNOWN_BEFORE)
"""Columns, beside the swept ones, that a game has before it is played."""


def write_tables(
    folder: Path, scenario: Scenario, games: Iterable[PlacedRecord], controls: Iterable[PlacedRecord] = ()
) -> tuple[list[Finding], list[str]]:
    """Write ``trials.csv``, ``series.csv``, ``kinds.csv``, ``claims.csv``, ``controls.csv`` and ``errors.txt``.

    Parameters
    ----------
    games
        The games in the order of (point, trial).
    controls
        The games of the broken points, in the same order; none leaves the controls of claims out.

    Returns
    -------
    findings, errors
        The outcomes of the claims; one line for each game that an error ended.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    table, before = _Games(scenario), _before(scenario)
    identities = [canonical(point.identity()) for point in scenario.points]
    failed: list[tuple[Point, int, int, Record]] = []
    errors, tracebacks = [], []
    with writing(folder) as start:
        trials = _writer(start(TRIALS_CSV), scenario.columns)
        series = _Lists(start(SERIES_CSV), SERIES)
        kinds = _Lists(start(KINDS_CSV), KINDS)
        for number, trial, seed, record in games:
            point = scenario.points[number]
            row = _row(scenario, before[number], trial, seed, record)
            table.add(row, record, identities[number])
            trials.writerow(map(_cell, row.values()))
            if record.error:
                failed.append((point, trial, seed, record))
            else:
                place = {name: row[name] for name in PLACE}
                series.write(place, record.series)
                kinds.write(place, record.kinds)
        judged, rows = _controls(scenario, before, table, controls, failed)
        for point, trial, seed, record in failed:
            of = "" if point.number < len(scenario.points) else "control, "
            where = f"{of}point {point.number}, trial {trial}: {point.describe()}"
            errors.append(one_line(f"{where}: {record.cause}"))
            tracebacks.append(f"{where}, seed {seed}\n{str(record.error).rstrip()}\n")
        if rows:
            _writer(start(CONTROLS), ("claim", "broken", *scenario.columns)).writerows(rows)
        if tracebacks:
            start(ERRORS).write(printable("\n".join(tracebacks)))
        unjudged = scenario.without_games, scenario.too_few
        findings = findings_of(scenario.head.claims, table.columns(), judged, table.lost_columns(), *unjudged)
        claims = _writer(start(CLAIMS_CSV), CLAIMS)
        claims.writerows([_cell(finding.row()[name]) for name in CLAIMS] for finding in findings)
    return findings, errors


def read_findings(folder: Path) -> list[Finding]:
    """Return the outcomes of claims as ``claims.csv`` has them."""
    read: dict[str, Callable[[str], Any]] = {"float | None": lambda text: float(text) if text else None, "int": int}
    return [
        Finding(**{one.name: read.get(str(one.type), str)(row[one.name]) for one in fields(Finding)})
        for row in text_rows(folder / CLAIMS_CSV)
    ]


def _controls(
    scenario: Scenario,
    before: Sequence[_Before],
    table: _Games,
    games: Iterable[PlacedRecord],
    failed: list[tuple[Point, int, int, Record]],
) -> tuple[dict[int, ControlTable], list[list[Scalar]]]:
    """Return the table with the broken games for each claim whose control was played, and the rows of these games.

    Broken games that an error ended are added to `failed`.
    """
    by_point: dict[int, list[PlacedRecord]] = {}
    for game in games:
        by_point.setdefault(game[0], []).append(game)
    place = scenario.columns.index(POINT)
    first = {game.row[place]: game.row for game in reversed(table.games)}
    judged: dict[int, ControlTable] = {}
    rows: list[list[Scalar]] = []
    for control in scenario.controls:
        claim = scenario.head.claims[control.claim]
        broken = claim.control.says if claim.control is not None else ""
        whole = _Games(scenario, [game for game in table.games if game.row[place] not in control.instead])
        intact = len(whole.games)
        for point, instead in zip(control.points, control.instead, strict=True):
            intact_row = zip(scenario.columns, first.get(instead, ()), strict=False)
            known = {name: value for name, value in intact_row if name in KNOWN_BEFORE}
            for _, trial, seed, record in by_point.get(point.number, ()):
                if record.error:
                    failed.append((point, trial, seed, record))
                row = _row(scenario, before[instead], trial, seed, record) | known  # of the point as it was
                whole.add(row, record, point.number)  # never a repetition of another point's game
                rows.append([*map(_cell, (claim.name, broken, *row.values()))])
        if any(point.number in by_point for point in control.points):
            judged[control.claim] = ControlTable(whole.columns(table.games), intact, whole.lost_columns())
    return judged, rows


class _Game(NamedTuple):
    """A game: its row, the cost by kind, its point and seed, whether chance may have had a part, and what it showed.

    `shown` is all of its record as a text, or empty if a number was drawn for it.
    """

    row: tuple[Scalar, ...]
    kinds: Mapping[str, int]
    point: Hashable
    seed: Scalar
    coins: bool
    shown: str


@dataclass(frozen=True)
class _Games:
    """The games that claims are judged on; the rows of those that an error ended or nobody judged are kept apart."""

    scenario: Scenario
    games: list[_Game] = field(default_factory=list)
    lost: list[Mapping[str, Scalar]] = field(default_factory=list)

    def add(self, row: Mapping[str, Scalar], record: Record, identity: Hashable) -> None:
        """Add a game of a point; points whose games are the same have one identity."""
        if record.error or not record.judged:
            self.lost.append({**row, UNJUDGED: not record.error})
        else:
            shown = "" if record.drawn else _text(record)
            one = _Game(tuple(row.values()), _sums(record.kinds), identity, row["seed"], record.coins, shown)
            self.games.append(one)

    def columns(self, others: Sequence[_Game] = ()) -> Columns:
        """Return the table: trials, sizes by their names in the task, the cost by kind (or 0), others' kinds too."""
        import numpy as np

        names = dict.fromkeys(name for game in (*self.games, *others) for name in game.kinds)
        by_kind = {name: np.array([game.kinds.get(name, 0) for game in self.games], dtype=float) for name in names}
        trials = {
            name: column_of([game.row[place] for game in self.games])
            for place, name in enumerate(self.scenario.columns)
        }
        alike = self._alike()
        fixed = [not game.coins or game.point in alike for game in self.games]
        numbers: dict[Hashable, int] = {}
        same = [
            numbers.setdefault((game.point, None if one else game.seed), len(numbers))
            for game, one in zip(self.games, fixed, strict=True)
        ]
        own = {GAME: np.array(same, dtype=int), COINLESS: np.array(fixed, dtype=bool)}
        return {**by_kind, **self._called(trials), **own}

    def _alike(self) -> set[Hashable]:
        """Return the points with several games, none of which drew a number, and which all show the same.

        A class of the user's may have coins that nobody sees: here it has none.
        """
        shown: dict[Hashable, list[str]] = {}
        for game in self.games:
            shown.setdefault(game.point, []).append(game.shown)
        return {point for point, texts in shown.items() if len(texts) > 1 and texts[0] and len(set(texts)) == 1}

    def lost_columns(self) -> Columns:
        """Return the values known before play of the games that are kept apart, and why they are."""
        known = [name for name in (*KNOWN_OF_LOST, *self.scenario.extra) if name in self.scenario.columns]
        return self._called({name: column_of([row[name] for row in self.lost]) for name in (*known, UNJUDGED)})

    def _called(self, table: Columns) -> Columns:
        """Return a table with the columns of sizes by their names in the task too."""
        return {**{key: table[name] for name, key in self.scenario.called.items() if name in table}, **table}


class _Before(NamedTuple):
    """What is known of the games of a point before they are played: their sizes, and columns that they share."""

    sizes: Mapping[str, Scalar]
    shared: Mapping[str, Scalar]


def _before(scenario: Scenario) -> list[_Before]:
    """Return what is known of the games of each point."""
    known = [(point, point.known()) for point in scenario.points]
    return [
        _Before(
            {name: sizes.pop(name) for name in KNOWN_BEFORE},
            {POINT: point.number, TASK: point.task.label, **sizes}
            | {name: values[point.number] for name, values in scenario.extra.items()},
        )
        for point, sizes in known
    ]


def _row(scenario: Scenario, before: _Before, trial: int, seed: int, record: Record) -> dict[str, Scalar]:
    """Return the row of ``trials.csv`` for a game, in the order of the columns.

    A game that ended with an error has only the values known before play, and the error.
    """
    if record.error:
        known = {**before.sizes, **lost("").row, "error": record.cause}
    else:
        known = {"sites": before.sizes["sites"], **record.row, "error": ""}
    known |= {TRIAL: trial, "seed": seed, **before.shared}
    return {name: known.get(name) for name in scenario.columns}


def _text(record: Record) -> str:
    """Return all that a game shows, but how long it took, as a short text."""
    row = {name: value for name, value in record.row.items() if name != "seconds"}
    return hashlib.sha256(repr((row, record.series, record.kinds)).encode("utf-8", "surrogatepass")).hexdigest()


def _sums(kinds: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return words and messages by kind, over both directions: ``words_report``, ``messages_report``."""
    sums: dict[str, int] = {}
    for unit in ("words", "messages"):
        for kind, amount in zip(kinds.get("kind", ()), kinds.get(unit, ()), strict=True):
            name = sys.intern(f"{unit}_{str(kind).replace('-', '_')}")  # all games share it
            sums[name] = sums.get(name, 0) + amount
    return sums


def _writer(file: TextIO, header: Sequence[str]) -> Any:
    """Return a writer of a table, after its header."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    return writer


class _Lists:
    """A table with several rows per game: the lists of a game side by side, after the columns that name the game."""

    def __init__(self, file: TextIO, header: Sequence[str]) -> None:
        self._file, self._writer = file, _writer(file, header)
        self._own = [name for name in header if name not in PLACE]

    def write(self, row: Mapping[str, Scalar], lists: Mapping[str, Sequence[object]]) -> None:
        """Write the lists of a game with this row."""
        length = len(next(iter(lists.values()), ()))
        columns = [lists.get(name, [None] * length) for name in self._own]
        place = [_cell(row[name]) for name in PLACE]
        types = [_types(values) for values in columns]
        if length and all(one <= {int, float} for one in types):
            # as the module csv writes numbers, in half of its time
            place_of_game = StringIO()
            csv.writer(place_of_game, lineterminator="").writerow(place)
            begin = place_of_game.getvalue() + ","
            lines = map(",".join, zip(*map(_texts, columns), strict=True))
            self._file.write(begin + f"\n{begin}".join(lines) + "\n")
        else:
            self._writer.writerows([*place, *map(_cell, values)] for values in zip(*columns, strict=True))


def _texts(values: Sequence[object]) -> list[str]:
    """Return the cells of a column of numbers."""
    cells = list(map(repr, values))
    return ["" if text == "nan" else text for text in cells] if "nan" in cells else cells


def _types(values: Sequence[object]) -> set[type]:
    """Return the types of the values of a column."""
    if isinstance(values, array):
        return {float} if values.typecode == "d" else {int}
    return set(map(type, values))


def _cell(value: Any) -> Scalar:
    """Return a value as a table shows it: nothing for None and for not-a-number."""
    if type(value) is int:  # most are
        return value
    if value is None or value != value:
        return ""
    plain: Scalar = value.item() if hasattr(value, "item") else value
    return _text_cell(plain) if isinstance(plain, str) else plain


@lru_cache(maxsize=1024)
def _text_cell(text: str) -> str:
    """Return a text as a table shows it; most are those of the game before."""
    return guarded(one_line(text))
