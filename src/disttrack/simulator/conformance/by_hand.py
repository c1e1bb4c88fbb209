"""Sites and a server without an engine: each message is handed over by a call."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from disttrack.protocols.base import Message, Protocol, Server, Site


def deliver(crowd: Sequence[Site], server: Server, sender: int, sent: Sequence[Message]) -> None:
    """Deliver what a site has sent, and whatever that sets off, until all is quiet."""
    up = [(sender, message) for message in sent]
    while up:
        down = [pair for site, message in up for pair in server.hear(site, message)]
        up = [
            (site, answer)
            for receiver, message in down
            for site in (range(len(crowd)) if receiver < 0 else (receiver,))
            for answer in crowd[site].hear(message)
        ]


def first_draw(protocol: Protocol, k: int, items: int, start: Sequence[int] = ()) -> int | None:
    """Return the item, given to the sites in turn, at which sites or server first draw a random number.

    0 if they draw when they are made, None if they do not draw within `items`. The sites begin with `start`.
    """
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    begun = (start,) if start else ()
    crowd, server = protocol.sites(k, rng, *begun), protocol.server(k, rng, *begun)
    for number in range(items):
        if before != rng.bit_generator.state:
            return number
        deliver(crowd, server, number % k, crowd[number % k].take(1))
    return items if before != rng.bit_generator.state else None
