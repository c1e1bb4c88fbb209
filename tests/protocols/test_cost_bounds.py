"""Bounds on words, protocol by protocol: worked by hand at a point or two, and from games."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from math import ceil, log, log2, sqrt
from statistics import fmean
from typing import Any, Final

import numpy as np
import pytest

from disttrack.adversaries import RoundRobin
from disttrack.adversaries.contents import ZipfItems
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
from disttrack.protocols.contents import ItemTracker
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.registry import kinds, make, parameters
from disttrack.simulator.workshop.advice import FORMS

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
        (Martingale(0.3, parameters="simple", strength=2.5), 24, 0, 24),
        (Martingale(0.3, parameters="simple", strength=2.5), 25, 0, 25 + 27 + 13),
        (Martingale(0.3, parameters="simple", strength=2.5), 5, 25, 5 + 27 + 13),
        (DeterministicRounds(0.009), 999, 0, 999),
        (DeterministicRounds(0.009), 1000, 0, 1000 + 2000 + 27),
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
    first = PAPER.constants(9, 1)
    begin, grown = ceil(first.divisor / 0.3), first.c * 9  # in blocks of one item
    last = begin + ceil(grown)
    assert PAPER.cost_bound(9, begin - 1) == begin - 1
    assert PAPER.cost_bound(9, begin) == begin + 27
    assert PAPER.cost_bound(9, last - 1) == last - 1 + 27  # a bit for each item at most
    assert PAPER.cost_bound(9, last) == last + 2 * 27
    assert PAPER.cost_bound(9, 4, begin + 1) == 4 + 27
    of_ten = PAPER.cost_bound(9, ceil(4 * grown), 10 * begin)  # items, in blocks of ten
    assert of_ten == pytest.approx(3 * first.c * 9 + 27)
    of = DIVIDED.doubling(9, 1)
    begin, bits, others = ceil(of.budget / 0.5), of.levels * of.block_bits * of.blocks, (of.blocks + 3) * 9
    assert DIVIDED.cost_bound(9, begin) == begin + others
    assert DIVIDED.cost_bound(9, begin + 1) == begin + of.levels + others
    assert DIVIDED.cost_bound(9, 1000, 10**9) == pytest.approx(min(1000 * of.levels, bits) + others)


def test_the_bound_of_very_many_rounds_is_that_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """From `STEADY` rounds on, the others are counted by a logarithm: their signals too."""
    protocol = Martingale(0.3, parameters="simple", strength=2.5)
    exact = protocol.cost_bound(9, 2**60)
    monkeypatch.setattr("disttrack.protocols.base.STEADY", 10)
    assert protocol.cost_bound(9, 2**60) == pytest.approx(exact, rel=0.05)


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
    size: dict[str, Any] = {"sites": k, "items": items, "start": start, "engine": "leap"}
    words = fmean(play(protocol, RoundRobin(), seed=seed, **size).words for seed in range(4))
    bound = protocol.cost_bound(k, items, start)
    assert bound / 4 < words < 1.05 * bound


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("size", range(12))
def test_rounds_that_whole_block_sizes_make_longer_cost_what_the_bound_allows(size: int) -> None:
    """Blocks of a few items leave room: with 40 sites and alpha 0.1 a round of them has thirteen times as many bits."""
    rng = np.random.default_rng(size)
    k, items = int(rng.integers(8, 65)), int(10 ** rng.uniform(3, 5))
    alpha = 10 ** float(rng.uniform(-1.5, -0.5))
    if size == 0:
        k, items, alpha = 40, 30_000, 0.1
    tight = Robust(round(alpha, 3), parameters="tight")
    words = fmean(play(tight, RoundRobin(), sites=k, items=items, seed=seed).words for seed in range(2))
    assert words < tight.cost_bound(k, items), (tight, k, items)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize(
    "protocol",
    [Martingale(0.95), Martingale(0.95, parameters="simple", strength=2.5), DifferenceEstimators(0.99)],
    ids=repr,
)
def test_the_bound_holds_where_rounds_have_few_signals(protocol: Protocol, k: int) -> None:
    """Rounds grow by the mean of a logarithm: a bound from mean growth is exceeded by up to a half here."""
    words = fmean(play(protocol, RoundRobin(), sites=k, items=20_000, seed=seed).words for seed in range(40))
    assert 0.6 * protocol.cost_bound(k, 20_000) < words < protocol.cost_bound(k, 20_000)


# ---------------------------------------------------------------------- exact words, over everything registered

TRACKERS: Final = [
    kind
    for kind in kinds("protocol").values()
    if isinstance(maker := kind.load(), type) and issubclass(maker, Protocol) and "quota" not in maker.plays
]
"""Bounds of quotas are compared in the tests of their wing."""
SILENT: Final = {"batch", "coin-reports", "deterministic", "exact"}
"""Trackers whose server announces nothing."""
LONG: Final = {"frequency-switching": 8192}
"""Items until each tracker announces something, where it takes many."""


def forms(maker: Any, rng: np.random.Generator) -> Iterator[Protocol]:
    """Yield the tracker with drawn parameters, in each of its forms."""
    share = round(float(rng.uniform(0.05, 0.95)), 3)
    drawn = {"alpha": share, "epsilon": share, "phi": 0.96, "delta": 0.1}
    drawn |= {"domain": 5, "largest": 1e4, "threshold": int(rng.integers(50, 500))}
    if issubclass(maker, ItemTracker):
        drawn["size"] = int(rng.integers(5, 50))
    takes = parameters(maker)
    given = {name: value for name, value in drawn.items() if name in takes}
    wanted = [[(name, value) for value in values] for name, values in FORMS.items() if name in takes]
    for form in map(dict, product(*wanted)):
        with suppress(ScenarioError):  # constants of another tracker
            yield make("protocol", maker, given | form)


def words_after(game: Any) -> tuple[dict[int, int], list[int]]:
    """Return the words after each step with a message, and the steps at which the server announces something."""
    heard = game.transcript
    steps = heard["step"][heard["sender"] == "server"]
    return heard.groupby("step")["words"].sum().cumsum().to_dict(), sorted(set(steps))


@pytest.mark.drawn(8)
@pytest.mark.parametrize("kind", TRACKERS, ids=lambda kind: kind.name)
def test_no_game_ends_above_the_bound_where_its_words_are_certain(kind: Any) -> None:
    """A stream that does not react has the shorter games as its beginnings, so one game shows the words of all.

    They are certain under a guarantee `always`; for others while every item is sent, up to the first announcement. The
    games that end there end with the item that begins the first round.
    """
    rng = np.random.default_rng(61)
    ended, items = 0, LONG.get(kind.name, 400)
    for sites, start in ((7, 0), (1, 0), (3, 20), (16, 0))[: 1 if kind.name in LONG else None]:
        for protocol in forms(kind.load(), rng):
            of_items = isinstance(protocol, ItemTracker)
            stream: Any = ZipfItems(domain=5) if of_items else RoundRobin()
            given = {"sites": sites, "items": items, "seed": 1, **({} if of_items else {"start": start})}
            words, begins = words_after(play(protocol, stream, record=True, engine="leap", **given))
            sent = begins and sum(step <= begins[0] for step in words) == begins[0]
            certain = items if protocol.guarantee == "always" else begins[0] if sent else 0
            for step in filter(certain.__ge__, words):
                sizes = sites, step, given.get("start", 0)
                bound = protocol.cost_bound(*sizes)
                assert words[step] <= bound * (1 + 1e-12), (protocol, sizes)
                assert protocol.quick_bound(*sizes) >= bound, (protocol, sizes)
            if begins and begins[0] <= certain:
                shorter = given | {"items": begins[0]}
                assert play(protocol, stream, engine="leap", **shorter).words == words[begins[0]]
                ended += 1
    assert (ended > 0) == (kind.name not in SILENT)


@pytest.mark.drawn(3)
@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("k", [7, 1, 2, 16, 200, 1000])
@pytest.mark.parametrize("kind", [Robust, Martingale])
def test_quick_bounds_are_bounds_around_the_first_round(kind: Any, k: int) -> None:
    """The rounds of one site and a small alpha are the longest, and constants take the longest."""
    for alpha, delta in product((0.3,) if k == 7 else (0.002, 0.02, 0.3, 0.99), (0.05,) if k == 7 else (1e-9, 0.99)):
        tight = kind(alpha, delta, parameters="tight")
        if kind is Robust:  # what `STARTING` rests on
            assert min(tight.constants(k, number).least_blocks for number in (1, 2, 1000)) > k / 3
        for start, power in product((0, 10 * k, 10**4), range(0, 21, 2)):
            sizes = k, 2**power, start
            assert tight.quick_bound(*sizes) >= tight.cost_bound(*sizes), (tight, sizes)
