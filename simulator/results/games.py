"""The games of a run as the table that claims are judged on: a row per game, and the cost by kind of message."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from disttrack.simulator.claims.columns import COINLESS, GAME
from disttrack.simulator.claims.expressions import column_of
from disttrack.simulator.points.point import Point, canonical
from disttrack.simulator.tasks.base import Record, lost

if TYPE_CHECKING:
    from disttrack.simulator.claims.expressions import Columns
    from disttrack.simulator.scenario.load import Scenario

KNOWN_BEFORE: Final = ("sites", "items", "alpha")
"""Columns of a game that show, with the swept ones, which point it belongs to."""
KNOWN_OF_LOST: Final = ("point", "trial", "seed", "task", "protocol", "adversary", *KNOWN_BEFORE)
"""Columns, beside the swept ones, that a game has before it is played."""


@dataclass(frozen=True)
class _Game:
    """A game: its row, the cost by kind, whether it drew no coins, and a key that games which repeat it share."""

    row: tuple[Any, ...]
    kinds: Mapping[str, int]
    coinless: bool
    same: Hashable


@dataclass(frozen=True)
class Games:
    """Rows of games; games that ended with an error are kept apart."""

    scenario: Scenario
    _games: list[_Game] = field(default_factory=list)
    _lost: list[Mapping[str, Any]] = field(default_factory=list)
    _identities: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._games)

    def add(self, row: Mapping[str, Any], record: Record, point: Point, *, broken: bool = False) -> None:
        """Add a game of a point; a broken one, of a control, never counts as a repetition of another point's game."""
        if record.error:
            self._lost.append(row)
            return
        if point.number not in self._identities:
            self._identities[point.number] = canonical(point.identity())
        same = (self._identities[point.number], row["seed"] if record.coins else None, row["point"] if broken else None)
        self._games.append(_Game(tuple(row.values()), _sums(record.kinds), not record.coins, same))

    @property
    def kinds(self) -> list[str]:
        """Return the columns of the cost by kind."""
        return list(dict.fromkeys(name for game in self._games for name in game.kinds))

    def columns(self, kinds: Sequence[str] = ()) -> Columns:
        """Return the table: trials, sizes by their names in the task, the cost by kind (or 0), also of `kinds`."""
        import numpy as np

        names = dict.fromkeys([*self.kinds, *kinds])
        by_kind = {name: np.array([game.kinds.get(name, 0) for game in self._games], dtype=float) for name in names}
        trials = {
            name: column_of([game.row[place] for game in self._games])
            for place, name in enumerate(self.scenario.columns)
        }
        called = {key: trials[name] for name, key in self.scenario.called.items() if name in trials}
        numbers: dict[Hashable, int] = {}
        same = [numbers.setdefault(game.same, len(numbers)) for game in self._games]
        coinless = [game.coinless for game in self._games]
        own = {GAME: np.array(same, dtype=int), COINLESS: np.array(coinless, dtype=bool)}
        return {**by_kind, **called, **trials, **own}

    def lost(self) -> Columns:
        """Return the values known before play of the games that ended with an error."""
        known = [name for name in (*KNOWN_OF_LOST, *self.scenario.extra) if name in self.scenario.columns]
        table = {name: column_of([row[name] for row in self._lost]) for name in known}
        return {**{key: table[name] for name, key in self.scenario.called.items() if name in table}, **table}

    def without(self, points: Sequence[int]) -> Games:
        """Return these games without those of some points and without errors."""
        place = self.scenario.columns.index("point")
        left = [game for game in self._games if game.row[place] not in points]
        return Games(self.scenario, left, _identities=self._identities)

    def known_before(self, point: int) -> dict[str, Any]:
        """Return the values of the first game of a point that identify the point; nothing if errors ended them all."""
        rows = (dict(zip(self.scenario.columns, game.row, strict=True)) for game in self._games)
        first = next((row for row in rows if row["point"] == point), {})
        return {name: first[name] for name in KNOWN_BEFORE if name in first}


def game_row(scenario: Scenario, point: Point, trial: int, seed: int, record: Record) -> dict[str, Any]:
    """Return the row of ``trials.csv`` for a game, in the order of the columns.

    A game that ended with an error has only the values known before play, and the error.
    """
    beforehand = point.known()
    known: dict[str, Any] = {
        **(beforehand | lost("").row if record.error else {"sites": point.sites, **record.row}),
        "error": record.cause,
        "point": point.number,
        "trial": trial,
        "seed": seed,
        "task": point.task.label,
        "protocol": beforehand["protocol"],
        "adversary": beforehand["adversary"],
        **{name: values[point.number] for name, values in scenario.extra.items()},
    }
    return {name: known.get(name) for name in scenario.columns}


def _sums(kinds: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Return words and messages by kind, over both directions: ``words_report``, ``messages_report``."""
    sums: dict[str, int] = {}
    for unit in ("words", "messages"):
        for kind, amount in zip(kinds.get("kind", ()), kinds.get(unit, ()), strict=True):
            name = f"{unit}_{str(kind).replace('-', '_')}"
            sums[name] = sums.get(name, 0) + amount
    return sums
