"""Claims A to C and Algorithm B of the lecture on small cases: every sample, every choice, exact probabilities."""

from __future__ import annotations

from itertools import product
from math import comb, exp

import numpy as np
import pytest
from scipy import stats
from test_noisy_answers import named
from two_means import first_wins

from disttrack.privacy.mechanisms import NoisyArgmax

CHANCE = 0.3
"""Points are bits, 1 with this probability."""


def chance_of(ones: int, samples: int) -> float:
    """Return the probability of a sample with so many ones."""
    return comb(samples, ones) * CHANCE**ones * (1 - CHANCE) ** (samples - ones)


def gap_of_choice(samples: int, scale: float) -> tuple[float, float]:
    """Return E q(S) and E q(D) of the query that the noisy argmax names, between 'x' and 'not x', over all samples."""
    on_sample = on_truth = 0.0
    for ones in range(samples + 1):
        mean = ones / samples
        first = first_wins(2 * mean - 1, scale)  # 'x' has mean m on the sample, 'not x' has 1 - m
        on_sample += chance_of(ones, samples) * (first * mean + (1 - first) * (1 - mean))
        on_truth += chance_of(ones, samples) * (first * CHANCE + (1 - first) * (1 - CHANCE))
    return on_sample, on_truth


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("samples", [1, 2, 5, 20])
def test_claim_a_exactly(epsilon: float, samples: int) -> None:
    """E q(S) <= e^epsilon E q(D) for a stable choice, so the gap is e^epsilon - 1 at most; without noise it is not."""
    on_sample, on_truth = gap_of_choice(samples, NoisyArgmax(epsilon).noise(samples).scale)
    assert on_truth < on_sample <= exp(epsilon) * on_truth
    assert on_sample - on_truth <= exp(epsilon) - 1
    if samples <= 2 and epsilon <= 0.1:
        on_sample, on_truth = gap_of_choice(samples, 1e-6)
        assert on_sample > exp(epsilon) * on_truth


def algorithm_b(samples: int, scale: float) -> tuple[float, float]:
    """Run Algorithm B with two databases on all of them: W names 'x', and a query stands for its complement too.

    Returns E q(S_t) and E q(D), the noisy argmax choosing among q(S_t) - q(D) and the same of the complements.
    """
    on_sample = on_truth = 0.0
    for ones in product(range(samples + 1), repeat=2):
        likely = chance_of(ones[0], samples) * chance_of(ones[1], samples)
        gaps = [sign * (one / samples - CHANCE) for one in ones for sign in (1, -1)]
        for place, gap in enumerate(gaps):
            truth = CHANCE if place % 2 == 0 else 1 - CHANCE
            picked = likely * named(gaps, place, scale)
            on_truth += picked * truth
            on_sample += picked * (truth + gap)
    return on_sample, on_truth


@pytest.mark.parametrize("samples", [2, 4])
def test_claim_b_exactly(samples: int) -> None:
    """Of T = 2 databases a stable procedure picks a query that is off by 2 epsilon at most on average."""
    epsilon = 0.4
    on_sample, on_truth = algorithm_b(samples, NoisyArgmax(epsilon).noise(samples).scale)
    assert on_truth < on_sample <= exp(epsilon) * on_truth
    assert on_sample - on_truth <= 2 * epsilon
    if samples == 2:  # the control: without noise the worst of both is picked, further off than epsilon = 0.1 allows
        on_sample, on_truth = algorithm_b(samples, 1e-3)
        assert on_sample > exp(0.1) * on_truth


def test_theorem_8_exactly_and_without_stability_it_fails() -> None:
    """With n = ln(1 / delta) / epsilon^2 a query is off by 10 epsilon with a chance below delta / epsilon."""
    epsilon, delta = 0.05, 1e-4
    samples = int(np.log(1 / delta) / epsilon**2) + 1
    count = stats.binom(samples, CHANCE)
    off = count.cdf(np.ceil(samples * (CHANCE - 10 * epsilon)) - 1) + count.sf(
        np.floor(samples * (CHANCE + 10 * epsilon))
    )
    assert off < delta / epsilon  # for 'x' and for its complement alike, whichever the choice names
    # the control: the query 'is one of the sample' among 10 n cells is far off in every sample
    assert 1 - samples / (10 * samples) > 10 * epsilon
