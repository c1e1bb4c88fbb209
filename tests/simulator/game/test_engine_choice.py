"""Which engine plays a game, and the reason that it gives."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Feedback, Freeze, RoundRobin
from disttrack.protocols import Deterministic, Exact, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engine_choice import EngineError, choose, choose_engine
from disttrack.simulator.game.network import network_of


def line_of(kind: type[Exception], call: Any, *args: Any, **keys: Any) -> str:
    with pytest.raises(kind) as caught:
        call(*args, **keys)
    assert type(caught.value) is kind
    return str(caught.value)


def test_which_engine_and_why() -> None:
    assert choose("auto", "") == ("bulk", "fastest, and exact since the schedule does not react")
    assert choose("auto", "a") == ("leap", "exact for every game; not bulk, since a")
    assert choose("auto", "a", fast="compiled") == ("leap", "exact for every game; not compiled, since a")
    assert choose("auto", "a", ("one", "two", "three")) == ("two", "exact for every game; not bulk, since a")
    for asked in ("bulk", "leap", "step"):
        assert choose(asked, "") == (asked, "asked for")
    assert choose("leap", "a") == ("leap", "asked for")
    said = "engine bulk can't play this game: a; accepted: auto, leap, step"
    assert line_of(EngineError, choose, "bulk", "a") == said
    assert line_of(EngineError, choose, "x", "") == "engine must be one of auto, step, leap, compiled, bulk; got 'x'"


class Spy(Freeze):
    sees: ClassVar[Any] = "traffic"


class _NoArrays(Robust):
    bulk_form = Protocol.bulk_form


class _NoFunctions(Robust):
    kernel_form = Protocol.kernel_form


EXACT = "exact for every game; not bulk, since "
WHERE_IT_PAYS = "; by compiled functions where they pay"
LATE = "messages take time"
REACTS = "the adversary reacts to the outputs"


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "chosen"),
    [
        (Deterministic(0.1), RoundRobin(), None, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 0}, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (Deterministic(0.1), RoundRobin(), {"loss": 0.5}, EXACT + "the network has faults"),
        (_NoArrays(0.1), RoundRobin(), None, EXACT + "the protocol has no array form" + WHERE_IT_PAYS),
        (_NoArrays(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (Robust(0.1), Freeze(), None, EXACT + REACTS + WHERE_IT_PAYS),
        (Robust(0.1), Feedback(), None, EXACT + REACTS + WHERE_IT_PAYS),
        (Robust(0.1), Spy(), None, EXACT + REACTS),
        (_NoFunctions(0.1), Freeze(), None, EXACT + REACTS),
    ],
)
def test_the_engine_of_a_tracking_game(protocol: Any, adversary: Any, network: Any, chosen: str) -> None:
    engine, why = choose_engine("auto", protocol, adversary, network_of(network))
    assert (engine, why) == ("leap" if chosen.startswith("exact") else "bulk", chosen)
    assert choose_engine("step", protocol, adversary, network_of(network)) == ("step", "asked for")


@pytest.mark.parametrize("protocol", [Exact(), Randomized(0.1), Robust(0.1), _NoFunctions(0.1)])
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Feedback(), Spy()])
def test_no_choice_depends_on_numba(protocol: Any, adversary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the reason tells: without numba the game is slow."""
    chosen = {}
    for there in (True, False):
        monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda there=there: there)
        chosen[there], why = choose_engine("auto", protocol, adversary, None)
        compiled = not adversary.oblivious and adversary.sees == "outputs" and isinstance(protocol, Randomized)
        assert not compiled or ("slow, since numba is not installed" in why) == (not there)
    assert chosen[True] == chosen[False] == ("bulk" if adversary.oblivious else "leap")
