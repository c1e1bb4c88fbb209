"""Small parts of protocols by hand: order of steps, counts beyond all games, coins, estimates, sites that come back."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms.rules import SamplingRule, gap_scale
from disttrack.protocols import Block, Deterministic, DifferenceEstimators, Martingale, Randomized
from disttrack.protocols.base import FOREVER, Exactly, Message
from disttrack.protocols.bulk import in_order, repeated
from disttrack.protocols.coins import Coins
from disttrack.protocols.deterministic import Thresholds
from disttrack.protocols.rounds import coin_rounds
from disttrack.protocols.rounds.block import Blocks
from disttrack.protocols.rounds.crossing import _both_lines, either_line, one_line
from disttrack.protocols.rounds.difference_estimators import Levels
from disttrack.protocols.rounds.parts import ITEM
from disttrack.protocols.rounds.reacting import ReactingRounds
from disttrack.protocols.rounds.rules import CoinRule, remembering
from disttrack.protocols.rounds.walk import Walk
from disttrack.protocols.sampling.server import RandomizedServer


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.integers(0, 60), max_size=40), offset=st.sampled_from([0, -7, 10**15, 2**61]))
def test_steps_in_order(steps: list[int], offset: int) -> None:
    """Equal steps stay in the order in which they came, whichever way they are sorted."""
    given_steps = np.array([step + offset for step in steps], dtype=np.int64)
    ordered, order = in_order(given_steps.copy())
    assert ordered.tolist() == sorted(given_steps.tolist())
    places = np.arange(len(steps))[order].tolist()
    assert places == sorted(range(len(steps)), key=lambda place: (steps[place], place))


def test_steps_far_apart_are_sorted_too() -> None:
    steps = np.array([2**62, 0, 5, 2**62, 5], dtype=np.int64)
    ordered, order = in_order(steps)
    assert ordered.tolist() == [0, 5, 5, 2**62, 2**62]
    assert np.asarray(order).tolist() == [1, 2, 4, 0, 3]
    assert in_order(np.array([3, 3, 4]))[1] == slice(None)


def test_repeated_numbers() -> None:
    owners, places = repeated(np.array([2, 0, 3, 1]))
    assert (owners.tolist(), places.tolist()) == ([0, 0, 2, 2, 2, 3], [0, 1, 0, 1, 2, 0])


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("alpha", [0.5, 0.1, 1e-9, 1 - 1e-12, 0.123456789012345])
def test_the_next_report_by_fractions(alpha: float, centred: bool) -> None:
    """The first count above the growth times the last one, for counts of all sizes; beyond FOREVER it never comes."""
    rule = Thresholds(alpha, centred)
    exact = Fraction(str(alpha))
    growth = (1 + exact) / (1 - exact) if centred else 1 + exact
    counts = [0, 1, 2, 9, 10, 1000, 10**9 + 7, 2**40, 2**53 + 1, 2**60, 2**61, FOREVER - 1, FOREVER]
    following = [int(growth * count) + 1 for count in counts]
    assert [rule.after(count) for count in counts] == following
    assert [rule.known[count] for count in counts] == following
    most = FOREVER * growth.denominator // growth.numerator - 1
    found = rule.after(np.array(counts))
    assert found.dtype == np.int64
    assert found.tolist() == [one if count <= most else FOREVER for one, count in zip(following, counts, strict=True)]
    assert rule.growth == pytest.approx(float(growth))


def test_sites_and_servers_that_come_back() -> None:
    protocol = Deterministic(0.5)
    site: Any = protocol.returned_site(3, None, 40)
    assert (site.count, site.next, site.quota()) == (40, 61, 20)
    server: Any = protocol.server(3, None, [4, 0, 7])
    assert server.output == 11
    assert server.readmit(1, 40) == ()
    assert (server.output, server.reported) == (51, [4, 40, 7])
    centred: Any = Deterministic(0.5, centred=True).server(3, None, [4, 0, 7])
    assert centred.output == Exactly(33, 2)
    assert centred.readmit(1, 40) == ()
    assert centred.output == Exactly(153, 2)
    assert float(centred.output) == 76.5
    centred.hear(0, Message("report"))
    assert centred.output == Exactly((13 + 40 + 7) * 3, 2)
    assert Deterministic(0.5, centred=True).server(3, None).output == 0


def test_coins_are_cut_from_exponential_draws() -> None:
    coins, plain = Coins(np.random.default_rng(3)), np.random.default_rng(3)
    drawn = plain.standard_exponential(64).tolist()
    assert [coins.gap(2.5) for _ in range(64)] == [int(one * 2.5) + 1 for one in reversed(drawn)]
    coins, plain = Coins(np.random.default_rng(3)), np.random.default_rng(3)
    assert coins.gap(2.5, 9).tolist() == [int(one) + 1 for one in (plain.standard_exponential(9) * 2.5).tolist()]
    assert coins.gap(1e300, 2).tolist() == [2**62 + 1] * 2
    numbers = [coins.up_to(7) for _ in range(500)]
    assert set(numbers) == set(range(1, 8))
    assert {coins.up_to(3) for _ in range(100)} == {1, 2, 3}
    assert set(coins.up_to(4, 200).tolist()) == {1, 2, 3, 4}
    assert coins.up_to(1) == 1
    assert coins.success(1.0)
    assert coins.success(1.0, 3).tolist() == [True] * 3
    assert gap_scale(0.3) == pytest.approx(-1 / log(0.7))
    for p in (0, 1.5, -1):
        with pytest.raises(ValueError, match=rf"^p must be above 0 and at most 1; got {p}$"):
            gap_scale(p)


def test_successes_up_to_a_toss() -> None:
    class Fixed(Coins):
        def gap(self, scale: float, shape: int | None = None) -> Any:
            assert scale == self.scale
            return np.array(self.gaps[:shape])

    coins = Fixed(np.random.default_rng(0))
    coins.scale, coins.gaps = 4.0, [3, 1, 5, 2]  # type: ignore[attr-defined]
    assert coins.successes(4.0, 4, 10, 100).tolist() == [13, 14, 19, 21]
    assert coins.successes(4.0, 3, 10, 19).tolist() == [13, 14, 19]
    assert coins.successes(4.0, 4, 10, 18).tolist() == [13, 14]
    assert coins.successes(4.0, 4, 10, 12).tolist() == []
    coins.scale, coins.gaps = 2.0**60, [2**61, 2**61, 2**61]  # type: ignore[attr-defined]
    assert coins.successes(2.0**60, 3, 0, 2**62).tolist() == [2**61, 2**62]  # the third is beyond all games
    rule = CoinRule(0.25, Coins(np.random.default_rng(0)))
    assert (rule.rate, rule.p) == (0.25, 0.25)
    plain = Coins(np.random.default_rng(0))
    assert rule.signalled(5, 7, 60).tolist() == plain.successes(gap_scale(0.25), 5, 7, 60).tolist()
    assert rule.after(9) == 9 + plain.gap(gap_scale(0.25))


def test_the_last_rule_is_remembered() -> None:
    asked: list[tuple[int, int]] = []

    def rule_of(number: int, total: int) -> Any:
        asked.append((number, total))
        return None if total < 5 else Blocks(total, Coins(np.random.default_rng(0)))

    rule = remembering(rule_of)
    first = rule(1, 5)
    assert rule(1, 5) is first
    assert rule(2, 4) is rule(2, 4) is None
    assert rule(1, 5) is not first
    assert asked == [(1, 5), (2, 4), (1, 5)]


def test_an_estimate_of_the_sampling_server() -> None:
    rule = SamplingRule(1.0, 1)
    one = RandomizedServer(rule, 1, [8])
    assert (one.before, one.known, one.inverse, one.output, one.doubled) == (8, 8, 8, 8, [8])
    assert one.estimate([5], [1]) == 8 + 5 + 7
    three = RandomizedServer(rule, 3, [8])
    assert three.estimate([5, 30, 9], [1, 2, 1]) == 8 + 9 + 7
    many = three.estimate(np.array([[5, 1], [30, 2], [9, 4]]), np.array([[1, 0], [2, 1], [1, 1]]))
    assert many.tolist() == [24, 8 + 2 + 7]
    assert many.dtype == np.int64
    assert one.estimate(np.array([[5, 6]]), np.array([[1, 2]])).tolist() == [20, 28]
    assert Randomized(0.5).server(2, None).output == 0


@pytest.mark.parametrize("start", [0, 50])
def test_what_items_are_forwarded_as_until_a_round_begins(start: int) -> None:
    """`block` with sqrt k c / alpha = 60 forwards the items before the sixtieth, which begins a round."""
    protocol = Block(0.1, confidence=3.0)
    form: Any = protocol.bulk_form(
        4, np.random.default_rng(0), np.random.default_rng(1), [start, 0, 0, 0] if start else ()
    )
    assert isinstance(form, ReactingRounds)
    left = 60 - start
    assert form.forwarding(3) == (ITEM, 3)
    assert form.forwarding(left - 1) == (ITEM, left - 1)
    assert form.forwarding(left) == form.forwarding(10**6) == (ITEM, left - 1)
    form.forwarded(left - 1)
    assert form.output == 59
    assert form.forwarding(5) is None
    begun: Any = protocol.bulk_form(4, np.random.default_rng(0), np.random.default_rng(1), [60, 0, 0, 0])
    assert begun.forwarding(5) is None
    single: Any = Martingale(0.5).bulk_form(4, np.random.default_rng(0), np.random.default_rng(1))
    assert single.forwarding(1) == (ITEM, 1)


def test_both_brownian_lines() -> None:
    """At the offset at which a line of the slope alpha / (1 - p) is crossed with the given probability."""
    for each, p in ((0.3, 0.0), (0.6, 0.2), (0.05, 0.0)):
        walk, signals = Walk(0.1, 9.0, p), 50
        slope, length = 0.1 / (1 - p), 50 * (1 - p)
        low, high = 0.0, 1e3
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if one_line(middle, slope, length) > each else (low, middle)
        exact = 2 * each - either_line(low, slope, length)
        assert _both_lines(walk, signals, each) == pytest.approx(exact, abs=1e-8)
    assert _both_lines(Walk(0.1, 9.0, 0.0), 50, 1.0) == _both_lines(Walk(0.1, 9.0, 0.0), 50, 0.999)


@pytest.mark.parametrize(("k", "alpha", "delta"), [(4, 0.3, 0.1), (100, 0.05, 0.05)])
def test_shares_and_rounds_of_coins(k: int, alpha: float, delta: float) -> None:
    even = coin_rounds.even_rounds(k, alpha, delta)
    assert even >= 1
    shares = [coin_rounds.share_of(k, alpha, delta, number) for number in range(1, 40)]
    for number, share in enumerate(shares, start=1):
        exact = delta * even / ((even + number - 1) * (even + number))
        assert share <= exact < share * 2 ** (1 / 8)
    for number in (1, 5, 20):
        last = coin_rounds.last_with_share(k, alpha, delta, number)
        assert coin_rounds.share_of(k, alpha, delta, last) == coin_rounds.share_of(k, alpha, delta, number)
        assert coin_rounds.share_of(k, alpha, delta, last + 1) < coin_rounds.share_of(k, alpha, delta, number)
    first = coin_rounds.first_round(k, alpha, delta)
    assert coin_rounds.worth_it(k, alpha, shares[0], first)
    assert not coin_rounds.worth_it(k, alpha, shares[0], first - 1)
    found = coin_rounds.plan_of(k, alpha, shares[0])
    for total in (first, 10 * first, 10**9):
        ratio = found.offset / (alpha * total)
        for exact_count in (True, False):
            off = 0.0 if exact_count else 0.5 * alpha * sqrt(found.signals) / (found.offset + alpha * found.signals)
            wanted = ratio * (1 + off)
            p = coin_rounds.bias(k, alpha, shares[0], total, exact_count)
            root = (-(wanted**2) + sqrt(wanted**4 + 4 * wanted**2)) / 2  # p^2 = (1 - p) wanted^2
            assert p == 1 or p / 2 ** (1 / 64) < max(root, 0) * (1 + 1e-9) <= p * (1 + 1e-9) or p <= 60 / total
    assert coin_rounds.words_of(k, alpha, delta, first - 1) == first - 1
    assert coin_rounds.words_of(k, alpha, delta, 5, first - 5) == 5
    assert coin_rounds._below(5.0, 1) == 4.0
    assert coin_rounds._below(4.0, 1) == 4.0
    assert coin_rounds._below(5.0, 2) == 4.0
    assert coin_rounds._below(6.0, 2) == pytest.approx(2**2.5)
    x = coin_rounds._worthwhile(k, alpha, 7.0)

    def each(signals: float) -> float:
        return (2 * k + signals) / float(np.log1p(alpha * signals / 7.0))

    assert each(x + 2) > each(x)
    assert each(max(1, x - 2)) > each(x - 1) * (1 - 1e-9) or x <= 2


def test_a_site_of_difference_estimators_that_has_counted_while_a_round_began() -> None:
    """Items that came between the poll and the announcement may reach thresholds of the new round at once."""

    class Third(Coins):
        def up_to(self, size: int, shape: int | None = None) -> int:
            return 3

    protocol = DifferenceEstimators(0.9, 0.9)
    for waiting, bits in ((2, 0), (3, 1), (4, 1), (13, 2)):
        site: Any = protocol.sites(1, np.random.default_rng(0))[0]
        coins = Third(np.random.default_rng(0))
        division = protocol.doubling(1, 1)
        site._rule_of = lambda number, total, coins=coins, division=division: Levels(10, coins, division)
        site.count = waiting
        sent = site.begin(10**6)
        assert [message.kind for message in sent] == ["bit"] * bits * division.levels
        assert [message.value for message in sent][:: max(1, bits)] == list(reversed(range(division.levels)))[
            : len(sent)
        ]
        assert site.due == (3 if waiting < 3 else 13 if waiting < 13 else 23)
        assert site.quota() == site.due - waiting - 1
