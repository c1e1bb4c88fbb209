"""The processes of step, and what leap costs: an event a message. Counted, so that it stays so."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import simpy

from disttrack.adversaries import Freeze, RoundRobin, SingleSite, Uniform, Zipf
from disttrack.protocols import (
    Block,
    Deterministic,
    DeterministicRounds,
    Martingale,
    Protocol,
    Randomized,
    Robust,
)
from disttrack.simulator import Game, play

ROOT = Path(__file__).resolve().parents[3]


class Counting(simpy.Environment):
    """Counts the events that happen."""

    events = 0

    def step(self) -> None:
        Counting.events += 1
        super().step()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr("simpy.Environment", Counting)

    def events(*sides: Any, **options: Any) -> tuple[int, Game]:
        Counting.events = 0
        game = play(*sides, **options)
        return Counting.events, game

    return events


PROTOCOLS: list[Protocol] = [
    Deterministic(alpha=0.1),
    Deterministic(alpha=0.1, centred=True),
    DeterministicRounds(alpha=0.1),
    Randomized(alpha=0.1),
    Block(alpha=0.1),
    Robust(alpha=0.2),
    Martingale(alpha=0.1),
]


def test_step_has_a_process_for_each_site_the_server_and_the_adversary(monkeypatch: pytest.MonkeyPatch) -> None:
    names: Counter[str] = Counter()

    class Listing(simpy.Environment):
        def process(self, generator: Any) -> Any:
            names[generator.__name__] += 1
            return simpy.Process(self, generator)

    monkeypatch.setattr("simpy.Environment", Listing)
    for network in (None, {"latency": 2, "crash": {"at": 50, "down": 9}}):
        names.clear()
        assert play(PROTOCOLS[0], RoundRobin(), sites=5, items=200, engine="step", network=network).items == 200
        assert names == {"site_process": 5, "server_process": 1, "adversary_process": 1}


@pytest.mark.parametrize("place", range(len(PROTOCOLS)))
def test_leap_takes_about_an_event_a_message(counted: Any, place: int) -> None:
    """An event a signal sent; one a site at the end; two a site that a message woke. Adversaries take turns.

    The alarm of a site that hears an announcement is set anew: at most one that rings in vain and a new one.
    """
    k, items, adversaries = 20, 50_000, [RoundRobin(), SingleSite(), Uniform(), Zipf()]
    events, game = counted(PROTOCOLS[place], adversaries[place % 4], sites=k, items=items, engine="leap")
    down = int(game.kinds.loc[game.kinds["direction"] == "down", "messages"].sum())
    up = game.messages - down
    assert events <= up + 2 * down + 3 * k + 10
    assert events < items / 3


@pytest.mark.parametrize("protocol", PROTOCOLS[::3], ids=lambda one: one.kind)
def test_sites_that_never_speak_cost_no_event(counted: Any, protocol: Protocol) -> None:
    """As many events whether ten sites wait beside the one that is fed or a thousand: nothing is made for them."""
    fed, start = SingleSite(), 10**6
    for k in (11, 1001):
        events, game = counted(protocol, fed, sites=k, items=500, start=start, engine="leap")
        up = int(game.kinds.loc[game.kinds["direction"] == "up", "messages"].sum())
        assert events <= up + 3, k


def test_a_trillion_items_cost_no_more_events_than_their_messages(counted: Any) -> None:
    events, game = counted(Deterministic(alpha=0.05), RoundRobin(), sites=10, items=10**12, engine="leap")
    assert game.items == 10**12
    assert game.messages <= events <= game.messages + 15  # a report each: nothing ever speaks back
    assert game.ok


@pytest.mark.parametrize("protocol", [PROTOCOLS[0], PROTOCOLS[2]], ids=lambda one: one.kind)
def test_a_plan_costs_one_event_and_a_wake_up(counted: Any, protocol: Protocol) -> None:
    """Freeze is asked at every change of the output, and each plan feeds one site."""
    events, game = counted(protocol, Freeze(), sites=20, items=20_000, engine="leap")
    assert events <= 4 * (game.messages + game.output_changes) + 3 * 20
