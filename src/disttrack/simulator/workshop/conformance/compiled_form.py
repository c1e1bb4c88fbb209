"""What a compiled form must do: play the very games of the sites and the server, or of the adversary's plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from disttrack.adversaries import Freeze, RoundRobin, SingleSite, Uniform
from disttrack.adversaries.base import Adversary
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Block, Deterministic, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.simulator.game.engine_choice import COMPILED, NO_NUMBA, uncompiled
from disttrack.simulator.game.engines import UncompiledError
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import hosted, play, rules_of
from disttrack.simulator.workshop.conformance.failure import Checks, require, same_counts

COMPILED_FORM: Final = "compiled and leap agree"
"""The check of compiled forms."""
PARTNERS: Final = (Deterministic(alpha=0.2), Block(alpha=0.2), Randomized(alpha=0.2), Robust(alpha=0.2))
"""Protocols with a compiled form, against which an adversary with one plays."""
START: Final = 1000
"""Items of a known start."""
KERNEL: Final = "let kernel_form draw what sites and server draw, in their order, and send what they send"
MACHINE: Final = "let machine() give the burst that plan() gives, whenever it is asked; else leave it out"


def protocol_compiled_agrees(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The compiled form plays the games of sites and server."""
    pairs = [(protocol, opponent) for opponent in (RoundRobin(), Uniform(), SingleSite(), Freeze())]
    return _agree(pairs, sites, items, KERNEL)


def adversary_compiled_agrees(adversary: Any, sites: Sequence[int], items: int) -> Checks:
    """The compiled form makes the moves of the plans."""
    return _agree([(partner, adversary) for partner in PARTNERS], sites, items, MACHINE)


def has_compiled_form(thing: object) -> bool:
    """Return whether a protocol or an adversary has a compiled form."""
    if isinstance(thing, Protocol):
        return type(thing).kernel_form is not Protocol.kernel_form
    return getattr(type(thing), "machine", Adversary.machine) is not Adversary.machine


def why_no_compiled_form_is_tested(thing: object) -> str:
    """Return why the compiled form of a protocol or adversary cannot be tested; empty if it can, or there is none."""
    return NO_NUMBA if has_compiled_form(thing) and not available() else ""


def _agree(pairs: Iterable[tuple[Protocol, Any]], sites: Sequence[int], items: int, mend: str) -> Checks:
    """Compare games from item 0 and after a known start."""
    yield None  # plans, or numbers, may have no compiled form
    for protocol, adversary in pairs:
        for k in sites if not uncompiled(protocol, adversary, None) else ():
            for start in (0, START):
                games = [_played(engine, protocol, adversary, k, items, start) for engine in (COMPILED, "leap")]
                if games[0] is not None and games[1] is not None:
                    what = f"compiled and leap play different games ({k} sites, {protocol.kind}, {adversary.kind})"
                    require(same_counts(games[0], games[1]), what, mend)
                    yield None


def _played(engine: str, protocol: Protocol, adversary: Any, k: int, items: int, start: int) -> Game | None:
    """Return a game by an engine; None if it cannot play it: a plan or a number has no compiled form."""
    try:
        with hosted(rules_of(protocol)[1][engine]):
            return play(protocol, adversary, sites=k, items=items, start=start, seed=k, sees=adversary.sees)
    except UncompiledError:
        return None
