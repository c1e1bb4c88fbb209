"""Static mechanisms: privacy in numbers, stated errors, what a peer library says of the same noise.

Statistical tests have a false-alarm rate of 1e-6 each; the named wrong alternatives are a bound for half of the noise,
and a release with half of the noise.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import GaussianQueries, LaplaceQueries, MultiplicativeWeights
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.mechanisms.static import STATIC, static_mechanism
from disttrack.mechanisms.static.base import Paid

COUNTS = np.array([40.0, 0.0, 3.0, 17.0])
MECHANISMS = [
    LaplaceQueries(0.5, queries="points", domain=4),
    LaplaceQueries(0.5, queries="intervals", domain=4),
    GaussianQueries(0.5, 1e-5, "marginals:1", 4),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: f"{mechanism.kind} {mechanism.queries}")
def test_without_noise_answers_are_exact(mechanism) -> None:
    exact = mechanism.family.evaluate(COUNTS)
    np.testing.assert_allclose(mechanism.release(COUNTS, ScriptedNoise()), exact)
    np.testing.assert_array_equal(mechanism.release(None, ScriptedNoise()), np.zeros(len(exact)))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda mechanism: f"{mechanism.kind} {mechanism.queries}")
def test_the_noise_is_what_privacy_asks_for(mechanism) -> None:
    """All values of one item, in units of the noise: in L1 for Laplace noise, in L2 for normal noise."""
    each = mechanism.family.values(np.arange(4)) / mechanism.scale
    if mechanism.kind == "laplace":
        assert np.abs(each).sum(axis=1).max() == pytest.approx(mechanism.epsilon)
    else:
        assert np.sqrt((each**2).sum(axis=1)).max() == pytest.approx(1 / noise_multiplier(0.5, 1e-5, "exact"))


@pytest.mark.parametrize("releases", [1, 5])
@pytest.mark.parametrize("kind", ["laplace", "gaussian"])
@pytest.mark.false_alarm(1e-6)
def test_the_error_of_one_query_is_stated_exactly(kind: str, releases: int) -> None:
    """4,000 sums miss the bound at beta = 0.05 in 5 % of the cases; at half of the noise in next to none."""
    mechanism = static_mechanism(kind, 1.0, delta=1e-6)
    bound, runs = mechanism.error_bound(100, 0.05, releases), 4000
    for noise, right in ((1.0, True), (0.5, False)):
        rng = np.random.default_rng(17)
        sums = [sum(mechanism.release(None, rng)[0] for _ in range(releases)) * noise for _ in range(runs)]
        missed = int((np.abs(sums) > bound).sum())
        assert (stats.binomtest(missed, runs, 0.05).pvalue > 1e-6) == right


@pytest.mark.false_alarm(2e-6)
def test_many_queries_are_bounded_together() -> None:
    mechanism = LaplaceQueries(1.0, queries="points", domain=64)
    bound, runs = mechanism.error_bound(0, 0.05), 3000
    rng = np.random.default_rng(3)
    missed = sum(np.abs(mechanism.release(None, rng)).max() > bound for _ in range(runs))
    assert stats.binomtest(missed, runs, 0.05, "greater").pvalue > 1e-6
    assert stats.binomtest(missed, runs, 0.04, "less").pvalue > 1e-6  # a union bound over 64 independent draws is tight


def data(domain: int, items: int, seed: int = 0) -> np.ndarray:
    shares = 1 / np.arange(1, domain + 1)
    return np.random.default_rng(seed).multinomial(items, shares / shares.sum()).astype(float)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_multiplicative_weights_spend_their_budget_and_no_more(delta: float) -> None:
    """The scales of all draws, by the rules of composition; a score moves by 1 at most, and so does a measurement."""
    mechanism = MultiplicativeWeights(2.0, delta, "halves:20", 32, rounds=7)
    seen: dict[str, list[float]] = {"laplace": [], "normal": [], "gumbel": []}

    class Spy:
        def laplace(self, _, scale, size=None):
            seen["laplace"].append(scale)
            return 0.0

        def normal(self, _, scale, size=None):
            seen["normal"].append(scale)
            return 0.0

        def gumbel(self, _, scale, size):
            seen["gumbel"].append(scale)
            return np.zeros(size)

    mechanism.release(data(32, 10_000), Spy())
    from disttrack.mechanisms.static.multiplicative_weights import _plan

    plan = _plan(2.0, delta, None)
    total = 1 / plan.scale
    assert plan.scale in seen["laplace"] or seen["laplace"][0] == plan.scale
    assert seen["gumbel"] == [1.0] * 7
    if delta:
        rho = 7 * (plan.pick(7) ** 2 / 8 + 1 / (2 * plan.measure(7) ** 2))
        assert total + rho + 2 * math.sqrt(rho * math.log(1 / delta)) == pytest.approx(2.0)
    else:
        assert total + 7 * (plan.pick(7) + 1 / plan.measure(7)) == pytest.approx(2.0)


@pytest.mark.false_alarm(1e-6)
def test_the_pick_is_the_exponential_mechanism() -> None:
    """Chances in proportion to exp(score e / 2): 20,000 picks of the first round, by chi-square; control: half of e."""
    mechanism = MultiplicativeWeights(0.6, queries="points", domain=4, rounds=1)
    counts = np.array([20.0, 8.0, 8.0, 4.0])
    picked = np.zeros(4)

    class Spy:
        """Draws the picks, and reports no noise in the measuring; what was picked shows in what it asks for."""

        def __init__(self) -> None:
            self.rng = np.random.default_rng(5)

        def laplace(self, _, scale):
            return 0.0

        def gumbel(self, _, scale, size):
            draws = self.rng.gumbel(size=size)
            picked[int((np.abs(10.0 - counts) * pick / 2 + draws).argmax())] += 1
            return draws

    from disttrack.mechanisms.static.multiplicative_weights import _plan

    pick = _plan(0.6, 0.0, 0.01).pick(1)
    spy = Spy()
    for _ in range(20_000):
        mechanism.release(counts, spy, Paid(40.0, 0.01))
    for share, right in ((1.0, True), (0.5, False)):
        weights = np.exp(np.abs(10.0 - counts) * pick * share / 2)
        expected = weights / weights.sum() * picked.sum()
        assert (stats.chisquare(picked, expected).pvalue > 1e-6) == right


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_multiplicative_weights_keep_their_bound_and_beat_a_guess(delta: float) -> None:
    counts = data(256, 200_000)
    mechanism = MultiplicativeWeights(4.0, delta, "halves:200", 256)
    truth = mechanism.family.evaluate(counts)
    guess = np.abs(mechanism.family.evaluate(np.full(256, counts.sum() / 256)) - truth).max()
    rng = np.random.default_rng(8)
    errors = [np.abs(mechanism.release(counts, rng) - truth).max() for _ in range(6)]
    assert max(errors) < mechanism.error_bound(200_000, 0.05)
    assert max(errors) < 0.6 * guess  # answers that look at the data; 6 of 6, about 0.35 each
    poorer = mechanism.at(0.02, delta)  # a control: with a two hundredth of the budget it does no better than the guess
    assert min(np.abs(poorer.release(counts, rng) - truth).max() for _ in range(6)) > 0.6 * guess


def test_few_items_are_answered_by_nothing() -> None:
    mechanism = MultiplicativeWeights(1.0, queries="halves:20", domain=32)
    rng = np.random.default_rng(2)
    few = data(32, 40)
    assert not any(mechanism.release(few, rng).any() for _ in range(200))
    assert mechanism.error_bound(40, 0.05) == 40
    assert mechanism.release(few, rng, Paid(40.0, 0.01)).any()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": 0.0}, "epsilon must be a number above 0"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta must be a number from 0, and below 1"),
        ({"epsilon": 1.0, "delta": -0.1}, "delta must be"),
        ({"epsilon": 1.0, "queries": "dots"}, "queries must be one of"),
        ({"epsilon": 1.0, "domain": 0}, "domain must be"),
    ],
)
@pytest.mark.parametrize("kind", STATIC)
def test_nonsense_gets_one_line(kind: str, given: dict, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        static_mechanism(kind, **{"delta": 1e-6, **given})
    assert "\n" not in str(caught.value)


def test_unknown_mechanisms_and_pure_normal_noise_are_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'laplace'"):
        static_mechanism("laplas", 1.0)
    with pytest.raises(ValueError, match="delta must be above 0 for gaussian"):
        static_mechanism("gaussian", 1.0, delta=0.0)


def test_a_peer_says_the_same_of_the_same_noise() -> None:
    """OpenDP's privacy maps of Laplace and normal noise on a vector of our sensitivities."""
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "idealized-numerics")
    vectors = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    laplace = LaplaceQueries(0.7, queries="intervals:50", domain=64)
    theirs = dp.m.make_laplace(vectors, dp.l1_distance(T=float), scale=laplace.scale)
    assert theirs.map(laplace.family.l1) == pytest.approx(0.7)
    gaussian = GaussianQueries(0.7, 1e-6, "intervals:50", 64)
    zero = dp.m.make_gaussian(vectors, dp.l2_distance(T=float), scale=gaussian.scale)
    curve = dp.c.make_zCDP_to_approxDP(zero).map(gaussian.family.l2)
    assert 0.7 <= curve.epsilon(1e-6) < 0.77  # theirs goes by way of zero-concentrated privacy, ours is exact
    assert dp.m.make_laplace(vectors, dp.l1_distance(T=float), scale=laplace.scale / 2).map(laplace.family.l1) > 1
