"""Results: the folder that a run writes, and reading it back."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from simulator.claims.columns import CLAIMS, KINDS, SERIES, Scalar
from simulator.claims.expressions import column_of
from simulator.claims.judge import Finding, judge
from simulator.errors import RunError, ScenarioError
from simulator.scenario.load import Scenario
from simulator.tasks.base import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from simulator.claims.expressions import Columns

Played = tuple[int, int, int, Record]
"""A game and its place: point, trial, seed, outcome."""


class Results:
    """What a run left in its folder; the tables are read when they are asked for.

    Attributes
    ----------
    dir
        The folder.

    Raises
    ------
    ScenarioError
        The folder holds no results.
    """

    def __init__(self, folder: str | Path) -> None:
        self.dir = Path(folder)
        for needed in ("trials.csv", "manifest.json"):
            if not (self.dir / needed).is_file():
                raise ScenarioError(f"{self.dir}: holds no results: {needed} is missing")

    @cached_property
    def trials(self) -> pd.DataFrame:
        """A row a game."""
        return self._read("trials.csv")

    @cached_property
    def series(self) -> pd.DataFrame:
        """The timelines: a row a checkpoint of a game."""
        return self._read("series.csv")

    @cached_property
    def kinds(self) -> pd.DataFrame:
        """The cost by kind of message: a row a kind, direction and game."""
        return self._read("kinds.csv")

    @cached_property
    def claims(self) -> pd.DataFrame:
        """A row a claim, with measured value, interval and verdict."""
        return self._read("claims.csv")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """Scenario as read, versions, seeds, engines, machine, duration."""
        found: dict[str, Any] = json.loads((self.dir / "manifest.json").read_text(encoding="utf-8"))
        return found

    @property
    def ok(self) -> bool:
        """Tell whether all claims hold and no game was lost to an error."""
        return bool((self.claims["verdict"] == "PASS").all()) and not self.manifest["games"]["errors"]

    def _read(self, name: str) -> pd.DataFrame:
        import pandas as pd

        return pd.read_csv(self.dir / name)

    def __repr__(self) -> str:
        return f"Results({str(self.dir)!r})"


def write_tables(folder: Path, scenario: Scenario, games: Iterable[Played]) -> tuple[list[Finding], list[str]]:
    """Write ``trials.csv``, ``series.csv``, ``kinds.csv``, ``claims.csv`` and ``errors.txt``.

    Each is written under another name and then moved, so that there is never half a table.

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
            place = {name: row[name] for name in ("point", "trial", "protocol", "adversary")}
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


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[str], TextIO]]:
    """Let several files of a folder appear together, whole, at the end; none of them if anything fails."""
    started: dict[str, TextIO] = {}
    try:
        with ExitStack() as stack:

            def start(name: str) -> TextIO:
                file = open(folder / f".{name}.part", "w", encoding="utf-8", newline="")  # noqa: SIM115
                started[name] = stack.enter_context(file)
                return started[name]

            yield start
        for name in started:
            os.replace(folder / f".{name}.part", folder / name)
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        for name in started:
            (folder / f".{name}.part").unlink(missing_ok=True)


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
