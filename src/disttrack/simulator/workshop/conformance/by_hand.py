"""Sites and a server without an engine, each message handed over by a call; and the opponents in games."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Any, Final

import numpy as np

from disttrack.adversaries import Choice, Freeze, RoundRobin, SingleSite, Uniform, View
from disttrack.adversaries.contents import FreezeItem, UniformItems, ZipfItems
from disttrack.protocols.base import FOREVER, Message, Protocol, Server, Site
from disttrack.protocols.contents import ItemTracker
from disttrack.protocols.contents.base import Feed, Name
from disttrack.simulator.game.contents import PROBLEMS
from disttrack.simulator.game.ledger import Ledger
from disttrack.simulator.workshop.conformance.failure import require

FEW: Final = 5
"""Number of different items."""


class InTurn(Feed):
    """The items 0 to 4 in turn, each of weight 1."""

    def __init__(self) -> None:
        self.given = 0

    def held(self, item: Name) -> int:
        assert isinstance(item, int)
        return (self.given - item + FEW - 1) // FEW

    def take(self, items: int) -> tuple[int, Name, int]:
        self.given += items
        return items - 1, (self.given - 1) % FEW, 1

    def before(self, weight: int) -> int:
        return weight - 1

    def before_copies(self, due_of: Callable[[Name], int]) -> int:
        places = ((due_of(item) - 1) * FEW + item for item in range(FEW))
        return min(FOREVER, min(places) - self.given)


def parts_of(
    protocol: Protocol,
    k: int,
    site_rng: np.random.Generator,
    server_rng: np.random.Generator,
    start: Sequence[int] = (),
) -> tuple[Sequence[Site], Server]:
    """Return the k sites and the server; the sites of a tracker of items are fed the same ones in turn."""
    if isinstance(protocol, ItemTracker):
        sites = protocol.sites(k, site_rng, feeds=[InTurn() for _ in range(k)])
        return sites, protocol.server(k, server_rng)
    begun = (start,) if start else ()
    made = protocol.sites(k, site_rng, *begun)
    require(isinstance(made, Sized), f"sites() returns a {type(made).__name__}", "return [… for _ in range(k)]")
    return made, protocol.server(k, server_rng, *begun)


def deliver(crowd: Sequence[Site], server: Server, sender: int, sent: Sequence[Message]) -> list[Message]:
    """Deliver what a site has sent, and whatever that sets off, until all is quiet; PartError if that never is.

    Returns
    -------
    list of Message
        All messages; a broadcast once.
    """
    delivered: list[Message] = []
    if not sent:
        return delivered
    ledger = Ledger(len(crowd), 0, type(server).__name__)
    up = [(sender, message) for message in sent]
    while up:
        delivered += [message for _, message in up]
        down = [pair for site, message in up for pair in server.hear(site, message)]
        delivered += [message for _, message in down]
        up = [
            (site, answer)
            for receiver, message in down
            for site in ledger.receivers(receiver, message, 0)
            for answer in crowd[site].hear(message)
        ]
    return delivered


def unsaid_silence(protocol: Protocol, k: int, items: int) -> float:
    """Return the share of items that made no site speak, if no site ever states a silence; else 0."""
    rng, quiet = np.random.default_rng(0), 0
    crowd, server = parts_of(protocol, k, rng, rng)
    for number in range(items):
        if crowd[number % k].silence():
            return 0.0
        sent = crowd[number % k].take(1)
        quiet += not sent
        deliver(crowd, server, number % k, sent)
    return quiet / items


def first_draw(protocol: Protocol, k: int, items: int, start: Sequence[int] = ()) -> int | None:
    """Return the item, given to the sites in turn, at which sites or server first draw a random number.

    0 if they draw when they are made, None if they do not draw within `items`. The sites begin with `start`.
    """
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    crowd, server = parts_of(protocol, k, rng, rng, start)
    for number in range(items):
        if before != rng.bit_generator.state:
            return number
        deliver(crowd, server, number % k, crowd[number % k].take(1))
    return items if before != rng.bit_generator.state else None


STREAMS: Final = (
    FreezeItem(items=3),
    ZipfItems(domain=20),
    ZipfItems(domain=20, period=37),
    UniformItems(domain=5, period=100),
)
"""An attack, and streams of fewer items than any tracker of items is made for, by default."""
WEIGHTY: Final = ZipfItems(domain=5, period=100, heaviest=10_000)
"""A stream for trackers of items that take weights."""


def every_third_step_is_a_skip(view: View) -> int | None:
    return view.sent % view.sites if view.steps % 3 else None


def tasks_of(protocol: Protocol) -> Sequence[str]:
    """Return the tasks of a tracker of items, by each of which its games are judged; else one without a name."""
    return protocol.plays if isinstance(protocol, ItemTracker) else ("",)


def opponents(protocol: Protocol, task: str = "") -> list[Any]:
    if isinstance(protocol, ItemTracker):
        weighs = protocol.weighs and PROBLEMS[task or protocol.plays[0]].weighs
        return [*STREAMS, WEIGHTY] if weighs else [*STREAMS]
    return [RoundRobin(), Uniform(), SingleSite(), Freeze(), Choice(every_third_step_is_a_skip)]
