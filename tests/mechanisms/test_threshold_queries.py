"""Threshold queries on a fixed data set, solved three ways."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from disttrack.mechanisms import QUERY_SOLVERS, ReleaseQueries, SortedQueries, SparseInfinite, SparseVectorQueries

FALSE_ALARM = 1e-6


def test_three_solvers() -> None:
    assert set(QUERY_SOLVERS) == {"sorted-queries", "sparse-vector-queries", "release-queries"}


@pytest.mark.false_alarm(1e-8)
def test_sorted_queries_are_a_counter() -> None:
    rng = np.random.default_rng(1)
    data, queries = rng.random(500), np.sort(rng.random(4_000))
    exact = np.searchsorted(np.sort(data), queries, side="right")
    silent = SortedQueries(1.0).start(data, rng, silent=True)
    answers = np.array([silent.answer(query) for query in queries.tolist()])
    assert np.all(answers <= exact)
    assert answers[-1] > 0.5 * exact[-1]
    worst = []
    for _ in range(40):
        run = SortedQueries(1.0).start(data, rng)
        worst.append(max(abs(run.answer(q) - e) for q, e in zip(queries.tolist(), exact.tolist(), strict=True)))
    # the counter's bound for all steps at once; 40 runs, each beyond it with probability at most 0.05
    bound = SparseInfinite(1.0).error_bound(4_000, 0.05 / 4_000, items=500)
    assert sum(error > bound for error in worst) < 15  # chance below 1e-8
    with pytest.raises(ValueError, match="query must be at least the one before"):
        run.answer(0.0)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["random", "bisecting"])
@pytest.mark.false_alarm(1e-10)
def test_queries_in_any_order_stay_within_the_bound(order: str) -> None:
    rng = np.random.default_rng(2)
    points, asked = 100_000, 1_000
    rules = SparseVectorQueries(4.0, points, asked)
    beyond = 0
    for _ in range(20):
        data = np.concatenate((rng.random(points // 2), np.full(points - points // 2, 0.7)))
        run = rules.start(data, rng)
        worst, low, high = 0.0, 0.0, 1.0
        for _ in range(asked):
            query = float(rng.random()) if order == "random" else (low + high) / 2
            answer = run.answer(query)
            worst = max(worst, abs(answer - float(np.sum(data <= query))))
            # bisecting: walk towards the jump at 0.7, by the answers alone
            low, high = (low, query) if answer > points / 2 else (query, high)
            if high - low < 1e-12:
                low, high = 0.0, 1.0
        assert run.paid <= rules.payments
        beyond += worst > rules.error_bound
    assert beyond < 12  # each with probability at most 0.05: chance of 12 or more below 1e-10
    assert rules.error_bound < 0.8 * points


def test_sparse_vector_queries_without_noise() -> None:
    rng = np.random.default_rng(4)
    data = rng.random(200_000)
    rules = SparseVectorQueries(8.0, 200_000, 500)
    run = rules.start(data, rng, silent=True)
    for query in rng.random(250).tolist():
        answer = run.answer(query)
        assert abs(answer - np.sum(data <= query)) <= rules.margin + max(rules.margin, rules.width / 2)
        assert run.answer(query) == answer
    assert 0 < run.paid <= rules.payments


def test_budget_adds_up() -> None:
    rules = SparseVectorQueries(1.0, 10_000, 100)
    assert rules.share * (2 * rules.payments + 1) <= 1.0
    assert rules.payments * rules.margin >= 2 * rules.points


def sum_tail(x: float, one: float, other: float) -> float:
    """Return P(X + Y > x) of independent Laplace variables of these unequal scales, for x >= 0."""
    return (one**2 * math.exp(-x / one) - other**2 * math.exp(-x / other)) / (2 * (one**2 - other**2))


@pytest.mark.slow
@pytest.mark.false_alarm(5e-6)
def test_noise_of_a_test_between_two_answers() -> None:
    """BetweenThresholds: Lap(2 / share) on the thresholds, Lap(6 / share) on the query, Lap(1 / share) on what is paid.

    3,000 first queries at each of two counts from either end, binomial tests at 1e-6 of what is answered; a Kolmogorov
    test of the paid noise. Wrong alternatives, each refused here: half or double the noise of the query, double that of
    the thresholds (half of it moves the probabilities by 0.02 only), double that of what is paid.
    """
    rules = SparseVectorQueries(1000.0, 1000, 1)
    assert 2 * rules.margin + rules.width < 1000
    rng = np.random.default_rng(12)
    scales = {"query": 6 / rules.share, "shift": 2 / rules.share}
    wrong = [
        scales | change
        for change in ({"query": 3 / rules.share}, {"query": 12 / rules.share}, {"shift": 4 / rules.share})
    ]
    refused = [False] * len(wrong)
    for below in (round(rules.margin) + 1, round(rules.margin) + 3):
        for count, end in ((below, 0.0), (1000 - below, 1000.0)):
            data = np.repeat([0.25, 0.75], [count, 1000 - count])
            answers = [rules.start(data, rng).answer(0.5) for _ in range(3_000)]
            taken_over = answers.count(end)

            def fits(query: float, shift: float, beyond: float = below - rules.margin, seen: int = taken_over) -> bool:
                tail = sum_tail(abs(beyond), query, shift)
                return bool(stats.binomtest(seen, 3_000, tail if beyond > 0 else 1 - tail).pvalue > FALSE_ALARM)

            assert fits(**scales)
            refused = [before or not fits(**other) for before, other in zip(refused, wrong, strict=True)]
    assert all(refused)
    data = np.repeat([0.25, 0.75], 500)
    paid = [rules.start(data, rng).answer(0.5) - 500 for _ in range(3_000)]
    assert stats.kstest(paid, stats.laplace(scale=1 / rules.share).cdf).pvalue > FALSE_ALARM
    assert stats.kstest(paid, stats.laplace(scale=2 / rules.share).cdf).pvalue < FALSE_ALARM


@pytest.mark.false_alarm(3e-6)
def test_released_sample() -> None:
    # an answer times delta is binomial: exact test at 1e-6; a sample without the factor 1 / delta is off tenfold
    rng = np.random.default_rng(6)
    data = np.arange(50_000) / 50_000
    run = ReleaseQueries(0.1).start(data, rng)
    for query, below in ((0.5, 25_001), (0.2, 10_001), (2.0, 50_000)):
        kept = round(run.answer(query) * 0.1)
        assert math.isclose(kept, run.answer(query) * 0.1, abs_tol=1e-6)
        assert stats.binomtest(kept, below, 0.1).pvalue > FALSE_ALARM
    assert run.answer(-1) == 0


def test_refusals() -> None:
    with pytest.raises(ValueError, match="points must be a whole number of at least 1"):
        SparseVectorQueries(1.0, 0, 5)
    with pytest.raises(ValueError, match="data must hold 5 points; got 4"):
        SparseVectorQueries(1.0, 5, 5).start(np.zeros(4), np.random.default_rng(0))
    run = SparseVectorQueries(1.0, 5, 1).start(np.zeros(5), np.random.default_rng(0))
    run.answer(0.5)
    with pytest.raises(ValueError, match="query 2 is past the limit of 1 queries"):
        run.answer(0.6)
    with pytest.raises(ValueError, match="delta must be a number between 0 and 1"):
        ReleaseQueries(0)
    with pytest.raises(ValueError, match="epsilon must be a number above 0"):
        SortedQueries(0)
