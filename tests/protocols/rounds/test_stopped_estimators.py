"""An estimator that is read when its own quota is reached: exactly, for a few sites and plans that are fixed.

Its deviation there is no sum of independent ones, and Hoeffding's bound of moments fails for it; that of its tail
holds, and with it that of the sum of estimators (`doubling` in `protocols/rounds/difference_estimators.py`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from itertools import product
from math import exp

import numpy as np
import pytest

Deviations = Mapping[float, float]
"""Probabilities of deviations, in bits."""
State = tuple[int, frozenset[int]]
"""Bits so far, and the sites whose bit of the present block has been sent."""

CASES = [(1, 12, 1), (1, 12, 3), (2, 7, 1), (2, 7, 4), (4, 5, 3), (6, 4, 6)]
"""Sites, items of a block, quota."""
PLANS = ("in turn", "block by block", "two to one", "each to three fifths", "at random")


def fed(plan: str, sites: int, size: int, items: int) -> list[int]:
    """Return the site of each of so many items, fixed in advance."""
    item = np.arange(items)
    if plan == "in turn":
        return (item % sites).tolist()
    if plan == "block by block":
        return (item // size % sites).tolist()
    if plan == "two to one":
        return np.where(item % 3 < 2, 0, sites - 1).tolist()
    if plan == "at random":
        return np.random.default_rng(sites).integers(0, sites, items).tolist()
    share = 3 * size // 5
    return [site for site in range(sites) for _ in range(share)] + [0] * items


def states(
    plan: str, sites: int, size: int, quota: int
) -> Iterator[tuple[int, dict[State, float], dict[State, float]]]:
    """Yield after each item its number, the states that go on, and those that have just reached the quota."""
    had = [0] * sites
    now: dict[State, float] = {(0, frozenset()): 1.0}
    for item, site in enumerate(fed(plan, sites, size, (quota + sites) * size), start=1):
        place = had[site] % size + 1
        had[site] += 1
        following: dict[State, float] = defaultdict(float)
        ended: dict[State, float] = defaultdict(float)
        for (bits, sent), chance in now.items():
            before = sent - {site} if place == 1 else sent
            comes = 0.0 if site in before else 1 / (size - place + 1)  # uniform over the places that are left
            following[bits, before] += chance * (1 - comes)
            then = ended if bits + 1 == quota else following
            then[bits + 1, before | {site}] += chance * comes
        now = {state: chance for state, chance in following.items() if chance}
        yield item, now, ended


@cache
def stopped(plan: str, sites: int, size: int, quota: int) -> Deviations:
    """Return the distribution of bits - expected bits at the item that brings the quota-th bit."""
    found: dict[float, float] = defaultdict(float)
    for item, _, ended in states(plan, sites, size, quota):
        found[quota - item / size] += sum(ended.values())
    assert sum(found.values()) == pytest.approx(1)
    return found


@cache
def halfway(sites: int) -> Deviations:
    """Return the distribution of the deviation at a fixed moment at which each site is at half a block: the widest."""
    one = {0.5: 0.5, -0.5: 0.5}
    return reduce(plus, [one] * sites)


def plus(one: Deviations, other: Deviations) -> Deviations:
    """Return the distribution of the sum of two independent deviations."""
    found: dict[float, float] = defaultdict(float)
    for (x, p), (y, q) in product(one.items(), other.items()):
        found[round(x + y, 9)] += p * q
    return found


def over_tail(deviations: Deviations, variance: float, exponent: float = 1.0) -> float:
    """Return the largest ratio of a tail, on either side, to exp(-exponent y^2 / (2 variance))."""
    found = 0.0
    for side in (1, -1):
        for y in {side * x for x in deviations if side * x > 0}:
            tail = sum(p for x, p in deviations.items() if side * x >= y - 1e-9)
            found = max(found, tail / exp(-exponent * y * y / (2 * variance)))
    return found


def over_moments(deviations: Deviations, variance: float) -> float:
    """Return the largest ratio of a moment E exp(s X) to Hoeffding's exp(s^2 variance / 2)."""
    return max(
        sum(p * exp(s * x) for x, p in deviations.items()) / exp(s * s * variance / 2)
        for s in (-2.0, -0.5, -0.1, 0.1, 0.5, 2.0)
    )


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("plan", PLANS)
def test_the_tail_of_a_stopped_estimator_is_hoeffdings(plan: str, case: tuple[int, int, int]) -> None:
    """Control: with an exponent half as large again the same bound fails, if not here then at a fixed moment."""
    found, variance = stopped(plan, *case), case[0] / 4
    assert over_tail(found, variance) <= 1 + 1e-9
    assert over_tail(halfway(case[0]), variance) <= 1
    assert over_tail(halfway(case[0]), variance, 1.5) > 1


def test_its_moments_are_not() -> None:
    """One site fed block by block is read right after its bit: half a bit too high on average."""
    mean = sum(p * x for x, p in stopped("block by block", 1, 12, 1).items())
    assert mean == pytest.approx(0.5 - 1 / 24)
    assert over_moments(stopped("block by block", 1, 12, 1), 1 / 4) > 1.04
    assert over_moments(halfway(1), 1 / 4) <= 1


@pytest.mark.parametrize("others", [1, 2, 5])
@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("plan", PLANS)
def test_the_tail_of_a_sum_with_estimators_that_have_ended_is_hoeffdings(
    plan: str, case: tuple[int, int, int], others: int
) -> None:
    ended = reduce(plus, [halfway(case[0])] * others)
    assert over_tail(plus(ended, stopped(plan, *case)), (others + 1) * case[0] / 4) <= 1 + 1e-9
