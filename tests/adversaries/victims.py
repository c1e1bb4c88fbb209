"""Victims of attackers, and measures of the harm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Protocol
from disttrack.simulator import play
from disttrack.simulator.game.tasks.duel import play_duel
from disttrack.simulator.kinds.registry import kinds

GAMES: Final = 9


def made(kind: str, **given: Any) -> Any:
    """Return a registered mechanism."""
    return kinds("protocol")[kind].load()(**given)


def above(game: Any) -> float:
    """Return the largest error above the truth, over alpha."""
    return float(game.highest / game.alpha)


def below(game: Any) -> float:
    """Return the largest error below the truth, over alpha."""
    return float(-game.lowest / game.alpha)


def named(column: str) -> Callable[[Any], float]:
    """Return a column of a game as the measure."""
    return lambda game: float(getattr(game, column) or 0.0)


@dataclass(frozen=True)
class Hit:
    """An attacker, its victim, the interval of the median of a measure, and an opponent that does not reach it."""

    attacker: Any
    victim: Any
    measure: Callable[[Any], float]
    least: float
    most: float
    size: Any
    harmless: Any = field(default_factory=RoundRobin)

    def inside(self, attacker: Any) -> bool:
        """Return whether the median of `GAMES` games is in the interval; play the last ones if it depends on them."""
        game: Any
        more: dict[str, Any]
        game, more = (play, {"sees": "state"}) if isinstance(self.victim, Protocol) else (play_duel, {})
        low = high = 0
        for seed in range(GAMES):
            value = self.measure(game(self.victim, attacker, seed=seed, **self.size, **more))
            low, high = low + (value < self.least), high + (value > self.most)
            if max(low, high) > GAMES // 2 or max(low, high) + GAMES - 1 - seed <= GAMES // 2:
                break
        return max(low, high) <= GAMES // 2
