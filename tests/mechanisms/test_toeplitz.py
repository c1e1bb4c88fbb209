"""The square-root factorisation and its buffered form against exact matrix norms, and against a peer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from disttrack.mechanisms.counters.blt import quadrature_buffers
from disttrack.mechanisms.counters.square_root import square_root_coefficients, square_root_norm


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
    answer = lfilter([1.0], coefficients, np.ones(steps))  # the first column of A C^-1, as a series
    assert buffers.row_norm(steps) == pytest.approx(np.sum(answer**2), rel=1e-9)


@pytest.mark.parametrize("steps", [2**14 + 1, 2**14 + 40, 20_000])
def test_the_norm_goes_on_where_its_series_begins(steps: int) -> None:
    assert square_root_norm(steps) == pytest.approx(math.fsum(square_root_coefficients(steps) ** 2), abs=1e-11)
