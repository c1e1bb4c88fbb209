"""Families of queries from their definitions: the matrix, its columns and sensitivities, and what is refused."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from disttrack.privacy.mechanisms.queries import family


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
