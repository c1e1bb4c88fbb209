"""Sketches of the density of the data: by hand, against the list of updates, their number, and what the noise keeps."""

from __future__ import annotations

from itertools import pairwise
from math import ceil, e, exp, log, sqrt
from typing import Any

import numpy as np
import pytest

from disttrack.privacy.mechanisms import LazyGradient, OnlineWeights
from disttrack.privacy.mechanisms.statistical.base import Members
from disttrack.privacy.mechanisms.statistical.corrected import ANSWER, TEST, THRESHOLD

NODES, WEIGHTS = np.polynomial.legendre.leggauss(60)


def cells(*inside: int) -> Members:
    return Members(np.array(inside, dtype=bool))


def test_a_lazy_gradient_by_hand() -> None:
    """Points in cells 0, 0, 0, 1 of four; T = 1/4, D = 2: a move is 1/8."""
    rules = LazyGradient(threshold=0.25, density=2.0, cells=4)
    run = rules.start(np.array([0, 0, 0, 1]), 9, np.random.default_rng(0))
    assert run.answer(cells(1, 1, 1, 0)) == 0.75  # the sample says 1, off by T and no more
    assert run.answer(cells(1, 0, 0, 0)) == 0.75  # 1/4 would be off by 1/2; the sketch is 9/8, 1, 1, 1 now
    assert run.answer(cells(1, 1, 0, 0)) == 1.0  # 17/32 would be off; the sketch is 10/8, 9/8, 1, 1
    assert run.answer(cells(0, 0, 0, 1)) == 0.25  # 1/4, and 0 on the sample
    assert run.answer(cells(0, 0, 1, 1)) == 0.0  # 1/2 would be off; the sketch is 10/8, 9/8, 7/8, 7/8
    assert run.answer(cells(0, 0, 1, 0)) == 7 / 32
    assert run.paid == 3


def listed(rules: LazyGradient | OnlineWeights, updates: list[tuple[float, Members]], cell: int) -> float:
    """Return the sketch at a cell from the list of updates."""
    total = sum(sign * float(query.inside[cell]) for sign, query in updates)
    if isinstance(rules, LazyGradient):
        return min(max(1 + rules.threshold / 2 * total, 0.0), rules.density)
    return exp(2 * rules.threshold * total)


def plain(rules: LazyGradient | OnlineWeights, data: Any, queries: list[Members]) -> list[float]:
    """Return all answers without noise, each from the list of updates alone."""
    updates: list[tuple[float, Members]] = []
    answers = []
    for query in queries:
        sketch = [listed(rules, updates, cell) for cell in range(rules.cells or 0)]
        whole = len(sketch) if isinstance(rules, LazyGradient) else sum(sketch)
        guess = sum(value for value, there in zip(sketch, query.inside, strict=True) if there) / whole
        mean = sum(bool(query.inside[cell]) for cell in data) / len(data)
        if abs(mean - guess) <= rules.threshold or len(updates) == rules.updates:
            answers.append(guess)
            continue
        if isinstance(rules, LazyGradient):
            mean = rules.threshold * round(mean / rules.threshold)
        updates.append((1.0 if mean > guess else -1.0, query))
        answers.append(mean)
    assert updates  # something was learned
    return answers


@pytest.mark.parametrize(
    "rules",
    [
        LazyGradient(threshold=0.1513, density=2.0, cells=16),
        LazyGradient(threshold=0.3, density=1.05, cells=16),  # two updates and no more
        OnlineWeights(threshold=0.1513, density=16.0, cells=16, epsilon=1e12),
    ],
)
def test_a_sketch_is_a_function_of_the_list_of_its_updates(rules: LazyGradient | OnlineWeights) -> None:
    rng = np.random.default_rng(5)
    data = rng.integers(0, 6, 37)
    queries = [Members(rng.integers(0, 2, 16) == 1) for _ in range(200)]
    run = rules.start(data, 200, rng)
    assert run.release(queries) == pytest.approx(plain(rules, data, queries), abs=1e-4)


def test_the_bound_of_all_transcripts() -> None:
    rules = LazyGradient(threshold=0.2, density=2.0, cells=64)
    assert rules.updates == 100
    transcripts = 100 * log(e * 1000 * (ceil(5) + 1) / 100)
    error = sqrt((log(2 * 1000 / 0.05) + transcripts) / (2 * 30_000))
    assert rules.bound(30_000, 1000, 0.05) == pytest.approx(0.2 + error)
    assert error < 0.1
    assert rules.bound(26_100, 1000, 0.05) is not None
    assert rules.bound(25_900, 1000, 0.05) is None  # above T / 2
    assert LazyGradient(threshold=0.2).bound(30_000, 1000, 0.05) is None  # draws represent the prior
    # without updates, Hoeffding's alone; of 20 queries each may be one
    assert LazyGradient(density=1.0, cells=8).bound(5000, 7, 0.1) == pytest.approx(0.1 + sqrt(log(140) / 10_000))
    few = sqrt((log(40 / 0.05) + 20 * log(e * 6)) / 60_000)
    assert rules.bound(30_000, 20, 0.05) == pytest.approx(0.2 + few)


def chance(gaps: list[float], threshold: float, scale: float) -> float:
    """Return the probability that all tests but the last are passed and the last is not, by Gauss-Legendre."""
    total = 0.0
    kinks = sorted({0.0, *(gap - threshold for gap in gaps)})
    far = 60 * THRESHOLD * scale
    for low, high in pairwise([kinks[0] - far, *kinks, kinks[-1] + far]):
        noise = (low + high) / 2 + (high - low) / 2 * NODES
        value = np.exp(-np.abs(noise) / (THRESHOLD * scale)) / (2 * THRESHOLD * scale)
        for place, gap in enumerate(gaps):
            # passed: gap <= threshold + noise + the noise of the test
            short = gap - threshold - noise
            tail = 0.5 * np.exp(-np.abs(short) / (TEST * scale))
            passed = np.where(short > 0, tail, 1 - tail)
            value = value * (1 - passed if place == len(gaps) - 1 else passed)
        total += (high - low) / 2 * float(WEIGHTS @ value)
    return total


def test_an_update_takes_its_share_of_the_budget() -> None:
    """Tests up to a failing one, exactly: e^(1 / (sigma n)), nearly met; half of the noise is seen. And the sum."""
    samples = 100
    rules = OnlineWeights(epsilon=1.0, delta=1e-6, threshold=0.2, density=2.0, cells=8)
    scale = rules.scale(samples)

    def worst(scale: float) -> float:
        ratios = []
        for others, last in ((0.0, 0.4), (0.19, 0.2), (0.6, 0.0)):
            for passed in (1, 3, 30):
                one = [others] * passed + [last]
                other = [others + 1 / samples] * passed + [last - 1 / samples]
                ratios.append(abs(log(chance(one, 0.2, scale) / chance(other, 0.2, scale))))
        return max(ratios)

    share = 1 / (scale * samples)
    assert 0.5 * share < worst(scale) <= share * (1 + 1e-9)
    assert worst(scale / 2) > share
    answer = ANSWER / (scale * samples)  # the mean of an answer moves by 1 / n
    rho = rules.updates * (share + answer) ** 2 / 2
    assert rho + 2 * sqrt(rho * log(1e6)) == pytest.approx(1.0)
    assert rules.stability(samples, 50) == (1.0, 1e-6)
    assert LazyGradient().stability(samples, 50) is None
    assert OnlineWeights(density=1.0, cells=8).scale(samples) > 0
