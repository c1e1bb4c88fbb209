"""Which engine plays a game, and the reason that it gives."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Burst, Freeze, Posterior, RoundRobin, View
from disttrack.protocols import Block, Deterministic, Exact, Martingale, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.protocols.kernel import MOST
from disttrack.simulator.game.engine_choice import EngineError, choose, choose_engine
from disttrack.simulator.game.network import network_of


def line_of(kind: type[Exception], call: Any, *args: Any, **keys: Any) -> str:
    with pytest.raises(kind) as caught:
        call(*args, **keys)
    assert type(caught.value) is kind
    return str(caught.value)


def test_which_engine_and_why() -> None:
    assert choose("auto", "") == ("bulk", "fastest, and exact since the schedule does not react")
    assert choose("auto", "", exact="why") == ("bulk", "fastest, and exact since why")
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


class OtherScript(Freeze):
    def script(self, view: View) -> Iterator[Burst]:
        yield Burst(0)


class _Slower(Deterministic):
    reacting_bulk: ClassVar[Any] = "slower"


class _Never(Deterministic):
    reacting_bulk: ClassVar[Any] = "none"


class _NoArrays(Robust):
    bulk_form = Protocol.bulk_form


class _OwnBulk(Robust):
    kernel_form = Protocol.kernel_form


EXACT = "exact for every game; not bulk, since "
WHERE_IT_PAYS = "; by compiled functions where they pay"
MOVES = "the adversary reacts, and nearly each message changes the output"
LATE = "messages take time"
SOONER = "the adversary reacts, and both sides have compiled functions, which are faster"
STOPS = "it goes from one change of the output to the next, up to which the schedule is fixed"


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "chosen"),
    [
        (Deterministic(0.1), RoundRobin(), None, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 0}, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (Deterministic(0.1), RoundRobin(), {"loss": 0.5}, EXACT + "the network has faults"),
        (_NoArrays(0.1), RoundRobin(), None, EXACT + "the protocol has no array form" + WHERE_IT_PAYS),
        (_NoArrays(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (_Never(0.1), RoundRobin(), None, "fastest, and exact since the schedule does not react"),
        (_Never(0.1), Freeze(), None, EXACT + "the adversary reacts to the outputs" + WHERE_IT_PAYS),
        (_Slower(0.1), Freeze(), None, EXACT + MOVES + WHERE_IT_PAYS),
        (_Slower(0.1), Spy(), None, EXACT + "the adversary sees more than the outputs"),
        (Robust(0.1), Freeze(), None, EXACT + SOONER + WHERE_IT_PAYS),
        (Robust(0.1), Posterior(), None, f"fastest, and exact since {STOPS}"),
        (_OwnBulk(0.1), Freeze(), None, f"fastest, and exact since {STOPS}"),
    ],
)
def test_the_engine_of_a_tracking_game(protocol: Any, adversary: Any, network: Any, chosen: str) -> None:
    engine, why = choose_engine("auto", protocol, adversary, network_of(network))
    assert (engine, why) == ("leap" if chosen.startswith("exact") else "bulk", chosen)
    assert choose_engine("step", protocol, adversary, network_of(network)) == ("step", "asked for")


@pytest.mark.parametrize(
    "protocol", [Exact(), Deterministic(0.1), Randomized(0.1), Block(0.1), Robust(0.1), Martingale(0.1), _OwnBulk(0.1)]
)
@pytest.mark.parametrize("adversary", [RoundRobin(), Freeze(), Posterior(), OtherScript(), Spy()])
def test_no_choice_depends_on_numba(protocol: Any, adversary: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trackers whose bulk form is the faster one leave it where both sides are compiled, and the numbers fit."""
    for items in (0, 1, MOST, MOST + 1, 2**61):
        chosen = {}
        for there in (True, False):
            monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda there=there: there)
            chosen[there] = choose_engine("auto", protocol, adversary, None, items)[0]
        assert chosen[True] == chosen[False]
        if not adversary.oblivious:
            faster = protocol.reacting_bulk == "faster" and adversary.sees == "outputs"
            both = isinstance(adversary, Freeze) and not isinstance(adversary, OtherScript | Spy)
            compiled = both and not isinstance(protocol, _OwnBulk) and items <= MOST
            assert (chosen[True] == "bulk") == (faster and not compiled)
