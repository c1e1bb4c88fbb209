"""What a compiled form must do: play the very games of the sites and the server, or of the adversary's plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
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
from disttrack.simulator.game.engine_choice import COMPILED, NO_NUMBA, UncompiledError, uncompiled
from disttrack.simulator.game.network import Latency, Network
from disttrack.simulator.game.reference import apart
from disttrack.simulator.game.tasks.contents.task import row_of
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.workshop.conformance.failure import (
    KERNEL_FORM,
    MACHINE_FORM,
    Checks,
    play,
    require,
    require_equal,
    same_counts,
)
from disttrack.simulator.workshop.conformance.promises import LONGEST, costs_few_messages

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


def protocol_compiled_agrees(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """The compiled form plays the games of sites and server."""
    if isinstance(protocol, ItemTracker):
        streams = ZipfItems(domain=20), UniformItems(domain=500, period=37), FreezeItem(items=2), DrainItem()
        return _items_agree([(protocol, stream) for stream in streams], sites, items, KERNEL_FORM)
    pairs = [(protocol, opponent) for opponent in (RoundRobin(), Uniform(), SingleSite(), Freeze())]
    slow = pairs[:2] if protocol.carries else []  # played with messages that take time, if the form carries any
    return chain(
        _agree(pairs, sites, items, KERNEL_FORM),
        *(_agree([pair], sites, items, KERNEL_FORM, network_for(protocol)) for pair in slow),
    )


def network_for(protocol: Protocol) -> Network:
    """Return a network with all that may happen to the messages of a compiled form."""
    lossy, copied = protocol.carries != "delays", protocol.carries == "copies"
    return Network(Latency(uniform=(0, 9)), loss=0.1 * lossy, reordering=0.2 * lossy, duplication=0.2 * copied)


def protocol_agrees_at_length(protocol: Protocol, *_: object) -> Checks:
    """The same with more than 2^16 items at a site, and with many sites."""
    for k, items in long_games(protocol):
        if isinstance(protocol, ItemTracker):
            yield from _items_agree([(protocol, ZipfItems(domain=20))], (k,), items, KERNEL_FORM)
            continue
        yield from _agree([(protocol, RoundRobin()), (protocol, SingleSite())], (k,), items, KERNEL_FORM)


def long_games(protocol: Protocol) -> list[tuple[int, int]]:
    """Return the sites and items of long games: as many as cost few messages."""
    if isinstance(protocol, ItemTracker):
        return [(1, 70_000), (64, 20_000)]
    if not costs_few_messages(protocol):
        return [(64, 6400)]
    longest = play(protocol, RoundRobin(), sites=7, items=10**6).messages <= LONGEST
    return [(256, 25_600), (7, 10**6), *[(7, 10**9)] * longest]


def adversary_compiled_agrees(adversary: Any, sites: Sequence[int], items: int) -> Checks:
    """The compiled form makes the moves of the plans."""
    if isinstance(adversary, ItemAdversary):
        return _items_agree([(partner, adversary) for partner in ITEM_PARTNERS], sites, items, MACHINE_FORM)
    return _agree([(partner, adversary) for partner in PARTNERS], sites, items, MACHINE_FORM)


def compiled_form_of(thing: object) -> str:
    """Return the name of the compiled form of a protocol or an adversary; empty if it has none."""
    base, name = next(((base, name) for base, name in FORMS if isinstance(thing, base)), (None, ""))
    return "" if base is None or getattr(type(thing), name) is getattr(base, name) else name


def why_no_compiled_form_is_tested(thing: object) -> str:
    """Return why the compiled form of a protocol or adversary cannot be tested; empty if it can, or there is none."""
    return NO_NUMBA if compiled_form_of(thing) and not available() else ""


def _agree(
    pairs: Iterable[tuple[Protocol, Any]], sites: Sequence[int], items: int, mend: str, network: Network | None = None
) -> Checks:
    """Compare games from item 0 and after a known start."""
    yield None  # plans, or numbers, may have no compiled form
    for protocol, adversary in pairs:
        for k in sites if not uncompiled(protocol, adversary, network) else ():
            for start in (0, START):
                sizes: dict[str, Any] = {"sites": k, "items": items, "start": start, "network": network, "seed": k}
                sizes["sees"] = adversary.sees
                with suppress(UncompiledError):  # a plan or a number has no compiled form
                    games = [play(protocol, adversary, host=engine, **sizes) for engine in (COMPILED, "leap")]
                    require_equal(games, same_counts, mend)
                    yield None


def _items_agree(pairs: Iterable[tuple[Any, Any]], sites: Sequence[int], items: int, mend: str) -> Checks:
    """Compare games of items."""
    yield None  # plans, or numbers, may have no compiled form
    for tracker, adversary in pairs:
        for k in sites:
            with suppress(UncompiledError):
                games = [_items_played(engine, tracker, adversary, k, items) for engine in (COMPILED, "leap")]
                what = f"compiled and leap differ ({count(k, 'site')}, {tracker.kind}, {adversary.kind})"
                where = apart(games[0], games[1], COMPILED, "leap")
                require(games[0] == games[1], f"{what}{where and f': {where}'}", mend)
                yield None


def _items_played(engine: str, tracker: Any, adversary: Any, k: int, items: int) -> dict[str, Any]:
    """Return what is known of a game of items."""
    task: Any = kinds("task")[tracker.plays[0]].load()()
    game = task.match(tracker, adversary, {"sites": k, "items": items}, seed=k, engine=engine)
    return {**row_of(game), "series": game.series, "estimates": game.server.estimates, "sites": game.ledger.up_sites}
