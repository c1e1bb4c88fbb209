"""Writing the tables of a run: games, timelines, kinds of messages, claims and their controls, errors."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from disttrack.simulator.claims.columns import CLAIMS, KINDS, PLACE, SERIES, Scalar
from disttrack.simulator.claims.judge import ControlTable, Finding, judge
from disttrack.simulator.errors import one_line, printable
from disttrack.simulator.points.point import Point
from disttrack.simulator.results.files import writing
from disttrack.simulator.results.games import Games, game_row
from disttrack.simulator.scenario.load import Scenario
from disttrack.simulator.tasks.base import Record

PlacedRecord = tuple[int, int, int, Record]
"""A game and its place: point, trial, seed, record."""


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
    table = Games(scenario)
    errors: list[str] = []
    tracebacks: list[str] = []

    def note_error(point: Point, trial: int, seed: int, record: Record) -> None:
        if record.error:
            of = "" if point.number < len(scenario.points) else "control, "
            where = f"{of}point {point.number}, trial {trial}: {point.describe()}"
            errors.append(one_line(f"{where}: {record.cause}"))
            tracebacks.append(f"{where}, seed {seed}\n{record.error.rstrip()}\n")

    with writing(folder) as start:
        trials = _writer(start("trials.csv"), scenario.columns)
        series = _writer(start("series.csv"), SERIES)
        kinds = _writer(start("kinds.csv"), KINDS)
        for number, trial, seed, record in games:
            point = scenario.points[number]
            row = game_row(scenario, point, trial, seed, record)
            table.add(row, record, point)
            trials.writerow(map(_cell, row.values()))
            if not record.error:
                place = {name: row[name] for name in PLACE}
                _write_lists(series, place, SERIES, record.series)
                _write_lists(kinds, place, KINDS, record.kinds)
            note_error(point, trial, seed, record)
        judged, rows = _controls(scenario, table, controls, note_error)
        if rows:
            _writer(start("controls.csv"), ("claim", "broken", *scenario.columns)).writerows(rows)
        if tracebacks:
            start("errors.txt").write(printable("\n".join(tracebacks)))
        findings = judge(scenario.head.claims, table.columns(), judged, lost=table.lost())
        claims = _writer(start("claims.csv"), CLAIMS)
        claims.writerows([_cell(finding.row()[name]) for name in CLAIMS] for finding in findings)
    for name, there in (("errors.txt", tracebacks), ("controls.csv", rows)):
        if not there:
            (folder / name).unlink(missing_ok=True)
    return findings, errors


def _controls(
    scenario: Scenario,
    table: Games,
    games: Iterable[PlacedRecord],
    note_error: Callable[[Point, int, int, Record], None],
) -> tuple[dict[int, ControlTable], list[list[Scalar]]]:
    """Return the table with the broken games for each claim whose control was played, and the rows of these games."""
    by_point: dict[int, list[PlacedRecord]] = {}
    for game in games:
        by_point.setdefault(game[0], []).append(game)
    judged: dict[int, ControlTable] = {}
    rows: list[list[Scalar]] = []
    for control in scenario.controls:
        claim = scenario.head.claims[control.claim]
        broken = claim.control.says if claim.control is not None else ""
        whole = table.without(control.instead)
        intact = len(whole)
        for point, instead in zip(control.points, control.instead, strict=True):
            for _, trial, seed, record in by_point.get(point.number, ()):
                note_error(point, trial, seed, record)
                row = game_row(scenario, scenario.points[instead], trial, seed, record)
                row |= table.known_before(instead)  # it answers for the point as it was
                whole.add(row, record, point, broken=True)
                rows.append([claim.name, broken, *map(_cell, row.values())])
        if any(point.number in by_point for point in control.points):
            judged[control.claim] = ControlTable(whole.columns(table.kinds), intact, whole.lost())
    return judged, rows


def _writer(file: TextIO, header: Sequence[str]) -> Any:
    """Return a writer of a table, after its header."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(header)
    return writer


def _write_lists(
    writer: Any, place: Mapping[str, Any], names: Sequence[str], lists: Mapping[str, Sequence[Any]]
) -> None:
    """Write the lists of a game side by side, after the columns that name the game."""
    length = len(next(iter(lists.values()), ()))
    columns = [[place[name]] * length if name in place else lists.get(name, [None] * length) for name in names]
    writer.writerows(map(_cell, row) for row in zip(*columns, strict=True))


def _cell(value: Any) -> Scalar:
    """Return a value as a table shows it: nothing for None and for not-a-number."""
    if value is None or value != value:
        return ""
    plain: Scalar = value.item() if hasattr(value, "item") else value
    return one_line(plain) if isinstance(plain, str) else plain
