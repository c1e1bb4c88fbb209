"""What Dwork, Naor, Pitassi, Rothblum 2010 say of counters: Theorem 4.1's own bounds, and the bound below, Theorem 4.2.

Logarithms of T are to the base 2, those of beta natural.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from math import exp, log, log2

import numpy as np
import pytest

from disttrack.mechanisms import Counter, Fresh, PanPrivate, PerItem
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import laplace_sum_log_tail, laplace_sum_quantile

HORIZONS = [1 << h for h in (1, 2, 3, 4, 6, 10, 20, 40)]
RISKS = (0.1, 0.05, 0.01, 1e-6, 1e-12)


def log_tail(rules: Counter, t: int, value: float) -> float:
    """Return ln of the chance that the error of a step exceeds a value, exactly."""
    return log(2) + laplace_sum_log_tail(rules.noise_parts(t) or (), value)


def bound_throughout(steps: int, beta: float, epsilon: float) -> float:
    """Return Theorem 4.1's bound of the error at all steps together."""
    return 4 * log(1 / beta) * log2(steps) ** 2.5 / epsilon


def bound_at_a_step(steps: int, beta: float, epsilon: float) -> float:
    """Return that of each step by itself, with the constant 3."""
    return 3 * log(1 / beta) * log2(steps) ** 1.5 / epsilon


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("epsilon", [0.1, 1.0])
@pytest.mark.parametrize("steps", HORIZONS)
def test_the_pan_private_counter_keeps_the_papers_bound_at_all_steps(steps: int, epsilon: float) -> None:
    """T times the exact chance at one step is at most beta. At T = 2 two thirds of it are used up, at T = 4 nothing is.

    Controls: fresh noise at each step; on shorter streams a counter with two thousand times the noise.
    """
    rules = PanPrivate(epsilon, steps)
    for beta in RISKS:
        bound = bound_throughout(steps, beta, epsilon)
        assert log(steps) + log_tail(rules, steps, bound) <= log(beta)
        assert steps > 2**20 or log_tail(PanPrivate(epsilon / 2000, steps), steps, bound) > log(beta)
        # one step of many is enough to break it, so a lower bound of the chance is enough here
        assert steps < 2**20 or log_tail(Fresh(epsilon, steps), steps, bound) > log(beta)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("steps", HORIZONS)
def test_at_a_step_by_itself_its_error_is_a_logarithm_smaller(steps: int) -> None:
    """O(log(1 / beta) log^1.5 T), with the constant 3, exactly. Control: noise per item, which grows like sqrt T."""
    for beta in RISKS:
        bound = bound_at_a_step(steps, beta, 1.0)
        found = [laplace_sum_quantile(PanPrivate(1.0, steps).noise_parts(t) or (), beta) for t in {1, 2, steps - 1}]
        assert max(found) == min(found) <= bound
    assert steps < 2**20 or laplace_sum_quantile([(1.0, steps)], 0.05) > bound_at_a_step(steps, 0.05, 1.0)


def test_its_error_grows_like_the_power_of_the_logarithm() -> None:
    """From T = 2^100 to 2^400 by 4^1.5, at a step. Control: the power 1 would make it 4."""
    errors = [laplace_sum_quantile(PanPrivate(1.0, 1 << h).noise_parts(1) or (), 0.05) for h in (100, 400)]
    assert log(errors[1] / errors[0], 4) == pytest.approx(1.5, abs=0.02)


# ---------------------------------------------------------------------- theorem 4.2


def hidden_items(steps: int, epsilon: float) -> int:
    """Return the largest B for which no epsilon-private counter errs by less than B / 2 with probability 1/2.

    Let T / B streams have B ones in a block of their own. An error below B / 2 throughout tells them apart: the events
    "right on the stream of block i" exclude each other. Each has a probability of e^(-epsilon B) / 2 at least on the
    empty stream, so T / B of them are too many if T e^(-epsilon B) / (2 B) is above 1.
    """
    return max((b for b in range(1, steps) if steps // b * exp(-epsilon * b) / 2 > 1), default=0)


def streams(steps: int, items: int) -> Iterable[np.ndarray]:
    """Yield the empty stream, and some of those with all their items in a block of their own."""
    yield np.zeros(steps)
    for block in (0, 1, steps // items // 2, steps // items - 1):
        stream = np.zeros(steps)
        stream[block * items : (block + 1) * items] = 1
        yield stream


def right(rules: Counter, steps: int, items: int, runs: int = 40) -> float:
    """Return how often a counter errs by less than half of the items throughout, on the stream where it seldom does."""
    rng = np.random.default_rng(8)
    shares = []
    for stream in streams(steps, items):
        truth = np.cumsum(stream)
        largest = [np.abs(rules.start(rng).release(stream) - truth).max() for _ in range(runs)]
        shares.append(np.mean(np.array(largest) < items / 2))
    return float(min(shares))


def test_the_streams_of_the_bound_are_told_apart_by_a_good_answer() -> None:
    """Any two of them differ by B at some step, so that no answer is within less than B / 2 of both."""
    sums = [np.cumsum(stream) for stream in streams(48, 4)]
    apart = {(i, j): np.abs(a - b).max() for (i, a), (j, b) in product(enumerate(sums), repeat=2) if i < j}
    assert set(apart.values()) == {4}
    assert hidden_items(1 << 12, 1.0) == 5
    grows = [hidden_items(1 << h, 1.0) / h for h in (10, 14, 18)]
    assert min(grows) > 0.35  # Omega(log T): it is ln T, less ln ln T
    assert hidden_items(1 << 12, 8.0) == 0


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("kind", ["binary", "hybrid", "per-item", "sparse-infinite"])
def test_no_private_counter_undercuts_the_bound(kind: str) -> None:
    """With 1,024 steps and epsilon = 1 none errs by less than 2 throughout with probability 1/2 on each stream.

    Forty runs are right in 36 or more by chance, if they are with 1/2, with probability 1e-7; most are right in none.
    Control: the same counter with 400 times the epsilon, next to no noise, is right in nearly all.
    """
    steps = 1 << 10
    items = hidden_items(steps, 1.0)
    assert items == 4
    assert right(counter(kind, 1.0, steps), steps, items) < 0.9
    loud = 20_000.0 if kind == "per-item" else 400.0
    if kind != "sparse-infinite":  # it says nothing before a segment is full, loud or not
        assert right(counter(kind, loud, steps), steps, items) > 0.9


def test_losses_of_two_mechanisms_add_up() -> None:
    """Theorem 3.2, attained: an item that is counted twice, with noise of its own each time."""
    one, other = PerItem(0.3, 4).encoder(4), PerItem(0.5, 4).encoder(4)
    assert one is not None
    assert other is not None
    together = np.vstack((one, other))
    losses = [float(np.abs(matrix).sum(axis=0).max()) for matrix in (one, other, together)]
    assert losses == pytest.approx([0.3, 0.5, 0.8])
