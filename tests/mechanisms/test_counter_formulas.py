"""Counters from their formulas: sums in which noise stands, steps of the largest error, stated errors, texts."""

from __future__ import annotations

import math
from functools import partial
from math import ceil, log, log2, sqrt
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import (
    Binary,
    Fresh,
    Hybrid,
    KAry,
    PanPrivate,
    PerItem,
    PrivatePartition,
    RandomizedResponse,
    SmoothBinary,
    Sparse,
    SparseInfinite,
    TwoLevel,
)  # fmt: skip
from disttrack.mechanisms.counters.base import Counter
from disttrack.mechanisms.counters.binary import balance, balanced_digits
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile

EPSILON = 0.8


def digits(number: int, base: int) -> list[int]:
    """Return balanced digits, the lowest first, by the least remainder in absolute value."""
    found = []
    while number:
        rest = min((r for r in range(-(base // 2), base // 2 + 1) if (number - r) % base == 0), key=abs)
        found.append(rest)
        number = (number - rest) // base
    return found


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("t", [1, 2, 7, 25, 64])
def test_the_noise_in_an_estimate(t: int) -> None:
    power = int(log2(t))
    size = 8  # the root of 64
    for made, exact in (
        (Fresh(EPSILON, 64), [(64 / EPSILON, 1)]),
        (PerItem(EPSILON), [(1 / EPSILON, t)]),
        (TwoLevel(EPSILON, 64), [(2 / EPSILON, t // size + t % size)]),
        (TwoLevel(EPSILON, 64, block=1), [(1 / EPSILON, t)]),
        (TwoLevel(EPSILON, 64, block=64), [(2 / EPSILON, t // 64 + t % 64)]),
        (TwoLevel(EPSILON, 64, block=65), [(1 / EPSILON, t)]),
        (Binary(EPSILON, 64), [(7 / EPSILON, f"{t:b}".count("1"))]),
        (Binary(EPSILON, 63), [(6 / EPSILON, f"{t:b}".count("1"))]),
        (Binary(EPSILON, 48, literal=True), [(log2(48) / EPSILON, f"{t:b}".count("1"))]),
        (Hybrid(EPSILON), [(2 / EPSILON, power + 1), (2 * max(1, power) / EPSILON, f"{t - 2**power:b}".count("1"))]),
        (KAry(EPSILON, 64, base=5), [(4 / EPSILON, sum(map(abs, digits(t, 5))))]),
        (KAry(EPSILON, 62, base=5), [(3 / EPSILON, sum(map(abs, digits(t, 5))))]),
        (PanPrivate(EPSILON, 64), [(7 / EPSILON, 7)]),
        (PanPrivate(EPSILON, 65), [(8 / EPSILON, 8)]),
    ):
        found = made.noise_parts(t)
        assert [(pytest.approx(scale), count) for scale, count in exact] == list(found), made
        assert made.variance(t) == pytest.approx(sum(2 * scale**2 * count for scale, count in exact))
        assert made.error_bound(t, 0.03) == pytest.approx(laplace_sum_quantile(exact, 0.03))
    assert balanced_digits(t, 5) == digits(t, 5)
    assert balanced_digits(t, 3) == digits(t, 3)


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("steps", [1, 2, 5, 31, 64])
@pytest.mark.parametrize(
    "made",
    [
        Fresh(EPSILON, 64), PerItem(EPSILON), TwoLevel(EPSILON, 64), TwoLevel(EPSILON, 64, block=5),
        Binary(EPSILON, 64), KAry(EPSILON, 64, base=3), KAry(EPSILON, 64, base=5), KAry(EPSILON, 64, base=7),
        PanPrivate(EPSILON, 64),
    ],
    ids=repr,
)  # fmt: skip
def test_the_worst_step_is_among_the_few(made: Any, steps: int) -> None:
    few = list(made.worst_steps(steps))
    assert all(1 <= t <= steps for t in few)
    assert max(made.variance(t) for t in few) == max(made.variance(t) for t in range(1, steps + 1))
    exact = max(made.error_bound(t, 0.05 / steps) for t in few)
    assert made.error_bound_throughout(steps, 0.05) == pytest.approx(exact)
    assert len(few) <= 14


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("t", [1, 2, 5, 16, 300])
def test_the_errors_of_sparse_counters(t: int) -> None:
    """Of the hybrid counter of as many segments as may have closed, and of the open one, at half of beta each."""
    for made, deadline in ((Sparse(EPSILON, 400, 0.1), 400), (SparseInfinite(EPSILON, beta=0.1), max(2, t * t))):
        horizon = 400 if made.kind == "sparse" else None
        partition = PrivatePartition(EPSILON / 2, horizon, 0.1)
        assert (made.partition, made.inner) == (partition, Hybrid(EPSILON / 2))
        for items in (None, 0, 1, 3, 20):
            there = t if items is None else items
            # without a horizon the segments that time out end at 2, 4, 16, 256, ... at the earliest
            idle = 0 if horizon else 2 + ceil(log2(max(1.0, log2(max(2, t)))))
            closed = min(t, there + idle)
            assert made.segments(t, there) == closed
            open_one = partition.most_items(closed + 1, deadline, 0.02)
            noise = 0.0
            if closed:
                power = int(log2(closed))
                scale = 2 / (EPSILON / 2)
                noise = laplace_sum_quantile([(scale, power + 1), (scale * max(1, power), power)], 0.02)
            assert made.error_bound(t, 0.04, items) == pytest.approx(noise + open_one)
        assert made.error_bound_throughout(t, 0.04, 3) == made.error_bound(t, 0.04 / t, 3)
        assert made.noise_parts(t) is None
        assert made.variance(t) is None


@pytest.mark.parametrize("rules", [Sparse(1.0, 20_000), SparseInfinite(1.0)])
def test_estimates_are_those_of_a_counter_fed_once_a_segment(rules: Sparse) -> None:
    stream = (np.random.default_rng(3).random(20_000) < 0.3).astype(float)
    got = rules.start(np.random.default_rng(9)).release(stream)
    for_partition, for_counter = np.random.default_rng(9).spawn(2)
    cuts = rules.partition.start(for_partition).closings(stream)
    inner = rules.inner.start(for_counter)
    assert rules.inner == Hybrid(0.5)
    assert rules.partition.epsilon == 0.5
    expected = np.zeros(20_000)
    for place, items in cuts:
        expected[place:] = inner.step(items)
    assert got.tolist() == expected.tolist()
    assert len(cuts) > 5


def test_randomised_response() -> None:
    made = RandomizedResponse(EPSILON)
    q = 1 / (1 + math.exp(EPSILON))
    assert made.variance(40) == pytest.approx(40 * q * (1 - q) / (1 - 2 * q) ** 2)
    bound = made.error_bound(40, 0.1)
    assert bound == pytest.approx(sqrt(40 * log(2 / 0.1) / 2) / (1 - 2 * q))
    run = made.start(np.random.default_rng(0))
    for wrong, shown in ((2, "2"), (0.5, "0.5"), (-1, "-1")):
        with pytest.raises(ValueError, match=rf"^x must be 0 or 1 for randomised response; got {shown}$"):
            run.step(wrong)
        with pytest.raises(ValueError, match=rf"^x must be 0 or 1 for randomised response; got {shown}$"):
            run.release([1, wrong, 0])
    assert run.t == 0


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("steps", [1, 3, 20, 1_024, 10**6, 2**40, 2**61])
def test_every_step_of_the_smooth_tree_errs_less_than_the_worst_of_others(steps: int) -> None:
    """The control: at their best steps others err less, and the k-ary tree on average too."""
    smooth = SmoothBinary(EPSILON, steps)
    assert {smooth.variance(t) for t in (1, (steps + 1) // 2, steps)} == {smooth.variance(1)}
    others = [Fresh, PerItem, Binary, Hybrid, PanPrivate, *(partial(KAry, base=base) for base in (3, 9, 19, 31, 101))]
    for made in (other(EPSILON, steps) for other in others):
        assert max(made.variance(t) for t in made.worst_steps(steps)) >= smooth.variance(1) * (1 - 1e-9)
    if steps == 1_024:
        tree = KAry(EPSILON, steps)
        assert np.mean([tree.variance(t) for t in range(1, steps + 1)]) < 0.7 * smooth.variance(1)


@pytest.mark.parametrize("steps", [1, 5, 30, 1_000, 10**6])
def test_the_smooth_tree_has_the_best_numbers_of_ones_and_zeros(steps: int) -> None:
    """Against all pairs; the published tree has as many of both, 12 for 10^6 steps, and 1.8 times the variance then."""
    pairs = [(ones, zeros) for ones in range(1, 61) for zeros in range(1, 31) if math.comb(ones + zeros, zeros) > steps]
    ones, zeros = balance(steps)
    assert math.comb(ones + zeros, zeros) > steps
    assert ones * zeros**2 == min(ones * zeros**2 for ones, zeros in pairs)
    if steps == 10**6:
        assert math.comb(24, 12) > steps >= math.comb(22, 11)
        assert 12**3 / (ones * zeros**2) == pytest.approx(16 / 9)


def test_what_every_counter_shares() -> None:
    with pytest.raises(ValueError, match=r"^horizon must be given here: hybrid has none$"):
        _ = Hybrid(1.0).steps

    class Odd(Counter):
        kind = "odd"
        start = None  # type: ignore[assignment]

    assert Odd(1.0, 3).encoder(3) is None  # type: ignore[abstract]
    with pytest.raises(NotImplementedError, match=r"^odd states no error bound$"):
        Odd(1.0, 3).error_bound(2, 0.1)  # type: ignore[abstract]
