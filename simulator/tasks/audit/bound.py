"""The privacy loss proved by a number of hits: a lower bound for epsilon with exact confidence."""

from __future__ import annotations

from math import inf, log

from disttrack.simulator.claims.statistics import clopper_pearson

FALSE_ALARM = 1e-4
"""Probability that an audit's bound exceeds the true epsilon."""


def epsilon_bound(
    hits: int, runs: int, other_hits: int, other_runs: int, delta: float = 0.0, false_alarm: float = FALSE_ALARM
) -> float:
    """Return a lower bound on epsilon, given how often an event occurred on an input and on its neighbour.

    Privacy says p <= exp(epsilon) q + delta for the event's probabilities p and q, so epsilon is at least
    ln((p - delta) / q). p is taken at its lower and q at its upper Clopper-Pearson bound, each one-sided at half the
    false-alarm rate: the result exceeds the true epsilon with probability at most `false_alarm`. 0 if nothing is
    proved. The event must have been chosen without these runs.

    Parameters
    ----------
    hits, runs
        Occurrences of the event on the input on which it is likelier, and the number of runs.
    other_hits, other_runs
        The same on the neighbour.
    delta
        The delta of the claim.
    false_alarm
        Probability that the bound is too high.

    Source
    ------
    Jagielski, Ullman, Oprea 2020, section 4 (Clopper-Pearson bounds for audits).

    Examples
    --------
    >>> round(epsilon_bound(10_000, 10_000, 0, 10_000), 3)
    6.917
    >>> epsilon_bound(500, 1_000, 490, 1_000)
    0.0
    """
    confidence = 1 - false_alarm  # two-sided at this, so one-sided at half of it
    low = clopper_pearson(hits, runs, confidence)[0] - delta
    high = clopper_pearson(other_hits, other_runs, confidence)[1]
    if low <= 0:
        return 0.0
    return max(0.0, log(low / high)) if high > 0 else inf
