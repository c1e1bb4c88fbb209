"""The mechanisms that Appendix A of Qiu, Yi 2022 names beside its table, at domains where everything can be enumerated.

SmallDB (Blum, Ligett, Roth) picks one of all small data sets by the exponential mechanism. Halfspaces have answers with
less noise than n independent ones, since their discrepancy is low (Muthukrishnan, Nikolov 2012).
"""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from math import log, log2, pi, sqrt

import numpy as np
import pytest

Array = np.ndarray
EPSILON, SIZE = 1.0, 6


def halfspaces(side: int) -> Array:
    """Return all subsets of a square grid that a line cuts off, a row each."""
    points = np.array([*product(range(side), repeat=2)])
    differences = [(x, y) for x, y in product(range(-side + 1, side), repeat=2) if (x, y) != (0, 0)]
    turns = {round(float(np.arctan2(y, x)) + pi / 2 + slight, 9) for x, y in differences for slight in (-1e-4, 1e-4)}
    rows = set()
    for turn in turns:
        order = np.argsort(points @ (np.cos(turn), np.sin(turn)))
        rows |= {tuple(int(place in order[:many]) for place in range(side**2)) for many in range(side**2 + 1)}
    return np.array(sorted(rows))


def small_databases(domain: int, size: int = SIZE) -> Array:
    """Return all data sets of a given size, each as a row of counts."""
    every = combinations_with_replacement(range(domain), size)
    return np.array([np.bincount(each, minlength=domain) for each in every])


def chosen(counts: Array, queries: Array, epsilon: float, total: float) -> tuple[Array, Array]:
    """Return the chance of each small data set, scaled to `total` items, and its largest error."""
    errors = np.abs((small_databases(len(counts)) * total / SIZE - counts) @ queries.T).max(axis=1)
    weights = np.exp(-epsilon / 2 * (errors - errors.min()))
    return weights / weights.sum(), errors


def test_a_small_database_is_private_and_as_near_as_its_theorem_says() -> None:
    """All data sets of six items of a grid of four points, and each with one item more; the scale is public.

    Wrong alternatives: four times the epsilon, and a data set chosen at random.
    """
    queries = halfspaces(2)
    losses = dict.fromkeys((1, 4), 0.0)
    for counts in small_databases(4):
        for more in np.eye(4, dtype=int):
            for factor in losses:
                both = (chosen(each, queries, factor * EPSILON, 6.0)[0] for each in (counts, counts + more))
                here, there = map(np.log, both)
                losses[factor] = max(losses[factor], float(np.abs(here - there).max()))
    assert 0.4 * EPSILON < losses[1] <= EPSILON + 1e-9 < losses[4]
    counts = np.array([40, 10, 7, 3])
    chances, errors = chosen(counts, queries, EPSILON, 60.0)
    for beta in (0.5, 0.05, 1e-3):
        stated = errors.min() + 2 / EPSILON * log(len(errors) / beta)
        assert chances[errors > stated].sum() <= beta
    assert (errors > stated).mean() > 0.5


@pytest.mark.parametrize("size", [3, 6])
def test_a_small_database_is_near_every_other_so_that_its_error_grows_by_the_power_of_weights(size: int) -> None:
    """Some data set of m items is within n sqrt(ln(2 |Q|) / (2 m)); with the best m the error is of order n^(2/3)."""
    queries, rng = halfspaces(3), np.random.default_rng(5)
    few = small_databases(9, size) / size
    for _ in range(20):
        shares = rng.dirichlet(np.full(9, 0.5))
        assert np.abs((few - shares) @ queries.T).max(axis=1).min() <= sqrt(log(2 * len(queries)) / (2 * size))

    def stated(items: float) -> float:
        sizes = 2.0 ** np.arange(0, 60, 0.1)
        chance = 2 / EPSILON * (sizes * log(9) + log(1 / 0.05))
        return float((items * np.sqrt(log(2 * len(queries)) / (2 * sizes)) + chance).min())

    assert log2(stated(2.0**44) / stated(2.0**32)) / 12 == pytest.approx(2 / 3, abs=0.01)


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("side", "exact"), [(2, 1), (3, 2), (4, 2)])
def test_halfspaces_have_a_low_discrepancy(side: int, exact: int) -> None:
    """The best of all colourings of n points by +-1: of the order n^(1/4); of all subsets n / 2, the control."""
    points = side**2
    colours = 1 - 2 * np.array([*product((0, 1), repeat=points)], dtype=np.int8)

    def discrepancy(subsets: Array) -> int:
        return int(np.abs(colours @ subsets.T.astype(np.int8)).max(axis=1).min())

    assert discrepancy(halfspaces(side)) == exact <= 1.2 * points**0.25
    if side < 4:
        assert discrepancy((colours + 1) // 2) == (points + 1) // 2
