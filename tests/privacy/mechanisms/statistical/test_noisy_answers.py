"""Laplace answers, the noisy argmax, and the theorems on them: exact where they are small, by runs otherwise."""

from __future__ import annotations

from math import floor, log, sqrt
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import Laplace
from disttrack.privacy.mechanisms.statistical import (
    CURATORS,
    GaussianAnswers,
    LaplaceAnswers,
    NoisyArgmax,
    OnlineWeights,
    ThresholdOut,
)
from disttrack.privacy.mechanisms.statistical.base import Members
from disttrack.privacy.mechanisms.statistical.noisy import noisy_argmax

NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


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


class Scales:
    """A generator that notes the scale of each draw, and draws zeros."""

    def __init__(self) -> None:
        self.noted: list[float] = []

    def laplace(self, mean: float, scale: float, size: int) -> np.ndarray:
        self.noted += [scale] * size
        return np.zeros(size)

    normal = laplace


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
    source: Any = Scales()
    run = rules.start(np.array([3] * 20 + [5] * 20), 3, source)
    query = Members(np.arange(8) == 5)
    run.select([EVERY, query]) if not rules.answers else run.answer(query)
    assert set(np.round(source.noted, 12)) == set(np.round(sorted(scales), 12))


def test_every_curator_that_states_privacy_is_among_them() -> None:
    assert {type(rules) for rules, _ in DRAWN} == {cls for cls in CURATORS.values() if cls.arithmetic}
