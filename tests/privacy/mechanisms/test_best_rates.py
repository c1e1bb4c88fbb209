"""The rate of a clock monitor is the best one: no other of a dense grid has a smaller largest failure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.privacy.mechanisms.clock_monitor import best_rate, largest_failure


@pytest.mark.parametrize("seed", range(20))
def test_no_other_rate_fails_less(seed: int) -> None:
    """A search that stops in a local minimum of the worst of several streams would end above the grid."""
    rng = np.random.default_rng(seed)
    k, epsilon = int(rng.integers(1, 40)), float(10 ** rng.uniform(-1.5, 1))
    horizon = k + int(10 ** rng.uniform(0, 7))
    rates = np.exp(np.linspace(-math.log(horizon) - epsilon * k, 1.0, 500))
    least = min(largest_failure(k, epsilon, horizon, rate) for rate in rates)
    assert largest_failure(k, epsilon, horizon, best_rate(k, epsilon, horizon)) <= least * (1 + 1e-6)
