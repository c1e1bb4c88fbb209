"""Writing the tables of a run: games, timelines, kinds of messages, claims and their controls, errors."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

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

    They appear when all of them are whole, one after the other; the manifest, written last, has their digests.

    Parameters
    ----------
    games
        The games in the order of (point, trial).
    controls
        The games of the broken points, in the same order; none leaves the controls of claims out.

    Returns
    -------
    findings, errors
        What came of the claims; one line for each game that an error ended.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    table = Games(scenario)
    lost = _Lost(scenario)
    with writing(folder) as start:
        trials = csv.writer(start("trials.csv"), lineterminator="\n")
        series = csv.writer(start("series.csv"), lineterminator="\n")
        kinds = csv.writer(start("kinds.csv"), lineterminator="\n")
        for writer, header in ((trials, scenario.columns), (series, SERIES), (kinds, KINDS)):
            writer.writerow(header)
        for point, trial, seed, record in games:
            row = game_row(scenario, scenario.points[point], trial, seed, record)
            table.add(row, record, scenario.points[point])
            trials.writerow([_cell(value) for value in row.values()])
            if not record.error:
                place = {name: row[name] for name in PLACE}
                _write_lists(series, place, SERIES, record.series)
                _write_lists(kinds, place, KINDS, record.kinds)
            lost.note(scenario.points[point], trial, seed, record)
        found = _control_tables(scenario, table, controls, lost)
        if found:
            _write_controls(csv.writer(start("controls.csv"), lineterminator="\n"), scenario, found)
        if lost.tracebacks:
            start("errors.txt").write(printable("\n".join(lost.tracebacks)))
        judged = {number: control for number, control, _ in found}
        findings = judge(scenario.head.claims, table.columns(), judged, lost=table.lost())
        claims = csv.writer(start("claims.csv"), lineterminator="\n")
        claims.writerow(CLAIMS)
        for found_row in map(Finding.row, findings):
            claims.writerow([_cell(found_row[name]) for name in CLAIMS])
    for name, there in (("errors.txt", lost.tracebacks), ("controls.csv", found)):
        if not there:
            (folder / name).unlink(missing_ok=True)
    return findings, lost.lines


class _Lost:
    """The games that an error ended."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.lines: list[str] = []
        self.tracebacks: list[str] = []

    def note(self, point: Point, trial: int, seed: int, record: Record) -> None:
        """Note a game if an error ended it."""
        if record.error:
            of = "" if point.number < len(self._scenario.points) else "control, "
            where = f"{of}point {point.number}, trial {trial}: {point.describe()}"
            self.lines.append(one_line(f"{where}: {record.cause}"))
            self.tracebacks.append(f"{where}, seed {seed}\n{record.error.rstrip()}\n")


def _control_tables(
    scenario: Scenario, table: Games, played: Iterable[PlacedRecord], lost: _Lost
) -> list[tuple[int, ControlTable, list[dict[str, Any]]]]:
    """Return for each control that was played its claim, the table in which broken games stand for others, its rows."""
    by_point: dict[int, list[PlacedRecord]] = {}
    for game in played:
        by_point.setdefault(game[0], []).append(game)
    found = []
    for control in scenario.controls:
        whole = table.without(control.instead)
        intact = len(whole)
        rows = []
        for point, instead in zip(control.points, control.instead, strict=True):
            for _, trial, seed, record in by_point.get(point.number, ()):
                lost.note(point, trial, seed, record)
                row = game_row(scenario, scenario.points[instead], trial, seed, record)
                row |= table.known_before(instead)  # it answers for the point as it was
                whole.add(row, record, point, broken=True)
                rows.append(row)
        if rows:
            judged = ControlTable(whole.columns(table.kinds), intact, whole.lost())
            found.append((control.claim, judged, rows))
    return found


def _write_controls(
    writer: Any, scenario: Scenario, found: Sequence[tuple[int, ControlTable, list[dict[str, Any]]]]
) -> None:
    writer.writerow(("claim", "broken", *scenario.columns))
    for number, _, rows in found:
        claim = scenario.head.claims[number]
        broken = claim.control.says if claim.control is not None else ""
        writer.writerows([claim.name, broken, *(_cell(value) for value in row.values())] for row in rows)


def _write_lists(
    writer: Any, place: Mapping[str, Any], names: Sequence[str], lists: Mapping[str, Sequence[Any]]
) -> None:
    """Write the lists of a game side by side, after the columns that say which game it is."""
    length = len(next(iter(lists.values()), ()))
    columns = [[place[name]] * length if name in place else lists.get(name, [None] * length) for name in names]
    writer.writerows([_cell(value) for value in row] for row in zip(*columns, strict=True))


def _cell(value: Any) -> Scalar:
    """Return a value as a table shows it: nothing for None and for not-a-number."""
    if value is None or value != value:
        return ""
    plain: Scalar = value.item() if hasattr(value, "item") else value
    return one_line(plain) if isinstance(plain, str) else plain
