"""The stream on which a private threshold monitor must err, built by halving at its halting probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from disttrack.mechanisms.checks import whole
from disttrack.mechanisms.halting import HaltingTimes


@dataclass(frozen=True)
class HardInstance:
    """A hard stream, and the monitor's behaviour on it.

    Attributes
    ----------
    ones
        The steps that carry a one, `k` of them.
    steps
        Length of the stream, 2^(k+1) - 2; zeros may be appended.
    checked
        The step before which the probability of halting is computed; all ones lie before it.
    halts_before
        Probability that the monitor halts before `checked`, as summed by the construction.
    halves
        For each round, the probabilities of halting in the left and in the right half.
    """

    ones: tuple[int, ...]
    steps: int
    checked: int
    halts_before: float
    halves: tuple[tuple[float, float], ...]


def hard_instance(halting_times: HaltingTimes, k: int) -> HardInstance:
    """Return the stream of k ones that is hardest for a monitor with this halting distribution.

    In each round the interval is halved. If the monitor is likelier to halt in the right half, a one
    goes to the first step of the left one, where the search continues; else it goes to the first step of
    the right one. So the monitor is unlikely to have halted when all k ones have come, although it
    must have halted by then.

    Parameters
    ----------
    halting_times
        The distribution of the step at which the monitor halts: exact, or sampled.
    k
        Ones to place, the monitor's threshold.

    Source
    ------
    Algorithm 1 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024. The subscript in the second case is m.
    """
    whole("k", k)
    steps = 2 ** (k + 1) - 2
    first, last = 1, steps
    ones: tuple[int, ...] = ()
    halted = 0.0
    halves = []
    for _ in range(k):
        middle = (first + last + 1) // 2
        left, right = halting_times.halting(ones, first, middle - 1), halting_times.halting(ones, middle, last)
        halves.append((left, right))
        if left <= right:
            ones = (*ones, first)
            halted += halting_times.halting(ones, first, first)
            first, last = first + 1, middle - 1
        else:
            ones = (*ones, middle)
            halted += left + halting_times.halting(ones, middle, middle)
            first = middle + 1
    return HardInstance(ones, steps, first, halted, tuple(halves))
