"""Which engine plays a game, and why: one rule for the tracking game and for the games with a clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adversaries.base import Adversary
from adversaries.views import POWERS
from protocols.base import Protocol
from simulator.errors import ScenarioError
from simulator.game.network import Latency

ENGINE_NAMES: Final = ("step", "leap", "bulk")
"""From the definition of right to the fastest; the last but one is exact for every game."""

REACTS: Final = "the adversary reacts to the outputs"
LOOKS: Final = "the adversary sees more than the outputs"


class EngineError(ScenarioError, ValueError):
    """There is no such engine, or it can't play this game."""


def choose(asked: str, obstacle: str, engines: Sequence[str] = ENGINE_NAMES) -> tuple[str, str]:
    """Return the engine to take, and why.

    Parameters
    ----------
    asked
        The engine that was asked for; auto takes the fastest that is exact for the game.
    obstacle
        What keeps this game from being played in bulk; empty if nothing does.
    engines
        The engines that there are, bulk the last.

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
    if asked == "bulk" and obstacle:
        raise EngineError(f"engine bulk can't play this game: {obstacle}; accepted: auto, {', '.join(engines[-2::-1])}")
    if asked != "auto":
        return asked, "asked for"
    if obstacle:
        return engines[-2], f"exact for every game; not bulk, since {obstacle}"
    return "bulk", "fastest, and exact since the schedule is fixed up to the next change of the output"


def choose_engine(asked: str, protocol: Protocol, adversary: Adversary, network: Latency | None) -> tuple[str, str]:
    """Return the engine for a tracking game, and why; `choose` says what it raises."""
    obstacle = ""
    if network is not None and not network.instant:
        obstacle = "messages take time"
    elif type(protocol).bulk_form is Protocol.bulk_form:
        obstacle = "the protocol has no array form"
    elif not adversary.oblivious:
        obstacle = LOOKS if adversary.sees != POWERS[0] else "" if protocol.bulk_reacts else REACTS
    return choose(asked, obstacle)
