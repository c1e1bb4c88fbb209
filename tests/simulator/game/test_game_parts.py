"""Parts of a game one by one: who plays, who is refused with which line, and how plans take over."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from disttrack.adversaries import Freeze, Rest, RoundRobin, Runs
from disttrack.adversaries.base import Choice
from disttrack.adversaries.schedules import Burst
from disttrack.protocols import Deterministic, Exact, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.consultation import LATER, Consultation
from disttrack.simulator.game.engine_choice import EngineError, choose, choose_engine
from disttrack.simulator.game.network import network_of
from disttrack.simulator.game.play import _granted, check_game
from disttrack.simulator.game.power import check_power, missing_power


def line_of(kind: type[Exception], call: Any, *args: Any, **keys: Any) -> str:
    with pytest.raises(kind) as caught:
        call(*args, **keys)
    assert type(caught.value) is kind
    return str(caught.value)


# ---------------------------------------------------------------------- who plays


def test_which_engine_and_why() -> None:
    assert choose("auto", "") == ("bulk", "fastest, and exact since the schedule does not react")
    assert choose("auto", "", exact="why") == ("bulk", "fastest, and exact since why")
    assert choose("auto", "a") == ("leap", "exact for every game; not bulk, since a")
    assert choose("auto", "a", ("one", "two", "three")) == ("two", "exact for every game; not bulk, since a")
    for asked in ("bulk", "leap", "step"):
        assert choose(asked, "") == (asked, "asked for")
    assert choose("leap", "a") == ("leap", "asked for")
    said = "engine bulk can't play this game: a; accepted: auto, leap, step"
    assert line_of(EngineError, choose, "bulk", "a") == said
    assert line_of(EngineError, choose, "x", "") == "engine must be one of auto, step, leap, bulk; got 'x'"


class Spy(Freeze):
    sees: ClassVar[Any] = "traffic"


class _Slower(Deterministic):
    reacting_bulk: ClassVar[Any] = "slower"


class _Never(Deterministic):
    reacting_bulk: ClassVar[Any] = "none"


class _NoArrays(Robust):
    bulk_form = Protocol.bulk_form


EXACT = "exact for every game; not bulk, since "
LATE = "messages take time"
STOPS = "it goes from one change of the output to the next, up to which the schedule is fixed"


@pytest.mark.parametrize(
    ("protocol", "adversary", "network", "chosen"),
    [
        (Deterministic(0.1), RoundRobin(), None, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 0}, "fastest, and exact since the schedule does not react"),
        (Deterministic(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (Deterministic(0.1), RoundRobin(), {"loss": 0.5}, EXACT + "the network has faults"),
        (_NoArrays(0.1), RoundRobin(), None, EXACT + "the protocol has no array form"),
        (_NoArrays(0.1), RoundRobin(), {"latency": 1}, EXACT + LATE),
        (_Never(0.1), RoundRobin(), None, "fastest, and exact since the schedule does not react"),
        (_Never(0.1), Freeze(), None, EXACT + "the adversary reacts to the outputs"),
        (_Slower(0.1), Freeze(), None, EXACT + "the adversary reacts, and nearly each message changes the output"),
        (_Slower(0.1), Spy(), None, EXACT + "the adversary sees more than the outputs"),
        (Robust(0.1), Freeze(), None, f"fastest, and exact since {STOPS}"),
    ],
)
def test_the_engine_of_a_tracking_game(protocol: Any, adversary: Any, network: Any, chosen: str) -> None:
    engine, why = choose_engine("auto", protocol, adversary, network_of(network))
    assert (engine, why) == ("leap" if chosen.startswith("exact") else "bulk", chosen)
    assert choose_engine("step", protocol, adversary, network_of(network)) == ("step", "asked for")


def test_one_that_is_slower_in_bulk_is_played_so_if_asked() -> None:
    assert choose_engine("bulk", _Slower(0.1), Freeze(), None) == ("bulk", "asked for")
    said = "engine bulk can't play this game: the adversary reacts to the outputs; accepted: auto, leap, step"
    assert line_of(EngineError, choose_engine, "bulk", _Never(0.1), Freeze(), None) == said


# ---------------------------------------------------------------------- who is refused


def test_powers() -> None:
    assert line_of(ValueError, check_power, "all") == "sees must be one of outputs, traffic, state; got 'all'"
    for sees, granted, missing in [
        ("outputs", "outputs", None), ("traffic", "outputs", "traffic"), ("traffic", "traffic", None),
        ("traffic", "state", None), ("state", "traffic", "state"), ("state", "state", None),
    ]:  # fmt: skip
        assert missing_power(SimpleNamespace(sees=sees), granted) == missing
    nameless = SimpleNamespace(sees="all", kind="")
    said = "sees = 'all' is no power; accepted: outputs, traffic, state"
    assert line_of(ScenarioError, missing_power, nameless, "state") == f"adversary SimpleNamespace: {said}"
    nameless.kind = "k"
    assert line_of(ScenarioError, missing_power, nameless, "state") == f"adversary k: {said}"


def test_who_may_play() -> None:
    freeze = Freeze()
    assert _granted(freeze, "outputs") is freeze
    made = _granted(len, "outputs")
    assert isinstance(made, Choice)
    said = line_of(TypeError, _granted, 3, "outputs")
    assert said == "adversary must be an Adversary or a function of the view; got 3"
    needs = "needs to see the traffic; grant it with sees='traffic'"
    assert line_of(ScenarioError, _granted, Spy(), "outputs") == f"adversary freeze {needs}"

    class Nameless(Spy):
        kind: ClassVar[str] = ""

    assert line_of(ScenarioError, _granted, Nameless(), "outputs") == f"adversary Nameless {needs}"
    said = line_of(TypeError, check_game, 3, 1, 0, 0, 0)
    assert said == "protocol must be a Protocol, such as Deterministic(alpha=0.1); got 3"
    check_game(Exact(), 1, 2**61, 0, 0)
    check_game(Exact(), 1, 0, 0, 2**61)
    said = line_of(ValueError, check_game, Exact(), 1, 2**61, 0, 1)
    assert said == f"items and start together must be at most 2^61; got {2**61 + 1}"
    for place, (name, least) in enumerate([("sites", 1), ("items", 0), ("seed", 0), ("start", 0)]):
        sizes: list[Any] = [1, 0, 0, 0]
        sizes[place] = least - 1
        said = line_of(ValueError, check_game, Exact(), *sizes)
        assert said == f"{name} must be a whole number of at least {least}; got {least - 1}"


# ---------------------------------------------------------------------- plans


def consultation(oblivious: bool = False) -> Consultation:
    adversary = Freeze() if not oblivious else RoundRobin()
    return Consultation(adversary, SimpleNamespace(sites=4))  # type: ignore[arg-type]


def test_when_an_adversary_is_asked_and_what_takes_over() -> None:
    turns = consultation()
    assert (turns.begun, turns.end, turns.due, turns.over, turns.reacts) == (0, 0, 0, False, True)
    assert isinstance(turns.plan, Rest)
    plan = Burst(3, 10)
    assert turns.accept(plan, 0) is plan
    turns.follow(plan, 5)
    assert (turns.plan, turns.begun, turns.end, turns.due, turns.over) == (plan, 5, 15, 15, False)
    turns.news(7)
    assert turns.due == 7
    assert turns.accept(None, 7) is None  # it goes on
    assert (turns.due, turns.over) == (15, False)
    turns.news(8)
    assert turns.accept(plan, 8) is None  # the same one is no other
    assert (turns.due, turns.over) == (15, False)
    turns.news(9)
    assert turns.accept(LATER, 9) is None
    assert (turns.due, turns.over) == (9, False)  # it stays due
    assert turns.accept(plan, 15) is plan  # begun again, as it has run out
    assert turns.accept(None, 15) is None
    assert turns.over
    turns.follow(plan, 15)
    assert not turns.over
    fixed = consultation(oblivious=True)
    fixed.follow(plan, 0)
    fixed.news(3)
    assert (fixed.reacts, fixed.due) == (False, 10)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (3, "plan() returned 3 after step 7; accepted: a schedule (Burst, Rest, Rotation, Labels, Runs) or None"),
        (Burst(4, 2), "named site 4 at step 8; this game has sites 0 … 3"),
        (Burst(-1, 2), "named site -1 at step 8; this game has sites 0 … 3"),
        (Runs([0, 9], [5, 1]), "named site 9 at step 13; this game has sites 0 … 3"),
        (Runs([0, -2, 9], [2, 1, 1]), "named site -2 at step 10; this game has sites 0 … 3"),
    ],
)
def test_plans_that_are_none(answer: Any, said: str) -> None:
    turns = consultation()
    assert line_of(MoveError, turns.accept, answer, 7) == f"adversary freeze: {said}"

    class Nameless(Freeze):
        kind: ClassVar[str] = ""

    turns.adversary = Nameless()
    turns.accept(Burst(3, 1), 0)  # a plan of a kind that is known is looked at as well
    assert line_of(MoveError, turns.accept, answer, 7) == f"adversary Nameless: {said}"
