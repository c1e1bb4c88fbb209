"""Bounds on words, protocol by protocol: worked by hand at a point or two, and from games."""

from __future__ import annotations

from bisect import bisect_right
from math import ceil, log, log2, sqrt
from statistics import fmean
from typing import Final

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    DifferenceEstimators,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)
from disttrack.simulator import play

SAMPLE, FIVE = Randomized(0.2, confidence=4.0), Randomized(0.2, confidence=4.0, copies=5)
PRIVATE, SWITCHED = PrivateCopies(0.4, 0.1, largest=1e6), SketchSwitching(0.4, 0.1, 1e6)
DIVIDED, PAPER = DifferenceEstimators(0.5, 0.05), Robust(0.3, 0.1)
EARLY: Final = 9 * sqrt(10) / 0.3
"""Items of which 9 sites send each to `PRIVATE`, by 1/p = 1: sqrt(10) sqrt(9) over alpha / 4."""


@pytest.mark.parametrize(
    ("protocol", "items", "start", "words"),
    [
        (Block(0.2, 4.0), 59, 0, 59),
        (Block(0.2, 4.0), 440, 40, 20 + (log2(480 / 60) + 1) * (2 * 60 + 27)),
        (DeterministicRounds(0.1), 810, 90, (log2(900 / 90) + 1) * (180 + 27)),
        (SAMPLE, 59, 0, 59 + 18 * (1 + log2(60))),
        (SAMPLE, 480, 0, 60 + 18 * log2(60) + 4 * (4 * 60 + 27)),
        (FIVE, 59, 0, 59 * 5 + 18 * (1 + log2(60))),
        (FIVE, 480, 0, 60 * 5 + 18 * log2(60) + 4 * (20 * 60 + 45)),
        (FIVE, 480, 480, 2 * (20 * 60 + 45)),
        (PRIVATE, 10, 3 * 10**5, (log2(1 + 1e-4 / 3) + 1) * (PRIVATE.copies(3 * 10**5) * (4 * EARLY + 4.5) + 22.5)),
        (SWITCHED, 10, 0, 10 + 27 * (1 + log2(11))),
        (Deterministic(0.25), 9, 0, 18),
        (Deterministic(0.25), 360, 72, 9 * (log(6) / log(1.25) + 1)),
        (Deterministic(0.25, centred=True), 360, 72, 9 * (log(6) / log(5 / 3) + 1)),
        (Martingale(0.3, parameters="simple", strength=2.5), 25, 0, 25),
        (Martingale(0.3, parameters="simple", strength=2.5), 5, 25, 36),
        (DIVIDED, 10, 0, 10),
        (PAPER, 60, 0, 60),
    ],
    ids=repr,
)
def test_the_bound_by_hand_for_nine_sites(protocol: Protocol, items: int, start: int, words: float) -> None:
    """Every item at first, and then the words of a doubling, or of a round, for each."""
    assert protocol.cost_bound(9, items, start) == pytest.approx(words, rel=1e-9)


def test_the_bound_of_rounds_by_hand() -> None:
    """The first two rounds of the paper's constants, and the first doubling of difference estimators."""
    first, second = PAPER.constants(9, 1), PAPER.constants(9, 2)
    begin, grown = ceil(first.divisor / 0.3), first.c * 9  # in blocks of one item
    each = [3 * of.c * 9 + 27 for of in (first, second)]
    assert PAPER.cost_bound(9, begin + 1) == pytest.approx(begin + each[0])
    assert PAPER.cost_bound(9, begin + ceil(grown) - 1) == pytest.approx(begin + each[0])
    assert PAPER.cost_bound(9, begin + ceil(grown)) == pytest.approx(begin + sum(each))
    of = DIVIDED.doubling(9, 1)
    begin, words = ceil(of.budget / 0.5), of.levels * of.block_bits * of.blocks + (of.blocks + 3) * 9
    assert DIVIDED.cost_bound(9, begin + 1) == pytest.approx(begin + words)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize(("k", "items", "start"), [(1, 10**5, 0), (256, 10**5, 0), (256, 10**7, 10**6)])
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


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("protocol", [Martingale(0.95), DifferenceEstimators(0.99)], ids=repr)
def test_the_bound_holds_where_rounds_have_few_signals(protocol: Protocol, k: int) -> None:
    """Rounds grow by the mean of a logarithm: a bound from mean growth is exceeded by up to a half here."""
    words = fmean(play(protocol, RoundRobin(), sites=k, items=20_000, seed=seed).words for seed in range(40))
    assert 0.6 * protocol.cost_bound(k, 20_000) < words < protocol.cost_bound(k, 20_000)


@pytest.mark.parametrize("k", [9])
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
