"""How fast this machine plays: messages a second at each pace, measured by playing."""

from __future__ import annotations

import time
from collections.abc import Sequence

from adversaries import Adversary, Freeze, RoundRobin
from protocols import Deterministic
from simulator.game.engine_choice import ENGINE_NAMES
from simulator.game.network import Latency
from simulator.game.play import play


def calibrate(paces: Sequence[str], seconds: float = 0.5) -> dict[str, float]:
    """Return the messages a second that this machine plays at each of these paces.

    Parameters
    ----------
    paces
        ``bulk``, ``leap`` and ``step`` engines against round-robin, ``reacting``: leap against freeze, ``network``:
        leap with delays.
    seconds
        How long to try, all paces together.
    """
    speeds = {}
    for pace in paces:
        adversary: Adversary = Freeze() if pace == "reacting" else RoundRobin()
        items = {"bulk": 50_000_000, "leap": 200_000, "step": 20_000}.get(pace, 50_000)
        begun, messages = time.perf_counter(), 0
        while time.perf_counter() - begun < seconds / len(paces):
            engine = pace if pace in ENGINE_NAMES else "leap"
            network = Latency(constant=5) if pace == "network" else None
            messages += play(
                Deterministic(alpha=0.05), adversary, sites=200, items=items, engine=engine, network=network
            ).messages
        speeds[pace] = messages / (time.perf_counter() - begun)
    return speeds
