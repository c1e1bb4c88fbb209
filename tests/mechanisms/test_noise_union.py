"""Quantiles over many noise sums at once, against the tails of the sums one by one and in closed form."""

from __future__ import annotations

from math import exp

import numpy as np
import pytest
from scipy.integrate import simpson

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import NoiseUnion, Tail, laplace_sum_log_tail


@pytest.mark.parametrize("kind", ["binary", "tree-variance-reduced", "per-item", "two-level"])
@pytest.mark.parametrize(("steps", "beta"), [(1, 1e-3), (3, 0.05), (20, 1e-6)])
def test_the_tails_add_up_to_beta(kind: str, steps: int, beta: float) -> None:
    """The single tails come from `laplace_sums`, which integrates each sum along another path."""
    sums = [counter(kind, 1.0, steps).noise_parts(t) or () for t in range(1, steps + 1)]
    found = NoiseUnion.of(sums).quantile(beta)
    assert sum(exp(laplace_sum_log_tail(parts, found)) for parts in sums) == pytest.approx(beta, rel=1e-6)


def test_two_variables_in_closed_form() -> None:
    """Pr[X + Y > x] = (2 + x) exp(-x) / 4 for two of scale 1."""
    tail = Tail(NoiseUnion.of([[(1.0, 2)]]), s=0.7, least=2.0)
    for x in (2.0, 5.0, 12.0, 25.0):
        assert tail(x) == pytest.approx((2 + x) * exp(-x) / 4, rel=1e-9)


def test_chernoff_is_a_bound_and_not_far_off() -> None:
    for kind in ("binary", "k-ary", "hybrid"):
        union = NoiseUnion.of([counter(kind, 1.0, 255).noise_parts(t) or () for t in range(1, 256)])
        bound, _ = union.chernoff(1e-5)
        assert union.quantile(1e-5) < bound < 1.3 * union.quantile(1e-5)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("kind", "beta"), [("binary", 0.05), ("two-level", 1e-5)])
def test_the_shortfall_is_the_quantile_and_the_integral_of_the_tails_beyond_it(kind: str, beta: float) -> None:
    """Against Simpson's rule over single tails; it is the least of its kind; and Chernoff's bound is above it."""
    sums = [counter(kind, 1.0, 5).noise_parts(t) or () for t in range(1, 6)]
    union = NoiseUnion.of(sums)
    x, found, (bound, _) = union.quantile(beta), union.shortfall(beta), union.chernoff(beta)

    def excess(begin: float) -> float:
        places = np.linspace(begin, begin + 30 * (found - x), 41)
        tails = [sum(exp(laplace_sum_log_tail(parts, float(place))) for parts in sums) for place in places]
        return float(simpson(tails, x=places))

    assert found == pytest.approx(x + excess(x) / beta, rel=2e-3)
    for other in (0.9 * x, 1.1 * x):
        assert other + excess(other) / beta > found * (1 - 2e-3)
    assert found < bound


def test_no_noise_at_all() -> None:
    assert NoiseUnion.of([[], []]).quantile(0.1) == 0.0
    assert NoiseUnion.of([[], []]).shortfall(0.1) == 0.0
