"""Adversaries that rest for ever are refused after some plans."""

from __future__ import annotations

from typing import ClassVar

import pytest

from disttrack.adversaries import Adversary, Burst, Rest, View
from disttrack.adversaries.schedules import Schedule
from disttrack.protocols import Exact
from disttrack.simulator import play
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.engines import base


class Sleeper(Adversary):
    """Rests for a number of plans, and then feeds."""

    kind: ClassVar[str] = "sleeper"
    oblivious: ClassVar[bool] = True

    def __init__(self, plans: int) -> None:
        self.plans = plans

    def plan(self, view: View) -> Schedule | None:
        self.plans -= 1
        return Rest(3) if self.plans >= 0 else Burst(0, 1)


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_patience_has_an_end_that_is_said(monkeypatch: pytest.MonkeyPatch, engine: str) -> None:
    monkeypatch.setattr(base, "PATIENCE", 5)
    game = play(Exact(), Sleeper(5), sites=1, items=3, engine=engine)
    assert (game.items, game.steps) == (3, 18)
    with pytest.raises(MoveError) as caught:
        play(Exact(), Sleeper(6), sites=1, items=3, engine=engine)
    text, place = str(caught.value).split(" (")
    assert text == "adversary sleeper: 5 plans without an item at step 15; return None from plan() to end the game"
    assert place.startswith("test_patience.py:")
