"""Errors of the user's classes: raised, or recorded with the game that they cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from disttrack.adversaries import Adversary, Burst, Labels, Rest, RoundRobin, View
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, Exact, Protocol
from disttrack.protocols.base import EVERYONE, Message, Server, Site
from disttrack.protocols.deterministic_kernel import thresholds_turn
from disttrack.simulator import play
from disttrack.simulator.errors import MoveError, PartError
from disttrack.simulator.game import ledger
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.reference import difference
from disttrack.simulator.workshop.conformance import all_faults, suites
from disttrack.simulator.workshop.conformance.failure import COMPILABLE

TRACKER = Deterministic(alpha=0.1)


class SkipsObliviously(Adversary):
    """Every second step is a rest."""

    oblivious = True

    def __init__(self) -> None:
        self.resting = False

    def plan(self, view: View) -> Schedule:
        self.resting = not self.resting
        return Rest(1) if self.resting else Burst(0, 1)


def _breaks(view: View) -> int:
    if view.sent == 5:
        raise ZeroDivisionError("no more ideas")
    return 0


@dataclass(frozen=True)
class Breaks(Protocol):
    """Can't make its parts, or breaks at the third message."""

    early: bool = False
    kind: ClassVar[str] = "breaks"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        if self.early:
            raise RuntimeError("no sites today")
        return Exact().sites(k, rng, start)

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Fragile()


class Fragile(Server):
    output = 0

    def hear(self, sender: int, message: Any) -> Sequence[Any]:
        if self.output == 3:
            raise RuntimeError("three is enough")
        self.output += 1
        return ()


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_an_adversary_that_raises(engine: str) -> None:
    with pytest.raises(ZeroDivisionError):
        play(Exact(), _breaks, sites=2, items=100, engine=engine)
    game = play(Exact(), _breaks, sites=2, items=100, engine=engine, on_error="record")
    assert game.verdict == "error"
    assert game.error is not None
    assert "ZeroDivisionError: no more ideas" in game.error
    assert "_breaks" in game.error
    assert game.items == 5


class _Raising(Adversary):
    """Raises after 37 items, given in plans of five."""

    def __init__(self, oblivious: bool) -> None:
        self.oblivious = oblivious  # type: ignore[misc]

    def plan(self, view: View) -> Schedule:
        if view.sent == 37:
            raise ZeroDivisionError("no more ideas")
        return Labels([0] * min(5, 37 - view.sent))


@pytest.mark.parametrize("oblivious", [False, True])
def test_a_game_whose_adversary_raises_after_some_items_has_all_of_them(oblivious: bool) -> None:
    engines = ["step", "leap", *["compiled"] * available()]
    size: dict[str, Any] = {"sites": 2, "items": 100, "on_error": "record"}
    games = [play(TRACKER, _Raising(oblivious), engine=engine, **size) for engine in engines]
    assert [(game.engine, game.verdict, game.items, game.steps) for game in games] == [
        (engine, "error", 37, 37) for engine in engines
    ]
    assert {int(game.series["items"].iloc[-1]) for game in games} == {37}
    assert len({(game.words, game.output_changes, game.max_rel_error, game.failing_fraction) for game in games}) == 1


@pytest.mark.parametrize(("engine", "early"), [("step", False), ("leap", False), ("leap", True)])
def test_a_protocol_that_raises(engine: str, early: bool) -> None:
    with pytest.raises(RuntimeError):
        play(Breaks(early=early), RoundRobin(), sites=2, items=100, engine=engine)
    game = play(Breaks(early=early), RoundRobin(), sites=2, items=100, engine=engine, on_error="record")
    assert game.verdict == "error"
    assert game.error is not None
    assert ("no sites today" if early else "three is enough") in game.error
    assert game.items == (0 if early else 3)


class SkipsAndBreaks(SkipsObliviously):
    """Skips, which compiled functions find out on the way, and later raises."""

    def plan(self, view: View) -> Schedule:
        if view.sent == 7:
            raise ZeroDivisionError("no more ideas")
        return super().plan(view)


class BreaksAgain(SkipsObliviously):
    """Can't be asked a second time, in a copy of its own either: the engine that takes over is not even begun."""

    copies: ClassVar[int] = 0

    def __deepcopy__(self, memo: Any) -> BreaksAgain:
        type(self).copies += 1
        if type(self).copies == 2:
            raise ZeroDivisionError("no more ideas")
        return BreaksAgain()


@pytest.mark.skipif(not available(), reason="numba is not installed")
@pytest.mark.parametrize(("adversary", "items"), [(SkipsAndBreaks(), 7), (BreaksAgain(), 0)], ids=["later", "at once"])
def test_an_error_after_the_fall_back_to_leap_is_recorded_too(
    adversary: Adversary, items: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COMPILING", "LOADING"):
        monkeypatch.setattr(f"disttrack.simulator.game.engines.compiled.{name}", 0.0)
    BreaksAgain.copies = 0
    game = play(TRACKER, adversary, sites=2, items=100, on_error="record")
    assert (game.verdict, game.engine, game.items) == ("error", "leap", items)
    assert game.error is not None
    assert "ZeroDivisionError: no more ideas" in game.error
    BreaksAgain.copies = 0
    with pytest.raises(ZeroDivisionError):
        play(TRACKER, adversary, sites=2, items=100)


def gap(count: Any) -> Any:
    if count < 0:
        raise ValueError(f"{count} is below 0")
    return count


def gap_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    gap(sites[site, 0])
    return thresholds_turn(whole, real, sites, site)


@dataclass(frozen=True)
class Formatting(Deterministic):
    """Its compiled form formats a message, which numba does not."""

    kind: ClassVar[str] = "formatting"

    def kernel_form(self, *parts: Any) -> Any:
        form: Any = super().kernel_form(*parts)
        form.turn = gap_turn
        return form


@pytest.mark.slow
@pytest.mark.skipif(not available(), reason="numba is not installed")
def test_a_form_that_does_not_compile_says_so_with_its_line() -> None:
    line = gap.__code__.co_firstlineno + 2
    said = rf"its compiled form does not compile: .*\(test_user_errors\.py:{line}\)"
    game = play(Formatting(alpha=0.1), RoundRobin(), sites=4, items=200, on_error="record")
    assert game.error is not None
    assert re.search(f"^DifferenceError: Formatting: {said}; engine step plays what the class says$", game.cause)
    assert "| During: typing of call at" in game.error  # with --debug: all that numba says
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suites, "SITES", (2,))
        (fault,) = all_faults(Formatting(alpha=0.1))[1]
    assert re.fullmatch(said, str(fault))
    assert fault.mend == COMPILABLE


def test_an_error_of_a_compiled_form_has_its_line() -> None:
    def raises(engine: str, _: int) -> Any:
        return {"messages": 1} if engine == "step" else gap(-1)

    error = difference("Own", raises, "compiled", {"sites": 2})
    assert error is not None
    line = gap.__code__.co_firstlineno + 2
    assert f"compiled ends with ValueError: -1 is below 0 (test_user_errors.py:{line}) (sites 2)" in str(error)
    assert f"|   File {__file__!r}, line {line}, in gap".replace("'", '"') in str(error.__cause__)


@dataclass(frozen=True)
class SendsTo(Protocol):
    """Every item is sent, and the server answers the third to a receiver of its own choice."""

    receiver: Any = 0
    kind: ClassVar[str] = "sends-to"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return Exact().sites(k, rng, start)

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Answering(self.receiver)


class Answering(Server):
    def __init__(self, receiver: Any) -> None:
        self.receiver, self.output = receiver, 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += 1
        return ((self.receiver, ANSWER),) if self.output == 3 else ()


ANSWER = Message("answer", 1)


@pytest.mark.parametrize(
    ("engine", "receiver"), [("step", 4), ("leap", -2), ("step", 1.9), ("leap", 1.9), ("network", True), ("network", 4)]
)
def test_a_server_that_sends_to_no_site(engine: str, receiver: Any) -> None:
    options: Any = {"network": {"latency": 1}} if engine == "network" else {"engine": engine}
    said = re.escape(f"sends-to: the server sends a message 'answer' to site {receiver}; this game has sites 0 … 3")
    with pytest.raises(PartError, match=said):
        play(SendsTo(receiver), RoundRobin(), sites=4, items=9, **options)


@pytest.mark.parametrize(("engine", "receiver"), [("step", 0), ("leap", 3), ("leap", np.int64(3))])
def test_a_server_that_sends_to_a_site(engine: str, receiver: Any) -> None:
    game = play(SendsTo(receiver), RoundRobin(), sites=4, items=9, engine=engine)
    assert game.messages == 10


def _returns_a_text(view: View) -> str:
    return "0"


def _yields_a_number(view: View) -> Any:
    yield 0


def _is_far(view: View) -> Any:
    yield Burst(9)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (_returns_a_text, r"_returns_a_text: returned '0' after step 0; accepted: a site's number"),
        (_yields_a_number, r"_yields_a_number: yielded 0 after step 0; accepted: a schedule"),
        (_is_far, r"_is_far: named site 9 at step 1"),
    ],
)
def test_a_wrong_move_of_a_function_names_it_in_one_line(function: Any, message: str) -> None:
    with pytest.raises(MoveError, match=f"^adversary {message}"):
        play(Exact(), function, sites=2, items=9)
    game = play(Exact(), function, sites=2, items=9, on_error="record", record=True)
    assert re.match(f"MoveError: adversary {message}", str(game.error))


@dataclass(frozen=True)
class Endless(Protocol):
    """The server answers every message, and the sites every answer."""

    kind: ClassVar[str] = "endless"

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [Pong() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return Ping()


class Pong(Site):
    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return [Message("pong")]

    def hear(self, message: Message) -> Sequence[Message]:
        return [Message("pong")]


class Ping(Server):
    output = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return [(EVERYONE, Message("ping"))]


@pytest.mark.parametrize(("engine", "network"), [(Step, None), (Leap, Network())])
def test_messages_without_end_in_a_step_end_the_game(engine: type[Any], network: Network | None) -> None:
    with pytest.raises(PartError, match="endless: the server sends more than 102,000 messages in step 1, "):
        engine(Endless(), RoundRobin(), sites=2, items=5, seed=0, network=network).play()


def test_messages_without_end_fail_the_conformance_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST", 1_000)
    monkeypatch.setattr(ledger, "MOST_EACH", 10)
    found = all_faults(Endless())[1]
    assert any("the server sends more than" in str(fault) for fault in found), found
