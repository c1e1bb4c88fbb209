"""How fast this machine plays: messages and items a second at each pace, measured by playing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from adversaries import Adversary, Freeze, RoundRobin, Uniform
from protocols import Deterministic
from simulator.game.engine_choice import ENGINE_NAMES
from simulator.game.network import Latency
from simulator.game.play import play


@dataclass(frozen=True)
class Speed:
    """What a pace does in a second.

    Attributes
    ----------
    messages
        Messages that are sent, where nothing else takes time.
    items
        Items that are looked at one by one, at paces that do so or against adversaries that draw each.
    """

    messages: float
    items: float


def calibrate(paces: Sequence[str], seconds: float = 0.5) -> dict[str, Speed]:
    """Return how fast this machine plays at each of these paces.

    Parameters
    ----------
    paces
        ``bulk``, ``leap`` and ``step`` engines against round-robin and uniform, ``reacting``: leap against freeze,
        ``network``: leap with delays.
    seconds
        How long to try, all paces together.
    """
    speeds = {}
    for pace in paces:
        adversary: Adversary = Freeze() if pace == "reacting" else RoundRobin()
        engine = pace if pace in ENGINE_NAMES else "leap"
        network = Latency(constant=5) if pace == "network" else None
        share = seconds / (2 * len(paces))
        items = {"bulk": 50_000_000, "leap": 200_000, "step": 20_000}.get(pace, 50_000)
        messages, _ = _rates(adversary, engine, items, share, network)
        each = 4_000 if pace == "reacting" else items if pace != "bulk" else 2_000_000
        # one that reacts and looks at each item is asked for each, as the step engine asks the sites
        _, looked_at = _rates(Uniform(), "step" if pace == "reacting" else engine, each, share, network)
        speeds[pace] = Speed(messages, looked_at)
    return speeds


def speeds(paces: Sequence[str]) -> dict[str, Speed]:
    """Return how fast this machine plays at each of these paces, measured once in a process."""
    return {pace: _speed(pace) for pace in paces}


@cache
def _speed(pace: str) -> Speed:
    return calibrate([pace], seconds=0.25)[pace]


def _rates(
    adversary: Adversary, engine: str, items: int, seconds: float, network: Latency | None
) -> tuple[float, float]:
    """Return messages and items a second."""
    begun, messages, games = time.process_time(), 0, 0
    while not games or time.process_time() - begun < seconds:
        game = play(Deterministic(alpha=0.05), adversary, sites=200, items=items, engine=engine, network=network)
        messages += game.messages
        games += 1
    took = time.process_time() - begun
    return messages / took, games * items / took
