"""CountSketch and count-min: against plain tables, their promises on streams fixed in advance, and the library's."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.mechanisms.sketches import CountMin, CountSketch, LibraryCountMin, Sketch
from disttrack.mechanisms.sketches.base import TARGET


@pytest.mark.parametrize(
    "sketch", [CountSketch(width=16, depth=3), CountMin(width=16, depth=3)], ids=lambda one: one.kind
)
def test_absorbing_is_updating(sketch: Sketch) -> None:
    one, other = sketch.start(np.random.default_rng(1)), sketch.start(np.random.default_rng(1))
    frequencies = {item: item % 7 + 1 for item in range(200)}
    one.absorb(frequencies)
    for item, frequency in frequencies.items():
        for _ in range(frequency):
            other.update(item, 1)
    assert (one.estimate(), one.scale()) == (other.estimate(), other.scale())


def errors(sketch: Sketch, seeds: int) -> np.ndarray:
    found = []
    for seed in range(seeds):
        run = sketch.start(np.random.default_rng(seed))
        run.absorb({TARGET: 50, **{item: 1 + item % 3 for item in range(1, 400)}})
        found.append(run.estimate() - 50)
    return np.array(found)


def test_count_sketch_is_unbiased_and_within_chebyshev() -> None:
    """A row of 32 has variance |f|^2 / 32 = 62 at most; the mean of 300 medians is within 6 · 8 / sqrt(300) (1e-8)."""
    found = errors(CountSketch(width=32, depth=5), 300)
    assert abs(found.mean()) < 2.8
    norm = np.sqrt(sum((1 + item % 3) ** 2 for item in range(1, 400)))
    assert np.mean(np.abs(found) > np.sqrt(3 / 32) * norm) < 0.05  # 1/6 of single rows at most; the median far below
    assert np.std(errors(CountSketch(width=32, depth=1), 300)) > 1.5 * found.std()  # the control: one row errs more


@pytest.mark.parametrize("make", [CountMin, LibraryCountMin])
@pytest.mark.false_alarm(1e-5)
def test_count_min_never_estimates_too_little(make: type) -> None:
    found = errors(make(width=64, depth=4), 100)
    assert found.min() >= 0
    total = sum(1 + item % 3 for item in range(1, 400))
    assert np.mean(found > np.e / 64 * total) <= 0.1  # e^-4 = 0.018; more than 10 of 100 have a chance of 1e-5
    assert errors(make(width=64, depth=1), 100).mean() > found.mean()
