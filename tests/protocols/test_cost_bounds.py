"""Bounds on words, protocol by protocol, from their formulas and from games; below, at and above the start-up's end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from math import ceil, log, log2, pi, sqrt
from statistics import fmean
from typing import Any

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Exact,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)  # fmt: skip
from disttrack.protocols.rounds.difference_estimators import doubling
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.simulator import play

GAMES = [(items, start) for items in (0, 1, 7, 60, 500, 10**4, 10**6) for start in (0, 3, 100, 5000, 10**9)]


def by_doublings(items: int, start: int, early: float, each: float, once: float, entry: float = 0.0) -> float:
    """Return the cost of all doublings after the first `early` items; one more than there are, for rounding."""
    doublings = log2((start + items) / max(start, early)) + 1
    return max(0.0, early - start) * once + (entry if start < early else 0.0) + doublings * each


def block(k: int, items: int, start: int) -> float:
    early = 4 * sqrt(k) / 0.2
    return items if start + items < early else by_doublings(items, start, early, 2 * early + 3 * k, 1)


def deterministic_rounds(k: int, items: int, start: int) -> float:
    early = ceil(k / 0.15)
    return items if start + items < early else by_doublings(items, start, early, 2 * k / 0.15 + 3 * k, 1)


def sampled(inner: float, copies: int) -> Callable[[int, int, int], float]:
    def cost(k: int, items: int, start: int) -> float:
        early = sqrt(k) / inner
        if start + items < early:
            return items * copies + 2 * k * (1 + log2(1 + start + items))
        each = 4 * copies * early + (2.5 + 0.5 * copies) * k
        return by_doublings(items, start, early, each, copies, 2 * k * log2(early))

    return cost


def switching(k: int, items: int, start: int) -> float:
    copies = max(1, ceil((log(1 + 0.4 / 8) + log(1e6 / max(start, 1))) / log(1.2)) + 1)
    assert SketchSwitching(0.4, 0.1, 1e6).copies(start) == copies
    early = strength_for(0.1 / (copies * 32), k) * sqrt(k) / (0.4 / 12)
    if start + items < early:
        return items + 3 * k * (1 + log2(1 + start + items))
    return by_doublings(items, start, early, copies * (4 * early + k / 2) + 3.5 * k, 1, 3 * k * log2(early))


def private(k: int, items: int, start: int) -> float:
    protocol = PrivateCopies(0.4, 0.1, largest=1e6)
    early = sqrt(10) * sqrt(k) / (0.4 / 4)
    if start + items < early:
        return items + 2 * k * (1 + log2(1 + start + items))
    each = protocol.copies(start) * (4 * early + k / 2) + 2.5 * k
    return by_doublings(items, start, early, each, 1, 2 * k * log2(early))


def simple(k: int, items: int, start: int) -> float:
    early = ceil(2.5 * sqrt(k) / 0.3)
    if start + items < early:
        return items
    total, cost = max(start, early), max(0, early - start)
    while total < start + items:
        cost += 4 * k
        total *= 1 + 0.3 * sqrt(k) / 2.5
    return cost


@pytest.mark.parametrize("k", [1, 2, 9, 100])
@pytest.mark.parametrize(
    ("protocol", "cost"),
    [
        (Exact(), lambda k, items, start: items),
        (Block(0.2, 4.0), block),
        (DeterministicRounds(0.15), deterministic_rounds),
        (Randomized(0.2, confidence=4.0), sampled(0.05, 1)),
        (Randomized(0.2, confidence=4.0, copies=5), sampled(0.05, 5)),
        (SketchSwitching(0.4, 0.1, 1e6), switching),
        (PrivateCopies(0.4, 0.1, largest=1e6), private),
        (Martingale(0.3, parameters="simple", strength=2.5), simple),
    ],
    ids=lambda one: getattr(one, "kind", ""),
)
def test_the_bound_is_that_of_its_formula(protocol: Protocol, cost: Callable[[int, int, int], float], k: int) -> None:
    for items, start in GAMES:
        assert protocol.cost_bound(k, items, start) == pytest.approx(cost(k, items, start), rel=1e-9), (items, start)
    assert protocol.cost_bound(k, 500) == protocol.cost_bound(k, 500, 0)


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize(("k", "alpha"), [(1, 0.5), (4, 0.1), (7, 0.03)])
def test_a_site_reports_every_item_at_first_and_then_each_growth(k: int, alpha: float, centred: bool) -> None:
    growth = log((1 + alpha) / (1 - alpha)) if centred else log(1 + alpha)

    def reports(n: float) -> float:
        return min(n, 1 / alpha) + max(0.0, log(max(alpha * n, 1))) / growth

    for items, start in GAMES:
        exact = k * (reports((start + items) / k) - reports(start / k) + 1)
        assert Deterministic(alpha, centred).cost_bound(k, items, start) == pytest.approx(exact)


def rounds_of_difference(k: int, alpha: float, delta: float) -> Iterator[tuple[int, float, int]]:
    number = 0
    while True:
        number += 1
        failure = 6 * delta / (pi * number) ** 2
        levels = ceil(log2(2 / alpha))
        spread = k * log(3 * 2**levels / failure) / 2
        late, off = min(sqrt(spread), k), min(sqrt(levels * spread), levels * k)
        quota = max(1, int((late + off) / (alpha * 2**levels - 1)))
        yield levels, quota + late + off, quota


@pytest.mark.parametrize(("k", "alpha", "delta"), [(1, 0.5, 0.05), (9, 0.3, 0.2), (400, 0.1, 1e-3), (30, 0.25, 0.05)])
def test_difference_estimators_pay_by_doublings(k: int, alpha: float, delta: float) -> None:
    protocol = DifferenceEstimators(alpha, delta)
    for number, (levels, budget, quota) in zip(range(1, 6), rounds_of_difference(k, alpha, delta), strict=False):
        found = protocol.doubling(k, number)
        assert (found.levels, found.block_bits, found.blocks) == (levels, quota, 2**levels)
        assert found.budget == pytest.approx(budget)
        assert found == doubling(k, alpha, 6 * delta / (pi * number) ** 2)
    for items, start in GAMES:
        grown = cost = 0.0
        rounds = rounds_of_difference(k, alpha, delta)
        levels, budget, quota = next(rounds)
        while grown < items:
            early = ceil(budget / alpha) - start
            if grown < early:
                cost += min(early, items) - grown
                grown = early
                continue
            bits = quota * 2**levels
            cost += levels * bits + (2**levels + 3) * k
            grown += bits * max(1, int(alpha * (start + grown) / budget))
            levels, budget, quota = next(rounds)
        assert protocol.cost_bound(k, items, start) == pytest.approx(cost), (items, start)


@pytest.mark.parametrize("parameters", ["paper", {"c": 0.1, "blocks": 0.5}])
@pytest.mark.parametrize("k", [1, 16, 81])
def test_the_robust_tracker_pays_by_rounds(k: int, parameters: Any) -> None:
    protocol = Robust(0.3, 0.1, parameters)
    for items, start in (*GAMES, (10**17, 10**4)):
        grown, cost, number = 0.0, 0.0, 1
        while grown < items:
            beta = 6 * 0.1 / (pi**2 * number**2 * sqrt(k))
            c = sqrt((log(sqrt(k)) ** 1.5 + 1) * log(8 * sqrt(k) / beta)) * (0.1 if parameters != "paper" else 1.0)
            early = ceil(8 * c * sqrt(k) / 0.3) - start
            if grown < early:
                cost += min(early, items) - grown
                grown = early
                continue
            cost += 3 * c * k + 3 * k
            size = max(1, int(0.3 * (start + grown) / (8 * c * sqrt(k))))
            grown += (1.0 if parameters == "paper" else 0.5) * c * k * size
            number += 1
        if number < 1000:
            assert protocol.cost_bound(k, items, start) == pytest.approx(cost), (items, start)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("items", "start"), [(10**5, 0), (10**7, 10**6)])
@pytest.mark.parametrize("k", [1, 256])
@pytest.mark.parametrize(
    "protocol",
    [
        Block(0.1),
        Martingale(0.1),
        Martingale(0.1, delta=0.5, parameters="simple"),
        Robust(0.1),
        Robust(0.1, parameters="tight"),
    ],
    ids=repr,
)
def test_games_cost_what_the_bound_allows_and_not_far_less(protocol: Protocol, k: int, items: int, start: int) -> None:
    """Mean words of four games; a bound for rounds of mean growth may be exceeded by a twentieth."""
    words = fmean(play(protocol, RoundRobin(), sites=k, items=items, start=start, seed=seed).words for seed in range(4))
    bound = protocol.cost_bound(k, items, start)
    assert bound / 4 < words < 1.05 * bound


@pytest.mark.parametrize("k", [9, 100])
@pytest.mark.parametrize(
    "protocol",
    [Block(0.2), DeterministicRounds(0.1), DifferenceEstimators(0.4), Martingale(0.3), Robust(0.5, parameters="tight")],
    ids=lambda one: one.kind,
)
def test_the_item_that_ends_the_start_up_is_paid_for(protocol: Protocol, k: int) -> None:
    """Each of these sends every item at first; with the item that begins the first round come its announcements."""
    last = bisect_right(range(1, 10**7), 0, key=lambda items: protocol.cost_bound(k, items) > items)
    for items in {max(1, last - 1), last, last + 1}:
        assert play(protocol, RoundRobin(), sites=k, items=items).words <= protocol.cost_bound(k, items)
