"""Monitors, threshold queries, tests and experts from their formulas, and the hard instance by another search."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import product
from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import AboveThreshold
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    CounterMonitor,
    ReleaseMonitor,
    SparseVectorMonitor,
    SparseVectorQueries,
)  # fmt: skip
from disttrack.privacy.mechanisms.halting import AboveThresholdHalting, runs_of_constant_sum
from disttrack.privacy.mechanisms.monitors import quiet_cut, verdict


def test_the_margins_of_sparse_vector_queries() -> None:
    rules = SparseVectorQueries(2.0, 5000, 30, 1e-4, 0.1)
    margin = 8 * sqrt(5000 * log(4 * 30 / 0.1) / 2)
    payments = ceil(2 * 5000 / margin)
    share = 2.0 / (2 * (payments + 1))
    width = 12 / share * (log(10 / share) + log((payments + 1) / 1e-4) + 1)
    assert (rules.margin, rules.payments, rules.share) == (pytest.approx(margin), payments, pytest.approx(share))
    assert rules.width == pytest.approx(width)


def test_sparse_vector_queries_by_hand() -> None:
    """Without noise, by the rule: between two answers, near the left one, near the right one, or paid for."""
    rules = SparseVectorQueries(3000.0, 4000, 400, 1e-3, 0.1)
    data = np.arange(4000.0)
    run = rules.start(data, np.random.default_rng(0), silent=True)
    asked: dict[float, float] = {-math.inf: 0.0, math.inf: 4000.0}
    paid = 0
    rng = np.random.default_rng(5)
    for query in [*rng.integers(0, 4000, 60).tolist(), 17, 17, 3999, -5]:
        low = max(asked[q] for q in asked if q <= query)
        high = min(asked[q] for q in asked if q >= query)
        exact = float(bisect_right(data.tolist(), query))
        if query in asked:
            expected = asked[query]
        elif high - low < 2 * rules.margin + rules.width or paid >= rules.payments:
            expected = (low + high) / 2
        else:
            near = exact <= low + rules.margin, exact >= high - rules.margin
            expected = low if near[0] else high if near[1] else exact
            paid += not any(near)
            asked[query] = expected
        assert run.answer(query) == pytest.approx(expected)
        assert run.paid == paid
    assert paid >= 2
    with pytest.raises(ValueError, match=r"^data must hold 4000 points; got 3$"):
        rules.start([1, 2, 3], np.random.default_rng(0))
    short = SparseVectorQueries(1.0, 2, 1).start([1, 2], np.random.default_rng(0))
    short.answer(1)
    with pytest.raises(ValueError, match=r"^query 2 is past the limit of 1 queries$"):
        short.answer(2)


def test_the_noise_of_sparse_vector_queries() -> None:
    """Of scale 2 / share on both thresholds, 6 / share on the query, 1 / share on what is paid for."""
    rules = SparseVectorQueries(1000.0, 1000, 1)
    count = math.ceil(rules.margin) + 3
    beyond = (count - rules.margin) * rules.share

    def answer(below: int, shift: float = 0.0, query: float = 0.0, paid: float = 0.0) -> float:
        noise: Any = ScriptedNoise({0: shift, 16: query, 1040: paid})  # batches of 16, 1,024 and 16
        return rules.start(np.repeat([0.25, 0.75], [below, 1000 - below]), noise).answer(0.5)

    assert answer(500, paid=2.0) == pytest.approx(500 + 2 / rules.share)
    for over, low in ((1e-6, True), (-1e-6, False)):
        for part, scale in (("shift", 2), ("query", -6)):
            move = {part: (beyond + over) / scale}
            assert (answer(count, **move) == 0) == low
            assert (answer(1000 - count, **{part: abs(move[part])}) == 1000) == low


@pytest.mark.parametrize(("epsilon", "cut"), [(1.0, 6.0), (3.0, 1.0)])
def test_the_halting_of_a_sparse_vector_test_is_an_integral(epsilon: float, cut: float) -> None:
    """Over the noise of the threshold, by many small steps; the queries are independent given it."""
    halting = AboveThresholdHalting(AboveThreshold(epsilon, cut), most_ones=3)
    noise = np.linspace(-60 / epsilon, 60 / epsilon, 60_001)
    density = stats.laplace.pdf(noise, scale=2 / epsilon)
    for ones in ((), (1,), (2, 3, 3 + 4)):
        survive, before = np.ones_like(noise), None
        for step in range(1, 10):
            count = sum(one <= step for one in ones)
            before, survive = survive, survive * stats.laplace.cdf(cut + noise - count, scale=4 / epsilon)
            exact = float(np.trapezoid(density * (before - survive), noise))
            assert halting.halting(ones, step, step) == pytest.approx(exact, abs=2e-7)
        whole = float(np.trapezoid(density * (1 - survive), noise))
        assert halting.halting(ones, 1, 9) == pytest.approx(whole, abs=2e-7)
        assert halting.halting(ones, 4, 3) == 0.0


def test_monitors_by_hand() -> None:
    assert list(runs_of_constant_sum((2, 3, 6), 8)) == [(0, 1, 1), (1, 2, 2), (2, 3, 5), (3, 6, 8)]
    assert list(runs_of_constant_sum((1,), 3)) == [(1, 1, 3)]
    assert list(runs_of_constant_sum((), 3)) == [(0, 1, 3)]
    table = {
        ((2, 4, 5), 3, None): "late", ((2, 4, 5), 3, 5): "right", ((2, 4, 5), 3, 6): "late", ((2, 4, 5), 3, 4): "right",
        ((2, 4, 5), 3, 3): "early", ((2, 4), 3, None): "right", ((2, 4), 3, 9): "right", ((2,), 3, 9): "early",
        ((), 1, None): "right", ((), 1, 3): "early", ((2, 4), 2, 2): "right", ((2, 4), 2, 1): "early",
    }  # fmt: skip
    for (ones, k, halt), said in table.items():
        assert verdict(ones, k, halt) == said, (ones, k, halt)
    assert SparseVectorMonitor(8, 1.5).test() == AboveThreshold(1.5, 6.0)
    assert SparseVectorMonitor(8, 1.5, cut=2.5).test() == AboveThreshold(1.5, 2.5)
    quiet = SparseVectorMonitor(8, 1.5, horizon=30, false_alarm=0.2)
    assert quiet.test().threshold == quiet_cut(1.5, 30, 0.2)
    assert quiet.halting_times().halting((), 1, 30) == pytest.approx(0.2, abs=1e-5)
    with pytest.raises(ValueError, match=r"^rng must be given: the halting step of a counter monitor is simulated$"):
        CounterMonitor(8, 1.5, 9).halting_times()
    sparse: Any = ScriptedNoise([0.25])  # waits of one try, as the script answers
    assert SparseVectorMonitor(2, 1.0).halt((3,), 5, sparse) == 1


@pytest.mark.parametrize(("k", "delta", "needed"), [(1, 0.1, 1), (4, 0.5, 2), (8, 0.3, 2), (10, 0.4, 3)])
def test_the_release_monitor_is_a_binomial_race(k: int, delta: float, needed: int) -> None:
    rules = ReleaseMonitor(k, delta)
    assert rules.needed == needed == max(1, ceil(0.75 * k * delta))
    ones = (2, 3, 7, 8, 11)
    exact = dict.fromkeys(range(1, 13), 0.0)
    for shown in product((0, 1), repeat=5):
        chance = math.prod(delta if one else 1 - delta for one in shown)
        seen = [one for one, there in zip(ones, shown, strict=True) if there]
        if len(seen) >= needed:
            exact[seen[needed - 1]] += chance
    for first in range(1, 13):
        for last in range(first, 13):
            whole = sum(exact[step] for step in range(first, last + 1))
            assert rules.halting(ones, first, last) == pytest.approx(whole, abs=1e-12)
    assert rules.halting_times() is rules

    class Source:
        def random(self, size: int) -> np.ndarray:
            return np.array([0.0, 0.99, delta, 0.05, 0.01])[:size]

    shown = [2, 8, 11]
    found = rules.halt(ones, 12, Source())  # type: ignore[arg-type]
    assert found == (shown[needed - 1] if needed <= 3 else None)
    assert rules.halt(ones[:0], 12, Source()) is None  # type: ignore[arg-type]
