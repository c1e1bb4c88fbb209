"""The stream on which a private threshold monitor must err, built by halving at its halting probabilities."""

from __future__ import annotations

from dataclasses import dataclass

from disttrack.mechanisms.checks import whole
from disttrack.privacy.mechanisms.halting import HaltingTimes


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
    Algorithm 1 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024; comments give its lines. The subscript p in line 14 is m.
    """
    whole("k", k)
    steps = 2 ** (k + 1) - 2
    first, last = 1, steps  # l. 1
    ones: tuple[int, ...] = ()
    halted = 0.0
    halves = []
    for _ in range(k):  # l. 2
        middle = (first + last + 1) // 2
        left = halting_times.halting(ones, first, middle - 1)  # l. 3
        right = halting_times.halting(ones, middle, last)  # l. 4
        halves.append((left, right))
        if left <= right:  # l. 5
            ones = (*ones, first)  # l. 6
            halted += halting_times.halting(ones, first, first)  # l. 7
            first, last = first + 1, middle - 1  # l. 8 and 9
        else:
            ones = (*ones, middle)  # l. 13
            halted += left + halting_times.halting(ones, middle, middle)  # l. 14
            first = middle + 1  # l. 15
    return HardInstance(ones, steps, first, halted, tuple(halves))
