"""The engine `compiled` asks attackers of this wing in Python, and plays the very game of `leap`."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.adversaries import Replay
from disttrack.attack.adversaries import Bisect, Posterior
from disttrack.protocols import Martingale, Protocol, Robust
from disttrack.simulator import play
from disttrack.simulator.game.engine_choice import choose_engine
from disttrack.simulator.game.engines import compiled as engine
from tests.simulator.game.test_compiled import SIZES, TRACKERS, as_written, facts, named, same


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("protocol", TRACKERS, ids=named)
def test_compiled_plays_the_game_of_leap(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "compiled", as_written)
    for size in SIZES[:3]:
        same(protocol, Bisect(), seed=3, **size)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", TRACKERS[::3], ids=named)
def test_bisect_as_compiled(protocol: Protocol) -> None:
    same(protocol, Bisect(), seed=4, **SIZES[3])


@pytest.mark.parametrize("protocol", [Robust(0.1), Martingale(0.1)], ids=named)
def test_auto_gives_the_transcript_of_leap_to_beliefs(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba or not; so has the rehearsal of a replay."""
    for name in ("COMPILING", "LOADING"):
        monkeypatch.setattr(engine, name, 0.0)
    monkeypatch.setattr(engine, "compiled", as_written)
    size: dict[str, Any] = {"sites": 3, "items": 300, "seed": 5}
    with_numba = facts(play(protocol, Posterior(), **size))
    assert facts(play(protocol, Posterior(), engine="leap", **size)) == with_numba
    rehearsed = facts(play(protocol, Replay(of="posterior"), **size))
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: False)
    assert facts(play(protocol, Posterior(), **size)) == with_numba
    assert facts(play(protocol, Replay(of="posterior"), **size)) == rehearsed


def test_the_engine_of_a_belief() -> None:
    chosen, why = choose_engine("auto", Robust(0.1), Posterior(), None)
    assert chosen == "leap"
    assert why.endswith("by compiled functions where they pay")
