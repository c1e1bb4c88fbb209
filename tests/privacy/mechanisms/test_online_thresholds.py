"""Online threshold queries: solvers that know all points in advance, and the counters that are made of them.

`SortedQueries` answers from the points up to the query alone, at any distance of them: so it makes a counter at once.
A solver that looks ahead makes none; on points that are chosen for it (Lemma 3.2, here by going through all choices) it
does. The controls are solvers that look ahead, on points that are not chosen, and solvers without privacy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from disttrack.privacy.mechanisms import SortedQueries

Solver = Callable[[Sequence[float], Sequence[float], int], list[float]]
"""Answers queries on a data set, with this seed."""


def sorted_queries(data: Sequence[float], queries: Sequence[float], seed: int) -> list[float]:
    run = SortedQueries(20.0).start(data, np.random.default_rng(seed))
    return [run.answer(query) for query in queries]


def looks_ahead(data: Sequence[float], queries: Sequence[float], seed: int) -> list[float]:
    """Return the same answers and a hint of the points to come: whether their number is odd."""
    answers = sorted_queries(data, queries, seed)
    return [answer + sum(point > query for point in data) % 2 for answer, query in zip(answers, queries, strict=True)]


def counter_of(solver: Solver, points: Sequence[float], bits: Sequence[int], seed: int) -> list[float]:
    """Return the counter's estimates: after each bit the solver is asked about the points that have come so far."""
    estimates, here = [], []
    for step, bit in enumerate(bits):
        here += [points[step]] * bit
        estimates.append(solver(here, points[: step + 1], seed)[-1])
    return estimates


@pytest.mark.parametrize("seed", range(5))
def test_a_solver_that_does_not_look_ahead_makes_a_counter(seed: int) -> None:
    """The counter's estimates are the solver's answers on all of the data, run by run, so it errs as rarely."""
    steps = 40
    points = [(step + 1) / (steps + 1) for step in range(steps)]
    bits = np.random.default_rng(100 + seed).integers(0, 2, steps).tolist()
    data = [point for point, bit in zip(points, bits, strict=True) if bit]
    whole = sorted_queries(data, points, seed)
    assert counter_of(sorted_queries, points, bits, seed) == whole
    assert len({*whole}) > 3  # it says something
    # and its errors are those of the solver, so it fails as rarely
    truth = np.cumsum(bits)
    exact = [sum(point <= query for point in data) for query in points]
    assert truth.tolist() == exact
    assert counter_of(looks_ahead, points, bits, seed) != looks_ahead(data, points, seed)


@pytest.mark.parametrize("seed", range(10))
def test_answers_depend_on_the_points_up_to_the_query_alone(seed: int) -> None:
    """Two data sets of the same size that agree up to 0.5 have the same answers; not from who looks ahead."""
    queries = [step / 10 for step in range(1, 6)]
    below = [0.05] * 3 + [0.15] * 4 + [0.33] * 5 + [0.45] * 2
    left, right = [*below, *[0.6] * 6], [*below, *[0.9] * 5, 0.55]
    assert sorted_queries(left, queries, seed) == sorted_queries(right, queries, seed)
    assert looks_ahead(left, queries, seed) == looks_ahead(right, queries, seed)  # the same number of points to come
    assert looks_ahead(left, queries, seed) != looks_ahead(left[:-1], queries, seed)


# ---------------------------------------------------------------------- Lemma 3.2, small


# ---------------------------------------------------------------------- Theorem 1.9
