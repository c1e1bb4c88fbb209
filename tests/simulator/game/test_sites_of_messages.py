"""Who sent and who heard: each engine's counts by site against its transcript, and forwarding in small chunks."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Burst, Freeze, Rest, Runs, SingleSite, Uniform, View
from disttrack.adversaries.schedules import Rotation, Schedule
from disttrack.protocols import Block, Exact, Martingale, Protocol, Robust
from disttrack.simulator import play
from disttrack.simulator.conformance.failure import same_game
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.engines import base, bulk
from tests.simulator.game.network.shipped import protocols


@pytest.mark.quick_cases(30)
@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("adversary", [Uniform(), Freeze(), SingleSite()], ids=lambda one: one.kind)
@pytest.mark.parametrize("protocol", protocols(), ids=lambda one: one.kind)
def test_counts_of_sites_are_those_of_the_transcript(protocol: Protocol, adversary: Adversary, engine: str) -> None:
    try:
        game = play(protocol, adversary, sites=5, items=300, start=10, seed=3, engine=engine, record=True)
    except ValueError as refused:
        assert engine == "bulk" and "bulk can't play" in str(refused)  # noqa: PT018, PT017
        return
    table = game.transcript
    up, down = Counter(table.loc[table["receiver"] == "server", "sender"]), Counter(table["receiver"])
    assert game.messages_of_site == ([up[site] for site in range(5)], [down[site] for site in range(5)])
    assert all(type(number) is int for side in game.messages_of_site for number in side)
    assert (game.messages, game.words, game.bits) == (len(table), table["words"].sum(), table["bits"].sum())
    assert table["step"].is_monotonic_increasing


class Restless(Adversary):
    """Answers with plans of all kinds, by what it sees and a list of its own."""

    kind: ClassVar[str] = "restless"
    oblivious: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.last: Schedule | None = None

    def plan(self, view: View) -> Schedule | None:
        kind, site = self.rng.integers(9), int(self.rng.integers(view.sites))
        if kind < 5 or not view.steps:
            self.last = Burst(site, int(self.rng.integers(1, 6)))
        elif kind == 5:
            self.last = Rotation(view.sites)
        elif kind == 6:
            self.last = Runs([site, 0], [2, 3])
        elif kind == 7 and view.steps < 10_000:
            return self.last
        else:
            self.last = Burst(0, 1 + int(view.output) % 4)
        return self.last


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("chunk", [1, 3, 7, 2**20])
@pytest.mark.parametrize("start", [0, 9])
@pytest.mark.parametrize("protocol", [Robust(0.3), Martingale(0.2), Block(0.1)], ids=lambda one: one.kind)
def test_what_is_forwarded_in_chunks_is_what_is_sent_one_by_one(
    monkeypatch: pytest.MonkeyPatch, protocol: Protocol, start: int, chunk: int
) -> None:
    """So few items are all forwarded, and no coin is tossed: the games are equal in every message."""
    monkeypatch.setattr(bulk, "CHUNK", chunk)
    size: dict[str, Any] = {"sites": 4, "items": 60, "start": start, "record": True}
    for seed in range(4):
        one, other = (play(protocol, Restless(seed), engine=engine, **size) for engine in ("bulk", "leap"))
        assert same_game(one, other)
        assert one.turns.drop(columns="plan").equals(other.turns.drop(columns="plan"))
        assert one.messages_of_site == other.messages_of_site


# ---------------------------------------------------------------------- edges of engines


class Sleeper(Adversary):
    """Rests for so many plans, and then feeds."""

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
    assert text == "adversary sleeper: skipped 5 plans in a row up to step 15; return None from plan() to end the game"
    assert place.startswith("test_sites_of_messages.py:")
