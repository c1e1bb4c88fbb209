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
from disttrack.fleet.live.site_state import MOST, STARTS, Event
from disttrack.fleet.quotas import Quota


class Greeting(NamedTuple):
    """What a site says first: who it is, and its state if it has kept one.

    `kept` is 0 without a state, 1 with one, and 2 with one whose session cannot go on, since it has given up messages.
    `process` is a number that its process has drawn; `ticket` is that of its last connection. `starts` has three
    numbers for each start from the journal since the last answer of the server: the process, and the messages and items
    that it had then, whatever it has taken since. If the server knew of more, the journal is an older one.
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
    items: int
    silence: int
    starts: tuple[int, ...]

    def before(self, last: int | None) -> tuple[int, int]:
        """Return the messages and items that it had at its first start since this process was taken in as its site."""
        starts = [self.starts[place : place + 3] for place in range(0, len(self.starts), 3)]
        places = [place for place, (process, *_) in enumerate(starts) if process == last]
        rest = starts[places[-1] + 1 :] if places else starts
        return (rest[0][1], rest[0][2]) if rest else (self.sent, self.items)


async def read_greeting(reader: asyncio.StreamReader, incoming: Frames) -> Greeting:
    """Return the first frame of a peer, with which nothing else may come; NonsenseError if it is no greeting."""
    while data := await reader.read(CHUNK):
        if got := list(incoming.feed(data)):
            if len(got) > 1 or got[0][0] != frames.HELLO:
                raise NonsenseError("no greeting")
            hello = Greeting(*checked(got[0], int, str, int, str, *[int] * 8, tuple))
            starts = min(len(hello.starts) // 3, STARTS)
            checked((frames.HELLO, *hello.starts), *[int] * 3 * starts)
            return hello
    raise EOFError("no greeting before the end")


def check_greeting(part: ServerState, hello: Greeting, token: str) -> None:
    """Raise NonsenseError unless a greeting is that of a site of this server, with this token."""
    if not hmac.compare_digest(hello.token.encode(), token.encode()):
        raise NonsenseError("another token")
    if hello.version != frames.VERSION or not 0 < len(hello.name) <= 64 or max(hello[4:-1] + hello.starts) > MOST:
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
            f"its journal is older than what the server knows ({_before(part, hello)[1]:,} items of {items:,}), or a "
            "copy with which another process has gone on"
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
    sent, items = _before(part, hello)
    if part.tickets[hello.site].is_past(hello.ticket) or (hello.kept and items < part.seen[hello.site][0]):
        return True
    return bool(goes_on and hello.kept) and (sent < session.received or hello.received < session.done)


def _before(part: ServerState, hello: Greeting) -> tuple[int, int]:
    return hello.before(next(reversed(part.processes[hello.site]), None))


def _ahead(part: ServerState, hello: Greeting) -> bool:
    """Return whether a site knows more of the server than the server itself, whose journal is older then."""
    session = part.sessions[hello.site]
    most = session.sent if session.limit is None else session.limit
    return hello.received > most or hello.done > session.received
