"""Adversaries that rest for ever or name no site: refused in the same words, with or without a record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Adversary, Burst, Rest, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Exact
from disttrack.simulator import play
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.engines import base


class Sleeper(Adversary):
    """Rests for so many plans, and then feeds."""

    kind: ClassVar[str] = "sleeper"
    oblivious: ClassVar[bool] = True

    def __init__(self, plans: int) -> None:
        self.plans = plans

    def plan(self, view: View) -> Schedule | None:
        self.plans -= 1
        return Rest(3) if self.plans >= 0 else Burst(0, 1)


def rests(view: View) -> Iterator[Schedule]:
    while True:
        yield Rest(3)


def skips(view: View) -> int:
    return -1


def fourth(view: View) -> Iterator[Schedule]:
    yield Burst(3, 1)


def text(view: View) -> str:
    return "0"


@pytest.mark.parametrize("wrong", [rests, skips, fourth, text, Sleeper(1000)])
def test_a_wrong_adversary_is_refused_in_the_same_words_whether_its_game_is_recorded(
    wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "PATIENCE", 5)
    refusals = set()
    for record in (False, True):
        with pytest.raises(MoveError) as caught:
            play(Exact(), wrong, sites=1, items=3, engine="leap", record=record)
        refusals.add(str(caught.value))
    assert len(refusals) == 1, refusals
    assert wrong is not rests or "; return from the function to end the game" in refusals.pop()


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_patience_has_an_end_that_is_said(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(base, "PATIENCE", 5)
    game = play(Exact(), Sleeper(5), sites=1, items=3, engine=engine)
    assert (game.items, game.steps) == (3, 18)
    with pytest.raises(MoveError) as caught:
        play(Exact(), Sleeper(6), sites=1, items=3, engine=engine)
    text, place = str(caught.value).split(" (")
    assert text == "adversary sleeper: skipped 5 plans in a row up to step 15; return None from plan() to end the game"
    assert place.startswith("test_patience.py:")
