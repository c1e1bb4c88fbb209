"""The parts of which the failure of a round is summed: exact chances, long sums, Brownian lines, tosses one by one."""

from __future__ import annotations

from itertools import product
from math import erfc, exp, lgamma, log, pi, sqrt

import numpy as np
import pytest
from scipy import stats

from disttrack.protocols.rounds import crossing, passages
from disttrack.protocols.rounds.constants import Constants
from disttrack.protocols.rounds.transcripts import deviations_without_noise, room, safe_without_noise
from disttrack.protocols.rounds.walk import POISSON, Walk, _signals_in, failures_by, walk_of


def test_what_stirling_leaves_out() -> None:
    n = np.array([1.0, 2.0, 5.0, 10.0, 19.5, 19.999, 20.0, 20.5, 30.0, 100.0])
    exact = [lgamma(x + 1) - (x + 0.5) * log(x) + x - 0.5 * log(2 * pi) for x in n.tolist()]
    np.testing.assert_allclose(passages._stirling(n), exact, rtol=1e-9, atol=1e-14)


def test_the_deviance() -> None:
    number, mean = np.array([1.0, 3.0, 50.0]), np.array([2.0, 3.0, 41.0])
    exact = number * np.log(number / mean) + mean - number
    np.testing.assert_allclose(passages._deviance(number, mean), exact, atol=1e-12)


@pytest.mark.parametrize("p", [0.0, 1e-5, 0.01, 0.3, 0.9])
def test_chances_of_a_number_of_signals(p: float) -> None:
    """Poisson for p = 0, else binomial of time / p items."""
    for items in (1, 2, 7, 40, 500):
        time = items * p if p else items * 0.37
        numbers = np.arange(0.0, min(items, 30) + 3)
        found = passages._log_chance(p, numbers, np.full(len(numbers), time))
        exact = stats.binom.logpmf(numbers, items, p) if p else stats.poisson.logpmf(numbers, time)
        np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9)
        assert passages._at_least(p, 3, time) == pytest.approx(
            stats.binom.sf(2, items, p) if p else stats.poisson.sf(2, time), abs=1e-12
        )
    if p:
        assert passages._log_chance(p, np.array([2.0]), np.array([-1.0]))[0] == -np.inf


@pytest.mark.parametrize("p", [0.0, 0.05, 0.5])
@pytest.mark.parametrize("intervals", [1, 2, 5, 12])
def test_the_mean_of_what_is_left_of_the_intervals(p: float, intervals: int) -> None:
    for items in (1, 2, 4, 9, 30):
        if intervals == items == 1 and p:
            continue  # no item is left then, and half of one stands for it
        time = items * p if p else items * 0.4
        number = np.arange(intervals + 1)
        law = stats.binom.pmf(number, items, p) if p else stats.poisson.pmf(number, time)
        exact = float((law * (1 - number / intervals)).sum())
        with np.errstate(divide="ignore"):
            found = passages._never_again(p, np.array([float(intervals)]), np.array([time]))
        assert found[0] == pytest.approx(exact, abs=1e-9)
    with np.errstate(divide="ignore"):
        nothing = passages._never_again(p, np.array([float(intervals)]), np.array([p / 2 if p else 0.0]))
    assert nothing[0] == 1.0


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize(("low", "high"), [(0, 5), (3, 1002), (3, 1003), (0, 5000), (10, 90_000), (7, 400_000)])
def test_long_sums_are_the_sums(low: int, high: int, heavy: bool) -> None:
    """A hump, a fall and a slow fall: panels against all terms; those of a heavy coin are rounded to places."""
    for log_term in (
        lambda j: -((j - 2000) ** 2) / 5e5,
        lambda j: -3 * np.log(j + 10),
        lambda j: -j / 3e4 - 0.5 * np.log(j + 1),
        lambda j: -j / 5.0,
        lambda j: 0 * j - 1.0,
    ):
        exact = float(np.exp(log_term(np.arange(low, high + 1.0))).sum())
        assert passages._sum(log_term, low, high, heavy) == pytest.approx(exact, rel=5e-4 if heavy else 5e-6)


def test_panels_meet_at_twice_the_distance_each_time() -> None:
    assert passages._edges(0, 1000) == [64, 128, 256, 500, 744, 872, 936]
    assert passages._edges(10, 100) == [55]
    assert passages._edges(0, 128) == [64]


def test_negligible_ends_are_left_out() -> None:
    low, high = passages._within(lambda j: -np.abs(j - 5000) / 10.0, 0, 10_000)
    assert 0 <= low <= 4550
    assert 5450 <= high <= 10_000
    assert passages._within(lambda j: 0.0 * j, 3, 2000) == (3, 2000)
    falling = passages._within(lambda j: -j * 1.0, 0, 5000)
    assert falling[0] == 0
    assert 45 <= falling[1] < 120


def test_whole_items_bring_the_lines_nearer() -> None:
    walk = Walk(0.1, 5.0, 0.3)
    assert passages._nearer(walk).offset == pytest.approx(5.0 - 0.09 * 1.3 / 12)
    assert passages._nearer(Walk(0.1, 5.0, 0.01)).offset == 5.0
    assert passages._nearer(walk)._replace(offset=5.0) == walk
    assert passages._rounded_by(Walk(0.1, 5.0, 0.01), 6, 90) == 0.5
    assert passages._rounded_by(Walk(0.1, 5.0, 0.3), 6, 6 + 65_536) == 0.5
    share = passages._rounded_by(walk, 6, 90)
    assert 0.1 < share < 0.9
    j = np.arange(6, 91.0)
    line = (j - 5.0) / 1.1
    weight = np.exp(passages._log_chance(0.3, j, line - 0.15)) / j
    rounded = np.array([x - 0.3 * (np.ceil(x / 0.3) - 1) for x in line])
    assert share == pytest.approx(float((weight * rounded).sum() / weight.sum()) / 0.3, rel=1e-6)


@pytest.mark.parametrize("walk", [Walk(0.2, 3.0, 0.0), Walk(0.35, 1.5, 0.25), Walk(0.1, 0.4, 0.5)], ids=str)
def test_the_times_of_the_lines(walk: Walk) -> None:
    """The output of j signals, N0 + j / p, against (1 ± alpha) (N0 + n), item by item, with a = alpha N0 p."""
    for j in range(12):
        if not walk.p:
            assert walk.late(j) == pytest.approx((j + walk.offset) / (1 - walk.alpha))
            assert walk.early(j) == pytest.approx((j - walk.offset) / (1 + walk.alpha))
            continue
        first = walk.offset / walk.alpha  # N0 in units of 1/p
        low = [n for n in range(200) if first + j < (1 - walk.alpha) * (first + n * walk.p) - 1e-12]
        high = [n for n in range(-200, 200) if first + j > (1 + walk.alpha) * (first + n * walk.p) + 1e-12]
        assert walk.late(j) == pytest.approx(low[0] * walk.p)
        assert walk.early(j) == pytest.approx(high[-1] * walk.p)


def test_a_walk_of_a_round() -> None:
    assert walk_of(0.2, 500, 0.01) == Walk(0.2, pytest.approx(1.0), 0.01)
    assert walk_of(0.2, 500, POISSON) == Walk(0.2, 0.2 * 500 * POISSON, 0.0)
    assert walk_of(0.2, 500, 2 * POISSON).p == 2 * POISSON


@pytest.mark.parametrize("walk", [Walk(0.3, 0.7, 0.5), Walk(0.5, 1.2, 0.6), Walk(0.2, 0.3, 0.4), Walk(0.45, 2.0, 0.7)])
def test_failures_over_all_tosses(walk: Walk) -> None:
    """Every sequence of 14 tosses; a round of s signals ends with the s-th, and fails if a line was passed before."""
    tosses = 14
    exact = np.zeros(4)
    late = {j: round(walk.late(j) / walk.p) for j in range(5)}
    early = {j: round(walk.early(j) / walk.p) for j in range(5)}
    for outcome in product((0, 1), repeat=tosses):
        chance = np.prod([walk.p if one else 1 - walk.p for one in outcome])
        for signals in range(1, 5):
            heard = 0
            for n, one in enumerate(outcome, start=1):
                heard += one
                if one and heard >= signals:
                    break  # the last signal polls, whatever the output is
                if n == late[heard] or (one and n <= early[heard]):
                    exact[signals - 1] += chance
                    break
    found = failures_by(walk, 4)
    # what 14 tosses leave undecided is on the late side of the last numbers only
    for signals in range(1, 5):
        undecided = stats.binom.cdf(signals - 1, tosses, walk.p) if late[signals - 1] > tosses else 0.0
        assert exact[signals - 1] - 1e-12 <= found[signals - 1] <= exact[signals - 1] + undecided + 1e-12
    assert failures_by(walk._replace(p=1.0), 3).tolist() == [0.0, 0.0, 0.0]
    assert (np.diff(found) >= 0).all()


@pytest.mark.parametrize(("items", "p"), [(1, 0.3), (7, 0.2), (50, 0.9), (2000, 0.001), (3000, 0.2)])
def test_signals_in_some_items(items: int, p: float) -> None:
    law = _signals_in(items, p)
    np.testing.assert_allclose(law, stats.binom.pmf(np.arange(len(law)), items, p), rtol=1e-8, atol=1e-300)
    assert law.sum() == pytest.approx(1, abs=1e-9)
    assert len(law) <= items + 1


def test_brownian_lines() -> None:
    """One line in closed form; both by the images of Anderson, summed here to the end."""

    def tail(x: float) -> float:
        return 0.5 * erfc(x / sqrt(2))

    for offset, slope, length in (
        (1.0, 0.2, 3.0),
        (0.5, 0.0, 2.0),
        (3.0, 0.05, 40.0),
        (0.1, 0.3, 1.0),
        (0.02, 0.01, 5.0),
    ):
        end, root = offset + slope * length, sqrt(length)
        exact = tail(end / root) + exp(-2 * offset * slope) * tail((offset - slope * length) / root)
        assert crossing.one_line(offset, slope, length) == pytest.approx(exact)
        stay = 0.0
        for number in range(-3000, 3001):
            place = 2 * number * offset
            inside = tail((-end - place) / root) - tail((end - place) / root)
            stay += (-1) ** number * exp(-2 * offset * slope * number**2) * inside
        assert crossing.either_line(offset, slope, length) == pytest.approx(1 - stay, abs=1e-7)


def test_which_way_a_failure_is_worked_out() -> None:
    assert crossing.failure(Walk(0.2, 3.0, 0.4), 0) == 0.0
    assert crossing.failure(Walk(0.2, 3.0, 1.0), 9) == 0.0
    heavy = Walk(0.2, 3.0, 0.4)
    assert crossing.failure(heavy, 9) == failures_by(heavy, 9)[-1]
    assert crossing.failure(Walk(0.01, 0.05, 0.0), 400) <= 1.0
    for p, signals, by_tosses in (
        (0.0, 5, False), (0.01, 40, True), (0.01, 41, False), (0.5, 2000, True), (0.5, 2001, False), (0.7, 2001, False),
        (0.71, 2001, True),
    ):  # fmt: skip
        walk = Walk(0.02, 20.0, p)
        found = crossing.failure(walk, signals)
        assert (found == crossing.by_sums(walk, signals)) is not by_tosses
        assert not by_tosses or found == failures_by(walk, signals)[-1]
    steep = Walk(0.3, 3.0, 0.5)
    assert crossing.decisive(steep, 9) == 9
    assert crossing.failure(steep, 10**9) == failures_by(steep, crossing.decisive(steep, 10**9))[-1]


@pytest.mark.parametrize("walk", [Walk(0.2, 6.0, 0.0), Walk(0.2, 6.0, 0.3), Walk(0.1, 12.0, 0.001)], ids=str)
@pytest.mark.parametrize("allowed", [0.3, 0.01, 1e-5])
def test_the_most_signals_are_the_last_that_keep_the_promise(walk: Walk, allowed: float) -> None:
    most = crossing.most_signals(walk, allowed, 300)
    assert most == 300 or crossing.failure(walk, most + 1) > allowed
    assert most == 0 or crossing.failure(walk, most) <= allowed
    assert crossing.most_signals(walk._replace(p=1.0), allowed, 17) == 17
    assert crossing.most_signals(walk, allowed, min(most, 3)) == min(most, 3)


def test_where_to_look_next_lies_between() -> None:
    found = {10: log(0.001), 90: log(0.1)}
    assert crossing._between(10, 90, {}, log(0.01)) == 50
    part = 0.5
    assert crossing._between(10, 90, found, log(0.01)) == round(1 / (0.1 + part * (1 / 90 - 0.1)))
    assert crossing._between(10, 90, {**found, 95: 0.0}, log(0.01)) == 50  # every third time in the middle
    assert crossing._between(10, 12, {10: -9.0, 12: -1.0}, -1.0) == 11
    assert crossing._between(10, 12, {10: -9.0, 12: -1.0}, -9.0) == 11


def test_counting_transcripts() -> None:
    for k, phases, bits, failure in ((256, 16, 85, 0.03), (9, 2, 5, 0.1), (4, 40, 30, 1e-6)):
        ways = (2 * k + bits) ** (phases - 1)
        above = phases - 1 + sqrt(k / 2 * log(ways * 2 * phases / failure))
        below = 1 + sqrt(k / 2 * log(ways * 2 * phases * (2 * k + bits + 1) / failure))
        assert deviations_without_noise(k, phases, bits, failure) == pytest.approx((min(k, above), min(k, below)))
    of = Constants(1.0, 1.0, 40.0, None, 2, 10.5, 1.0, 1.0, 1, 3.0, 9.0, 9.0)
    assert room(of) == (37.0, 33.0)
    above, below = deviations_without_noise(256, 2, 11, 0.05)
    for divisor, shift, safe in (
        (above + 0.1, 0.0, False), (below + 10.1, 0.0, True), (below + 9.9, 0.0, False), (below + 10.1, -1.0, False),
        (below + 10.1, 10.0 + below - above + 1.0, False),
    ):  # fmt: skip
        assert safe_without_noise(of._replace(divisor=divisor, shift=shift), 256, 0.05) == safe


def test_a_coin_so_heavy_that_no_output_is_too_high() -> None:
    """Not even a signal of every item outruns (1 + alpha) times the items."""
    assert passages.too_high(Walk(0.5, 2.0, 0.8), 9) == 0.0
    assert passages.too_high(Walk(0.5, 2.0, 0.3), 9) > 0
    assert passages.too_high(Walk(0.5, 2.0, 0.0), 3) == 0.0  # fewer signals than the error allowed
    assert passages.too_high(Walk(0.5, 2.0, 0.0), 4) > 0
    assert passages.too_high(Walk(0.5, 2.0, 0.0), 0) == passages.too_low(Walk(0.5, 2.0, 0.0), 0) == 0.0
