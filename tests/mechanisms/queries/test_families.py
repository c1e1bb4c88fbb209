"""Families of queries: each against the matrix of its definition, which is written here once more."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disttrack.mechanisms.queries import FAMILIES, family

SPECIFIED = [
    "count",
    "points",
    "axes:3",
    "intervals",
    "intervals:20",
    "marginals",
    "marginals:1",
    "marginals:3",
    "halves:30",
]


def matrix_of(queries: str, domain: int) -> np.ndarray:
    """Return the queries as rows, from what they mean."""
    x = np.arange(domain)
    kind, _, said = queries.partition(":")
    if kind == "count":
        return np.ones((1, domain))
    if kind == "points":
        return np.eye(domain)
    if kind == "axes":
        columns = domain // int(said)
        return (
            np.array([x // columns == r for r in range(int(said))] + [x % columns == c for c in range(columns)]) * 1.0
        )
    if kind == "intervals" and not said:
        return np.array([(a <= x) & (x <= b) for a in range(domain) for b in range(a, domain)]) * 1.0
    if kind == "marginals":
        bits = domain.bit_length() - 1
        written = np.array([[int(bit) for bit in f"{value:0{bits}b}"] for value in x])
        return (
            np.array(
                [
                    (written[:, list(kept)] == [int(bit) for bit in f"{cell:0{len(kept)}b}"]).all(axis=1)
                    for kept in combinations(range(bits), int(said or 2))
                    for cell in range(2 ** int(said or 2))
                ]
            )
            * 1.0
        )
    of = family(queries, domain)  # drawn at random: the matrix is what its rows say
    return np.array([of.row(query) for query in range(of.number)])


def domain_of(queries: str) -> int:
    return 12 if queries.startswith("axes") else 16


def test_all_families_are_tested() -> None:
    assert {queries.partition(":")[0] for queries in SPECIFIED} == set(FAMILIES)


@pytest.mark.parametrize("queries", SPECIFIED)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_answers_are_the_matrix_times_the_counts(queries: str, seed: int) -> None:
    domain = domain_of(queries)
    of, matrix = family(queries, domain), matrix_of(queries, domain)
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 50, domain).astype(float)
    assert of.number == len(matrix)
    np.testing.assert_allclose(of.evaluate(counts), matrix @ counts)
    items = rng.integers(0, domain, 7)
    np.testing.assert_array_equal(of.values(items), matrix[:, items].T)
    query = int(rng.integers(of.number))
    np.testing.assert_array_equal(of.row(query), matrix[query])


@pytest.mark.parametrize("queries", SPECIFIED)
def test_sensitivities_are_exact(queries: str) -> None:
    domain = domain_of(queries)
    of, matrix = family(queries, domain), matrix_of(queries, domain)
    assert of.l1 == np.abs(matrix).sum(axis=0).max()
    assert of.l2 == pytest.approx(np.sqrt((matrix**2).sum(axis=0).max()))


def test_random_queries_are_the_same_for_everybody_and_no_two_alike() -> None:
    one, other = (family.__wrapped__("intervals:50", 64) for _ in range(2))
    pairs = list(zip(one.first.tolist(), one.last.tolist(), strict=True))
    assert pairs == list(zip(other.first.tolist(), other.last.tolist(), strict=True))
    assert len(set(pairs)) == 50
    assert all(0 <= a <= b < 64 for a, b in pairs)
    halves = family("halves:400", 64).matrix
    assert 0.45 < halves.mean() < 0.55  # 25,600 coins: 16 standard deviations


def test_a_large_family_of_intervals_is_two_prefix_sums() -> None:
    """Half a million queries on a thousand values, in about as many additions."""
    of = family("intervals", 1024)
    assert of.number == 1024 * 1025 // 2
    assert of.l1 == 512 * 513
    assert of.evaluate(np.ones(1024)).sum() == sum(length * (1025 - length) for length in range(1, 1025))


@pytest.mark.parametrize(
    ("queries", "domain", "said"),
    [
        ("halvs", 8, "did you mean 'halves'"),
        ("count:3", 8, "queries must be one of"),
        ("axes", 8, "axes:ROWS"),
        ("axes:3", 8, "multiple of the 3 rows"),
        ("halves:0", 8, "queries must be one of"),
        ("marginals:2", 12, "power of two"),
        ("marginals:4", 8, "power of two of at least 16"),
        ("intervals:99", 3, "at most 6"),
        ("intervals", 10_000, "at most 4,194,304"),
        ("points", 0, "domain must be a whole number"),
        (3, 8, "queries must be one of"),
    ],
)
def test_nonsense_gets_one_line(queries: str, domain: int, said: str) -> None:
    with pytest.raises(ValueError, match=said) as caught:
        family(queries, domain)
    assert "\n" not in str(caught.value)
