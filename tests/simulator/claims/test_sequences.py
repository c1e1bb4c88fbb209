"""Confidence sequences: what they say by other means, and that they hold however often one looks.

Coverage is tested on 1,000 simulated claims, looked at after every game. A sequence of 95 % misses in at most 5 % of
them: more than `TOO_MANY` are seen with a probability below 1e-6. The control is the exact interval for a fixed number
of games, looked at in the same way: it must miss in more claims than that.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import inf, log

import numpy as np
import pytest
from scipy import integrate, stats

from simulator.claims.sequences import PRIOR, STRENGTH, mean_interval, quantile_interval
from simulator.claims.statistics import clopper_pearson, median

CLAIMS = 1000
TOO_MANY = int(stats.binom.isf(1e-6, CLAIMS, 0.05))


def mixture(total: float, trials: int, mean: float) -> float:
    """Return the mixed likelihood ratio against a mean, by numerical integration."""
    prior = stats.beta(PRIOR, PRIOR)

    def ratio(theta: float) -> float:
        logs = total * log(theta / mean) + (trials - total) * log((1 - theta) / (1 - mean))
        return float(np.exp(logs) * prior.pdf(theta))

    return float(integrate.quad(ratio, 0, 1, limit=200)[0])


@pytest.mark.parametrize(("total", "trials"), [(0, 10), (3, 10), (10, 10), (4.5, 12), (40, 50)])
def test_the_ends_of_an_interval_are_where_the_mixture_reaches_twenty(total: float, trials: int) -> None:
    low, high = mean_interval(total, trials)
    assert 0 <= low < total / trials + 1e-12
    assert total / trials - 1e-12 < high <= 1
    if total > 0:
        assert mixture(total, trials, low) == pytest.approx(20, rel=1e-3)
    else:
        assert low == 0
    if total < trials:
        assert mixture(total, trials, high) == pytest.approx(20, rel=1e-3)
    else:
        assert high == 1


def test_it_is_wider_than_the_interval_for_a_fixed_number_and_shrinks() -> None:
    widths = []
    for trials in (10, 40, 160, 640, 2560):
        low, high = mean_interval(trials * 0.8, trials)
        first, last = clopper_pearson(int(trials * 0.8), trials)
        assert low < first
        assert high > last
        widths.append(high - low)
    assert all(later < earlier / 1.6 for earlier, later in pairwise(widths))
    assert mean_interval(0, 0) == (0.0, 1.0)


def refused(count: int, trials: int, share: float, more: bool) -> bool:
    """Tell whether so many games on one side refuse a share of at least (or at most) this, by integration."""
    prior = stats.beta(STRENGTH * share, STRENGTH * (1 - share))
    ends = (share, 1.0) if more else (0.0, share)

    def ratio(theta: float) -> float:
        logs = count * log(theta / share) + (trials - count) * log((1 - theta) / (1 - share))
        return float(np.exp(logs) * prior.pdf(theta))

    whole = prior.sf(share) if more else prior.cdf(share)
    return bool(integrate.quad(ratio, *ends, limit=200)[0] / whole >= 2 / 0.05)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.1])
def test_a_quantile_by_integration(share: float) -> None:
    trials = 30
    values = np.arange(trials, dtype=float)
    low, high = quantile_interval(values, np.ones(trials), share, trials)
    # value v has v + 1 games at or below it and v below it
    kept_low = [value for value in values if not refused(int(value) + 1, trials, share, more=False)]
    kept_high = [value for value in values if not refused(int(value), trials, share, more=True)]
    assert low == (kept_low[0] if refused(0, trials, share, more=False) else -inf)
    assert high == (kept_high[-1] if refused(trials, trials, share, more=True) else inf)
    assert low < np.quantile(values, share) < high


def test_few_games_say_nothing_of_a_quantile() -> None:
    assert quantile_interval(np.array([1.0, 2.0]), np.ones(2), 0.5, 2) == (-inf, inf)


def test_equal_values_and_games_that_share_a_trial() -> None:
    same = quantile_interval(np.full(40, 7.0), np.ones(40), 0.5, 40)
    assert same == (7.0, 7.0)
    values = np.arange(40.0)
    twice = quantile_interval(np.repeat(values, 2), np.full(80, 0.5), 0.5, 40)
    assert twice == quantile_interval(values, np.ones(40), 0.5, 40)  # two equal games a trial are no more than one


sequence = cache(mean_interval)
fixed = cache(clopper_pearson)


def missing(totals: np.ndarray, mean: float, interval: object, first: int = 10) -> int:
    """Return in how many rows an interval of the running totals ever misses the mean."""
    count = 0
    for row in totals:
        looks = ((interval(total, trials)) for trials, total in enumerate(row.tolist(), 1) if trials >= first)  # type: ignore[operator]
        count += any(not low <= mean <= high for low, high in looks)
    return count


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.5, 0.9, 0.02])
def test_the_sequence_of_a_fraction_holds_after_every_game_and_the_fixed_interval_does_not(mean: float) -> None:
    games = np.random.default_rng(11).random((CLAIMS, 250)) < mean
    totals = games.cumsum(axis=1)
    assert missing(totals, mean, sequence, first=1) <= TOO_MANY
    assert missing(totals, mean, fixed, first=1) > TOO_MANY


@pytest.mark.slow
def test_points_that_share_their_luck_count_as_one_trial() -> None:
    """Four points that mostly fail together: the trials' averages hold; games taken as independent do not."""
    rng = np.random.default_rng(12)
    together, alone = rng.random((CLAIMS, 150, 1)) < 0.7, rng.random((CLAIMS, 150, 4)) < 0.7
    games = np.where(rng.random((CLAIMS, 150, 1)) < 0.9, together, alone)
    totals = games.mean(axis=2).cumsum(axis=1)
    assert missing(totals, 0.7, sequence, first=1) <= TOO_MANY
    pooled = games.reshape(CLAIMS, -1).cumsum(axis=1)[:, ::8]
    wrong = sum(
        any(not low <= 0.7 <= high for low, high in (sequence(total, 8 * place + 1) for place, total in enumerate(row)))
        for row in pooled.tolist()
    )
    assert wrong > TOO_MANY


@pytest.mark.slow
@pytest.mark.parametrize(("share", "truth"), [(0.5, 0.0), (0.75, float(stats.norm.ppf(0.75)))])
def test_the_sequence_of_a_quantile_holds_after_every_game(share: float, truth: float) -> None:
    values = np.random.default_rng(13).standard_normal((CLAIMS, 45 if share == 0.5 else 60))
    misses, control = 0, 0
    ones = np.ones(values.shape[1])
    for row in values:
        looks = (quantile_interval(row[:trials], ones[:trials], share, trials) for trials in range(8, len(row) + 1))
        misses += any(not low <= truth <= high for low, high in looks)
        if share == 0.5:
            ends = (median(trials, row[:trials]) for trials in range(10, len(row) + 1))
            control += any(not (one.low or -inf) <= truth <= (one.high or inf) for one in ends)
    assert misses <= TOO_MANY
    assert control > TOO_MANY or share != 0.5
