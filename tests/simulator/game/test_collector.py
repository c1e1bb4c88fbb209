"""The collector of cyclic garbage is put off while sites are made, and comes back as it was."""

from __future__ import annotations

import gc

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.simulator import play
from disttrack.simulator.game.collector import collector_paused


@pytest.fixture(autouse=True)
def _left_as_found() -> object:
    found = gc.isenabled()
    yield
    (gc.enable if found else gc.disable)()


@pytest.mark.parametrize("on", [True, False])
def test_it_is_as_before_also_after_an_error(on: bool) -> None:
    (gc.enable if on else gc.disable)()
    inside = []

    def fail() -> None:
        inside.append(gc.isenabled())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), collector_paused():
        fail()
    assert inside == [False]
    assert gc.isenabled() is on


def test_it_does_not_run_while_a_game_of_many_sites_is_made() -> None:
    """Thousands of objects of nearly each site would set it going; a game is over with it as it was."""
    gc.enable()
    runs = []

    def note(phase: str, facts: dict[str, int]) -> None:
        if phase == "start" and facts["generation"] == 2:
            runs.append(facts)

    gc.callbacks.append(note)
    try:
        with collector_paused():
            kept = [[number] for number in range(200_000)]
        assert not runs
        play(Deterministic(alpha=0.5), RoundRobin(), sites=5, items=50, engine="leap")
        assert gc.isenabled()
    finally:
        gc.callbacks.remove(note)
    assert len(kept) == 200_000
