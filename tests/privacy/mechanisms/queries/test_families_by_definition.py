"""Families of queries from their definitions: the matrix, its columns and sensitivities, and what is refused."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from disttrack.privacy.mechanisms.queries import Family, family
from disttrack.privacy.mechanisms.queries.base import Items
from disttrack.privacy.mechanisms.queries.named import FORMS
from disttrack.privacy.mechanisms.queries.ordered import MOST, Intervals


def matrix_of(name: str, domain: int) -> list[list[float]]:
    """Return the queries of a family, a row each, from what the handbook says that they are."""
    kind, _, said = name.partition(":")
    values = range(domain)
    if kind == "count":
        return [[1.0] * domain]
    if kind == "points":
        return [[float(x == q) for x in values] for q in values]
    if kind == "axes":
        rows, columns = int(said), domain // int(said)
        by_row = [[float(x // columns == r) for x in values] for r in range(rows)]
        return by_row + [[float(x % columns == c) for x in values] for c in range(columns)]
    if kind == "intervals":
        return [[float(a <= x <= b) for x in values] for a in values for b in range(a, domain)]
    bits, order = domain.bit_length() - 1, int(said or 2)
    digits = [tuple(int(digit) for digit in f"{x:0{bits}b}") if bits else () for x in values]
    return [
        [float(all(digits[x][bit] == cell for bit, cell in zip(kept, cells, strict=True))) for x in values]
        for kept in combinations(range(bits), order)
        for cells in product((0, 1), repeat=order)
    ]


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("count", 1), ("count", 5), ("points", 1), ("points", 6), ("axes:2", 6), ("axes:3", 6), ("axes:1", 4),
        ("axes:4", 4), ("intervals", 1), ("intervals", 5), ("marginals", 4), ("marginals", 8), ("marginals:1", 8),
        ("marginals:3", 8), ("marginals:1", 2),
    ],
)  # fmt: skip
def test_every_view_of_a_family_is_of_one_matrix(name: str, domain: int) -> None:
    made, matrix = family(name, domain), np.array(matrix_of(name, domain))
    assert made.number == len(matrix)
    assert made.domain == domain
    counts = np.random.default_rng(0).integers(0, 50, domain).astype(float)
    np.testing.assert_array_equal(made.evaluate(counts), matrix @ counts)
    items = np.array([domain - 1, 0, domain // 2])
    np.testing.assert_array_equal(made.values(items), matrix.T[items])
    for query in range(made.number):
        np.testing.assert_array_equal(made.row(query), matrix[query])
    assert made.l1 == pytest.approx(matrix.sum(axis=0).max())
    assert made.l2 == pytest.approx(np.sqrt((matrix**2).sum(axis=0).max()))
    assert made.evaluate(counts) is not counts


def test_some_intervals_and_halves_are_drawn_once_for_all() -> None:
    some, every = family("intervals:7", 6), Intervals(6)
    rows = [some.row(query).tolist() for query in range(7)]
    all_rows = [every.row(query).tolist() for query in range(21)]
    places = [all_rows.index(row) for row in rows]
    assert places == sorted(set(places))
    assert rows == [Intervals(6, 7).row(query).tolist() for query in range(7)]
    assert rows != [Intervals(6, 8).row(query).tolist() for query in range(7)]
    assert places == np.sort(np.random.default_rng((6, 7)).choice(21, 7, replace=False)).tolist()
    halves = family("halves", 9)
    assert halves.number == 100
    matrix = np.array([halves.row(query) for query in range(100)])
    assert set(np.unique(matrix)) == {0.0, 1.0}
    assert (matrix == np.random.default_rng((9, 100)).integers(0, 2, (100, 9))).all()
    assert halves.l1 == matrix.sum(axis=0).max()
    assert halves.l2 == pytest.approx(np.sqrt(matrix.sum(axis=0).max()))
    np.testing.assert_array_equal(halves.values(np.array([3, 0])), matrix[:, [3, 0]].T)
    counts = np.arange(9.0)
    np.testing.assert_allclose(halves.evaluate(counts), matrix @ counts)
    assert some.l1 == np.array(rows).sum(axis=0).max()


def test_sensitivities_are_found_in_blocks() -> None:
    class Wide(Family):
        """So many queries that a block holds three items."""

        number = (1 << 20) // 3

        def __init__(self, domain: int) -> None:
            super().__init__(domain)
            self.asked: list[list[int]] = []

        def evaluate(self, counts: np.ndarray) -> np.ndarray:
            raise NotImplementedError

        def values(self, items: Items) -> np.ndarray:
            self.asked.append(items.tolist())
            return np.stack([np.array([0.5, 0.25]) * (item + 1) for item in items.tolist()])

        def contain(self, queries: Items, items: Items) -> np.ndarray:
            raise NotImplementedError

    made = Wide(7)
    assert made.l1 == pytest.approx(0.75 * 7)
    assert made.asked == [[0, 1, 2], [3, 4, 5], [6]]
    assert made.l2 == pytest.approx(np.sqrt(0.75 * 7))


@pytest.mark.parametrize(
    ("name", "domain", "said"),
    [
        (7, 4, f"queries must be one of {FORMS}; got 7"),
        ("cuont", 4, f"queries must be one of {FORMS}; got 'cuont'; did you mean 'count'?"),
        ("count:3", 4, f"queries must be one of {FORMS}; got 'count:3'"),
        ("axes", 4, f"queries must be one of {FORMS}; got 'axes'"),
        ("intervals:0", 4, f"queries must be one of {FORMS}; got 'intervals:0'"),
        ("halves:x", 4, f"queries must be one of {FORMS}; got 'halves:x'"),
        ("axes:3", 4, "domain must be a multiple of the 3 rows of axes:3; got 4"),
        ("marginals", 6, "domain must be a power of two of at least 4 for marginals:2; got 6"),
        ("intervals:11", 4, "number of intervals must be at most 10 for a domain of 4 values; got 11"),
        (
            "intervals",
            3000,
            f"number of intervals must be at most {MOST:,} for a domain of 3,000 values; got 4,501,500",
        ),
    ],
)  # fmt: skip
def test_what_is_refused_and_how(name: str, domain: int, said: str) -> None:
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the whole line is compared
        family(name, domain)
    assert str(found.value) == said
