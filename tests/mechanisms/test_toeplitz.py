"""The square-root factorisation and its buffered form against exact matrix norms, and against a peer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import digamma

from disttrack.mechanisms import Blt, SquareRoot, Unbounded
from disttrack.mechanisms.counters.blt import Buffers, optimised_buffers, quadrature_buffers
from disttrack.mechanisms.counters.toeplitz import square_root_coefficients, square_root_norm

PUBLISHED = {
    (10, 1): 1.04, (100, 2): 1.03, (10_000, 1): 1.45, (10_000, 3): 1.03, (10_000, 4): 1.03, (100_000, 2): 1.16,
    (10**6, 5): 1.05, (10**7, 8): 1.10, (10**8, 2): 1.60, (10**8, 7): 1.05,
}  # fmt: skip
"""The same over 1 + ln(steps) / pi, as the tests of jax-privacy 2.0 allow it."""


def root_loss(buffers: Buffers, steps: int) -> float:
    """Return the largest standard deviation for a noise multiplier of 1: the root of the maximum loss."""
    return math.sqrt(buffers.column_norm(steps) * buffers.row_norm(steps))


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
    assert 1 - 1e-12 <= root_loss(buffers, steps) / square_root_norm(steps) <= 1.005
    assert len(buffers.decays) <= 4 + log_steps / 3


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize(("steps", "count"), PUBLISHED)
def test_optimised_buffers_lose_no_more_than_published(steps: int, count: int) -> None:
    loss = root_loss(optimised_buffers(steps, count), steps)
    assert loss / (1 + math.log(steps) / math.pi) <= PUBLISHED[steps, count]


def test_buffers_that_are_not_optimised_lose_more() -> None:
    """The control: three nodes of a quadrature, and the optimum of another horizon."""
    three = quadrature_buffers(10_000, stride=3.3)
    assert len(three.decays) == 3
    for other in (three, optimised_buffers(1_000, 3), optimised_buffers(100_000, 3)):
        assert root_loss(other, 10_000) > 1.03 * (1 + math.log(10_000) / math.pi)


def test_optimised_buffers_are_those_of_a_peer() -> None:
    """The two buffers that jax-privacy 2.0 finds for 100,000 steps, by gradients of another parametrisation."""
    ours = optimised_buffers(100_000, 2)
    order = np.argsort(-ours.decays)
    assert ours.decays[order] == pytest.approx([0.9999528892, 0.9857068667], rel=1e-7)
    assert ours.weights[order] == pytest.approx([0.0122853238, 0.1878393665], rel=1e-4)


@pytest.mark.parametrize(("steps", "count"), [(1, 1), (3, 10), (60, 1), (60, 3)])
def test_optimised_buffers_are_a_factorisation(steps: int, count: int) -> None:
    """Against dense matrices: sensitivity and errors are those of the matrix that the noise is given to."""
    made = Blt(0.8, steps, 1e-3, buffers=count)
    encoder = made.encoder(steps) * made.std
    assert made.std / made.sigma == pytest.approx(np.sqrt((encoder**2).sum(axis=0).max()), rel=1e-12)
    rows = np.tri(steps) @ np.linalg.inv(encoder)
    assert [made.row_norm(t) for t in range(1, steps + 1)] == pytest.approx((rows**2).sum(axis=1).tolist(), rel=1e-8)
    assert (made.factors.weights > 0).all()


@pytest.mark.parametrize("steps", [1, 2, 50, 3000])
@pytest.mark.parametrize("buffers", [quadrature_buffers(4096), optimised_buffers(4096, 3)], ids=["quadrature", "best"])
def test_buffers_in_closed_form_meet_their_series(steps: int, buffers: Buffers) -> None:
    coefficients = buffers.coefficients(steps)
    assert buffers.column_norm(steps) == pytest.approx(np.sum(coefficients**2), rel=1e-10)
    answer = lfilter([1.0], coefficients, np.ones(steps))  # the first column of A C^-1, as a series
    assert buffers.row_norm(steps) == pytest.approx(np.sum(answer**2), rel=1e-9)


@pytest.mark.parametrize("steps", [2**14 + 1, 2**14 + 40, 20_000])
def test_the_norm_goes_on_where_its_series_begins(steps: int) -> None:
    assert square_root_norm(steps) == pytest.approx(math.fsum(square_root_coefficients(steps) ** 2), abs=1e-11)


def test_an_endless_stream_has_a_finite_sensitivity() -> None:
    """Its norm is an integral over the circle (Parseval), and the sum of a million coefficients and all beyond them.

    c(i)^2 tends to 1 / (pi i (1 + (l / 14)^3)) with l = ln(i) - digamma(1 / 2), up to terms in 1 / l^2.
    """
    endless = (Unbounded(1.0).std / Unbounded(1.0).sigma) ** 2
    # in s = -ln(angle), from angle pi to e^-20, and from there to e^-30000 with the integrand's limit
    s = np.linspace(-math.log(math.pi), 20, 400_001)
    chord = 2 * np.sin(np.exp(-s) / 2)
    near = np.exp(-s) / chord / abs(1 + ((-np.log(chord) + 0.5j * (math.pi - np.exp(-s))) / 14) ** 3)
    u = np.linspace(math.log(20), math.log(30_000), 400_001)
    far = np.exp(u) / abs(1 + ((np.exp(u) + 0.5j * math.pi) / 14) ** 3)
    integral = (np.trapezoid(near, s) + np.trapezoid(far, u) + 14**3 / (2 * 30_000**2)) / math.pi
    assert endless == pytest.approx(integral, rel=1e-8)

    steps = 1 << 20
    logs = np.linspace(math.log(steps) - digamma(0.5), 2000, 200_001)
    beyond = (np.trapezoid(1 / (1 + (logs / 14) ** 3), logs) + 14**3 / (2 * 2000**2)) / math.pi
    assert beyond > 0.2 * endless
    assert Unbounded(1.0).column_norm(steps) + beyond == pytest.approx(endless, rel=0.005)
    assert Unbounded(1.0, horizon=9).std == Unbounded(1.0).std  # a horizon has no influence


def test_both_factors_of_the_unbounded_counter_multiply_to_counting() -> None:
    made = Unbounded(0.8, delta=1e-3)
    encoder = made.encoder(700) * made.std
    rows = np.tri(700) @ np.linalg.inv(encoder)
    for t in (1, 2, 65, 700):
        assert made.variance(t) == pytest.approx(made.std**2 * (rows[t - 1] ** 2).sum(), rel=1e-9)


def test_without_a_horizon_the_variance_is_below_one_and_a_half_of_the_square_roots() -> None:
    """At every step of one with a horizon of 2^24, and from 2^16 to 2^24 of one whose horizon is that step.

    From 2^20 on, which would take gigabytes, the squared coefficients are (1 + (l / 14)^3) / (pi i) with l as above.
    """
    ours, longest = Unbounded(1.0), SquareRoot(1.0, 1 << 24)
    for log_steps in range(21):
        steps = 1 << log_steps
        assert 0.9 < ours.variance(steps) / longest.variance(steps) < 1.21
        ratio = ours.variance(steps) / SquareRoot(1.0, steps).variance(steps)
        assert ratio < 1.5 if log_steps >= 16 else ratio > 1.5  # the control: it is not so for few steps
    logs = np.linspace(20 * math.log(2), 24 * math.log(2), 10_001)
    added = np.trapezoid(1 + ((logs - digamma(0.5)) / 14) ** 3, logs) / math.pi
    last = (ours.row_norm(1 << 20) + added) * ours.std**2 / longest.variance(1 << 24)
    assert last == pytest.approx(1.396, abs=0.01)
