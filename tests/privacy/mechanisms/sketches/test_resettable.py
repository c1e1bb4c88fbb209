"""Samples of resettable counters: which units are in them, what is published, and the size that is derived."""

from __future__ import annotations

from math import exp, expm1, log, sqrt

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binomtest

from disttrack.privacy.mechanisms import PrivateSample, ResetSample
from disttrack.privacy.mechanisms.sketches.resettable import KEPT

STREAM = [*((item, 700) for item in range(40)), *((item, 0) for item in range(0, 40, 3)), (1, 900), (50, 1), (99, 0)]


def listed(sketch: ResetSample | PrivateSample, seed: int, moves: list[tuple[int, int]]) -> list[float]:
    """Return the answers from the text: coins for the units, and a counter of the changes once units are left out."""
    coins = np.random.default_rng(seed)
    entries: list[int] = []
    noise = None
    if isinstance(sketch, PrivateSample):
        coins, noise = coins.spawn(2)
    size = sketch.total_rows
    sampled: dict[int, int] = {}
    rate, shown, counted = 1.0, 0.0, 0
    answers = []
    for step, (item, change) in enumerate(moves):
        if shown >= size:
            share = 0.9 * size / shown
            left = coins.binomial([sampled[key] for key in sampled], share)
            sampled = {key: int(units) for key, units in zip(sampled, left, strict=True) if units}
            rate *= share
        if change:
            sampled[item] = sampled.get(item, 0) + int(coins.binomial(change, rate))
        if not change or not sampled[item]:
            sampled.pop(item, None)
        shown = float(sum(sampled.values()))
        if noise is not None and rate < 1 and step < sketch.horizon:
            entries.append(int(shown) - counted)
            counted = int(shown)
            shown = sketch.counter.start(np.random.default_rng(seed).spawn(2)[1]).release(entries)[-1]
        answers.append(max(0.0, shown) / rate)
    return answers


@pytest.mark.parametrize("sketch", [ResetSample(3000), PrivateSample(horizon=60), PrivateSample(horizon=45)], ids=repr)
def test_answers_are_those_of_the_text(sketch: ResetSample | PrivateSample) -> None:
    run = sketch.start(np.random.default_rng(4))
    answers = [run.step(move) for move in STREAM]
    assert answers == pytest.approx(listed(sketch, 4, STREAM), rel=1e-12)
    exact = np.cumsum([change for _, change in STREAM[:4]])
    assert answers[:4] == exact.tolist()  # up to its size a sample is exact
    assert run.exhausted == (sketch.built_for is not None and sketch.built_for <= len(STREAM))


@pytest.mark.false_alarm(1e-6)
def test_a_unit_is_in_the_sample_with_the_stated_probability() -> None:
    """Of 3,000 units 1,000 are reset, before or after the thinning: 0.9 * 1500 / 3000 of the others are left.

    It finds units that survive their reset, or that come in at another rate than those before: 5 % more in one part.
    """
    before = after = 0
    for seed in range(300):
        run = ResetSample(size=1500).start(np.random.default_rng(seed))
        for move in ((1, 1000), (2, 2000), (1, 0)):
            run.update(*move)
        before += round(run.estimate() * 0.45)
        run.update(3, 1000)
        after += round(run.estimate() * 0.45)
    assert binomtest(before, 300 * 2000, 0.45).pvalue > 5e-7
    assert binomtest(after - before, 300 * 1000, 0.45).pvalue > 5e-7


@pytest.mark.parametrize(("updates", "delta", "alpha"), [(1, 0.5, 0.9), (900, 0.01, 0.5), (5000, 1e-6, 0.1)])
def test_the_size_is_the_least_one_of_the_proof(updates: int, delta: float, alpha: float) -> None:
    sketch = PrivateSample(horizon=updates, delta=delta, alpha=alpha)
    growth, tail = exp(sketch.counter.epsilon), log(4 * updates / delta)
    assert growth - 1 == pytest.approx(0.45 * alpha)
    noise = sketch.counter.error_bound_throughout(updates, delta / 2)

    def off(mean: float) -> float:
        return 2 * tail / 3 + sqrt(2 * growth * mean * tail) + noise

    least = brentq(lambda mean: (alpha - expm1(sketch.counter.epsilon)) * mean - off(mean), 1, 1e9, xtol=1e-6)
    published = growth * least / KEPT + off(least / KEPT)
    assert published <= sketch.size <= published + 1.01
    assert sketch.words == pytest.approx(2 * (sketch.size + noise), abs=30)


@pytest.mark.parametrize("updates", [1, 2, 7, 8, 33])
def test_the_counter_hides_the_coin_of_a_unit(updates: int) -> None:
    """A coin moves where a unit comes and where it goes, by 1 and -1: the densities differ by e^epsilon at most."""
    counter = PrivateSample(horizon=updates).counter
    columns = counter.encoder(updates).T
    one = np.abs(columns).sum(axis=1)
    two = np.abs(columns[:, None] - columns[None]).sum(axis=2)
    assert max(one.max(), two.max()) <= counter.epsilon * (1 + 1e-12)
    assert two.max() > counter.epsilon / 3 or updates == 1  # and is not far from it
