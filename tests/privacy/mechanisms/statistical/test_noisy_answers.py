"""Laplace answers, the noisy argmax, and the theorems on them: exact where they are small, by runs otherwise."""

from __future__ import annotations

from itertools import pairwise
from math import exp, floor, log, sqrt
from typing import Any

import numpy as np
import pytest
from two_means import first_wins

from disttrack.mechanisms import Laplace
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    MECHANISMS,
    GaussianAnswers,
    LaplaceAnswers,
    NoisyArgmax,
    OnlineWeights,
    QueryMechanism,
    ThresholdOut,
)
from disttrack.privacy.mechanisms.statistical.base import Members
from disttrack.privacy.mechanisms.statistical.noisy import noisy_argmax

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def named(means: list[float], place: int, scale: float) -> float:
    """Return the probability that the noisy argmax names one of several means, by Gauss-Legendre between the kinks."""
    others = [mean for number, mean in enumerate(means) if number != place]
    points = sorted({min(means) - 40 * scale, *means, max(means) + 40 * scale})
    total = 0.0
    for low, high in pairwise(points):
        x = (low + high) / 2 + (high - low) / 2 * NODES
        value = np.exp(-np.abs(x - means[place]) / scale) / (2 * scale)
        for mean in others:
            far = 0.5 * np.exp(-np.abs(x - mean) / scale)
            value = value * np.where(x < mean, far, 1 - far)
        total += (high - low) / 2 * float(WEIGHTS @ value)
    return total


def worst_ratio(samples: int, scale: float, queries: int) -> float:
    """Return the largest ratio of the probabilities of a name on samples that differ in a point."""
    worst = 0.0
    steps = [0.0, 1 / samples]
    for base in ([0.0] * queries, [j / (2 * queries) for j in range(queries)]):
        for number in range(2**queries):
            moved = [mean + steps[number >> j & 1] for j, mean in enumerate(base)]
            for opposite in range(2**queries):
                other = [mean + steps[opposite >> j & 1] for j, mean in enumerate(base)]
                for place in range(queries):
                    worst = max(worst, named(moved, place, scale) / named(other, place, scale))
    return worst


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_theorem_3_two_queries_exactly(epsilon: float) -> None:
    """Every pair of neighbouring means of two queries, in closed form; with half of the noise it fails."""
    samples = 10
    scale = NoisyArgmax(epsilon).noise(samples).scale
    assert scale == 2 / (epsilon * samples)

    def worst(scale: float) -> float:
        gaps = np.linspace(-1, 1, 81)
        return max(
            first_wins(gap + move / samples, scale) / first_wins(gap, scale) for gap in gaps for move in (-2, -1, 1, 2)
        )

    assert worst(scale) <= exp(epsilon) * (1 + 1e-12)
    assert worst(scale / 2) > exp(epsilon)


def test_theorem_3_three_queries_by_integration() -> None:
    samples, epsilon = 4, 1.0
    scale = NoisyArgmax(epsilon).noise(samples).scale
    assert worst_ratio(samples, scale, 3) <= exp(epsilon) * (1 + 1e-6)
    assert worst_ratio(samples, scale / 3, 3) > exp(epsilon)


@pytest.mark.false_alarm(1e-8)
def test_claim_4_the_name_is_nearly_the_largest() -> None:
    """Of 2,000 choices among 50 means at most 5 % may lose more than the bound; more than 8 % has a chance of 1e-8."""
    rules, rng = NoisyArgmax(0.5), np.random.default_rng(3)
    means = np.linspace(0.2, 0.9, 50)
    bound = 4 / (0.5 * 1000) * log(50 / 0.05)

    def share(noise: Laplace) -> float:
        return float(np.mean([means.max() - means[noisy_argmax(means, noise, rng)] > bound for _ in range(2000)]))

    assert share(rules.noise(1000)) <= 0.08
    assert share(Laplace(20 * rules.noise(1000).scale)) > 0.2  # the control: twenty times the noise


def test_conclusion_1_and_claim_2_in_closed_form() -> None:
    """gamma = epsilon / sqrt(8 k ln(1 / delta)); k noises stay below ln(k / beta) scales with (1 - beta / k)^k."""
    rules, samples, queries, beta = LaplaceAnswers(0.1, delta=1e-5), 5000, 40, 0.05
    gamma = 0.1 / sqrt(8 * 40 * log(1e5))
    assert rules.noise(samples, queries).scale == pytest.approx(1 / (gamma * samples))
    bound = rules.empirical_bound(samples, queries, beta)
    assert bound == pytest.approx(log(queries / beta) / (gamma * samples))
    missed = 1 - (1 - 2 * rules.noise(samples, queries).tail(bound)) ** queries
    assert 0.9 * beta < missed <= beta
    half = LaplaceAnswers(0.05, delta=1e-5).noise(samples, queries)  # the control: noise for half of the epsilon
    assert 1 - (1 - 2 * half.tail(bound)) ** queries > 5 * beta


def privacy_loss(epsilon: float, queries: int) -> float:
    """Return the delta at which k answers with Laplace noise of loss epsilon are (1, delta)-private, by convolution.

    The loss of one answer, whose mean moves by 1 / n, is epsilon with probability 1/2, -epsilon with e^-epsilon / 2,
    and in between it has density e^(-(epsilon - x) / 2) / 4.
    """
    step = epsilon / 50
    grid = np.arange(-50, 51) * step
    mass = np.exp(-(epsilon - grid) / 2) / 4 * step
    mass[0] += 0.5 * exp(-epsilon)
    mass[-1] += 0.5
    mass /= mass.sum()
    size = 1 << int(np.ceil(np.log2(100 * queries + 2)))
    whole = np.clip(np.fft.irfft(np.fft.rfft(mass, size) ** queries, size), 0, None)
    losses = (np.arange(size) - 50 * queries) * step
    over = losses > 1
    return float((whole[over] * (1 - np.exp(1 - losses[over]))).sum())


def test_conclusion_1_by_the_distribution_of_the_privacy_loss() -> None:
    """At epsilon = 1 and delta = 1e-3, gamma keeps the loss of 100 answers; noise for four times the gamma does not."""
    delta, queries = 1e-3, 100
    gamma = 1 / sqrt(8 * queries * log(1 / delta))
    assert privacy_loss(gamma, queries) <= delta
    assert privacy_loss(4 * gamma, queries) > delta


EVERY = Members(np.arange(8) < 8)
"""A query of mean 1, from which each sketch is far."""
DRAWN = [
    (LaplaceAnswers(0.1, delta=1e-5), {1 / (0.1 / sqrt(8 * 3 * log(1e5)) * 40)}),
    (GaussianAnswers(std=0.2), {0.2}),
    (NoisyArgmax(0.5), {2 / (0.5 * 40)}),
    (OnlineWeights(epsilon=1.0, density=8.0, cells=8, threshold=0.01), None),
    (ThresholdOut(threshold=0.01, noise=0.005), {0.005, 2 * 0.005, 4 * 0.005}),
    (ThresholdOut(threshold=0.01, noise=0.005, normal=True), {0.005}),
]


@pytest.mark.parametrize(("rules", "scales"), DRAWN, ids=lambda one: getattr(one, "kind", ""))
def test_each_draw_has_the_scale_that_the_proof_needs_and_no_more(rules: Any, scales: set[float] | None) -> None:
    """Exact, from both sides: claims that an error stays below a bound do not see noise that is missing."""
    if scales is None:  # rho = 2 U / (sigma n)^2 with rho + 2 sqrt(rho ln(1 / delta)) = epsilon
        rho = (sqrt(1 + log(1e6)) - sqrt(log(1e6))) ** 2
        sigma = sqrt(2 * floor(2 * log(8) / 0.01**2 + 1e-9) / rho) / 40
        scales = {sigma, 2 * sigma, 4 * sigma}
    source: Any = ScriptedNoise()
    run = rules.start(np.array([3] * 20 + [5] * 20), 3, source)
    query = Members(np.arange(8) == 5)
    run.select([EVERY, query]) if not rules.answers else run.answer(query)
    assert {round(batch.scale, 12) for batch in source.batches} == set(np.round(sorted(scales), 12))


def test_every_curator_that_states_privacy_is_among_them() -> None:
    assert {type(rules) for rules, _ in DRAWN} == {
        cls for cls in MECHANISMS.values() if issubclass(cls, QueryMechanism) and cls.arithmetic
    }
