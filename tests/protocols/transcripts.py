"""Largest deviation of a round without noise, by counting its possible transcripts."""

from __future__ import annotations

from math import ceil, log, sqrt

from disttrack.protocols.rounds.constants import Constants


def deviations_without_noise(k: int, phases: int, bits: int, failure: float) -> tuple[float, float]:
    """Return by how many bits a round without noise may exceed their expected number, and fall short of it.

    No adversary that sees only outputs gets further, except with probability `failure`. A phase of b bits ends at the
    latest when b blocks begun in it are full, so it touches at most c = 2k + b blocks. Given, for each of j phases, the
    block that ended it, and the thresholds of these blocks, the moves are fixed, and all other thresholds keep their
    distribution: by Hoeffding's inequality the unfinished blocks, at most k, deviate by y with probability exp(-2 y^2 /
    k). There are c^j choices of these blocks. They add at most j above and nothing below. Below, the worst moment of a
    phase is one of its first c + 1 at which another block's worth of items has come, up to one bit.

    Parameters
    ----------
    k
        Number of sites.
    phases
        Phases of a round, the last of which ends in a poll.
    bits
        Bits of a phase.
    failure
        Half of it is for each side.

    Examples
    --------
    >>> above, below = deviations_without_noise(256, 16, 85, 0.03)
    >>> round(above), round(below)
    (130, 119)
    """
    over, touched = phases - 1, 2 * k + bits
    named = over * log(touched)
    above = over + sqrt(k / 2 * (named + log(2 * phases / failure)))
    below = 1 + sqrt(k / 2 * (named + log(2 * phases * (touched + 1) / failure)))
    return float(min(k, above)), float(min(k, below))


def room(of: Constants) -> tuple[float, float]:
    """Return by how many bits a round without noise may deviate above and below without a failure.

    Above, an estimate is worst when it is new: it then equals the number of bits. Below, when one bit is missing.
    """
    return of.divisor - of.shift, of.divisor + of.shift - ceil(of.phase_length) + 1


def safe_without_noise(of: Constants, k: int, failure: float) -> bool:
    """Return whether counting proves a round right with probability 1 - `failure`, even if all its noise is 0."""
    needed = deviations_without_noise(k, of.phases, ceil(of.phase_length), failure)
    return all(some <= given for some, given in zip(needed, room(of), strict=True))
