"""Keyed draws: the generator's known answers, the distributions at all sizes, and the same numbers compiled.

Each chi-square test has a false-alarm rate of 1e-6 (`scipy.stats.chi2.isf`), and a control that fails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from disttrack.mechanisms.compiler import available, compiled
from disttrack.mechanisms.keyed_draws import binomial, exponential, hypergeometric, logarithm, philox

ALARM = 1e-6
CELLS = 20
LEAST = 20
"""Least number of draws that are expected in a cell."""


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
        ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
        ),
    ],
)
def test_the_generator_gives_the_known_answers(counter: Any, key: Any, words: Any) -> None:
    """Those that the authors publish with Random123 (kat_vectors, philox4x32 of 10 rounds)."""
    assert philox(*key, *counter) == words


def test_logarithms_and_exponentials_are_those_of_the_library_but_for_rounding() -> None:
    values = np.random.default_rng(1).uniform(-60, 1, 2000)
    assert all(math.isclose(exponential(x), math.exp(x), rel_tol=6e-16) for x in values)
    assert all(math.isclose(logarithm(x), math.log(x), rel_tol=6e-16) for x in np.exp(values).tolist())
    assert exponential(-1000.0) == 0
    assert logarithm(1.0) == 0


# ---------------------------------------------------------------------- distributions


def cells(draws: Sequence[int], pmf: Any) -> tuple[float, float]:
    """Return chi-square of draws from 0 on against probabilities, small ones joined, and its limit."""
    expected = np.asarray(pmf) * len(draws)
    observed = np.bincount(draws, minlength=len(expected)).astype(float)
    assert len(observed) == len(expected)  # no draw is out of range
    joined = [[0.0, 0.0]]
    for pair in zip(observed, expected, strict=True):
        if joined[-1][1] >= LEAST:
            joined.append([0.0, 0.0])
        joined[-1] = [joined[-1][0] + pair[0], joined[-1][1] + pair[1]]
    if joined[-1][1] < LEAST:
        rest = joined.pop()
        joined[-1] = [joined[-1][0] + rest[0], joined[-1][1] + rest[1]]
    assert len(joined) > 1
    return sum((one - other) ** 2 / other for one, other in joined), float(stats.chi2.isf(ALARM, len(joined) - 1))


SMALL = [
    (1, 1, 1), (2, 3, 3), (5, 4, 7), (16, 16, 16), (17, 20, 18), (47, 60, 50), (49, 51, 50), (30, 3000, 1400),
    (60, 2_000_000, 1_000_000), (2000, 2_000_000, 3000), (400, 300, 333), (5000, 9000, 7000), (40, 10_000_000, 300_000),
]  # fmt: skip


@pytest.mark.parametrize("numbers", SMALL)
@pytest.mark.false_alarm(1e-6)
def test_hypergeometric_draws_have_their_distribution(numbers: tuple[int, int, int]) -> None:
    """Against scipy's, by inversion from a product, from a logarithm, and by ratios of uniforms."""
    good, bad, drawn = numbers
    draws = [hypergeometric(3, time, 1, good, bad, drawn) for time in range(4000)]
    found, limit = cells(draws, stats.hypergeom(good + bad, good, drawn).pmf(np.arange(min(good, drawn) + 1)))
    assert found < limit


RARE = [(1, 1, 2), (30, 1, 3), (1000, 1, 1000), (2**40, 3, 2**40), (5000, 2, 5), (2**30, 1, 2**25)]


@pytest.mark.parametrize("numbers", RARE)
@pytest.mark.false_alarm(2e-6)
def test_binomial_draws_have_their_distribution(numbers: tuple[int, int, int]) -> None:
    """Against scipy's, for shares on both sides of 1/2."""
    n, share, whole = numbers
    for part in (share, whole - share):
        draws = np.array([binomial(4, time, 1, n, part, whole) for time in range(4000)])
        few = draws if part == share else n - draws
        reach = np.arange(few.max() + 60)
        found, limit = cells(few, np.append(stats.binom(n, share / whole).pmf(reach[:-1]), 0.0))
        assert found < limit


def normal_cells(draws: Sequence[int], mean: tuple[int, int], variance: float, wrong: float = 1.0) -> tuple[bool, ...]:
    """Return whether mean, variance and quantiles of draws are those of a normal limit, each with a rate of 1e-6.

    The mean is a fraction, so that nothing is lost of numbers near 2^60. `wrong` spreads the draws as a faulty sampler
    would.
    """
    whole, rest = divmod(*mean)
    jitter = np.random.default_rng(len(draws)).uniform(-0.5, 0.5, len(draws))  # a draw stands for an interval
    scaled = wrong * (np.array([(draw - whole) - rest / mean[1] for draw in draws]) + jitter) / math.sqrt(variance)
    number, two_sided = len(draws), stats.norm.isf(ALARM / 2)
    counts = np.bincount((stats.norm.cdf(scaled) * CELLS).astype(int), minlength=CELLS)
    square = ((counts - number / CELLS) ** 2).sum() / (number / CELLS)
    return (
        abs(scaled.mean()) * math.sqrt(number) < two_sided,
        stats.chi2.isf(1 - ALARM / 2, number) < (scaled**2).sum() < stats.chi2.isf(ALARM / 2, number),
        square < stats.chi2.isf(ALARM, CELLS - 1),
    )


LARGE = [10**6, 10**12, 2**60]


def large_draws(size: int, number: int) -> list[tuple[list[int], tuple[int, int], float]]:
    """Return draws of both kinds with numbers of this size, their means as fractions, and their variances."""
    pairs = []
    for share, part in ((0.5, 0.5), (0.3, 0.45), (0.02, 0.9)):
        good, drawn = int(size * share), int(size * part)
        p, rest = good / size, (size - drawn) / (size - 1)
        draws = [hypergeometric(5, time, 2, good, size - good, drawn) for time in range(number)]
        pairs.append((draws, (good * drawn, size), drawn * p * (1 - p) * rest))
        draws = [binomial(6, time, 2, size, good, size) for time in range(number)]
        pairs.append((draws, (good, 1), size * p * (1 - p)))
    return pairs


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.false_alarm(1.8e-5)
def test_draws_of_large_numbers_have_their_moments_and_a_normal_limit(size: int) -> None:
    """With a standard deviation that is 15 % off, which is a wrong constant in the hat, each of the draws is found out.

    The limit is off by some 1e-3 in distribution at 10^6, far below what 3,000 draws show.
    """
    for draws, mean, variance in large_draws(size, 3000):
        assert all(normal_cells(draws, mean, variance))
        assert not normal_cells(draws, mean, variance, wrong=1.15)[1]


# ---------------------------------------------------------------------- edges

numbers = st.one_of(st.integers(0, 60), st.integers(0, 2**20), st.integers(0, 2**59))
PINNED = [
    (3, 2, 2), (50, 50, 50), (1000, 2000, 700), (10**6, 10**6, 10**6), (10**12, 10**11, 10**11), (2**59, 2**58, 2**59),
]  # fmt: skip


@given(numbers, numbers, st.floats(0, 1), st.integers(0, 2**62 - 1), st.integers(0, 2**62 - 1))
def test_no_draw_is_out_of_range(good: int, bad: int, part: float, key: int, time: int) -> None:
    drawn = min(good + bad, int(part * (good + bad)))
    got = hypergeometric(key, time, 1, good, bad, drawn)
    assert max(0, drawn - bad) <= got <= min(good, drawn)
    assert hypergeometric(key, time, 1, good, 0, min(good, drawn)) == min(good, drawn)
    if good + bad:
        assert 0 <= binomial(key, time, 1, drawn, good, good + bad) <= drawn
        assert binomial(key, time, 1, drawn, 0, good + bad) == 0
        assert binomial(key, time, 1, drawn, good + bad, good + bad) == drawn


def test_draws_at_fixed_places_stay_as_they_are() -> None:
    """A stream is the same on every machine and in every version: these numbers are part of the rules of the game."""
    draws = [hypergeometric(1, 2, 3, *one) for one in PINNED]
    assert [*draws, *(binomial(1, 2, 3, 2 * a, a, a + b) for a, b, _ in PINNED)] == EXPECTED


EXPECTED = [
    0, 20, 214, 499408, 90909235754, 384307167856973211,
    2, 41, 631, 998818, 1818182497562, 768614337250395783,
]


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="numba is not installed")
def test_compiled_draws_are_the_same_numbers() -> None:
    """Of all forms of draws, at numbers from 1 to 2^60."""
    pair = [compiled(one, lambda numba: (numba.int64,) * 6) for one in (hypergeometric, binomial)]
    rng, above = np.random.default_rng(2), 0
    for _ in range(1500):
        good, bad = (int(2.0 ** rng.uniform(0, 59)) for _ in range(2)) if rng.random() < 0.5 else rng.integers(1, 99, 2)
        place, drawn = (int(rng.integers(2**62)), int(rng.integers(2**62)), 7), int(rng.uniform() * (good + bad))
        numbers = int(good), int(bad), drawn
        assert pair[0](*place, *numbers) == hypergeometric(*place, *numbers)
        assert pair[1](*place, drawn, int(good), int(good + bad)) == binomial(*place, drawn, int(good), int(good + bad))
        above += good + bad > 2**53
    assert above > 100
