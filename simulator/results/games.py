"""The games of a run as the table that claims speak of: a row a game, and what each kind of message has cost."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.claims.expressions import column_of
from disttrack.simulator.claims.groups import COINLESS, GAME
from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.tasks.base import Record, lost

if TYPE_CHECKING:
    from disttrack.simulator.claims.expressions import Columns
    from disttrack.simulator.scenario.load import Scenario

KNOWN_BEFORE: Final = ("sites", "items", "alpha")
"""Columns of a game that say, with the swept ones, which point it belongs to."""
KNOWN_OF_LOST: Final = ("point", "trial", "seed", "task", "protocol", "adversary", *KNOWN_BEFORE)
"""Columns, beside the swept ones, that a game has before it is played."""


class Games:
    """Rows of games, one after the other; those that an error ended apart."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._table: dict[str, list[Any]] = {name: [] for name in scenario.columns}
        self._by_kind: list[dict[str, int]] = []
        self._coinless: list[bool] = []
        self._same: list[int] = []
        self._numbers: dict[Hashable, int] = {}
        self._lost: list[Mapping[str, Any]] = []
        self._identities: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._by_kind)

    def add(self, row: Mapping[str, Any], record: Record, point: Point, *, broken: bool = False) -> None:
        """Add a game that was played at a point; a broken one is the same as no other point's, whose place it takes."""
        if record.error:
            self._lost.append(row)
            return
        for name, value in row.items():
            self._table[name].append(value)
        self._by_kind.append(_sums(record.kinds))
        self._coinless.append(not record.coins)
        if point.number not in self._identities:
            self._identities[point.number] = canonical(point.identity())
        game = (self._identities[point.number], row["seed"] if record.coins else None, row["point"] if broken else None)
        self._same.append(self._numbers.setdefault(game, len(self._numbers)))

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
        own = {GAME: np.array(self._same, dtype=int), COINLESS: np.array(self._coinless, dtype=bool)}
        return {**by_kind, **called, **trials, **own}

    def lost(self) -> Columns:
        """Return what was known beforehand of the games that an error ended."""
        known = [name for name in (*KNOWN_OF_LOST, *self._scenario.extra) if name in self._table]
        table = {name: column_of([row[name] for row in self._lost]) for name in known}
        return {**{key: table[name] for name, key in self._scenario.called.items() if name in table}, **table}

    def without(self, points: Sequence[int]) -> Games:
        """Return these games but for those of some points."""
        gone = set(points)
        kept = [number for number, point in enumerate(self._table["point"]) if point not in gone]
        found = Games(self._scenario)
        found._table = {name: [values[number] for number in kept] for name, values in self._table.items()}
        found._by_kind = [self._by_kind[number] for number in kept]
        found._coinless = [self._coinless[number] for number in kept]
        found._same = [self._same[number] for number in kept]
        found._numbers, found._identities = dict(self._numbers), dict(self._identities)
        return found

    def known_before(self, point: int) -> dict[str, Any]:
        """Return what the columns that identify a point hold in its first game; nothing if errors ended them all."""
        if point not in self._table["point"]:
            return {}
        first = self._table["point"].index(point)
        return {name: self._table[name][first] for name in KNOWN_BEFORE if name in self._table}


def game_row(scenario: Scenario, point: Point, trial: int, seed: int, record: Record) -> dict[str, Any]:
    """Return the row of ``trials.csv`` for a game, in the order of the columns.

    Of a game that an error ended it has what was known beforehand, and the error: it has measured nothing.
    """
    beforehand = {"sites": point.sites, "items": point.items, "alpha": point.protocol.given().get("alpha")}
    known: dict[str, Any] = {
        **(beforehand | lost("").row if record.error else {"sites": point.sites, **record.row}),
        "error": record.cause,
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
