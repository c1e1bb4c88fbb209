"""Static mechanisms from their formulas: what a plan spends, which errors are stated, and a run of weights."""

from __future__ import annotations

from math import log2, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.privacy.mechanisms import GaussianQueries, LaplaceQueries, MultiplicativeWeights
from disttrack.privacy.mechanisms.queries import family
from disttrack.privacy.mechanisms.static import multiplicative_weights
from disttrack.privacy.mechanisms.static.base import Paid
from disttrack.privacy.mechanisms.static.multiplicative_weights import _best_rounds, _plan


def test_errors_of_sums_of_releases() -> None:
    given: dict[str, Any] = {"queries": "intervals", "domain": 4}
    one, other = LaplaceQueries(0.5, **given), LaplaceQueries(2.0, **given)
    exact = laplace_sum_quantile([(6 / 0.5, 2), (6 / 2.0, 3)], 0.01 / 10)
    assert one.error_of_sum([(one, 2), (other, 3), (one, 0)], 5, 0.01) == pytest.approx(exact)
    assert one.error_of_sum([(one, 0)], 5, 0.01) == one.error_of_sum([], 5, 0.01) == 0.0
    assert one.noise.scale == 6 / 0.5
    one, other = GaussianQueries(0.5, 1e-4, **given), GaussianQueries(2.0, 1e-3, **given)
    scale = sqrt(6) * noise_multiplier(0.5, 1e-4, "exact")
    assert one.noise.std == pytest.approx(scale)
    deviation = sqrt(2 * scale**2 + 3 * 6 * noise_multiplier(2.0, 1e-3, "exact") ** 2)
    bound = one.error_of_sum([(one, 2), (other, 3)], 5, 0.01)
    assert bound == pytest.approx(deviation * NormalDist().inv_cdf(1 - 0.01 / 20))
    assert one.error_bound(5, 0.01, 4) == one.error_of_sum([(one, 4)], 5, 0.01)
    assert one.error_bound(5, 0.01) == one.error_of_sum([(one, 1)], 5, 0.01)


class Script:
    """Gives the draws of multiplicative weights from a generator, and notes them."""

    def __init__(self, seed: int, quiet: float = 1.0) -> None:
        self.rng, self.quiet = np.random.default_rng(seed), quiet

    def laplace(self, mean: float, scale: float) -> float:
        return self.quiet * float(self.rng.laplace(mean, scale))

    def normal(self, mean: float, scale: float) -> float:
        return self.quiet * float(self.rng.normal(mean, scale))

    def gumbel(self, mean: float, scale: float, size: int) -> np.ndarray:
        return self.rng.gumbel(mean, scale, size)


@pytest.mark.parametrize("delta", [0.0, 1e-4])
@pytest.mark.parametrize("paid", [None, Paid(900.0, 2.0)])
def test_a_run_of_multiplicative_weights_is_that_of_the_listing(delta: float, paid: Paid | None) -> None:
    mechanism = MultiplicativeWeights(2.0, delta, "halves:12", 16, rounds=8)
    counts = np.arange(16.0) ** 2
    found = mechanism.release(counts, Script(3), paid)  # type: ignore[arg-type]
    rng: Any = Script(3)
    plan = _plan(2.0, delta, None if paid is None else 2.0)
    total = counts.sum() + rng.laplace(0.0, plan.scale) if paid is None else 900.0
    queries = family("halves:12", 16)
    matrix = np.array([queries.row(query) for query in range(12)])
    histogram, seen = np.full(16, total / 16), []
    for _ in range(8):
        answers = matrix @ histogram
        seen.append(answers)
        gumbel = rng.gumbel(0.0, 1.0, 12)
        picked = int(np.argmax(np.abs(answers - matrix @ counts) * plan.pick(8) / 2 + gumbel))
        drawn = rng.normal(0.0, 1.0) if delta else rng.laplace(0.0, 1.0)
        measured = np.clip(matrix[picked] @ counts + plan.measure(8) * drawn, 0.0, total)
        histogram = histogram * np.exp(matrix[picked] * (measured - answers[picked]) / (2 * total))
        histogram *= total / histogram.sum()
    np.testing.assert_allclose(found, np.mean(seen, axis=0), rtol=1e-9)


def test_what_looks_empty_is_answered_by_nothing() -> None:
    mechanism = MultiplicativeWeights(2.0, 0.0, "points", 4, rounds=2)
    plan = _plan(2.0, 0.0, None)
    few, many = np.array([plan.looks_empty - 0.01, 0, 0, 0]), np.array([plan.looks_empty + 0.01, 0, 0, 0])
    quiet: Any = Script(0, 0.0)
    assert not mechanism.release(few, quiet).any()
    assert mechanism.release(many, quiet).any()
    assert not mechanism.release(None, quiet).any()

    class Noise(Script):
        def laplace(self, mean: float, scale: float) -> float:
            return plan.looks_empty - 0.5

    assert not mechanism.release(None, Noise(0)).any()  # type: ignore[arg-type]  # nothing is there to be counted
    assert not mechanism.release(many, quiet, Paid(-1.0, 1e-9)).any()
    assert not mechanism.release(many, quiet, Paid(0.0, 0.0)).any()
    assert mechanism.release(None, quiet, Paid(500.0, 1.0)).sum() == pytest.approx(500)


@pytest.mark.parametrize(("delta", "power"), [(0.0, 2 / 3), (1e-6, 1 / 2)])
def test_the_stated_error_of_weights_grows_by_the_powers_of_the_paper(
    delta: float, power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From 2^32 to 2^44 items, with as many rounds as are best; the control has a hundred at most, as played."""
    few = MultiplicativeWeights(1.0, delta, "halves:20", 32)

    def slope(releases: int = 1) -> float:
        low, high = (few.error_bound(2.0**items, 0.05, releases) for items in (32, 44))
        return log2(high / low) / 12

    assert slope() == pytest.approx(1, abs=0.01)
    monkeypatch.setattr(multiplicative_weights, "MOST_ROUNDS", 1 << 100)
    _best_rounds.cache_clear()
    try:
        assert slope() == pytest.approx(power, abs=0.04)
        assert slope(8) == pytest.approx(power, abs=0.04)
        assert few.error_bound(2.0**40, 0.05, 8) <= 8 * few.error_bound(2.0**40, 0.05 / 8)
    finally:
        _best_rounds.cache_clear()


def test_a_peer_says_the_same_of_the_same_noise() -> None:
    """OpenDP's privacy maps of Laplace and normal noise on a vector of our sensitivities."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "idealized-numerics")
    vectors = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    laplace = LaplaceQueries(0.7, queries="intervals:50", domain=64)
    theirs = dp.m.make_laplace(vectors, dp.l1_distance(T=float), scale=laplace.noise.scale)
    assert theirs.map(laplace.family.l1) == pytest.approx(0.7)
    gaussian = GaussianQueries(0.7, 1e-6, "intervals:50", 64)
    zero = dp.m.make_gaussian(vectors, dp.l2_distance(T=float), scale=gaussian.noise.std)
    curve = dp.c.make_zCDP_to_approxDP(zero).map(gaussian.family.l2)
    assert 0.7 <= curve.epsilon(1e-6) < 0.77  # theirs goes by way of zero-concentrated privacy, ours is exact
    assert dp.m.make_laplace(vectors, dp.l1_distance(T=float), scale=laplace.noise.scale / 2).map(laplace.family.l1) > 1
