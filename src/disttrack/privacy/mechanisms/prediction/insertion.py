"""Examples on which a private learner must err: labels 0 only, or labels 1 where it hardly expects them.

A private learner cannot keep showing zero: then examples of one point with label 1, placed by the hard instance of
threshold monitors, all cost a mistake. Nor can it gamble on many points, since then labels 0 cost mistakes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from disttrack.privacy.mechanisms.halting import HaltingTimes, Ones, hard_instance
from disttrack.privacy.mechanisms.prediction.base import Halts, Labels, Learner, Points, examples

MASS: Final = 0.001
"""Sum of the chances of label 1 over a phase up to which the learner neglects a point: equation (2)."""


@dataclass(frozen=True)
class Construction:
    """Examples for a whole game, and the learner's behaviour on them.

    Attributes
    ----------
    points, labels
        The examples.
    least_mass
        Least sum of chances of label 1 at a point over its phase; NaN for a construction without phases.
    target
        The point with label 1; None if all labels are 0.
    ones
        The rounds with label 1, from 1.
    escape
        Probability, as summed by the construction, that the learner shows the target before all ones have passed.
    direct
        The same, computed from the finished examples at once.
    """

    points: Points
    labels: Labels
    least_mass: float
    target: int | None = None
    ones: tuple[int, ...] = ()
    escape: float = 1.0
    direct: float = 1.0


def most_ones(rounds: int) -> int:
    """Return how many ones the hard instance places in `rounds` rounds: the largest k with 2^(k + 1) - 2 <= rounds.

    Examples
    --------
    >>> [most_ones(rounds) for rounds in (2, 5, 6, 32, 256)]
    [1, 1, 2, 4, 7]
    """
    return (rounds + 2).bit_length() - 2


def inserted(times: HaltingTimes, zeros: Points, target: int, begin: int, length: int, mass: float) -> Construction:
    """Return `zeros` with ones at the target put into `length` rounds from round `begin` on, by Algorithm 1."""
    by = begin - 1

    def halting(ones: Ones, first: int, last: int) -> float:
        """Return the probability of halting in the rounds `first` ... `last`, counted from round `begin`."""
        return times.halting([one + by for one in ones], first + by, last + by)

    instance = hard_instance(Halts(halting), most_ones(length))
    ones = tuple(one + by for one in instance.ones)
    points, labels = examples(zeros, target, ones)
    direct = halting(instance.ones, 1, instance.checked - 1)
    return Construction(points, labels, mass, target, ones, instance.halts_before, direct)


def halving(learner: Learner, points: int, rounds: int, rng: np.random.Generator, runs: int) -> Construction:
    """Return the instance for proper learners: a random point, and the hard instance over the whole game.

    All other rounds query point 0, label 0. The game needs three points or more to be meaningful.

    Source
    ------
    Appendix A of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, the simplified bound for proper learners.
    """
    target = int(rng.integers(1, points))
    zeros = np.zeros(rounds, dtype=np.int64)
    times = learner.first_time(zeros, target, 1, rng, runs)
    return inserted(times, zeros, target, 1, rounds, math.nan)


def insertion(
    learner: Learner, points: int, rounds: int, rng: np.random.Generator, sequences: int, runs: int
) -> Construction:
    """Return the instance of Theorem 1.11: ones at a point that the learner neglects, within its phase.

    The game has w = floor(sqrt(T)) phases of w rounds; those of phase j query points drawn from X_j =
    {(j - 1) w + 1, ..., j w}, with label 0. In the first phase in which the learner's mass at some point, summed over
    the phase, is at most 0.001, the occurrences of that point are dropped, and ones are inserted at it. If there is
    none, labels 0 alone cost the learner 0.001 w mistakes. Rounds after the last phase query points of the last one.

    Parameters
    ----------
    points
        Points of the domain, more than w^2.
    sequences
        Random sequences over which the mass is averaged.
    runs
        Simulated runs per estimated distribution of first times.

    Raises
    ------
    ValueError
        If the domain is too small.

    Source
    ------
    Theorem 1.11 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024; the ranges of its phases corrected.
    """
    width = math.isqrt(rounds)  # the k of the proof
    if points < (least := fewest_points(rounds)):
        raise ValueError(f"points must be at least {least:,} for {rounds:,} rounds; got {points:,}")
    drawn = [zeros_of(rounds, rng) for _ in range(sequences)]
    mass = np.mean([learner.mass(each, width, rng) for each in drawn], axis=0)
    least_mass = mass.min(axis=1)
    if least_mass.min() > MASS:  # case 1
        labels = np.zeros(rounds, dtype=bool)
        return Construction(drawn[0], labels, float(least_mass.min()))
    phase = int(np.flatnonzero(least_mass <= MASS)[0])  # case 2, equation (2)
    own = range(phase * width + 1, (phase + 1) * width + 1)
    target = own.start + int(rng.choice(np.flatnonzero(mass[phase] == least_mass[phase])))
    # the occurrences of the target are dropped: equation (3)
    others = np.array([point for point in own if point != target] or [0])
    kept = np.where(drawn[0] == target, others[rng.integers(0, len(others), rounds)], drawn[0])
    times = learner.first_time(kept, target, own.start, rng, runs)
    return inserted(times, kept, target, own.start, width, float(least_mass[phase]))


def fewest_points(rounds: int) -> int:
    """Return how many points the domain of `insertion` has at least."""
    return math.isqrt(rounds) ** 2 + 1


def zeros_of(rounds: int, rng: np.random.Generator) -> Points:
    """Return the points of the theorem's phases: uniform on X_j in phase j, and on the last X_j afterwards."""
    width = math.isqrt(rounds)
    phases = np.minimum(np.arange(rounds) // width, width - 1)
    return phases * width + 1 + rng.integers(0, width, rounds)
