"""What a compiled form must do: play the very games of the sites and the server, or of the adversary's plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any, Final

from disttrack.adversaries import Freeze, RoundRobin, SingleSite, Uniform
from disttrack.adversaries.base import Adversary
from disttrack.adversaries.contents import DrainItem, FreezeItem, ItemAdversary, UniformItems, ZipfItems
from disttrack.mechanisms.compiler import available
from disttrack.protocols import Block, Deterministic, Randomized, Robust
from disttrack.protocols.base import Protocol
from disttrack.protocols.contents import (
    FrequencyDeterministic,
    FrequencyRandomized,
    FrequencySample,
    HeavyHitters,
    ItemTracker,
)
from disttrack.simulator.game.engine_choice import COMPILED, NO_NUMBA, uncompiled
from disttrack.simulator.game.engines import UncompiledError
from disttrack.simulator.game.outcome import Game
from disttrack.simulator.game.play import hosted, play, rules_of
from disttrack.simulator.game.tasks.contents.task import row_of
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.workshop.conformance.failure import Checks, require, same_counts

COMPILED_FORM: Final = "compiled and leap agree"
"""The check of compiled forms."""
PARTNERS: Final = (Deterministic(alpha=0.2), Block(alpha=0.2), Randomized(alpha=0.2), Robust(alpha=0.2))
"""Protocols with a compiled form, against which an adversary with one plays."""
START: Final = 1000
"""Items of a known start."""
ITEM_PARTNERS: Final = (
    FrequencyDeterministic(alpha=0.2),
    FrequencySample(alpha=0.2, strength=2),
    FrequencyRandomized(alpha=0.2, strength=1),
    HeavyHitters(alpha=0.1),
)
"""The same of trackers of items."""
FORMS: Final = (
    (ItemTracker, "item_form"), (Protocol, "kernel_form"), (ItemAdversary, "machine"), (Adversary, "machine"),
)  # fmt: skip
"""The method that returns the compiled form, by what has it."""
KERNEL: Final = "let kernel_form draw and send what sites and server do, in their order"
MACHINE: Final = "let machine() give the bursts of plan(), or leave it out"


def protocol_compiled_agrees(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The compiled form plays the games of sites and server."""
    if isinstance(protocol, ItemTracker):
        streams = ZipfItems(domain=20), UniformItems(domain=500, period=37), FreezeItem(items=2), DrainItem()
        return _items_agree([(protocol, stream) for stream in streams], sites, items, KERNEL.replace("kernel", "item"))
    pairs = [(protocol, opponent) for opponent in (RoundRobin(), Uniform(), SingleSite(), Freeze())]
    return _agree(pairs, sites, items, KERNEL)


def adversary_compiled_agrees(adversary: Any, sites: Sequence[int], items: int) -> Checks:
    """The compiled form makes the moves of the plans."""
    if isinstance(adversary, ItemAdversary):
        return _items_agree([(partner, adversary) for partner in ITEM_PARTNERS], sites, items, MACHINE)
    return _agree([(partner, adversary) for partner in PARTNERS], sites, items, MACHINE)


def compiled_form_of(thing: object) -> str:
    """Return the name of the compiled form of a protocol or an adversary; empty if it has none."""
    base, name = next(((base, name) for base, name in FORMS if isinstance(thing, base)), (None, ""))
    return "" if base is None or getattr(type(thing), name) is getattr(base, name) else name


def why_no_compiled_form_is_tested(thing: object) -> str:
    """Return why the compiled form of a protocol or adversary cannot be tested; empty if it can, or there is none."""
    return NO_NUMBA if compiled_form_of(thing) and not available() else ""


def _agree(pairs: Iterable[tuple[Protocol, Any]], sites: Sequence[int], items: int, mend: str) -> Checks:
    """Compare games from item 0 and after a known start."""
    yield None  # plans, or numbers, may have no compiled form
    for protocol, adversary in pairs:
        for k in sites if not uncompiled(protocol, adversary, None) else ():
            for start in (0, START):
                games = [_played(engine, protocol, adversary, k, items, start) for engine in (COMPILED, "leap")]
                if games[0] is not None and games[1] is not None:
                    what = f"compiled and leap differ ({k} sites, {protocol.kind}, {adversary.kind})"
                    require(same_counts(games[0], games[1]), what, mend)
                    yield None


def _played(engine: str, protocol: Protocol, adversary: Any, k: int, items: int, start: int) -> Game | None:
    """Return a game by an engine; None if it cannot play it: a plan or a number has no compiled form."""
    try:
        with hosted(rules_of(protocol)[1][engine]):
            return play(protocol, adversary, sites=k, items=items, start=start, seed=k, sees=adversary.sees)
    except UncompiledError:
        return None


def _items_agree(pairs: Iterable[tuple[Any, Any]], sites: Sequence[int], items: int, mend: str) -> Checks:
    """Compare games of items."""
    yield None  # plans, or numbers, may have no compiled form
    for tracker, adversary in pairs:
        for k in sites:
            with suppress(UncompiledError):
                games = [_items_played(engine, tracker, adversary, k, items) for engine in (COMPILED, "leap")]
                what = f"compiled and leap differ ({k} sites, {tracker.kind}, {adversary.kind})"
                require(games[0] == games[1], what, mend)
                yield None


def _items_played(engine: str, tracker: Any, adversary: Any, k: int, items: int) -> dict[str, Any]:
    """Return what is known of a game of items."""
    task: Any = kinds("task")[tracker.plays[0]].load()()
    game = task.match(tracker, adversary, {"sites": k, "items": items}, seed=k, engine=engine)
    return {**row_of(game), "series": game.series, "estimates": game.server.estimates, "sites": game.ledger.up_sites}
