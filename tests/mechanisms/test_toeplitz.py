"""The square-root factorisation and its buffered form against exact matrix norms, and against a peer."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.mechanisms import Blt, SquareRoot
from disttrack.mechanisms.counters.blt import quadrature_buffers
from disttrack.mechanisms.counters.square_root import square_root_coefficients, square_root_norm
from disttrack.mechanisms.scripted_noise import response


def triangle(coefficients: np.ndarray) -> np.ndarray:
    steps = len(coefficients)
    lags = np.subtract.outer(np.arange(steps), np.arange(steps))
    return np.where(lags >= 0, coefficients[abs(lags)], 0.0)


def test_the_root_squares_to_counting() -> None:
    root = triangle(square_root_coefficients(200))
    assert root @ root == pytest.approx(np.tri(200), abs=1e-12)


@pytest.mark.parametrize(
    ("steps", "exact"), [(256, 2.83105), (1 << 10, 3.27255), (1 << 14, 4.15517), (1 << 20, 5.47899)]
)
def test_exact_norms(steps: int, exact: float) -> None:
    assert square_root_norm(steps) == pytest.approx(exact, abs=5e-6)
    summed = math.fsum(square_root_coefficients(steps) ** 2)
    assert square_root_norm(steps) == pytest.approx(summed, rel=1e-12)
    assert square_root_norm(steps) == pytest.approx(math.log(steps) / math.pi + 1.0663, abs=5e-4)
    assert square_root_norm(steps) > math.log(steps) / math.pi + 1  # the published bound lies below


@pytest.mark.parametrize("rules", [SquareRoot(0.9, 65), Blt(0.9, 65)])
def test_errors_are_the_matrix_norms(rules: SquareRoot | Blt) -> None:
    # R as measured, C = R^-1 A: largest and mean squared error are sigma^2 |C|_(1->2)^2 times row norms of R
    steps = rules.steps
    noise = response(rules, steps, steps) / rules.std
    encoder = np.linalg.solve(noise, np.tri(steps))
    column = np.linalg.norm(encoder, axis=0).max()
    rows = np.linalg.norm(noise, axis=1)
    variances = [rules.variance(t) for t in range(1, steps + 1)]
    assert max(variances) == pytest.approx((rules.sigma * column * rows.max()) ** 2, rel=1e-9)
    assert np.mean(variances) == pytest.approx((rules.sigma * column) ** 2 * np.mean(rows**2), rel=1e-9)


def test_largest_deviation_of_the_square_root_is_the_norm() -> None:
    rules = SquareRoot(epsilon=1.0, horizon=1 << 20, delta=1e-6)
    assert math.sqrt(rules.variance(1 << 20)) / rules.sigma == pytest.approx(5.47899, abs=5e-6)
    assert rules.sigma == pytest.approx(math.sqrt(2 * math.log(1.25e6)))


@pytest.mark.parametrize("log_steps", [1, 4, 8, 10, 14, 20, 24])
def test_buffers_lose_less_than_a_half_percent(log_steps: int) -> None:
    steps = 1 << log_steps
    buffers = quadrature_buffers(steps)
    error = math.sqrt(buffers.column_norm(steps) * buffers.row_norm(steps))
    assert 1 - 1e-12 <= error / square_root_norm(steps) <= 1.005
    assert len(buffers.decays) <= 4 + log_steps / 3


@pytest.mark.parametrize("steps", [1, 2, 50, 3000])
def test_buffers_in_closed_form_meet_their_series(steps: int) -> None:
    buffers = quadrature_buffers(4096)
    coefficients = buffers.coefficients(steps)
    assert buffers.column_norm(steps) == pytest.approx(np.sum(coefficients**2), rel=1e-10)
    answer = buffers.response(steps)
    assert np.convolve(coefficients, answer)[:steps] == pytest.approx(np.ones(steps), abs=1e-9)
    assert buffers.row_norm(steps) == pytest.approx(np.sum(answer**2), rel=1e-9)


@pytest.mark.parametrize("log_steps", [6, 10, 14])
def test_same_factors_and_error_as_jax_privacy(log_steps: int) -> None:
    reason = "jax-privacy is not installed; it is a peer for comparison only"
    jax = pytest.importorskip("jax", reason=reason)
    jax.config.update("jax_enable_x64", True)
    toeplitz = pytest.importorskip("jax_privacy.matrix_factorization.toeplitz", reason=reason)
    peer = pytest.importorskip("jax_privacy.matrix_factorization.buffered_toeplitz", reason=reason)
    steps = 1 << log_steps
    theirs = np.asarray(toeplitz.optimal_max_error_strategy_coefs(steps))
    assert square_root_coefficients(steps) == pytest.approx(theirs, rel=1e-10)
    rows = np.asarray(toeplitz.per_query_error(noising_coef=toeplitz.optimal_max_error_noising_coefs(steps)))
    rules = SquareRoot(1.0, steps)
    scale = rules.std**2
    assert [rules.variance(t) / scale for t in (1, steps // 2, steps)] == pytest.approx(
        rows[[0, steps // 2 - 1, -1]].tolist(), rel=1e-8
    )
    ours = quadrature_buffers(steps)
    blt = peer.BufferedToeplitz.build(buf_decay=ours.decays, output_scale=ours.weights)
    assert np.asarray(blt.toeplitz_coefs(steps)) == pytest.approx(ours.coefficients(steps), rel=1e-9)
    assert float(peer.sensitivity_squared(blt, steps)) == pytest.approx(ours.column_norm(steps), rel=1e-9)
    assert float(peer.max_error(blt.inverse(), steps)) == pytest.approx(ours.row_norm(steps), rel=1e-6)


@pytest.mark.parametrize("steps", [2**14 + 1, 2**14 + 40, 20_000])
def test_the_norm_goes_on_where_its_series_begins(steps: int) -> None:
    assert square_root_norm(steps) == pytest.approx(math.fsum(square_root_coefficients(steps) ** 2), abs=1e-11)
