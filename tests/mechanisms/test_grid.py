"""Discrete Laplace and Gaussian samples: their exact probabilities, whatever bits they take."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms.grid import MOST, discrete_gaussian, discrete_laplace, spacing

Sampler = Callable[[Any, float, int], np.ndarray]
FALSE_ALARM = 1e-6


def laplace_chances(scale: float, reach: int) -> np.ndarray:
    """Probabilities of -reach ... reach, each end with all beyond it."""
    ratio = math.exp(-1 / scale)
    chances = (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1.0))
    chances[[0, -1]] = ratio**reach / (1 + ratio)
    return chances


def gaussian_chances(sigma: float, reach: int) -> np.ndarray:
    far = np.arange(-40 * math.ceil(sigma) - reach, 40 * math.ceil(sigma) + reach + 1.0)
    weights = np.exp(-((far / sigma) ** 2) / 2)
    weights /= weights.sum()
    inner = weights[np.abs(far) <= reach]
    inner[[0, -1]] += weights[far > reach].sum()
    return inner


CASES = [(discrete_laplace, laplace_chances, scale) for scale in (0.2, 2.7, 40.0)]
CASES += [(discrete_gaussian, gaussian_chances, sigma) for sigma in (0.3, 2.7, 40.0)]


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(("sampler", "chances", "scale"), CASES)
@pytest.mark.parametrize("size", [16, 4000])
@pytest.mark.false_alarm(1e-6)
def test_each_integer_has_its_probability(sampler: Sampler, chances: Any, scale: float, size: int) -> None:
    """Chi-square at 1e-6 over 16,000 draws, taken by few or by many; a scale that is 20 % off is found."""
    rng = np.random.default_rng(5)
    draws = np.concatenate([sampler(rng, scale, size) for _ in range(16_000 // size)])
    reach = max(1, round(2 * scale))
    observed = np.bincount((np.clip(draws, -reach, reach) + reach).astype(int), minlength=2 * reach + 1)
    assert stats.chisquare(observed, len(draws) * chances(scale, reach)).pvalue > FALSE_ALARM
    assert stats.chisquare(observed, len(draws) * chances(1.2 * scale, reach)).pvalue < FALSE_ALARM


class Given:
    """Stands for a generator whose next words are given, as whole numbers from 0 to 2^53 - 1."""

    def __init__(self, words: Sequence[int]) -> None:
        self.left = list(words)

    def random(self, size: int | None = None) -> Any:
        wanted = 1 if size is None else size
        taken, self.left = self.left[:wanted], self.left[wanted:]
        if len(taken) < wanted:
            raise LookupError("more words were taken than there are")
        return taken[0] / 2.0**53 if size is None else np.array(taken, dtype=np.float64) / 2.0**53


@pytest.mark.parametrize("size", [1, 30])
def test_words_on_an_edge_take_more_words_and_the_next_draws_take_the_following(size: int) -> None:
    """The word that holds the edge between 0 and 1, then a word low or high: U is below the edge or above it."""
    ratio = math.exp(-1 / 3.0)
    edge = math.floor(2.0**52 * 2 * ratio / (1 + ratio))
    seen = set()
    for off in range(-2, 3):  # the edge as a double is right to a unit or two
        for second in (0, 2**53 - 1):
            rng = Given([edge + off, second, *([2**52 - 2] * 40)])
            draws = discrete_laplace(rng, 3.0, size)
            used = 42 - len(rng.left)
            seen.add((off, used - size, abs(draws[0])))
    refined = {value for off, more, value in seen if more == 1}
    assert refined == {0.0, 1.0}  # one word of the five holds the edge; the second word decides
    assert {value for off, more, value in seen if off == -2} == {1.0}
    assert {value for off, more, value in seen if off == 2} == {0.0}


@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
def test_an_interval_of_words_has_its_exact_probability(scale: float) -> None:
    """Bisection finds the first word of each magnitude; the number of words is the probability, to one in 2^52."""

    def magnitude(word: int) -> float:
        return abs(float(discrete_laplace(Given([word, *[2**52] * 3]), scale, 1)[0]))

    for k in (1, 2, 3, 7):
        low, high = 0, 2**52 - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if magnitude(middle) >= k else (low, middle)
        exact = 2 * math.exp(-k / scale) / (1 + math.exp(-1 / scale))
        assert float(Fraction(high, 2**52)) == pytest.approx(exact, rel=1e-13, abs=2.0**-51)
        assert discrete_laplace(Given([low, 0]), scale, 1)[0] == -k
        assert discrete_laplace(Given([2**53 - 1 - low, 0]), scale, 1)[0] == k


@pytest.mark.parametrize("sigma", [0.6, 1.0, 3.5])
def test_candidates_are_taken_with_their_exact_probability(sigma: float) -> None:
    """Bisection over the second word, for each candidate: the published acceptance probability, to one in 2^53."""
    proposal = math.floor(sigma) + 1
    for first in (2**52 - 1, 2**51, 2**49, 2**46):
        candidate = float(discrete_laplace(Given([first, 0]), float(proposal), 1)[0])
        chance = math.exp(-((abs(candidate) - sigma**2 / proposal) ** 2) / (2 * sigma**2))

        def taken(second: int, first: int = first) -> bool:
            try:
                return len(discrete_gaussian(Given([first, second]), sigma, 1)) == 1
            except LookupError:  # the next candidate, or an edge within the word
                return False

        low, high = 0, 2**53 - 1
        if taken(high):
            assert chance == 1.0
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if taken(middle) else (low, middle)
        assert high / 2.0**53 == pytest.approx(chance, rel=1e-13)


@pytest.mark.parametrize("scale", [0.4, 1.0, 3e6, 2.0**36])
@pytest.mark.parametrize("sampler", [discrete_laplace, discrete_gaussian])
def test_many_draws_are_as_many_single_ones(sampler: Sampler, scale: float) -> None:
    """By few, by many, by more than a block; at 2^36 some words are unsure in doubles."""
    for sizes in ((0, 1, 30, 2), (25, 7, 100), (4200,)):
        parts, single = np.random.default_rng(len(sizes)), np.random.default_rng(len(sizes))
        mixed = [draw for size in sizes for draw in sampler(parts, scale, size).tolist()]
        assert len(mixed) == sum(sizes)
        wanted = min(len(mixed), 300)
        assert mixed[:wanted] == [float(sampler(single, scale, 1)[0]) for _ in range(wanted)]
        if wanted == len(mixed):
            assert parts.random() == single.random()


def test_the_order_holds_where_words_are_refined() -> None:
    """Words 0 hold edges; what refines one is not the next draw's."""
    words = np.random.default_rng(3).integers(0, 2**53, 400).tolist()
    words[::7] = [0] * len(words[::7])
    for sampler in (discrete_laplace, discrete_gaussian):
        at_once, one_by_one = Given(words), Given(words)
        assert sampler(at_once, 2.0**20, 60).tolist() == [float(sampler(one_by_one, 2.0**20, 1)[0]) for _ in range(60)]
        assert at_once.left == one_by_one.left


def test_the_grid_is_a_power_of_two_that_integers_lie_on() -> None:
    for scale in (1e-9, 0.3, 1.0, 7.7, 2.0**20, 2.0**21, 1e12):
        step = spacing(scale)
        assert math.frexp(step)[0] == 0.5
        assert (1 / step).is_integer()
        assert scale / step >= 2**20
        assert scale / step < 2**21 or step == 1
    with pytest.raises(ValueError, match=r"scale of noise on a grid must be at most 2\^40; got 1.09951e\+12"):
        spacing(MOST * (1 + 1e-9))
