"""The greeting of a site: whether the server takes it, and as which life.

Either end may have gone on from an old journal, or from a copy of one. Both keep the ticket of their last connection
and the numbers of their messages. A site that shows a past ticket, or smaller numbers, is behind, and is refused: what
it takes would be counted twice or not at all. If the ticket is unknown or the numbers are larger, the server is behind:
the site begins anew, and all are asked for their counts.
"""

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
    """What a site says first: who it is, and its state if it has kept one.

    `kept` is 0 without a state, 1 with one, and 2 with one whose session cannot go on, since it has given up messages.
    `process` is a number that its process has drawn; `ticket` is that of its last connection. `sent` and `before` are
    the messages and the items that it had when it last started from its journal, whatever it has taken since: if the
    server knows of more, the journal is an older one.
    """

    version: int
    token: str
    site: int
    name: str
    process: int
    kept: int
    ticket: int
    received: int
    sent: int
    done: int
    before: int
    items: int
    silence: int


async def read_greeting(reader: asyncio.StreamReader, incoming: Frames) -> Greeting:
    """Return the first frame of a peer, with which nothing else may come; NonsenseError if it is no greeting."""
    while data := await reader.read(CHUNK):
        if got := list(incoming.feed(data)):
            if len(got) > 1 or got[0][0] != frames.HELLO:
                raise NonsenseError("no greeting")
            return Greeting(*checked(got[0], int, str, int, str, *[int] * 9))
    raise EOFError("no greeting before the end")


def check_greeting(part: ServerState, hello: Greeting, token: str) -> None:
    """Raise NonsenseError unless a greeting is that of a site of this server, with this token."""
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        raise NonsenseError("another token")
    if hello.version != frames.VERSION or not 0 < len(hello.name) <= 64 or max(hello[4:]) > MOST:
        raise NonsenseError("another version")
    if hello.name == FORGOTTEN:
        raise NonsenseError("an invalid site name")
    if hello.site >= part.k:
        raise NonsenseError(f"site {hello.site}, where sites are 0 to {part.k - 1}")


def event_of(part: ServerState, hello: Greeting, ticket: int) -> tuple[Event, bool]:
    """Return the event that takes a site in, with the ticket of this connection, and whether its session goes on.

    Raises
    ------
    NonsenseError
        The site is refused.
    """
    site = hello.site
    known, (items, silence) = part.names[site] == hello.name, part.seen[site]
    goes_on = known and hello.ticket in part.tickets[site].current
    if (known or hello.kept) and _behind(part, hello, goes_on):
        raise NonsenseError(
            f"its journal is older than what the server knows ({hello.before:,} items of {items:,}), or a copy with "
            "which another process has gone on"
        )
    lost = part.names[site] and not known and not hello.kept and silence != GONE
    if lost and part.protocol.readmission == "none" and not isinstance(part.protocol, Quota):
        kind = part.protocol.kind
        raise NonsenseError(f"protocol {kind} has no rule for a site that has lost its state; give it a journal")
    if goes_on and hello.kept != 2 and not _ahead(part, hello):
        return ("welcome", site, ticket, hello.process, hello.received, max(hello.items, items), hello.silence), True
    return ("begin", site, hello.name, hello.items, hello.kept, ticket, hello.process), False


def _behind(part: ServerState, hello: Greeting, goes_on: bool) -> bool:
    """Return whether a site knows less than it has told the server, or than it has been told."""
    session = part.sessions[hello.site]
    if part.tickets[hello.site].is_past(hello.ticket) or (hello.kept and hello.before < part.seen[hello.site][0]):
        return True
    return bool(goes_on and hello.kept) and (hello.sent < session.received or hello.received < session.done)


def _ahead(part: ServerState, hello: Greeting) -> bool:
    """Return whether a site knows more of the server than the server itself, whose journal is older then."""
    session = part.sessions[hello.site]
    most = session.sent if session.limit is None else session.limit
    return hello.received > most or hello.done > session.received
