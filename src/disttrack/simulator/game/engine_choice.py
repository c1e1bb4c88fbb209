"""Choice of the engine, with the reason: one rule for the tracking game and for the games with a clock."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.views import POWERS
from disttrack.lazy import Kinds
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import Protocol, settle_anew, shadowed, void_by
from disttrack.simulator.errors import ScenarioError, must_be_one_of
from disttrack.simulator.game.network import Network
from disttrack.simulator.game.network.mailbag import not_carried
from disttrack.simulator.kinds.lines import asked_at
from disttrack.simulator.kinds.registry import kinds

if TYPE_CHECKING:
    from disttrack.simulator.game.engines.base import Engine

AUTO: Final = "auto"
STEP: Final = "step"
LEAP: Final = "leap"
COMPILED: Final = "compiled"
ARRAYS: Final = "arrays"
"""The engine of duels whose opponent does not react: all moves at once, by `stretches` and `release`."""
ENGINE_NAMES: Final = (STEP, LEAP, COMPILED)
"""From the reference engine to the fastest."""
ENGINES: Final[Mapping[str, type[Engine]]] = Kinds(
    "", {name: f"disttrack.simulator.game.engines.{name}:{name.title()}" for name in ENGINE_NAMES}
)
"""The engines of tracking, loaded when they play."""
FORMER: Final = ("bulk",)
"""Engines of earlier versions, in whose place `auto` plays."""

ASKED_FOR: Final = "asked for"
EXACT: Final = "exact for every game"
REACTS: Final = "the adversary reacts to the outputs"
LOOKS: Final = "the adversary sees more than the outputs"
NO_NUMBA: Final = "numba is not installed (pip install 'disttrack[fast]')"


class EngineError(ScenarioError, ValueError):
    """There is no such engine, or it can't play this game."""


class UncompiledError(Exception):
    """This game can't be played by compiled functions; the text is the reason."""


def check_carried(network: Network, protocol: Protocol) -> None:
    """Raise UncompiledError if the compiled form of a protocol cannot carry letters as a network does."""
    if why_not := not_carried(network, protocol.carries):
        raise UncompiledError(why_not)


def no_form_of(plan: object, adversary: Any) -> str:
    """Return that a plan has no compiled form, with the adversary that made it and the line of the user's."""
    kind = getattr(adversary, "kind", "") or type(adversary).__name__
    return f"{type(plan).__name__}, a plan of adversary {kind}{asked_at(adversary)}, has no compiled form"


class ObjectRuleError(ScenarioError, TypeError):
    """A rule of a side is set on the object, and not in its class.

    Attributes
    ----------
    side
        The object.
    """

    def __init__(self, text: str, side: object = None) -> None:
        super().__init__(text)
        self.side = side


def named(asked: str, engines: Collection[str]) -> str:
    """Return the name of an engine that a game is asked to be played by; `auto` for one that is no more.

    Raises
    ------
    EngineError
        There is no such engine.
    """
    if asked in FORMER:
        return AUTO
    if asked not in (AUTO, *engines):
        raise EngineError(must_be_one_of((AUTO, *engines), asked, "engine"))
    return asked


def rules_of(protocol: Protocol) -> tuple[str, Mapping[str, type[Engine]]]:
    """Return the task by whose rules a protocol plays, and its engines: a task for which it is made, or tracking."""
    for name in protocol.plays:
        task = kinds("task")[name].load() if name in kinds("task") else None
        if task is not None and task.own_engines:
            return name, task.own_engines
    return "count", ENGINES


def refuse(engine: str, obstacle: str, *others: str) -> NoReturn:
    """Raise EngineError: an engine that was asked for cannot play a game."""
    raise EngineError(f"engine {engine} can't play this game: {obstacle}; accepted: auto, {', '.join(others)}")


def void(shortcut: str, side: object, rule: str) -> str:
    """Return the reason why a shortcut does not count: the class of a side has changed a rule that it stands for."""
    return f"{type(side).__name__} changes {rule}, so its inherited {shortcut} does not count"


def reacts(adversary: object) -> str:
    """Return the reason why an adversary is played as one that reacts."""
    rule = void_by(type(adversary), "oblivious")
    return f"{void('oblivious = True', adversary, rule)}: state it again if it holds" if rule else REACTS


def check_as_written(*sides: object) -> None:
    """Let the classes of the sides state only what holds for their rules as they are now.

    Raises
    ------
    ObjectRuleError
        A rule is set on an object: the flags, bounds and promises of its class would not know of it.
    """
    for side in sides:
        settle_anew(type(side))
        if rule := shadowed(side):
            name = type(side).__name__
            text = f"{name}: {rule} is set on the object; write a subclass of {name}"
            raise ObjectRuleError(text, side)


def choose_engine(
    asked: str,
    protocol: Protocol,
    adversary: Adversary,
    network: Network | None,
    engines: Collection[str] = ENGINE_NAMES,
) -> tuple[str, str]:
    """Return the engine for a tracking game, of those of its task, and the reason.

    It does not depend on whether numba is there, so that no table does: compiled functions, where they pay, play the
    game of `leap`.

    Raises
    ------
    EngineError
        There is no such engine, or it can't play this game.

    Examples
    --------
    >>> from disttrack import Exact, RoundRobin
    >>> choose_engine("step", Exact(), RoundRobin(), None)
    ('step', 'asked for')
    """
    check_as_written(protocol, adversary)
    asked, obstacle = named(asked, engines), uncompiled(protocol, adversary, network)
    if asked == COMPILED and obstacle:
        refuse(COMPILED, obstacle, LEAP, STEP)
    if asked != AUTO:
        return asked, ASKED_FOR
    remark = {"": "; compiled where that pays", NO_NUMBA: f"; slow, since {NO_NUMBA}"}
    return LEAP, EXACT + remark.get(obstacle, f"; not compiled, since {obstacle}")


def compiles(asked: str, protocol: Protocol, adversary: Adversary, network: Network | None) -> bool:
    """Return whether compiled functions may play a game: `auto` does not care how its numbers come about."""
    return asked == AUTO and not uncompiled(protocol, adversary, network)


def uncompiled(protocol: Protocol, adversary: Adversary, network: Network | None) -> str:
    """Return the reason why a game cannot be played by compiled functions; empty if there is none."""
    if why_not := no_compiled_form(protocol):
        return why_not
    if network is not None and not network.instant and (why_not := not_carried(network, protocol.carries)):
        return why_not
    if adversary.sees != POWERS[0]:
        return LOOKS
    return "" if available() else NO_NUMBA


NO_FORM: Final = "no compiled form"


def no_compiled_form(protocol: Protocol) -> str:
    """Return the reason why a protocol, as its class is now, has no compiled form; empty if it has one."""
    check_as_written(protocol)
    if type(protocol).kernel_form is Protocol.kernel_form:
        rule = void_by(type(protocol), "kernel_form")
        return void("compiled form", protocol, rule) if rule else NO_FORM
    return ""
