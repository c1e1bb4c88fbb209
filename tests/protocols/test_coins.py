"""Coins: the same draws for one and for many, and no overflow where a gap is longer than any game."""

from __future__ import annotations

from itertools import accumulate
from math import expm1

import numpy as np
import pytest
from scipy import stats

from disttrack.protocols.coins import Coins, gap_scale


@pytest.mark.parametrize(("p", "until"), [(1.0, 25), (0.5, 10), (0.5, 25), (1e-3, 10**4), (1e-9, 10**12)])
def test_successes_are_the_sums_of_gaps_that_lie_in_the_stretch(p: float, until: int) -> None:
    scale = gap_scale(p)
    found = Coins(np.random.default_rng(3)).successes(scale, 50, 10, until)
    steps = 10 + np.cumsum(Coins(np.random.default_rng(3)).gap(scale, 50))
    assert found.tolist() == [step for step in steps.tolist() if step <= until]


@pytest.mark.parametrize("p", [1e-12, 2.0**-60])
def test_no_sum_of_gaps_overflows(p: float) -> None:
    """Many gaps of mean 1/p: exact sums of whole numbers as long as they are below 2^61, and none after that."""
    scale, now, until = gap_scale(p), 2**60, 2**61
    steps = Coins(np.random.default_rng(4)).successes(scale, 2**17, now, until).tolist()
    gaps = [int(gap * scale) + 1 for gap in np.random.default_rng(4).standard_exponential(2**17).tolist()]
    assert steps == [step for step in accumulate(gaps, initial=now) if step <= until][1:]


def test_a_gap_longer_than_any_game_is_no_negative_one() -> None:
    assert int(Coins(np.random.default_rng(5)).gap(2.0**63, 10_000).min()) >= 1


def test_each_number_up_to_a_size_is_drawn() -> None:
    """One by one, also after another size, and as an array: one is missed by all draws with (6/7)^500 < 1e-33."""
    coins = Coins(np.random.default_rng(3))
    assert {coins.up_to(7) for _ in range(500)} == set(range(1, 8))
    assert {coins.up_to(3) for _ in range(500)} == {1, 2, 3}
    assert set(coins.up_to(7, 500).tolist()) == set(range(1, 8))


@pytest.mark.parametrize("p", [0.3, 0.01])
@pytest.mark.false_alarm(2e-6)
def test_gaps_are_geometric(p: float) -> None:
    """Chi-square over 20,000 gaps in ten classes of equal probability, one by one and as an array: false alarm 1e-6.

    Power: a p that is a tenth off moves the mean by fourteen standard errors.
    """
    coins, scale = Coins(np.random.default_rng(6)), gap_scale(p)
    edges = stats.geom(p).ppf(np.arange(1, 10) / 10)
    shares = np.diff([0.0, *stats.geom(p).cdf(edges), 1.0])
    edges, shares = edges[shares[:-1] > 0], shares[shares > 0]
    for drawn in ([coins.gap(scale) for _ in range(20_000)], coins.gap(scale, 20_000)):
        observed = np.bincount(np.searchsorted(edges, drawn, side="left"), minlength=len(shares))
        assert stats.chisquare(observed, 20_000 * shares).pvalue > 1e-6
        assert abs(np.mean(drawn) * p - 1) < 5.5 / np.sqrt(20_000)


def test_gap_scale_gives_the_bias() -> None:
    for p in (0.9, 0.5, 1e-6, 1e-18):
        assert -expm1(-1 / gap_scale(p)) == pytest.approx(p)
    assert gap_scale(1) == 0.0
    for p in (0, 1.5, -1):
        with pytest.raises(ValueError, match=f"p must be above 0 and at most 1; got {p}"):
            gap_scale(p)
