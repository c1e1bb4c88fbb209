"""The martingale tracker: the strength of its coins."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
import pytest

from disttrack.protocols.rounds.martingale import strength_for


def log_failure(lam: float, k: int) -> float:
    """Return the logarithm of both bounds together, by logarithms throughout."""
    return float(np.logaddexp(-(lam**2) / (2 * (1 + lam / (3 * sqrt(k)))), -(lam**2) / (2 * (1 + lam / sqrt(k)))))


@pytest.mark.parametrize("failure", [0.6, 1e-3, 6 * 0.05 / (pi * 49) ** 2, 1e-12, 6e-13 / (pi * 1000) ** 2, 1e-300])
@pytest.mark.parametrize("k", [1, 4, 100, 256, 1024, 2048, 4096, 65_536, 2**20])
def test_strength_is_the_least_that_will_do(k: int, failure: float) -> None:
    """Also where the solver tries strengths whose failure probability is below every float."""
    lam = strength_for(failure, k)
    assert log_failure(lam, k) == pytest.approx(log(failure), abs=1e-6)
    assert log_failure(0.999 * lam, k) > log(failure)
