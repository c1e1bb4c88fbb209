"""Choice of the engine, with the reason: one rule for the tracking game and for the games with a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.views import POWERS
from disttrack.mechanisms.compiler import available
from disttrack.protocols.base import Protocol, settle_anew, shadowed, void_by
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.network import Network

COMPILED: Final = "compiled"
ENGINE_NAMES: Final = ("step", "leap", COMPILED, "bulk")
"""From the reference engine to the fastest."""

REACTS: Final = "the adversary reacts to the outputs"
FIXED: Final = "the schedule does not react"
LOOKS: Final = "the adversary sees more than the outputs"
NO_NUMBA: Final = "numba is not installed (pip install 'disttrack[fast]')"


class EngineError(ScenarioError, ValueError):
    """There is no such engine, or it can't play this game."""


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


def choose(asked: str, obstacle: str, engines: Sequence[str] = ENGINE_NAMES, fast: str = "bulk") -> tuple[str, str]:
    """Return the engine to use, and the reason.

    Parameters
    ----------
    asked
        The engine requested; auto takes the fastest that is exact for the game.
    obstacle
        The reason why the fast engine cannot play this game; empty if there is none.
    engines
        The available engines, bulk the last.
    fast
        The fast engine.

    Raises
    ------
    EngineError
        If there is no such engine, or it can't play this game.

    Examples
    --------
    >>> choose("auto", "messages take time")
    ('leap', 'exact for every game; not bulk, since messages take time')
    """
    if asked not in ("auto", *engines):
        raise EngineError(f"engine must be one of auto, {', '.join(engines)}; got {asked!r}")
    slower = [name for name in engines[:-1] if name != COMPILED][::-1]
    if asked == fast and obstacle:
        raise EngineError(f"engine {fast} can't play this game: {obstacle}; accepted: auto, {', '.join(slower)}")
    if asked != "auto":
        return asked, "asked for"
    if obstacle:
        return slower[0], f"exact for every game; not {fast}, since {obstacle}"
    return fast, f"fastest, and exact since {FIXED}"


def void(shortcut: str, side: object, rule: str) -> str:
    """Return the reason why a shortcut does not count: the class of a side has changed a rule that it stands for."""
    return f"{type(side).__name__} changes {rule}, so that the {shortcut} it inherits does not count"


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
            text = f"{name}: {rule} is set on the object; write it into a class that extends {name}"
            raise ObjectRuleError(text, side)


def choose_engine(asked: str, protocol: Protocol, adversary: Adversary, network: Network | None) -> tuple[str, str]:
    """Return the engine for a tracking game, and the reason.

    It does not depend on whether numba is there, so that no number does. Raises as `choose` does.
    """
    check_as_written(protocol, adversary)
    if asked == COMPILED:
        return choose(asked, uncompiled(protocol, adversary, network), fast=COMPILED)
    obstacle = ""
    if network is not None and not network.instant:
        obstacle = "messages take time" if not network.faulty else "the network has faults"
    elif type(protocol).bulk_form is Protocol.bulk_form:
        rule = void_by(type(protocol), "bulk_form")
        obstacle = void("array form", protocol, rule) if rule else "the protocol has no array form"
    elif not adversary.oblivious:
        obstacle = reacts(adversary)
    chosen, reason = choose(asked, obstacle)
    if asked == "auto" and obstacle:
        why_not = uncompiled(protocol, adversary, network)
        remark = {"": "; by compiled functions where they pay", NO_NUMBA: f"; slow, since {NO_NUMBA}"}
        reason += remark.get(why_not, "")
    return chosen, reason


def compiles(asked: str, chosen: str, protocol: Protocol, adversary: Adversary, network: Network | None) -> bool:
    """Return whether compiled functions may play a game of `leap`: `auto` does not care how its numbers come about."""
    return (asked, chosen) == ("auto", "leap") and not uncompiled(protocol, adversary, network)


def uncompiled(protocol: Protocol, adversary: Adversary, network: Network | None) -> str:
    """Return the reason why a game cannot be played by compiled functions; empty if there is none."""
    if network is not None and not network.instant:
        return "messages take time"
    if why_not := no_compiled_form(protocol):
        return why_not
    if adversary.sees != POWERS[0]:
        return LOOKS
    return "" if available() else NO_NUMBA


def no_compiled_form(protocol: Protocol) -> str:
    """Return the reason why a protocol, as its class is now, has no compiled form; empty if it has one."""
    check_as_written(protocol)
    if type(protocol).kernel_form is Protocol.kernel_form:
        rule = void_by(type(protocol), "kernel_form")
        return void("compiled form", protocol, rule) if rule else "the protocol has no compiled form"
    return ""
