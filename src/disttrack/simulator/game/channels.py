"""The channels: every message passes through here, so every message is counted."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from disttrack.protocols.base import Message, Server, Site
from disttrack.simulator.game.ledger import Ledger

SERVER: Final = "server"

TranscriptRow = tuple[int, int | str, int | str, str, int, int]
"""Step, sender, receiver, kind, words, bits."""


class Channels:
    """Instantaneous channels between the sites and the server: delivery is a call.

    All messages caused by a message are delivered first in, first out, until none is left. A broadcast
    reaches the sites in the order of their numbers.

    Parameters
    ----------
    clock
        Returns the present step.
    sync
        Called with a site's number before the site receives a message: passes it its pending items.
    note
        Called with sender, receiver and each message, to record it; None for no transcript.
    """

    def __init__(
        self,
        sites: Sequence[Site],
        server: Server,
        ledger: Ledger,
        clock: Callable[[], int],
        sync: Callable[[int], None],
        note: Callable[[int | str, int | str, Message], None] | None,
    ) -> None:
        self.sites = sites
        self.server = server
        self.ledger = ledger
        self.clock = clock
        self.sync = sync
        self.note = note
        self.touched: list[int] = []
        """Sites that have received a message since this was last emptied."""

    def spread(self, replies: Sequence[tuple[int, Message]]) -> None:
        """Deliver the server's messages, and all messages caused by them: first in, first out, until none is left."""
        queue: deque[tuple[bool, int, Message]] = deque()

        def post(replies: Sequence[tuple[int, Message]]) -> None:
            for receiver, message in replies:
                queue.extend((False, site, message) for site in self.receivers(receiver, message))

        post(replies)
        while queue:
            to_server, site, message = queue.popleft()
            if to_server:
                post(self.server.hear(site, message))
            else:
                self.sync(site)
                self.touched.append(site)
                for answer in self.sites[site].hear(message):
                    self.ledger.count_up(site, answer)
                    if self.note is not None:
                        self.note(site, SERVER, answer)
                    queue.append((True, site, answer))

    def receivers(self, receiver: int, message: Message) -> Iterator[int]:
        """Count the server's message, and yield the sites that receive it."""
        for site in self.ledger.receivers(receiver, message, self.clock()):
            self.ledger.count_down(site, message)
            if self.note is not None:
                self.note(SERVER, site, message)
            yield site
