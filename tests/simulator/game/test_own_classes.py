"""The gates: an own class that changes a rule is played by it, and not by the shortcuts of its parent."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from inspect import isfunction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from scripted_protocol import Scripted

from disttrack import (
    Binary,
    Block,
    Burst,
    Deterministic,
    Exact,
    Martingale,
    Randomized,
    Robust,
    RoundRobin,
    Uniform,
    play,
)
from disttrack.adversaries.schedules import Rotation
from disttrack.mechanisms.counters.linear import LinearRun
from disttrack.mechanisms.shortcuts import stated
from disttrack.protocols.base import Protocol, Server
from disttrack.protocols.contents import HeavyHitters
from disttrack.simulator import ScenarioError
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.engine_choice import no_compiled_form
from disttrack.simulator.kinds.faults import broken


class Zero(Server):
    """Always answers 0."""

    output = 0

    def hear(self, sender: int, message: Any) -> Any:
        return ()


@dataclass(frozen=True)
class AnswersZero(Randomized):
    """A tracker whose server is deaf."""

    def server(self, k: int, rng: Any, start: Any = ()) -> Server:
        return Zero()


@dataclass(frozen=True)
class StatesItAgain(AnswersZero):
    """A subclass may state a shortcut again."""

    kernel_form = Randomized.kernel_form


class Reacts(Uniform):
    """Leaves a site when the output moves."""

    def plan(self, view: Any) -> Any:
        return Burst(view.changes % view.sites)


def test_a_server_of_its_own_is_played() -> None:
    game = play(AnswersZero(alpha=0.1), RoundRobin(), sites=4, items=1000)
    assert (game.verdict, game.engine) == ("failed", "leap")
    assert "changes server" in game.engine_reason
    assert no_compiled_form(StatesItAgain(alpha=0.1)) == ""
    with pytest.raises(ScenarioError, match="AnswersZero changes server"):
        play(AnswersZero(alpha=0.1), RoundRobin(), sites=4, items=1000, engine="compiled")


@pytest.mark.parametrize("network", [None, {"latency": 2}, {"server": {"at": 50, "down": 3}}])
def test_each_broadcast_of_a_server_without_rounds_is_one(network: Any) -> None:
    game = play(Scripted(answers=(1, 1)), RoundRobin(), sites=3, items=200, network=network)
    assert game.rounds == game.broadcasts == 1


def test_a_rule_that_a_decorator_puts_into_a_class_is_played() -> None:
    def with_(name: str, rule: Any) -> Any:
        def put(cls: Any) -> Any:
            setattr(cls, name, rule)
            return cls

        return put

    @with_("plan", Reacts.plan)
    class Leaves(Uniform):
        """Leaves a site when the output moves."""

    @with_("server", AnswersZero.server)
    class Wrong(Randomized):
        """Answers zero."""

    assert play(Exact(), Leaves(), sites=64, items=64, record=True).transcript["sender"].nunique() == 64
    assert "Wrong changes server" in play(Wrong(alpha=0.1), RoundRobin(), sites=4, items=1000).engine_reason


def test_an_object_does_not_state_what_its_class_has_lost() -> None:
    class Deaf(Deterministic):
        """A server of its own."""

        def server(self, k: int, rng: Any, start: Any = ()) -> Server:
            return Zero()

    class DeafHitters(HeavyHitters):
        """A server of its own."""

        def server(self, k: int, rng: Any) -> Any:
            return super().server(k, rng)

    assert (Deterministic(alpha=0.1).one_sided, Deaf(alpha=0.1).one_sided) == (True, False)
    assert DeafHitters(alpha=0.1, phi=0.2).guarantee == "none"


def test_a_fault_is_of_the_class_whose_part_it_breaks() -> None:
    class Own(Robust):
        """A server of its own."""

        def server(self, k: int, rng: Any, start: Any = ()) -> Any:
            return super().server(k, rng, start)

    assert broken(Robust(alpha=0.1), "no-noise").guarantee == "adaptive"
    with pytest.raises(ScenarioError, match="has no such fault"):
        broken(Own(alpha=0.1), "no-noise")
    assert broken(Own(alpha=0.1), "lost-reports").fault == "lost-reports"


def test_a_rule_that_is_set_on_an_object_is_refused() -> None:
    uniform = Uniform()
    uniform.plan = lambda view: Burst(view.changes)  # type: ignore[method-assign]
    with pytest.raises(TypeError, match=r"Uniform: plan is set on the object"):
        play(Exact(), uniform, sites=2, items=10)
    exact = Exact()
    object.__setattr__(exact, "server", lambda k, rng, start=(): Zero())
    with pytest.raises(TypeError, match=r"Exact: server is set on the object"):
        play(exact, Uniform(), sites=2, items=10)


def test_a_plan_of_two_schedules_is_refused() -> None:
    class Backwards(Rotation):
        """Goes through the sites from the last to the first, for one of its methods only."""

        def at(self, step: Any) -> Any:
            return (-step) % self.sites

    with pytest.raises(MoveError, match=r"Backwards: count\(1, 1\).*got \(0, 2, 1\)"):
        play(Exact(), Plays(Backwards(2)), sites=2, items=4)


class Plays(Uniform):
    """Plays one plan."""

    def __init__(self, only: Any) -> None:
        self.only = only

    def plan(self, view: Any) -> Any:
        return self.only


APART = {"cost_bound", "quick_bound", "kernel_form", "round_form", "returned_site"}
"""Methods that no game by `leap` asks: bounds, fast forms, and what recovery from faults takes."""


@pytest.mark.parametrize("shipped", [Block, Deterministic, Exact, Martingale, Randomized, Robust])
def test_a_rule_that_a_subclass_changes_is_asked_in_its_games(shipped: Any) -> None:
    """A method that no game calls would be overridden in vain, and the numbers be those of the shipped class."""
    asked = set()

    def told(name: str, method: Any) -> Any:
        def asks(*given: Any, **more: Any) -> Any:
            asked.add(name)
            return method(*given, **more)

        return asks

    bases = [one for one in shipped.__mro__ if issubclass(one, Protocol) and one is not Protocol]
    methods = {
        name: getattr(shipped, name) for one in bases for name, member in vars(one).items() if isfunction(member)
    }
    rules = {name: told(name, method) for name, method in methods.items() if name[0] != "_" and name not in APART}
    own = dataclass(frozen=True)(type("Own", (shipped,), {"kind": "own", "__module__": "of_the_user", **rules}))
    for more in ({}, {"parameters": "simple"}) if shipped is Martingale else ({},):
        given = {} if shipped is Exact else {"alpha": 0.3, **more}
        play(own(**given), RoundRobin(), sites=4, items=100_000, engine="leap")
    assert rules.keys() == asked


def test_a_bound_of_other_noise_is_not_stated() -> None:
    class Quiet(Binary):
        """A counter of other noise."""

        def start(self, rng: Any, *, silent: bool = False) -> LinearRun:
            return super().start(rng, silent=True)

    assert stated(Quiet(epsilon=1.0, horizon=64).error_bound, 3, 0.1) is None
    assert Quiet(epsilon=1.0, horizon=64).encoder(4) is None
    assert (Quiet.arithmetic, Binary.arithmetic) == ("real", "grid")


@dataclass(frozen=True)
class WithAccuracy(Exact):
    """A tracker of the user's, whose accuracy has no declared range."""

    kind = "with-accuracy"
    given: Any = 0.1

    @property
    def accuracy(self) -> Any:
        return self.given


WRONG = (Decimal("0.1"), Fraction(1, 10), "0.1", -0.1, 1, 1.5, nan, inf, True, False, [0.1], {}, b"x", 1j)
"""Accuracies that no verdict can be about."""


def test_an_accuracy_that_cannot_be_judged_is_refused() -> None:
    for alpha in WRONG:
        for tracker in (WithAccuracy(alpha), Scripted(alpha=alpha)):
            with pytest.raises(ValueError, match=r"^alpha must be above 0 and below 1; got "):
                play(tracker, RoundRobin(), sites=2, items=20)
    for alpha in (0.1, np.float32(0.125), None):
        for tracker in (WithAccuracy(alpha), Scripted(alpha=alpha)):
            assert play(tracker, RoundRobin(), sites=2, items=20).items == 20
    assert play(WithAccuracy(0), RoundRobin(), sites=2, items=20).ok
