"""Every registered protocol at the ends of what it accepts: k to 2^20, alpha from 1e-6 to 0.9, N to 2^61.

Nothing is drawn here that a verdict hangs on: trackers that promise delta are given 1e-12 where they must hold, and an
error above 2 is six standard deviations and more for those that promise nothing about single games.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from disttrack import protocols
from disttrack.adversaries import RoundRobin, SingleSite
from disttrack.protocols import (
    Deterministic,
    Martingale,
    PrivateCopies,
    Protocol,
    Randomized,
    Robust,
    SketchSwitching,
)
from disttrack.protocols.contents import ItemTracker
from disttrack.protocols.thresholds.alarms import Threshold
from disttrack.simulator import play

END = 2**61
"""The most items that `play` takes, the start among them."""

CLASSES: list[type[Protocol]] = [
    found
    for name in protocols.__all__
    if isinstance(found := getattr(protocols, name), type) and issubclass(found, Protocol) and found is not Protocol
    if not issubclass(found, Threshold | ItemTracker)  # theirs are in tests/simulator/game/tasks/
]
TIGHT = [Robust, Martingale]


def instances(cls: type[Protocol], alphas: tuple[float, ...], deltas: tuple[float, ...]) -> Iterator[Protocol]:
    """Return the protocol with each alpha and delta that it takes, and its variants; tight constants stand below."""
    names = {field.name for field in dataclasses.fields(cls)}
    # one delta after the other, since what is worked out for it is remembered
    takes = {"delta": deltas if cls is not Randomized else (None, *deltas), "alpha": alphas}
    wanted = {name: values for name, values in takes.items() if name in names}
    for values in product(*wanted.values()):
        one = cls(**dict(zip(wanted, values, strict=True)))
        yield dataclasses.replace(one, parameters="simple") if cls is Martingale else one  # type: ignore[call-arg]
        if cls is Deterministic:
            yield dataclasses.replace(one, centred=True)  # type: ignore[call-arg]


def all_right(protocol: Protocol, k: int) -> None:
    """Check the bounds of one protocol with k sites."""
    for start in (0, 2**60):
        bounds = [protocol.cost_bound(k, n, start) for n in (1, 10**9, 2**53, END) if start + n <= END]
        assert all(0 < bound < math.inf for bound in bounds), (protocol, k, start, bounds)
        assert bounds == sorted(bounds), (protocol, k, start, bounds)


@pytest.mark.quick_cases(4)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.kind)
def test_bounds_at_the_ends_of_the_grid(cls: Any) -> None:
    """Above 0, finite, and never falling with the number of items.

    Fewer of the tight constants: those of a round take a tenth of a second, and more where alpha is small beside 1/k.
    """
    assert len(CLASSES) >= 10
    for one in instances(cls, (1e-6, 0.01, 0.9), (1e-12, 0.99)):
        for k in (1, 100, 4096, 2**20):
            all_right(one, k)
    for k, alpha, delta in [(1, 1e-6, 0.99), (1024, 1e-3, 1e-12), (2**20, 0.9, 0.99)] * (cls in TIGHT):
        all_right(cls(alpha=alpha, delta=delta, parameters="tight"), k)


# ---------------------------------------------------------------------- plays

GAMES = [
    *((1, 0, 1), (3, 0, 300), (100, 0, 500), (3, 0, END)),
    *((7, 2**53 - 50, 10**5), (1, END - 300, 300), (1024, END - 1000, 1000), (100, 2**60, 2**60)),
]
"""Sites, items known at the start, items to come."""
MOST = 2_000
"""Messages of a game at most, by its bound; the others are left out."""
MOST_NUMBERS = 2**20
"""Copies times sites: the protocols that keep copies keep so many numbers, whatever happens to them."""


def played(protocol: Protocol, k: int, start: int, items: int) -> int:
    """Play a game with each of two streams, if it is quick enough; return how many there were."""
    if isinstance(protocol, SketchSwitching | PrivateCopies) and protocol.copies(start) * k > MOST_NUMBERS:
        return 0
    if k > 1024 or protocol.cost_bound(k, items, start) > MOST:
        return 0
    games = 0
    for adversary in (RoundRobin(), SingleSite()):
        game = play(protocol, adversary, sites=k, items=items, start=start, seed=3, record=True)
        where = (protocol, k, start, items, adversary.kind)
        steps = game.transcript["step"]
        assert steps.is_monotonic_increasing, where
        assert not len(steps) or 1 <= steps.iloc[0] <= steps.iloc[-1] <= items, where
        assert game.items == items, where
        assert game.max_rel_error <= 2, where
        if protocol.guarantee == "always" or (protocol.guarantee == "adaptive" and protocol.delta == 1e-12):  # type: ignore[attr-defined]
            assert game.ok, where
        games += 1
    return games


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.kind)
def test_plays_at_the_ends_of_the_grid(cls: Any) -> None:
    ones = instances(cls, (1e-6, 0.03, 0.9), (1e-12, 0.99))
    assert sum(played(one, *game) for one in ones for game in GAMES) >= 10
    for alpha in (0.03, 0.9) if cls in TIGHT else ():
        one = cls(alpha=alpha, delta=1e-12, parameters="tight")
        assert sum(played(one, *game) for game in GAMES) >= 7
