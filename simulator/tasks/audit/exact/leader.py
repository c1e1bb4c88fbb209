"""The exact privacy loss of one choice between two experts, after many rounds that were bad for one of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from disttrack.mechanisms import PerturbedLeader
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import laplace_sum_log_tail
from disttrack.mechanisms.scripted_noise import ScriptedNoise

FAR: Final = 1e7
"""Scales of noise by which a draw changes the choice, if it can."""


def choice_loss(leader: PerturbedLeader) -> float | None:
    """Return the loss of the choice of expert 0, with cost 1 in every round, or 0 in the last; None if unknown.

    The choice is right as long as a weighted sum of some draws stays below the difference of the experts' costs: the
    draws and the weights are measured on the running code. The difference of the head starts, two exponential
    variables, is one more term. The sum's tail is exact; far out it falls as fast as that of its heaviest term.
    """
    if leader.experts != 2 or leader.epsilon is None:
        return None
    rounds = leader.horizon

    def chosen(draws: dict[int, float]) -> int:
        noise = ScriptedNoise(draws)
        run = leader.start(noise, noise)  # type: ignore[arg-type]
        costs = np.tile([1.0, 0.0], (rounds, 1))
        run.release(costs)
        dry.taken, dry.waits = noise.taken, noise.waits
        return run.choose()

    dry: Any = ScriptedNoise()
    if chosen({}) != 1:
        return None
    weights = []
    for draw in range(dry.taken):
        for sign in (1.0, -1.0):
            if chosen({draw: sign * FAR}) == 0:
                weights.append(rounds / _edge(lambda size, of=draw, sign=sign: chosen({of: sign * size}) == 0))
    parts = [(weight, 1) for weight in weights] + [(dry.waits[-1], 1)]
    return laplace_sum_log_tail(parts, rounds - 1.0) - laplace_sum_log_tail(parts, float(rounds))


def proved(leader: PerturbedLeader) -> float:
    """Return the proved bound for one choice: one draw of the counter hides one item from one estimate."""
    assert leader.epsilon is not None
    parts = counter(leader.counter, leader.epsilon, leader.horizon + 1).noise_parts(leader.horizon + 1)
    return leader.epsilon if not parts else 1 / max(scale for scale, count in parts if count)


def _edge(passed: Any) -> float:
    """Return the least size at which `passed` is true."""
    low, high = 0.0, FAR
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if passed(middle) else (middle, high)
    return high
