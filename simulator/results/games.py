"""The games of a run as the table that claims speak of: a row a game, and what each kind of message has cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from simulator.claims.expressions import column_of
from simulator.points.point import Point
from simulator.tasks.base import Record

if TYPE_CHECKING:
    from simulator.claims.expressions import Columns
    from simulator.scenario.load import Scenario

KNOWN_BEFORE: Final = ("sites", "items", "alpha")
"""Columns of a game that say, with the swept ones, which point it belongs to."""


class Games:
    """Rows of games, one after the other."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._table: dict[str, list[Any]] = {name: [] for name in scenario.columns}
        self._by_kind: list[dict[str, int]] = []

    def __len__(self) -> int:
        return len(self._by_kind)

    def add(self, row: Mapping[str, Any], record: Record) -> None:
        """Add a game."""
        for name, value in row.items():
            self._table[name].append(value)
        self._by_kind.append(_sums(record.kinds))

    @property
    def kinds(self) -> list[str]:
        """Return the columns of the cost by kind."""
        return list(dict.fromkeys(name for sums in self._by_kind for name in sums))

    def columns(self, kinds: Sequence[str] = ()) -> Columns:
        """Return the table: trials, what a task calls its columns, and the cost by kind (or 0), of these kinds too."""
        import numpy as np

        names = dict.fromkeys([*self.kinds, *kinds])
        by_kind = {name: np.array([sums.get(name, 0) for sums in self._by_kind], dtype=float) for name in names}
        trials = {name: column_of(values) for name, values in self._table.items()}
        called = {key: trials[name] for name, key in self._scenario.called.items() if name in trials}
        return {**by_kind, **called, **trials}

    def without(self, points: Sequence[int]) -> Games:
        """Return these games but for those of some points."""
        gone = set(points)
        kept = [number for number, point in enumerate(self._table["point"]) if point not in gone]
        found = Games(self._scenario)
        found._table = {name: [values[number] for number in kept] for name, values in self._table.items()}
        found._by_kind = [self._by_kind[number] for number in kept]
        return found

    def known_before(self, point: int) -> dict[str, Any]:
        """Return what the columns that identify a point hold in its first game."""
        first = self._table["point"].index(point)
        return {name: self._table[name][first] for name in KNOWN_BEFORE if name in self._table}


def game_row(scenario: Scenario, point: Point, trial: int, seed: int, record: Record) -> dict[str, Any]:
    """Return the row of ``trials.csv`` for a game, in the order of the columns."""
    known: dict[str, Any] = {
        "sites": point.sites,
        **record.row,
        "point": point.number,
        "trial": trial,
        "seed": seed,
        "task": point.task.label,
        "protocol": point.protocol.label,
        "adversary": point.adversary.label,
        **{name: values[point.number] for name, values in scenario.extra.items()},
    }
    return {name: known.get(name) for name in scenario.columns}


def _sums(kinds: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Return words and messages by kind, over both directions: ``words_report``, ``messages_report``."""
    sums: dict[str, int] = {}
    for what in ("words", "messages"):
        for kind, amount in zip(kinds.get("kind", ()), kinds.get(what, ()), strict=True):
            name = f"{what}_{str(kind).replace('-', '_')}"
            sums[name] = sums.get(name, 0) + amount
    return sums
