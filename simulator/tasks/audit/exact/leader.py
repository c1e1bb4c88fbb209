"""The exact privacy loss of one choice between two experts, after many rounds that were bad for one of them."""

from __future__ import annotations

from functools import partial

from disttrack.mechanisms import PerturbedLeader
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import laplace_sum_log_tail
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.simulator.tasks.audit.case import Exact, Watch
from disttrack.simulator.tasks.audit.exact.halting import FAR, bracket


def choice_loss(watch: Watch, leader: PerturbedLeader) -> Exact | None:
    """Return the loss of the choice of expert 0, with cost 1 in every round, or 0 in the last; None if unknown.

    The choice is right as long as a weighted sum of some draws stays below the difference of the experts' costs: the
    draws and the weights are measured on the running code. The difference of the head starts, two exponential
    variables, is one more term. The sum's tail is exact; far out it falls as fast as that of its heaviest term. The
    proved bound is that of one draw of the counter, which hides one item from one estimate.

    Parameters
    ----------
    watch
        Plays rounds of given costs, and returns the next choice.
    """
    rounds = leader.horizon
    if leader.experts != 2 or leader.epsilon is None:
        return None

    def wrong(draw: int, sign: float, size: float) -> bool:
        return watch([[1.0, 0.0]] * rounds, ScriptedNoise({draw: sign * size}))[0] == 0

    dry = ScriptedNoise()
    if watch([[1.0, 0.0]] * rounds, dry)[0] == 0:
        return None
    weights = []
    for draw in range(dry.taken):
        for sign in (1.0, -1.0):
            if wrong(draw, sign, FAR):
                weights.append(rounds / bracket(partial(wrong, draw, sign), 0.0)[1])
    parts = [(weight, 1) for weight in weights] + [(dry.waits[-1], 1)]
    scales = counter(leader.counter, leader.epsilon, rounds + 1).noise_parts(rounds + 1)
    proved = 1 / max(scale for scale, count in scales if count) if scales else leader.epsilon
    return Exact(laplace_sum_log_tail(parts, rounds - 1.0) - laplace_sum_log_tail(parts, float(rounds)), proved)
