"""Several entries of one user: every neighbouring stream of short ones, against the claims of the counters.

The reference is the plain definition: all changes of up to k entries, each up or down, at least b steps apart.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import optimize, signal

from disttrack.mechanisms import COUNTERS, Binary, Blt, Counter, SquareRoot, Unbounded
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.counters.blt import Buffers, optimised_buffers
from disttrack.mechanisms.counters.linear import UserLevelCounter
from disttrack.mechanisms.counters.toeplitz import columns_norm
from disttrack.mechanisms.scripted_noise import response

USERS = [kind for kind, each in COUNTERS.items() if issubclass(each, UserLevelCounter)]
CASES: list[tuple[str, dict[str, Any]]] = [
    *((kind, {}) for kind in USERS),
    ("k-ary", {"base": 3}),
    ("two-level", {"block": 2}),
    ("blt", {"buffers": 3}),
]
BOUNDED = {"hybrid", "tree-variance-reduced"}
"""Counters whose entries do not lie in the same number of noisy sums: each is taken to lie in the most."""
ROOMY = [(1, 1), (2, 1), (2, 3), (3, 2), (64, 1), (64, 5)]
"""Participations and separations."""


@cache
def changes(steps: int, most: int, separation: int) -> np.ndarray:
    """Return all changes of a stream by the entries of one user, one per row."""
    signs = np.array(list(itertools.product((0, 1, -1), repeat=steps)))
    far = [np.diff(np.flatnonzero(row), prepend=-99).min() >= separation if row.any() else False for row in signs]
    return signs[np.array(far) & (np.count_nonzero(signs, axis=1) <= most)]


def lengths(rules: Counter, steps: int, rows: np.ndarray) -> np.ndarray:
    """Return how far each change moves what gets noise, in units of noise."""
    encoder = rules.encoder(steps)
    assert encoder is not None
    return np.linalg.norm(encoder @ rows.T, ord=2 if rules.privacy == "approximate" else 1, axis=0)


def claim(rules: Counter) -> float:
    return 1 / rules.sigma if rules.privacy == "approximate" else rules.epsilon  # type: ignore[attr-defined]


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("steps", [2, 6])
@pytest.mark.parametrize(("kind", "more"), CASES)
def test_the_worst_neighbour_moves_as_far_as_claimed(kind: str, more: dict[str, Any], steps: int) -> None:
    for most, separation in ROOMY:
        rules = counter(kind, 0.8, steps, participations=most, separation=separation, **more)
        move = lengths(rules, steps, changes(steps, most, separation)).max()
        assert move <= claim(rules) * (1 + 1e-9)
        if kind == "unbounded":  # its noise is for any number of steps
            short = math.sqrt(rules.column_norm(steps)) * rules.sigma / rules.std  # type: ignore[attr-defined]
            assert move == pytest.approx(claim(rules) * short)
        elif kind not in BOUNDED:
            assert move == pytest.approx(claim(rules)), (most, separation)


@pytest.mark.parametrize("kind", USERS)
def test_the_noise_is_that_of_the_claim(kind: str) -> None:
    """The running code with scripted draws: it counts, and its variances are those stated."""
    rules = counter(kind, 0.8, 6, participations=3, separation=2)
    encoder = rules.encoder(6)
    assert encoder is not None
    measured = response(rules, 6, len(encoder))
    assert measured @ encoder == pytest.approx(np.tri(6), abs=1e-9)
    one = 1.0 if rules.privacy == "approximate" else 2.0
    assert (one * (measured**2).sum(axis=1)).tolist() == pytest.approx([rules.variance(t) for t in range(1, 7)])


def test_one_participation_changes_nothing() -> None:
    for kind in USERS:
        plain = counter(kind, 0.8, 100)
        for same in ({"separation": 7}, {"participations": 5, "separation": 100}):
            assert counter(kind, 0.8, 100, **same).variance(99) == plain.variance(99)


def test_what_no_user_can_have_is_refused() -> None:
    with pytest.raises(ValueError, match="participations must be at most 65536"):
        Unbounded(1.0, participations=65_537)
    with pytest.raises(ValueError, match="participations must be at most 1"):
        Binary(1.0, 16, literal=True, participations=2)
    for kind in set(COUNTERS) - set(USERS):
        with pytest.raises(TypeError, match="participations"):
            counter(kind, 1.0, 10, participations=2)


def test_buffers_have_the_sensitivity_of_their_matrix() -> None:
    """In closed form against all columns, and against a figure of another project's tests.

    Half of the squared sensitivity is the zero-concentrated loss for noise of variance 1: 3.17226586 for these buffers,
    100 steps and two entries 50 steps apart (google-parfait/federated-compute, test of its accounting).
    """
    decays = np.array([0.9999999999921251, 0.9944453083640997, 0.8985923474607591, 0.4912001418098778])
    weights = np.array([0.0070314825502323835, 0.10613806907600574, 0.1898159060327625, 0.1966594748073734])
    published = Buffers(decays, weights, decays)
    assert published.column_norm(100, 2, 50) / 2 == pytest.approx(3.17226586, abs=1e-8)
    for steps, entries, separation in [(100, 2, 50), (100, 100, 1), (101, 2, 100), (999, 7, 10), (3000, 64, 46)]:
        dense = columns_norm(published.coefficients(steps), entries, separation)
        assert published.column_norm(steps, entries, separation) == pytest.approx(dense, rel=1e-10)


@pytest.mark.parametrize(
    ("steps", "entries", "separation", "count"),
    [(1, 1, 1, 3), (2, 2, 1, 10), (60, 60, 1, 5), (100, 5, 1, 3), (100, 2, 50, 2), (4096, 8, 64, 3), (4096, 64, 64, 3)],
)
def test_buffers_for_several_entries_are_a_factorisation(steps: int, entries: int, separation: int, count: int) -> None:
    """Also where the best decays coincide; and the coefficients fall, as the worst pattern needs it."""
    made = optimised_buffers(steps, count, entries, separation)
    coefficients = made.coefficients(steps)
    assert (np.diff(coefficients) <= 0).all()
    assert (coefficients >= 0).all()
    inverse = np.linalg.solve(np.tri(steps), np.eye(steps)[0]) if steps <= 100 else None
    if inverse is not None:
        lags = np.subtract.outer(np.arange(steps), np.arange(steps))
        dense = np.where(lags >= 0, coefficients[abs(lags)], 0.0)
        rows = np.tri(steps) @ np.linalg.inv(dense)
        assert made.row_norm(steps) == pytest.approx((rows[-1] ** 2).sum(), rel=1e-7)


def deviation(made: Buffers, steps: int, entries: int, separation: int) -> float:
    return math.sqrt(made.column_norm(steps, entries, separation) * made.row_norm(steps))


LOSSES = {(4096, 8, 64, 3): 17.7877, (4096, 64, 64, 3): 75.318, (10_000, 8, 156, 3): 18.5969, (100, 2, 50, 2): 3.8715}
"""Largest standard deviations at a noise multiplier of 1, by steps, entries, separation and buffers."""


@pytest.mark.parametrize(("steps", "entries", "separation", "count"), LOSSES)
def test_buffers_made_for_several_entries_lose_less(steps: int, entries: int, separation: int, count: int) -> None:
    """Less than those made for one entry, and less than the square root."""
    users = {"participations": entries, "separation": separation}
    made = Blt(1.0, steps, buffers=count, **users)
    deviation = math.sqrt(made.variance(steps)) / made.sigma
    assert deviation <= LOSSES[steps, entries, separation, count]
    one = optimised_buffers(steps, count)
    assert deviation**2 < 0.999 * one.column_norm(steps, entries, separation) * one.row_norm(steps)
    assert made.variance(steps) < SquareRoot(1.0, steps, **users).variance(steps)


@pytest.mark.parametrize(("entries", "separation"), [(2, 1), (8, 1), (8, 64), (64, 64), (2, 1000)])
def test_without_a_horizon_the_sensitivity_is_bounded_closely(entries: int, separation: int) -> None:
    """From below by the sum over a million steps, and after them by `entries` times the first column."""
    rules = Unbounded(1.0, participations=entries, separation=separation)
    coefficients = rules.coefficients(1 << 20)
    assert (np.diff(coefficients) < 0).all()
    endless = (Unbounded(1.0).std / rules.sigma) ** 2
    rest = endless - float(np.sum(coefficients**2))
    least = columns_norm(coefficients, entries, separation) + entries**2 * rest
    assert least <= (rules.std / rules.sigma) ** 2 <= 1.003 * least
    assert rules.std <= entries * Unbounded(1.0).std
    assert Unbounded(1.0, participations=8, separation=10**9).std < Unbounded(1.0, participations=8, separation=64).std


@pytest.mark.slow
def test_buffers_come_close_to_the_best_toeplitz_factorisation() -> None:
    """A search over all coefficients that fall, from those of the square root: 4 % below the buffers, 13 % below it."""
    steps, users = 64, {"participations": 8, "separation": 8}

    def log_loss(variables: np.ndarray) -> float:
        logs = np.cumsum(np.exp(np.clip(variables, -25.0, 5.0)))
        coefficients = np.concatenate(([1.0], np.exp(-logs)))
        row = signal.lfilter([1.0], coefficients, np.ones(steps))
        return math.log(columns_norm(coefficients, 8, 8) * float(np.sum(row**2)))

    start = np.log(-np.diff(np.log(SquareRoot(1.0, steps).coefficients(steps))))
    options = {"maxiter": 3000, "maxfun": 400_000}
    best = math.exp(optimize.minimize(log_loss, start, method="L-BFGS-B", options=options).fun / 2)
    assert best == pytest.approx(9.6854, rel=1e-4)
    for buffers, most in ((1, 1.047), (2, 1.041), (3, 1.041)):
        made = optimised_buffers(steps, buffers, 8, 8)
        assert 1.02 < deviation(made, steps, 8, 8) / best < most
    root = SquareRoot(1.0, steps, **users)
    assert math.sqrt(root.variance(steps)) / root.sigma / best == pytest.approx(1.130, abs=0.001)
