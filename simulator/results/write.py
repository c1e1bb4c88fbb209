"""Writing the tables of a run: games, timelines, kinds of messages, claims, errors."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.claims.columns import CLAIMS, KINDS, PLACE, SERIES, Scalar
from simulator.claims.expressions import column_of
from simulator.claims.judge import Finding, judge
from simulator.results.files import writing
from simulator.scenario.load import Scenario
from simulator.tasks.base import Record

if TYPE_CHECKING:
    from simulator.claims.expressions import Columns

Played = tuple[int, int, int, Record]
"""A game and its place: point, trial, seed, record."""


def write_tables(folder: Path, scenario: Scenario, games: Iterable[Played]) -> tuple[list[Finding], list[str]]:
    """Write ``trials.csv``, ``series.csv``, ``kinds.csv``, ``claims.csv`` and ``errors.txt``.

    They appear together, when all of them are whole.

    Parameters
    ----------
    games
        The games in the order of (point, trial).

    Returns
    -------
    findings, errors
        What came of the claims; one line for each game that was lost to an error.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    table: dict[str, list[Any]] = {name: [] for name in scenario.columns}
    by_kind: list[dict[str, int]] = []
    errors: list[str] = []
    tracebacks: list[str] = []
    with writing(folder) as start:
        trials = csv.writer(start("trials.csv"), lineterminator="\n")
        series = csv.writer(start("series.csv"), lineterminator="\n")
        kinds = csv.writer(start("kinds.csv"), lineterminator="\n")
        for writer, header in ((trials, scenario.columns), (series, SERIES), (kinds, KINDS)):
            writer.writerow(header)
        for point, trial, seed, record in games:
            row = _row(scenario, point, trial, seed, record)
            for name, value in row.items():
                table[name].append(value)
            trials.writerow([_cell(value) for value in row.values()])
            place = {name: row[name] for name in PLACE}
            _write_lists(series, place, SERIES, record.series)
            _write_lists(kinds, place, KINDS, record.kinds)
            by_kind.append(_sums(record.kinds))
            if record.error:
                last = record.error.strip().splitlines()[-1]
                where = f"point {point}, trial {trial}: {scenario.points[point].describe()}"
                errors.append(f"{where}: {last}")
                tracebacks.append(f"{where}, seed {seed}\n{record.error.rstrip()}\n")
        findings = judge(scenario.head.claims, _columns(table, by_kind, scenario.called))
        claims = csv.writer(start("claims.csv"), lineterminator="\n")
        claims.writerow(CLAIMS)
        for finding in findings:
            found = finding.row()
            claims.writerow([_cell(found[name]) for name in CLAIMS])
        if tracebacks:
            start("errors.txt").write("\n".join(tracebacks))
    if not tracebacks:
        (folder / "errors.txt").unlink(missing_ok=True)
    return findings, errors


def _row(scenario: Scenario, point: int, trial: int, seed: int, record: Record) -> dict[str, Any]:
    """Return the row of ``trials.csv`` for a game, in the order of the columns."""
    place = scenario.points[point]
    known: dict[str, Any] = {
        "sites": place.sites,
        **record.row,
        "point": point,
        "trial": trial,
        "seed": seed,
        "task": place.task.label,
        "protocol": place.protocol.label,
        "adversary": place.adversary.label,
        **{name: values[point] for name, values in scenario.extra.items()},
    }
    return {name: known.get(name) for name in scenario.columns}


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
    return plain


def _sums(kinds: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Return words and messages by kind, over both directions: ``words_report``, ``messages_report``."""
    sums: dict[str, int] = {}
    for what in ("words", "messages"):
        for kind, amount in zip(kinds.get("kind", ()), kinds.get(what, ()), strict=True):
            name = f"{what}_{str(kind).replace('-', '_')}"
            sums[name] = sums.get(name, 0) + amount
    return sums


def _columns(
    table: Mapping[str, list[Any]], by_kind: Sequence[Mapping[str, int]], called: Mapping[str, str]
) -> Columns:
    """Return the table that claims speak of: trials, what a task calls its columns, and the cost by kind (or 0)."""
    import numpy as np

    names = dict.fromkeys(name for sums in by_kind for name in sums)
    columns = {name: np.array([sums.get(name, 0) for sums in by_kind], dtype=float) for name in names}
    trials = {name: column_of(values) for name, values in table.items()}
    return {**columns, **{key: trials[name] for name, key in called.items() if name in trials}, **trials}
