"""Counters for sparse streams: their estimates, their bounds, and what they gain over the binary counter."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import Binary, Hybrid, Sparse, SparseInfinite

FALSE_ALARM = 1e-6


@pytest.mark.parametrize("rules", [Sparse(1.0, 20_000), SparseInfinite(1.0)])
def test_estimates_are_those_of_a_counter_fed_once_a_segment(rules: Sparse) -> None:
    stream = (np.random.default_rng(3).random(20_000) < 0.3).astype(float)
    got = rules.start(np.random.default_rng(9)).release(stream)
    for_partition, for_counter = np.random.default_rng(9).spawn(2)
    cuts = rules.partition.start(for_partition).closings(stream)
    inner = rules.inner.start(for_counter)
    assert rules.inner == Hybrid(0.5)
    assert rules.partition.epsilon == 0.5
    expected = np.zeros(20_000)
    for place, items in cuts:
        expected[place:] = inner.step(items)
    assert got.tolist() == expected.tolist()
    assert len(cuts) > 5


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("rules", [Sparse(1.0, 20_000), SparseInfinite(1.0)])
@pytest.mark.false_alarm(1e-6)
def test_error_bound_holds(rules: Sparse) -> None:
    # 300 runs; errors beyond the 10 % bound in more than 60 of them have a chance below 1e-6
    stream = (np.random.default_rng(3).random(20_000) < 0.05).astype(float)
    truth = np.cumsum(stream)
    rng = np.random.default_rng(10)
    steps = (500, 7_000, 20_000)
    bounds = [rules.error_bound(t, 0.1, items=int(truth[t - 1])) for t in steps]
    beyond = np.zeros(3)
    for _ in range(300):
        errors = np.abs(rules.start(rng).release(stream) - truth)
        beyond += [errors[t - 1] > bound for t, bound in zip(steps, bounds, strict=True)]
    assert stats.binom.sf(60 - 1, 300, 0.1) < FALSE_ALARM
    assert beyond.max() < 60
    assert rules.error_bound(20_000, 0.1) >= rules.error_bound(20_000, 0.1, items=int(truth[-1]))


def test_segments_that_time_out_are_few() -> None:
    rules = SparseInfinite(1.0)
    assert rules.segments(1 << 24, 0) == 7
    run = rules.start(np.random.default_rng(1), silent=True)
    run.release(np.zeros(70_000))
    assert run.partition.segments == 5 <= rules.segments(70_000, 0)


@pytest.mark.slow
def test_sparse_streams_are_counted_better_than_by_a_binary_counter() -> None:
    # n = 64 items in T = 2^24 steps, medians of the largest error over all steps. Few runs are enough: the
    # binary counter's is 880 +- 40, more than ten times the other; the scenario `sparse` takes a hundred.
    horizon = 1 << 24
    rng = np.random.default_rng(31)
    stream = np.zeros(horizon, dtype=np.float32)
    stream[rng.choice(horizon, 64, replace=False)] = 1
    truth = np.cumsum(stream)
    sparse = [_largest_error(SparseInfinite(1.0).start(rng), stream, truth) for _ in range(5)]
    binary = [_largest_error(Binary(1.0, horizon).start(rng), stream, truth) for _ in range(3)]
    assert np.median(sparse) <= np.median(binary) / 2


def _largest_error(run: object, stream: np.ndarray, truth: np.ndarray) -> float:
    """Return the largest error over all steps, a piece at a time."""
    largest = 0.0
    for at in range(0, len(stream), 1 << 20):
        piece = slice(at, at + (1 << 20))
        largest = max(largest, float(np.max(np.abs(run.release(stream[piece]) - truth[piece]))))  # type: ignore[attr-defined]
    return largest
