"""Which engine plays a game, and the reason that it gives."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Feedback, Freeze, RoundRobin
from disttrack.protocols import Deterministic, DifferenceEstimators, Exact, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engine_choice import ENGINE_NAMES, EngineError, choose_engine, compiles, named, refuse
from disttrack.simulator.game.network import network_of
from disttrack.simulator.kinds.faults import broken


def line_of(kind: type[Exception], call: Any, *args: Any, **keys: Any) -> str:
    with pytest.raises(kind) as caught:
        call(*args, **keys)
    assert type(caught.value) is kind
    return str(caught.value)


def test_names_of_engines() -> None:
    assert [named(asked, ENGINE_NAMES) for asked in ("auto", *ENGINE_NAMES)] == ["auto", *ENGINE_NAMES]
    assert named("bulk", ENGINE_NAMES) == "auto"
    said = line_of(EngineError, named, "x", ENGINE_NAMES)
    assert said == "engine must be one of auto, step, leap, compiled; got 'x'"
    said = line_of(EngineError, refuse, "compiled", "a", "leap", "step")
    assert said == "engine compiled can't play this game: a; accepted: auto, leap, step"


class Spy(Freeze):
    sees: ClassVar[Any] = "traffic"


class _NoFunctions(Robust):
    kernel_form = Protocol.kernel_form


class _OtherRule(Deterministic):
    @property
    def thresholds(self) -> Any:
        return Deterministic(alpha=0.5).thresholds


EXACT = "exact for every game"
NOT = "; not compiled, since "
WHERE_IT_PAYS = "; compiled where that pays"
LATE = "messages take time"
FAULTS = "no compiled form with links, stops, lists of faults"
LOOKS = "the adversary sees more than the outputs"


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "chosen"),
    [
        (Deterministic(0.1), RoundRobin(), None, EXACT + WHERE_IT_PAYS),
        (Deterministic(0.1), RoundRobin(), {"latency": 0}, EXACT + WHERE_IT_PAYS),
        (Deterministic(0.1), RoundRobin(), {"latency": 1, "duplication": 0.5}, EXACT + WHERE_IT_PAYS),
        (DifferenceEstimators(0.2), RoundRobin(), {"latency": 1}, EXACT + NOT + LATE),
        (Robust(0.1), RoundRobin(), {"latency": 1}, EXACT + WHERE_IT_PAYS),
        (Robust(0.1), RoundRobin(), {"loss": 0.5}, EXACT + NOT + "no compiled form with loss, reordering, partition"),
        (Exact(), RoundRobin(), {"link": "reliable"}, EXACT + NOT + FAULTS),
        (Robust(0.1), Feedback(), None, EXACT + WHERE_IT_PAYS),
        (Robust(0.1), Spy(), None, EXACT + NOT + LOOKS),
        (_NoFunctions(0.1), Freeze(), None, EXACT + NOT + "no compiled form"),
        (_OtherRule(0.1), Freeze(), None, EXACT + NOT + "_OtherRule changes thresholds, so its inherited"),
        (broken(Exact(), "lost-reports"), Freeze(), None, EXACT + NOT + "Exact[lost-reports] changes fault"),
    ],
)
def test_the_engine_of_a_tracking_game(
    protocol: Any, adversary: Any, network: Any, chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: True)
    made = network_of(network)
    engine, reason = choose_engine("auto", protocol, adversary, made)
    assert (engine, reason[: len(chosen)]) == ("leap", chosen)
    assert compiles("auto", protocol, adversary, made) == (WHERE_IT_PAYS in chosen)
    assert not compiles("leap", protocol, adversary, made)
    assert choose_engine("step", protocol, adversary, made) == ("step", "asked for")
    if NOT in chosen:
        with pytest.raises(EngineError, match=re.escape(chosen.rpartition(NOT)[2])):
            choose_engine("compiled", protocol, adversary, made)


@pytest.mark.parametrize("protocol", [Exact(), Randomized(0.1), Robust(0.1), _NoFunctions(0.1)])
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Feedback(), Spy()])
def test_no_choice_depends_on_numba(protocol: Any, adversary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the reason tells: without numba the game is slow."""
    chosen = {}
    for there in (True, False):
        monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda there=there: there)
        chosen[there], why = choose_engine("auto", protocol, adversary, None)
        compiled = adversary.sees == "outputs" and isinstance(protocol, Randomized)
        assert not compiled or ("slow, since numba is not installed" in why) == (not there)
    assert chosen[True] == chosen[False] == "leap"
