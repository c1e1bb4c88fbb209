"""Audits: what two neighbouring streams betray in simulated runs of every counter is no more than it claims.

An event that has probability p1 on one stream and p0 on its neighbour shows a privacy loss of ln((p1 -
delta) / p0). The event is chosen on one half of the runs and measured on the other, with exact binomial
bounds at 1e-6 / 2 for each probability. So a counter that keeps its claim fails with probability 1e-6 at
most; that the audit sees something is tested on counters with a fraction of the noise.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import COUNTERS, Counter, Sparse
from disttrack.mechanisms.counters import counter

FALSE_ALARM = 1e-6
RUNS = 6_000
STEPS = 8


def shown_loss(here: np.ndarray, there: np.ndarray, delta: float) -> float:
    """Return the privacy loss that a statistic shows for certain, save with probability 1e-6."""
    half = len(here) // 2
    cuts = np.quantile(np.concatenate((here[:half], there[:half])), np.linspace(0.02, 0.98, 49))
    best, event = -math.inf, (1, float(cuts[0]))
    for cut in np.unique(cuts):
        for sign in (1, -1):
            p1, p0 = (np.mean(sign * sample[:half] > sign * cut) for sample in (here, there))
            if p0 > 0.01 and p1 > 0.01 and p1 / p0 > best:
                best, event = float(p1 / p0), (sign, float(cut))
    sign, cut = event
    seen1, seen0 = (int(np.sum(sign * sample[half:] > sign * cut)) for sample in (here, there))
    rest = len(here) - half
    low = stats.beta.ppf(FALSE_ALARM / 2, seen1, rest - seen1 + 1) if seen1 else 0.0
    high = stats.beta.isf(FALSE_ALARM / 2, seen0 + 1, rest - seen0) if seen0 < rest else 1.0
    return math.log(max(low - delta, 1e-9) / high)


def samples(rules: Counter, claimed: Counter) -> tuple[np.ndarray, np.ndarray]:
    """Return a statistic of many runs of `rules` on a stream and on its neighbour.

    The statistic is a weighted sum of the estimates, with the weights that tell normal noise of the same
    covariances apart best. A sparse counter is watched where its first segment is about to close.
    """
    first = claimed.partition.threshold(1, 2) if isinstance(claimed, Sparse) else 0.0
    steps = 1 if isinstance(claimed, Sparse) else STEPS
    streams = np.zeros((2, steps))
    streams[0, 0], streams[1, 0] = first + 1, first
    rng = np.random.default_rng(99)
    runs = [np.array([rules.start(rng).release(stream) for _ in range(RUNS)]) for stream in streams]
    covariance = np.atleast_2d(np.cov(runs[1].T)) + 1e-9 * np.eye(steps)
    weights = np.linalg.solve(covariance, np.ones(steps))
    return runs[0] @ weights, runs[1] @ weights


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(COUNTERS))
@pytest.mark.false_alarm(1e-6)
def test_no_counter_betrays_more_than_it_claims(kind: str) -> None:
    rules = counter(kind, 1.0, STEPS)
    delta = getattr(rules, "delta", 0.0)
    assert shown_loss(*samples(rules, rules), delta) <= rules.epsilon


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(COUNTERS))
def test_the_audit_sees_counters_with_too_little_noise(kind: str) -> None:
    # a tenth of the noise for pure privacy; the normal ones are far from their claim at this size and get less
    claimed = counter(kind, 1.0, STEPS)
    if claimed.privacy == "approximate":
        loud = counter(kind, 25.0, STEPS, calibration="exact")
    else:
        loud = counter(kind, 10.0, STEPS)
    watched = loud if isinstance(claimed, Sparse) else claimed
    assert shown_loss(*samples(loud, watched), getattr(claimed, "delta", 0.0)) > claimed.epsilon
