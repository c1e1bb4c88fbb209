"""Partitions and the counters made of them: the statements of Qiu and Yi on their sizes, with a control for each.

A wrong alternative stands beside each check: a partition that cuts too late or too early.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import Binary, Hybrid, PerItem, PrivatePartition, Sparse, SparseInfinite

BETA = 0.05


# ---------------------------------------------------------------------- Lemma 7


@dataclass(frozen=True)
class CutsLate(PrivatePartition):
    """Its tests have three times the thresholds, or more."""

    times: float = 3.0

    def threshold(self, segment: int, deadline: int) -> float:
        return self.times * super().threshold(segment, deadline)


def too_long(partition: PrivatePartition, seed: int, density: float, steps: int = 30_000) -> bool:
    """Return whether a segment has more than 13 ln(2 T_j / beta_j) items."""
    rng = np.random.default_rng(seed)
    closings = partition.start(rng).closings((rng.random(steps) < density).astype(float))
    deadline = 2
    for number, (place, items) in enumerate(closings, 1):
        if items > 13 * math.log(2 * deadline * (math.pi * number) ** 2 / (6 * BETA)):
            return True
        deadline = (place + 1) ** 2
    return False


@pytest.mark.parametrize("density", [1.0, 0.1])
def test_no_segment_has_more_items_than_the_logarithm_of_the_time(density: float) -> None:
    """40 runs, of which 5 % may fail: 12 or more have probability 1e-6. With thrice the thresholds most do."""
    assert stats.binom.sf(11, 40, BETA) < 2e-6
    assert sum(too_long(PrivatePartition(1.0, beta=BETA), seed, density) for seed in range(40)) < 12
    assert sum(too_long(CutsLate(1.0, beta=BETA), seed, density) for seed in range(40)) >= 30


@dataclass(frozen=True)
class CutsAtOnce(PrivatePartition):
    """Its tests have their thresholds at 0."""

    def threshold(self, segment: int, deadline: int) -> float:
        return 0.0


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize(("items", "steps"), [(0, 1 << 17), (3000, 1 << 18)])
def test_there_are_few_segments(items: int, steps: int) -> None:
    """At most n_t + O(log log t): 20 runs, each beyond it with probability 5 % at most, 9 of 20 with 1e-6.

    A partition whose thresholds are at 0 cuts an empty stream all the time.
    """
    stream = np.zeros(steps)
    stream[: steps - steps % max(1, items) : max(1, steps // max(1, items))][:items] = 1 if items else 0
    most = items + 2 + math.ceil(math.log2(math.log2(steps)))
    assert stats.binom.sf(8, 20, BETA) < 1e-5
    beyond = {}
    for cls, runs in ((PrivatePartition, 20), (CutsAtOnce, 1)):
        rules = cls(1.0, beta=BETA)
        part = stream[: steps if runs > 1 else 20_000]
        counts = [len(rules.start(np.random.default_rng(seed)).closings(part)) for seed in range(runs)]
        beyond[cls] = sum(count > most for count in counts)
        if runs > 1 and items:
            assert np.median(counts) <= 7 + items / 20  # a segment that closes by itself has some tens of items
    assert beyond[PrivatePartition] < 9
    assert beyond[CutsAtOnce] == 1


# ---------------------------------------------------------------------- Table 1 and Theorem 8


LOGS = range(8, 61, 4)
"""Logarithms of the time, to base 2."""


def growth(errors: Sequence[float], over: Sequence[float] = LOGS) -> float:
    """Return the power of a growth, from the least squares in logarithms."""
    return float(np.polyfit(np.log(over), np.log(errors), 1)[0])


def worst_deviation(counter: Any, steps: int) -> float:
    """Return the largest standard deviation of an estimate up to here, exactly."""
    return float(max(counter.variance(t) for t in (steps, steps - 1, *counter.worst_steps(steps))) ** 0.5)


def test_trees_err_by_the_power_three_halves_of_the_logarithm_of_the_time() -> None:
    """Rows 1 and 2: the exact standard deviation of the worst step. A noise an item is its square root's power."""
    binary = [worst_deviation(Binary(1.0, 2**logs - 1), 2**logs - 1) for logs in LOGS]
    hybrid = [worst_deviation(Hybrid(1.0), 2**logs - 1) for logs in LOGS]
    assert growth(binary) == pytest.approx(1.5, abs=0.02)
    assert growth(hybrid) == pytest.approx(1.5, abs=0.1)
    assert growth([worst_deviation(PerItem(1.0), 2**logs) for logs in LOGS]) > 5


@pytest.mark.parametrize("cls", [Sparse, SparseInfinite])
def test_a_counter_of_few_items_errs_by_the_logarithm_of_the_time(cls: type[Sparse]) -> None:
    """Rows 3 and 4 and Theorem 8, at 2,000 items: the bound of probability 0.05 grows like log T at most.

    It is the tail of a sum of Laplace variables, for as many segments as may have closed, beside the items of an open
    one. In the number of items it grows like log^1.5 n. The binary counter's grows like log^1.5 T.
    """
    in_time = [cls(1.0, 2**logs).error_bound(2**logs, BETA, items=2000) for logs in LOGS]
    assert 0.1 < growth(in_time) < 1.05
    of_binary = [Binary(1.0, 2**logs).error_bound(2**logs - 1, BETA) for logs in LOGS]
    assert growth(of_binary) > 1.3
    horizon, logs = 2**60, range(10, 41, 5)
    open_segment = cls(1.0, horizon).partition.most_items(1, horizon if cls is Sparse else horizon**2, BETA / 2)
    in_items = [cls(1.0, horizon).error_bound(horizon, BETA, items=2**log) - open_segment for log in logs]
    assert 1.2 < growth(in_items, logs) < 1.9


def test_without_a_horizon_the_error_follows_the_time_that_has_passed() -> None:
    """Row 4 beside row 3: after 1,000 steps the infinite counter's bound knows nothing of 2^60 steps to come."""
    early = SparseInfinite(1.0).error_bound(1000, BETA, items=10)
    assert early == SparseInfinite(1.0, 2**60).error_bound(1000, BETA, items=10)
    assert Sparse(1.0, 2**60).error_bound(1000, BETA, items=10) > 1.5 * early


@dataclass(frozen=True)
class KeepsSegmentsOpen(SparseInfinite):
    """Its partition has ten times the thresholds."""

    @property
    def partition(self) -> PrivatePartition:
        return CutsLate(self.epsilon / 2, None, self.beta, 10.0)


def beyond_its_bound(rules: Sparse) -> int:
    """Return in how many of 100 runs an error exceeds the infinite counter's bound of probability 0.1 at its step."""
    steps = 1 << 14
    stream = (np.random.default_rng(3).random(steps) < 0.1).astype(float)
    truth = np.cumsum(stream)
    looks = range(1000, steps, 1000)
    bounds = [SparseInfinite(1.0).error_bound(t, 0.1 / len(looks), items=int(truth[t - 1])) for t in looks]
    found = 0
    for seed in range(100):
        errors = np.abs(rules.start(np.random.default_rng(seed)).release(stream) - truth)
        found += any(errors[t - 1] > bound for t, bound in zip(looks, bounds, strict=True))
    return found


def test_the_error_of_a_sparse_counter_is_that_of_few_releases_and_an_open_segment() -> None:
    """Theorem 8: more than 30 runs of 100 beyond the bound have probability 1e-8; if segments stay open most are."""
    assert stats.binom.sf(30, 100, 0.1) < 1e-8
    assert beyond_its_bound(SparseInfinite(1.0)) <= 30
    assert beyond_its_bound(KeepsSegmentsOpen(1.0)) > 60
