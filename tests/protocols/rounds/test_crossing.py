"""The failure probability of a round against slow and obvious references that share no code with it."""

from __future__ import annotations

from itertools import product
from math import erfc, exp, log, sqrt

import numpy as np
import pytest

from disttrack.mechanisms.compiler import available
from disttrack.protocols.rounds import coin_rounds
from disttrack.protocols.rounds.coin_rounds import bias, first_round, offset_for, share_of, signals_of
from disttrack.protocols.rounds.crossing import SHORT, by_sums, either_line, failure, most_signals, one_line
from disttrack.protocols.rounds.hits import ROUNDING, bounds_of, lines_by_arrays, lines_compiled
from disttrack.protocols.rounds.walk import COARSE, Walk, failures_by, walk_of


def by_definition(coins: tuple[int, ...], alpha: float, total: int, p: float, signals: int) -> bool:
    """Return whether a round of so many signals fails on these coins: the outputs against the truth, item by item."""
    heard = 0
    for items, coin in enumerate(coins, start=1):
        heard += coin
        if heard == signals:
            return False  # the last signal is followed by a poll in the same step
        if abs(total + heard / p - (total + items)) > alpha * (total + items):
            return True
    raise AssertionError("these coins are too few to tell")


# ---------------------------------------------------------------------- exact references


@pytest.mark.parametrize(
    ("alpha", "total", "p", "signals", "longest"),
    [
        (0.37, 4, 0.45, 3, 12),
        (0.21, 11, 0.3, 2, 8),
        (0.52, 3, 0.6, 4, 15),
        (0.37, 7, 0.71, 1, 7),
        (0.11, 30, 0.4, 3, 14),
    ],
)
def test_all_sequences_of_coins(alpha: float, total: int, p: float, signals: int, longest: int) -> None:
    """Every sequence of coins up to the item by which a round is over or has failed, with its chance."""
    expected = 0.0
    for coins in product((0, 1), repeat=longest):
        if by_definition(coins, alpha, total, p, signals):
            expected += p ** sum(coins) * (1 - p) ** (longest - sum(coins))
    walk = walk_of(alpha, total, p)
    assert 0 < expected < 1
    assert failures_by(walk, signals)[-1] == pytest.approx(expected, rel=1e-12)
    assert failure(walk, signals) == pytest.approx(expected, rel=1e-12)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("alpha", "offset", "signals", "p"),
    [
        (0.1, 6.3217, 10, 0.009), (0.7, 2.9371, 60, 0.009), (0.01, 44.0173, 60, 0.009), (0.2, 0.9137, 30, 0.002),
        (0.02, 8.5, 200, 0.009),
    ],
)
def test_the_sums_are_the_recursion(alpha: float, offset: float, signals: int, p: float) -> None:
    """Light coins, from 1e-20 to 0.93: within 1e-3, where what Brownian motion says is off by 5 % at the least.

    In the last round each line is crossed with probability 0.44; the sum without both would be 6 % too large.
    """
    walk = walk_of(alpha, offset / (alpha * p), p)
    expected = failures_by(walk, signals)[-1]
    assert p < COARSE
    assert by_sums(walk, signals) == pytest.approx(expected, rel=1e-3)
    assert abs(2 * one_line(offset, alpha, signals) / expected - 1) > 0.05


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("p", [0.02, 0.69])
@pytest.mark.parametrize(("slope", "signals"), [(0.2, SHORT + 500), (1.0, 3 * SHORT), (3.0, SHORT + 500)])
def test_the_sums_of_heavy_coins_are_the_recursion(slope: float, signals: int, p: float) -> None:
    """Within 0.8 % where they are used. With whole items left out of account they would be off by 2 % and more."""
    alpha = slope / sqrt(signals)
    for allowed in (0.5, 1e-4, 1e-12):
        walk = Walk(alpha, offset_for(alpha, signals, allowed) * sqrt(1 - p), p)
        expected = failures_by(walk, signals)[-1]
        assert failure(walk, signals) == pytest.approx(expected, rel=8e-3)
        assert by_sums(walk, signals) == failure(walk, signals)  # it is the sums that are used here


@pytest.mark.parametrize(
    ("alpha", "total", "p", "signals", "off_by"),
    [(0.63, 324, 0.0085, 3, 0.017), (0.2, 100, 0.68, 2600, 0.049), (0.4216, 33, 0.3883, 4824, 0.029)],
)
def test_few_signals_and_steep_lines_are_worked_out_by_tosses(
    alpha: float, total: int, p: float, signals: int, off_by: float
) -> None:
    """Where few signals decide, also of a long round, whole items show, and the sums are off by `off_by`."""
    walk = walk_of(alpha, total, p)
    expected = failures_by(walk, signals)[-1]
    assert failure(walk, signals) == pytest.approx(expected, rel=1e-9)
    assert abs(by_sums(walk, signals) / expected - 1) > off_by
    assert most_signals(walk, expected * (1 + 1e-9), signals) == signals
    assert most_signals(walk, expected * 0.5, signals) < signals


def test_the_recursion_ends_as_soon_as_it_is_certain_how_many_signals_are_allowed() -> None:
    """The number is that of all probabilities, and long rounds end early in both ways."""
    rng, exceeded, certain = np.random.default_rng(3), 0, 0
    for alpha in (0.02, 0.1, 0.5, 0.9):
        for p in (1e-4, 0.02, 0.4, 0.95, 1 - 1e-6):
            walk, signals = Walk(alpha, float(rng.uniform(0.5, 40)), p), int(rng.choice([3, 90, 700]))
            every = failures_by(walk, signals)
            for allowed in (0.0, 1e-9, 1e-3, every[-1], 1.001 * every[-1], 2 * every[-1], float(rng.choice(every))):
                some = failures_by(walk, signals, allowed)
                assert some.searchsorted(allowed, side="right") == every.searchsorted(allowed, side="right")
                exceeded += len(some) < signals
                certain += len(some) == signals and some[-1] < every[-1]
    assert exceeded > 30
    assert certain > 20


# ---------------------------------------------------------------------- Brownian motion, and extremes


def test_one_signal_by_hand() -> None:
    """It fails if the first signal takes longer than a / (1 - alpha)."""
    assert failure(Walk(0.2, 4.0, 0.0), 1) == pytest.approx(exp(-4 / 0.8))
    assert failure(Walk(0.2, 4.0, 0.25), 1) == pytest.approx(0.75 ** (20 + 1))
    assert failure(Walk(0.2, 4.0, 1.0), 50) == 0.0  # every item is signalled
    assert failure(Walk(0.2, 4.0, 0.0), 0) == 0.0


def by_plain_search(walk: Walk, allowed: float, most: int, near: int) -> int:
    """Return what `most_signals` does by halving the interval, every probability for itself."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if failure(walk, middle) <= allowed else (low, middle)
    return low


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("largest", [12, 300, 100_000])
@pytest.mark.parametrize("seed", range(3))
def test_the_quick_search_is_the_plain_one(largest: int, seed: int) -> None:
    """In games of any size, promise and start, at any round, also where the estimate was wrong."""
    coins = np.random.default_rng([largest, seed])
    for _ in range(4):
        k, alpha = int(np.exp(coins.uniform(0, log(largest)))), float(coins.choice([0.01, 0.03, 0.1, 0.5, 0.9]))
        delta, number = float(coins.choice([1e-6, 0.05, 0.5])), int(10 ** coins.uniform(0, 5))
        share, first = share_of(k, alpha, delta, number), first_round(k, alpha, delta)
        told = int(first * 10 ** coins.uniform(0, 5)) + 1
        p = bias(k, alpha, share, told, exact=number == 1)
        total = max(1, round(told * (1 + alpha * coins.normal() / 3)))
        signals = signals_of(k, alpha, share, total, p)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(coin_rounds, "most_signals", by_plain_search)
            assert signals == signals_of(k, alpha, share, total, p), (k, alpha, delta, number, told, total)


@pytest.mark.parametrize("p", [0.31, 0.02, 0.004])
def test_numbers_between_known_offsets_are_those_of_the_plain_search(p: float) -> None:
    """In any order, also where fewer signals are asked for than are safe."""
    known = []
    for offset in np.random.default_rng(7).permutation(np.linspace(28, 29.4, 24)):
        walk = Walk(0.03, float(offset), p)
        known.append(most_signals(walk, 1e-4, 104, 50))
        assert known[-1] == by_plain_search(walk, 1e-4, 104, 50)
        assert most_signals(walk, 1e-4, 45, 50) == min(known[-1], 45)
    assert 3 < len(set(known)) < 20


@pytest.mark.parametrize("seed", range(2))
def test_bounds_hold_the_recursion_and_are_close(seed: int) -> None:
    coins, close = np.random.default_rng(seed), 0
    for _ in range(40):
        alpha, p, signals = coins.uniform(0.01, 0.6), 2 ** -coins.uniform(0.01, 7), int(2 ** coins.uniform(0, 8))
        allowed = 10 ** -coins.uniform(1, 9)
        walk = Walk(alpha, 0.5 + sqrt(2 * signals * (1 - p) * log(1 / allowed)) * coins.uniform(0.6, 1.4), p)
        first, last = max(1, signals - 5), signals + 3
        bounds, expected = bounds_of(walk, first, last, allowed), failures_by(walk, last)[first - 1 :]
        assert bounds is not None
        assert (bounds.below <= expected * (1 + 1e-9)).all()
        assert (bounds.above >= expected * (1 - 1e-9)).all()
        if 1e-3 > expected[-1] > allowed / 100:
            close += 1
            assert bounds.above[-1] == pytest.approx(expected[-1], rel=1e-4, abs=3e-5 * allowed)
            assert bounds.below[-1] == pytest.approx(expected[-1], rel=1e-4, abs=3e-5 * allowed)
    assert close > 5


@pytest.mark.skipif(not available(), reason="the extra 'fast' is not installed")
def test_compiled_lines_are_those_by_arrays() -> None:
    """Also for one signal, very heavy coins, wide lines, and rounds whose first points count for nothing."""
    coins, compared = np.random.default_rng(3), 0
    edges = [(0.03, 0.99, 1), (0.9, 0.5, 1), (0.5, 1 / 3, 2), (0.99, 0.02, 5), (0.3, 0.75, 40), (0.01, 0.0101, 900)]
    for _ in range(100):
        edges.append((coins.uniform(0.01, 0.8), 2 ** -coins.uniform(0.01, 6), int(2 ** coins.uniform(0, 9))))
    for alpha, p, signals in edges:
        allowed = 10 ** -coins.uniform(1, 9)
        walk = Walk(alpha, 0.5 + sqrt(2 * signals * (1 - p) * log(1 / allowed)) * coins.uniform(0.3, 1.4), p)
        first, last, least = max(1, signals - 3), signals + 3, 1e-5 * allowed
        low, high = lines_by_arrays(walk, first, last, least)
        lines = lines_compiled(walk, first, last, least)
        assert (lines is None) == (low is None or high is None)
        if lines is not None:
            compared += 1
            assert lines[0] == pytest.approx(low, rel=ROUNDING / 4, abs=1e-9 * allowed)
            assert lines[1] == pytest.approx(high, rel=ROUNDING / 4, abs=1e-9 * allowed)
    assert compared > 70


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
        assert one_line(offset, slope, length) == pytest.approx(exact)
        stay = 0.0
        for number in range(-3000, 3001):
            place = 2 * number * offset
            inside = tail((-end - place) / root) - tail((end - place) / root)
            stay += (-1) ** number * exp(-2 * offset * slope * number**2) * inside
        assert either_line(offset, slope, length) == pytest.approx(1 - stay, abs=1e-7)
