"""The greeting of a site: whether the server takes it, and as which life."""

from __future__ import annotations

import asyncio
import hmac
from typing import NamedTuple

from disttrack.fleet.live import frames
from disttrack.fleet.live.frames import Frames, NonsenseError, checked
from disttrack.fleet.live.link import CHUNK
from disttrack.fleet.live.server_state import FORGOTTEN, GONE, ServerState
from disttrack.fleet.live.site_state import MOST, Event
from disttrack.fleet.quotas import Quota


class Greeting(NamedTuple):
    """What a site says first: who it is, and its state if it has kept one (`kept` is 1, otherwise 0)."""

    version: int
    token: str
    site: int
    name: str
    kept: int
    received: int
    items: int
    silence: int


async def read_greeting(reader: asyncio.StreamReader, incoming: Frames) -> Greeting:
    """Return the first frame of a peer, with which nothing else may come; NonsenseError if it is no greeting."""
    while data := await reader.read(CHUNK):
        if got := list(incoming.feed(data)):
            if len(got) > 1 or got[0][0] != frames.HELLO:
                raise NonsenseError("no greeting")
            return Greeting(*checked(got[0], int, str, int, str, int, int, int, int))
    raise EOFError("no greeting before the end")


def event_of(part: ServerState, hello: Greeting, token: str, connected: bool) -> tuple[Event, bool]:
    """Return the event that takes a site in, and whether its life goes on with its session.

    Parameters
    ----------
    part
        The server.
    hello
        The greeting.
    token
        The server's token.
    connected
        Whether the site has a connection already.

    Raises
    ------
    NonsenseError
        The site is refused.
    """
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        raise NonsenseError("another token")
    if hello.version != frames.VERSION or not 0 < len(hello.name) <= 64 or max(hello[4:]) > MOST:
        raise NonsenseError("another version")
    if hello.name == FORGOTTEN:
        raise NonsenseError("an invalid site name")
    site = hello.site
    if site >= part.k:
        raise NonsenseError(f"site {site}, where sites are 0 to {part.k - 1}")
    known, (items, silence) = part.names[site] == hello.name, part.seen[site]
    if connected and not known:
        raise NonsenseError(f"site {site} is connected already, with another state")
    if known and hello.kept and hello.items < items:
        raise NonsenseError(f"its journal is older than what the server knows: {hello.items:,} items of {items:,}")
    lost = part.names[site] and not known and not hello.kept and silence != GONE
    if lost and part.protocol.readmission == "none" and not isinstance(part.protocol, Quota):
        kind = part.protocol.kind
        raise NonsenseError(f"protocol {kind} has no rule for a site that has lost its state; give it a journal")
    if known and hello.received <= part.sessions[site].sent:  # otherwise the server's journal is older
        return ("heard", site, hello.received, max(hello.items, items), hello.silence), True
    return ("begin", site, hello.name, hello.items, hello.kept), False
