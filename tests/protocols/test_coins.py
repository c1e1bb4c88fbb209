"""Coins: the same draws for one and for many, and no overflow where a gap is longer than any game."""

from __future__ import annotations

from collections import Counter
from math import expm1

import numpy as np
import pytest
from scipy import stats

from disttrack.protocols.coins import Coins, gap_scale, words_make_numbers
from disttrack.protocols.contents import RankRandomized, ranks
from disttrack.protocols.contents import ranks_kernel as at


def test_a_gap_longer_than_any_game_is_no_negative_one() -> None:
    assert int(Coins(np.random.default_rng(5)).gap(2.0**63, 10_000).min()) >= 1


def test_each_number_up_to_a_size_is_drawn() -> None:
    """Also after another size: one is missed by all draws with (6/7)^500 < 1e-33."""
    coins = Coins(np.random.default_rng(3))
    assert {coins.up_to(7) for _ in range(500)} == set(range(1, 8))
    assert {coins.up_to(3) for _ in range(500)} == {1, 2, 3}


def test_numbers_made_of_words_are_those_of_coins() -> None:
    """Sizes that change before a batch is used up, words that are left out, and batches that must wait for words."""
    happened = Counter[str]()
    for seed in range(12):
        rng, coins = np.random.default_rng(seed), Coins(np.random.default_rng([seed, 1]))
        form = RankRandomized(alpha=0.1).item_form(1, np.random.default_rng([seed, 1]), rng)
        assert form is not None
        whole, sizes = form.whole, (2, 7, 2**20 + 1, 3 << 29, 2**31 - 1)
        for size in rng.choice(sizes, 40).tolist():
            whole[at.SCALE] = size
            for _ in range(rng.choice([1, 2, 300, 3000], p=[0.5, 0.3, 0.1, 0.1])):
                while form.lacks(whole, form.real, form.sites, 0):
                    form.refill()
                    happened["waited"] += 1
                assert at.next_number(whole, form.real) == coins.up_to(size)
            happened["left out"] += whole[at.ENDED] - whole[at.BEGUN] > whole[at.BATCH]
            happened["dropped"] += whole[at.LEFT] > 0
    assert min(happened[name] for name in ("waited", "left out", "dropped")) > 40, happened


def test_where_numpy_draws_numbers_by_other_rules_there_is_no_form(monkeypatch: pytest.MonkeyPatch) -> None:
    assert words_make_numbers()
    monkeypatch.setattr(ranks, "words_make_numbers", bool)
    assert RankRandomized(alpha=0.1).item_form(4, *map(np.random.default_rng, (1, 2))) is None
    words_make_numbers.cache_clear()
    monkeypatch.setattr("disttrack.protocols.coins.least_low", lambda size: 0)
    assert not words_make_numbers()
    words_make_numbers.cache_clear()


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
