"""`bounded-memory`: its sites, its waits, and the known attacks that it is with a state for each site."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from seen_by_hand import burst, view

from disttrack.adversaries import NEVER, BoundedMemory, Drain, Freeze, FreezeItem, SingleSite
from disttrack.adversaries.adaptive import text_of
from disttrack.adversaries.contents.plans import Pairs
from disttrack.protocols import Block, Randomized
from disttrack.simulator import play


def test_a_machine_by_hand() -> None:
    """4 sites, alpha 0.1, c 3: a wait is output / 60 items, rounded up. State 2 stays there after a wait."""
    machine, seen = BoundedMemory(2, table="1/2-0/1-1/2", patience=2.0), view(output=600)
    assert burst(machine, seen) == (0, 20)
    seen.record(changes=1, output=615)
    assert burst(machine, seen) == (1, NEVER)  # goes on there until the output changes
    assert burst(machine, seen) == (1, NEVER)
    seen.record(changes=2)
    assert burst(machine, seen) == (0, 21)
    assert burst(machine, seen) == (2, NEVER)
    seen.record(changes=3)
    assert burst(machine, seen) == (1, NEVER)


@pytest.mark.parametrize("protocol", [Randomized(alpha=0.2), Block(alpha=0.2)], ids=["randomized", "block"])
@pytest.mark.parametrize(
    ("machine", "known"),
    [
        (BoundedMemory(None), Freeze()),
        (BoundedMemory(None, table="drain", patience=0.3), Drain(patience=0.3)),
        (BoundedMemory(0), SingleSite()),
    ],
    ids=lambda one: f"{one.kind}-{getattr(one, 'memory', '')}",
)
def test_with_a_state_for_each_site_it_is_a_known_attack(protocol: Any, machine: Any, known: Any) -> None:
    """Message by message; with no state to choose from it is a single site."""
    options: dict[str, Any] = {"sites": 5, "items": 3000, "seed": 4, "record": True, "engine": "leap"}
    games = [play(protocol, one, **options) for one in (machine, known)]
    assert len(games[0].transcript) > 50
    assert games[0].transcript.equals(games[1].transcript)
    assert games[0].max_rel_error == games[1].max_rel_error


@pytest.mark.parametrize(("memory", "sites"), [(0, 50), (2, 1), (2, 50)])
def test_it_never_names_more_than_2_to_the_bits_sites(memory: int, sites: int) -> None:
    """Whatever the table, and whatever happens: 40 tables drawn at random, 200 events each."""
    rng = np.random.default_rng(memory)
    states, most = 2**memory, 0
    for _ in range(40):
        table = text_of(rng.integers(states, size=(states, 2)).tolist())
        machine, seen = BoundedMemory(memory, table), view(sites=sites, output=5000)
        named = set()
        for _ in range(200):
            named.add(burst(machine, seen)[0])
            seen.record(changes=seen.changes + int(rng.integers(2)))
        assert max(named) < sites
        most = max(most, len(named))
    assert min(2, states, sites) <= most <= min(states, sites)


@pytest.mark.parametrize(("memory", "sites", "used"), [(0, 9, 1), (2, 9, 4), (9, 9, 9), (None, 9, 9), (3, 1, 1)])
def test_freeze_item_with_bounded_memory(memory: int | None, sites: int, used: int) -> None:
    """Two items in turn, each at every site that it can tell apart."""
    adversary, seen = FreezeItem(items=2, memory=memory), view(sites=sites)
    moves = []
    for _ in range(4 * used):
        plan = adversary.plan(seen)
        assert isinstance(plan, Pairs)
        moves.append((plan.at(1), plan.items.at(1)))
    assert moves == [(site, item) for item in (0, 1) for site in range(used)] * 2
