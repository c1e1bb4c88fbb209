"""Random streams as trees of counts: one stream whatever is asked, its distribution, and its joint with the labels.

The reference is the plain list of sites, asked for one by one. Chi-square tests have a false-alarm rate of 1e-6.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from disttrack.adversaries import NEVER, Labels, Uniform, View, Zipf, random_streams
from disttrack.adversaries.oblivious import Independent
from disttrack.adversaries.random_streams import RandomStream, switch, zipf_weights
from disttrack.adversaries.stream_tree import SPREAD, look
from disttrack.mechanisms.compiler import available

ALARM = 1e-6
STEPS = 150
UNEVEN = np.array([5, 0, 1, 2, 0, 9])


def weights_of(sites: int, exponent: float) -> Any:
    return np.ones(sites, dtype=np.int64) if exponent == 0 else zipf_weights(sites, exponent)


def listed(stream: RandomStream, steps: int = STEPS) -> list[int]:
    return [stream.at(step) for step in range(1, steps + 1)]


@pytest.fixture
def small_switch(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(random_streams, "switch", lambda sites: 64)
    return 64


def sites_of(adversary: Independent, sites: int, items: int, seed: int) -> Any:
    """Return the sites of all items of a game, plan after plan."""
    view = View(sites=sites, items=items, rng=np.random.default_rng(seed))
    fed: list[int] = []
    while len(fed) < items:
        view.stand(len(fed), len(fed), 0, 0, 0)
        plan = adversary.plan(view)
        fed += [plan.at(step) for step in range(1, min(plan.length, items - len(fed)) + 1)]
    return np.array(fed)


# ---------------------------------------------------------------------- one stream

streams = st.builds(
    lambda key, sites, exponent, level, more: ((key, weights_of(sites, exponent), 1 << level), (1 << level) + more),
    st.integers(0, 2**62 - 1), st.integers(1, 20), st.sampled_from([0, 0.7, 3.0]), st.integers(0, 9),
    st.integers(0, 600),
)  # fmt: skip
questions = st.lists(
    st.tuples(st.sampled_from(["at", "count", "counts", "nth"]), st.integers(0, 20), st.integers(1, STEPS)), min_size=1
)


@settings(max_examples=15, deadline=None)
@given(streams, questions)
def test_answers_are_those_of_the_list_in_any_order(given: Any, asked: list[tuple[str, int, int]]) -> None:
    """All questions, also of sites that are not there and of items that come later than the list is long."""
    sides, begin = given
    moves = np.array(listed(RandomStream(*sides, begin)))
    stream, sites = RandomStream(*sides, begin), len(sides[1])
    for question, site, number in asked:
        places = np.flatnonzero(moves == site) + 1
        if question == "at":
            assert stream.at(number) == moves[number - 1]
        elif question == "count":
            assert stream.count(site, number) == (moves[:number] == site).sum()
        elif question == "counts":
            assert stream.counts(number).tolist() == np.bincount(moves[:number], minlength=sites).tolist()
        elif number <= len(places):
            assert stream.nth(site, number) == places[number - 1]
        else:
            assert stream.nth(site, number) > STEPS


def test_arrays_are_answered_like_numbers() -> None:
    stream, steps = RandomStream(3, UNEVEN, 8, 11), np.arange(1, 60)
    assert stream.at(steps).tolist() == listed(stream, 59)
    assert stream.counts(40).tolist() == [stream.count(site, 40) for site in range(6)]
    assert stream.count(3, steps).tolist() == [stream.count(3, step) for step in range(1, 60)]
    assert stream.nth(5, np.array([2, 3])).tolist() == [stream.nth(5, 2), stream.nth(5, 3)]
    assert stream.nth(1, 1) >= NEVER
    assert stream.nth(9, 1) >= NEVER
    assert (stream.named(), stream.support(6), stream.sent(7), stream.step_of(7)) == ((0, 5), None, 7, 7)


def test_a_plan_from_later_on_is_the_rest_of_the_stream() -> None:
    whole = listed(RandomStream(9, UNEVEN, 16, 16), 300)
    for skipped in (1, 16, 77):
        assert listed(RandomStream(9, UNEVEN, 16, 16 + skipped), 100) == whole[skipped : skipped + 100]


def test_a_small_pool_that_is_emptied_again_and_again_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory is bounded, and what is dropped is drawn once more."""
    moves, spread = listed(RandomStream(4, UNEVEN, 4, 4), 400), Counter[int]()

    def counted(*given: Any) -> Any:
        spread[given[8]] += given[6] == SPREAD
        return look(*given)

    monkeypatch.setattr(random_streams, "NODES", (5, 5))
    monkeypatch.setattr(random_streams, "available", lambda: False)
    monkeypatch.setattr(random_streams, "look", counted)
    stream = RandomStream(4, UNEVEN, 4, 4)
    for step in np.random.default_rng(1).permutation(240).tolist():
        assert stream.at(step + 1) == moves[step]
        assert stream.count(5, step) == moves[:step].count(5)
    assert min(spread.values()) > 1


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 99), st.integers(1, 9), st.sampled_from([Uniform(), Zipf(), Zipf(exponent=4.0)]))
def test_a_longer_game_begins_with_the_shorter_one(seed: int, sites: int, adversary: Independent) -> None:
    """Across the switch, with the same seed; with another one it does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(random_streams, "switch", lambda sites: 64)
        games = [sites_of(replace(adversary), sites, items, seed) for items in (50, 65, 100, 250)]
        assert all((game == games[-1][: len(game)]).all() for game in games)
        if sites > 1:
            other = sites_of(replace(adversary), sites, 250, seed + 1)
            assert adversary == Zipf(exponent=4.0) or (other[64:] != games[-1][64:]).any()


def test_the_switch_is_a_power_of_two_that_depends_on_the_sites_only() -> None:
    assert [switch(sites) for sites in (1, 1024, 1025, 10**5)] == [2**26, 2**26, 2**27, 2**33]
    view = View(sites=3, items=2**40, rng=np.random.default_rng(1))
    view.stand(2**26 - 5, 2**26 - 5, 0, 0, 0)
    plan = Uniform().plan(view)
    assert isinstance(plan, Labels)
    assert plan.length == 5
    assert Uniform().looked_at(3, 2**40) == 2**26
    assert Uniform().looked_at(3, 1000) == 1000


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="numba is not installed")
@pytest.mark.parametrize("sites", [1, 5, 1000])
def test_compiled_answers_are_the_same(sites: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At positions up to 2^60, for even and uneven sites."""
    rng = np.random.default_rng(6)
    for weights in (weights_of(sites, 0), weights_of(sites, 1.1)):
        monkeypatch.setattr(random_streams, "PLAIN", 10**9)
        monkeypatch.setattr(random_streams, "is_kept", lambda function: False)
        plain = RandomStream(11, weights, 2**10, 2**10 + 3)
        monkeypatch.setattr(random_streams, "PLAIN", 1)
        quick = RandomStream(11, weights, 2**10, 2**10 + 3)
        for _ in range(25):
            site, step = int(rng.integers(sites)), int(2.0 ** rng.uniform(0, 60))
            assert plain.at(step) == quick.at(step)
            count = quick.count(site, step)
            assert plain.count(site, step) == count == quick.counts(step)[site]
            assert count == 0 or plain.nth(site, count) == quick.nth(site, count) <= step
            assert quick.nth(site, count + 1) > step


# ---------------------------------------------------------------------- its distribution


def chi_square(observed: Any, expected: Any) -> tuple[float, float]:
    observed, expected = np.asarray(observed, dtype=float), np.asarray(expected, dtype=float)
    assert expected.min() >= 5
    return float(((observed - expected) ** 2 / expected).sum()), float(stats.chi2.isf(ALARM, expected.size - 1))


@pytest.mark.parametrize("exponent", [0, 1.1])
@pytest.mark.false_alarm(2e-6)
def test_neighbours_are_independent_and_have_their_shares(exponent: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs in the last nodes, and across their borders. The same site twice more often by two fifths is found out."""
    monkeypatch.setattr(random_streams, "available", lambda: False)
    weights = weights_of(4, exponent)
    moves, shares = np.array(listed(RandomStream(21, weights, 16, 16), 12_000)), weights / weights.sum()
    expected = 5999 * np.outer(shares, shares).ravel()
    for first in (0, 1):
        pairs = np.bincount(moves[first:-2:2] * 4 + moves[first + 1 : -1 : 2], minlength=16)
        found, limit = chi_square(pairs, expected)
        assert found < limit
        assert chi_square(pairs * (1 + 0.4 * np.eye(4).ravel()), expected)[0] > limit


@pytest.mark.slow
@pytest.mark.false_alarm(2e-6)
def test_items_before_and_after_the_switch_are_independent(small_switch: int) -> None:
    """The last label and the first item of the tree, and the counts of a site in both parts, over 1,500 games."""
    games = np.array([sites_of(Uniform(), 3, 96, seed) for seed in range(1500)])
    pairs = np.bincount(games[:, 63] * 3 + games[:, 64], minlength=9)
    found, limit = chi_square(pairs, np.full(9, 1500 / 9))
    assert found < limit
    before, after = (games[:, :64] == 0).sum(axis=1), (games[:, 64:] == 0).sum(axis=1)
    # 4.9 standard deviations of a correlation of independent numbers; a stream that goes on with its labels has 0.7
    assert abs(np.corrcoef(before, after)[0, 1]) * np.sqrt(1500) < stats.norm.isf(ALARM / 2)
    again = (games[:, :32] == 0).sum(axis=1)
    assert abs(np.corrcoef(before, again)[0, 1]) * np.sqrt(1500) > stats.norm.isf(ALARM / 2)


@pytest.mark.slow
@pytest.mark.parametrize("size", [10**6, 10**12, 2**59])
@pytest.mark.false_alarm(1e-6)
def test_the_items_of_a_site_in_any_part_of_the_stream_are_binomial(size: int) -> None:
    """Between two positions inside of nodes, over keys, by the normal limit. A spread 30 % too wide is found out."""
    begin, end, parts = size // 3, size // 3 + size // 2, []
    share = 5 / 17
    for key in range(600):
        stream = RandomStream(key, UNEVEN, 64, 64)
        parts.append(17 * (stream.count(0, end) - stream.count(0, begin)) - 5 * (end - begin))
    scaled = np.array(parts) / 17 / np.sqrt((end - begin) * share * (1 - share))
    for spread in (1.0, 1.3):
        cells = np.bincount((stats.norm.cdf(spread * scaled) * 10).astype(int), minlength=10)
        found, limit = chi_square(cells, np.full(10, 60.0))
        assert (found < limit) == (spread == 1)


def test_weights_of_zipf_are_its_powers() -> None:
    for sites, exponent in ((1, 1.1), (50, 0.0), (3000, 1.1), (40, 5.0)):
        weights = zipf_weights(sites, exponent)
        powers = np.arange(1, sites + 1) ** -exponent
        assert np.allclose(weights / weights.sum(), powers / powers.sum(), rtol=1e-9)
        assert 2**58 < weights.sum() < 2**61
