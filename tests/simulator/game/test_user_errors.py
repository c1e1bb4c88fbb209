"""Errors of the user's classes: raised, or recorded with the game that they cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from adversaries import Adversary, Burst, Rest, RoundRobin, View
from adversaries.schedules import Schedule
from protocols import Deterministic, Exact, Protocol
from protocols.base import Server, Site
from simulator import play

TRACKER = Deterministic(alpha=0.1)


class SkipsObliviously(Adversary):
    """Every second step is a rest."""

    oblivious = True

    def __init__(self) -> None:
        self.resting = False

    def plan(self, view: View) -> Schedule:
        self.resting = not self.resting
        return Rest(1) if self.resting else Burst(0, 1)


def _breaks(view: View) -> int:
    if view.sent == 5:
        raise ZeroDivisionError("no more ideas")
    return 0


@dataclass(frozen=True)
class Breaks(Protocol):
    """Can't make its parts, or breaks at the third message."""

    early: bool = False
    kind: ClassVar[str] = "breaks"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        if self.early:
            raise RuntimeError("no sites today")
        return Exact().sites(k, rng, start)

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Fragile()


class Fragile(Server):
    output = 0

    def hear(self, sender: int, message: Any) -> Sequence[Any]:
        if self.output == 3:
            raise RuntimeError("three is enough")
        self.output += 1
        return ()


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_an_adversary_that_raises(engine: str) -> None:
    with pytest.raises(ZeroDivisionError):
        play(Exact(), _breaks, sites=2, items=100, engine=engine)
    game = play(Exact(), _breaks, sites=2, items=100, engine=engine, on_error="record")
    assert game.verdict == "error"
    assert game.error is not None
    assert "ZeroDivisionError: no more ideas" in game.error
    assert "_breaks" in game.error
    assert game.items <= 5


@pytest.mark.parametrize("engine", ["step", "leap"])
@pytest.mark.parametrize("early", [False, True])
def test_a_protocol_that_raises(engine: str, early: bool) -> None:
    with pytest.raises(RuntimeError):
        play(Breaks(early=early), RoundRobin(), sites=2, items=100, engine=engine)
    game = play(Breaks(early=early), RoundRobin(), sites=2, items=100, engine=engine, on_error="record")
    assert game.verdict == "error"
    assert game.error is not None
    assert ("no sites today" if early else "three is enough") in game.error
    assert game.items == (0 if early else 3)


class SkipsAndBreaks(SkipsObliviously):
    """Skips, which bulk finds out on the way, and later raises."""

    def plan(self, view: View) -> Schedule:
        if view.sent == 7:
            raise ZeroDivisionError("no more ideas")
        return super().plan(view)


class BreaksAgain(SkipsObliviously):
    """Can't be asked a second time, in a copy of its own either: the engine that takes over is not even begun."""

    copies: ClassVar[int] = 0

    def __deepcopy__(self, memo: Any) -> BreaksAgain:
        type(self).copies += 1
        if type(self).copies == 2:
            raise ZeroDivisionError("no more ideas")
        return BreaksAgain()


@pytest.mark.parametrize(("adversary", "items"), [(SkipsAndBreaks(), 6), (BreaksAgain(), 0)], ids=["later", "at once"])
def test_an_error_after_the_fall_back_from_bulk_is_recorded_too(adversary: Adversary, items: int) -> None:
    BreaksAgain.copies = 0
    game = play(TRACKER, adversary, sites=2, items=100, on_error="record")
    assert (game.verdict, game.engine, game.items) == ("error", "leap", items)
    assert game.error is not None
    assert "ZeroDivisionError: no more ideas" in game.error
    BreaksAgain.copies = 0
    with pytest.raises(ZeroDivisionError):
        play(TRACKER, adversary, sites=2, items=100)
