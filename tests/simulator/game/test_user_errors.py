"""Errors of the user's classes: raised, or recorded with the game that they cost."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from scripted_protocol import Scripted

from disttrack.adversaries import Adversary, Burst, Rest, RoundRobin, View
from disttrack.adversaries.schedules import Schedule
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Deterministic, Exact
from disttrack.protocols.base import Message, Site
from disttrack.protocols.deterministic import thresholds_turn
from disttrack.simulator import play
from disttrack.simulator.errors import PartError
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


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_a_protocol_that_raises(engine: str) -> None:
    breaks = Scripted(lambda heard: heard // (heard != 4))
    with pytest.raises(ZeroDivisionError):
        play(breaks, RoundRobin(), sites=2, items=100, engine=engine)
    game = play(breaks, RoundRobin(), sites=2, items=100, engine=engine, on_error="record")
    assert "ZeroDivisionError" in str(game.error)
    assert (game.verdict, game.items) == ("error", 3)


class LateSite(Site):
    """Sends no message from its 600th item on, later than in the short games in which parts are examined."""

    count = 0

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Any:
        self.count += items
        return [Message("item")] if self.count < 600 else [3]


class Late(Exact):
    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        return [LateSite() for _ in range(k)]


def test_a_part_that_is_wrong_later_in_the_game_is_named() -> None:
    with pytest.raises(PartError, match=r"LateSite.take must return Messages .*got 3 among them \(test_user_errors"):
        play(Late(), RoundRobin(), sites=3, items=2400)


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
