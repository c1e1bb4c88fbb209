"""Strategies: exact without noise, their loss from dense matrices, and bounds that none of them beats."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.privacy.mechanisms.queries import family
from disttrack.privacy.mechanisms.queries.strategies import DENSE, STRATEGIES, strategy

FAMILIES = [("count", 8), ("axes:2", 8), ("rows:4", 8), ("intervals", 13), ("intervals:9", 16), ("marginals:2", 16),
            ("halves:7", 6)]  # fmt: skip
NAMES = STRATEGIES[1:]


@pytest.mark.parametrize(("queries", "domain"), FAMILIES)
def test_losses_are_those_of_the_matrices_and_the_best_is_the_least(queries: str, domain: int) -> None:
    of = family(queries, domain)
    dense = of.values(np.arange(domain)).T
    for norm in (1, 2):
        losses = []
        for name in NAMES:
            one = strategy(name, queries, domain, norm)  # type: ignore[arg-type]
            matrix = np.eye(domain) if one.matrix is None else one.matrix
            assert one.rows == len(matrix)
            combine = dense @ np.linalg.pinv(matrix)
            np.testing.assert_allclose(combine @ matrix, dense, atol=1e-9)
            sensitivity = max(np.linalg.norm(column, norm) for column in matrix.T)
            losses.append(sensitivity**2 * (combine**2).sum(axis=1).max())
            assert one.loss(norm) == pytest.approx(losses[-1])  # type: ignore[arg-type]
            assert one.gain[1] == pytest.approx(abs(combine).max())
            counts = np.arange(domain) % 5.0
            np.testing.assert_allclose(one.answers(one.measure(counts)), of.evaluate(counts), atol=1e-9)
        best = strategy("best", queries, domain, norm)  # type: ignore[arg-type]
        assert best.loss(norm) == pytest.approx(min(losses))  # type: ignore[arg-type]


@pytest.mark.parametrize(("queries", "domain"), [("marginals:2", 64), ("marginals:1", 16), ("marginals:3", 32)])
def test_no_strategy_has_less_loss_for_marginals(queries: str, domain: int) -> None:
    """The mean squared error of any strategy is at least (sum of singular values)^2 / (values x queries)."""
    of = family(queries, domain)
    singular = np.linalg.svd(of.values(np.arange(domain)), compute_uv=False)
    bound = singular.sum() ** 2 / (domain * of.number)
    assert strategy("spectral", queries, domain, 2).loss(2) == pytest.approx(bound)
    assert strategy("answers", queries, domain, 2).loss(2) > 1.1 * bound


def test_large_domains_are_measured_value_by_value() -> None:
    one = strategy("best", "intervals:5", DENSE + 1, 2)
    assert (one.name, one.rows, one.sensitivity(2)) == ("points", DENSE + 1, 1.0)
    counts = np.arange(DENSE + 1.0)
    np.testing.assert_array_equal(one.answers(one.measure(counts)), family("intervals:5", DENSE + 1).evaluate(counts))
