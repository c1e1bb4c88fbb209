"""Sites and a server that may stop for a while; the engine uses them in place of its sites and its server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from disttrack.protocols.base import FOREVER, Message, Number, Server, Site


class SiteMachine(Site):
    """A site that may stop for a while.

    Its items are stored in a log that survives, and wait there while it is down; all other state may be lost.

    Parameters
    ----------
    site
        The protocol's own site.
    items
        Items that it holds before the game.

    Attributes
    ----------
    state
        ``up``, ``down``, or ``waiting``: it is up, and waits for the announcement of a new start.
    generation
        Number of its start of the protocol.
    items
        Items received.
    missed
        Items among these that the protocol's site has not received yet.
    """

    __slots__ = ("before_crash", "generation", "items", "missed", "site", "state")

    def __init__(self, site: Site, items: int) -> None:
        self.site = site
        self.items = items
        self.missed = 0
        self.generation = 0
        self.state: Literal["up", "down", "waiting"] = "up"
        self.before_crash: Literal["up", "waiting"] = "up"

    def quota(self) -> int:
        return self.site.quota() if self.state == "up" else FOREVER

    def take(self, items: int) -> Sequence[Message]:
        self.items += items
        if self.state == "up":
            return self.site.take(items)
        self.missed += items
        return ()

    def hear(self, message: Message) -> Sequence[Message]:
        return self.site.hear(message)

    def crash(self) -> None:
        """Stop."""
        assert self.state != "down"
        self.before_crash, self.state = self.state, "down"

    def wait(self) -> None:
        """Wait for a new start, which makes the present state obsolete."""
        self.state, self.missed = "waiting", 0

    def go_on(self, site: Site, missed: int) -> Sequence[Message]:
        """Continue as this site of the protocol, which has not received `missed` items yet; return its messages."""
        self.state, self.site, self.missed = "up", site, missed
        messages: list[Message] = []
        while self.missed:
            part = min(self.missed, self.site.quota() + 1)
            self.missed -= part
            messages += self.site.take(part)
        return messages


class ServerMachine(Server):
    """A server that may stop for a while.

    Parameters
    ----------
    server
        The protocol's own server.
    checkpoint
        Steps from one checkpoint to the next; None for none.

    Attributes
    ----------
    server
        The protocol's own server; None while it polls all sites for their counts.
    up
        Whether it receives messages.
    """

    __slots__ = ("_checkpoint", "_mark", "_rounds", "_saved", "output", "server", "up")

    def __init__(self, server: Server, checkpoint: int | None) -> None:
        self.server: Server | None = server
        self.up = True
        self.output: Number = server.output
        self._saved: Number = server.output
        self._checkpoint = checkpoint
        self._mark = 0
        self._rounds = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if self.server is None:
            return ()
        replies = self.server.hear(sender, message)
        self.output = self.server.output
        return replies

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        if self.server is None:
            return ()
        replies = self.server.readmit(sender, items)
        self.output = self.server.output
        return replies

    def save(self, step: int) -> None:
        """Save the output if a checkpoint has passed since the last save; called before it may change in a step."""
        if self._checkpoint is not None and step // self._checkpoint > self._mark:
            self._mark, self._saved = step // self._checkpoint, self.output

    def lose(self) -> None:
        """Lose its state, except the output saved last."""
        if self.server is not None:
            self._rounds += self.server.rounds
        self.server, self.output = None, self._saved

    def begin(self, server: Server) -> None:
        """Continue as this server of the protocol."""
        if self.server is not None:
            self._rounds += self.server.rounds
        self.server, self.output = server, server.output

    @property
    def rounds(self) -> int:  # type: ignore[override]
        """Rounds of all its starts."""
        return self._rounds + (0 if self.server is None else self.server.rounds)

    @property
    def leaked(self) -> Any:
        """The leaked set of the present start."""
        return getattr(self.server, "leaked", ())


def inside(part: Any) -> Any:
    """Return the protocol's own site or server, also of one on a machine."""
    if isinstance(part, SiteMachine):
        return part.site
    return part.server if isinstance(part, ServerMachine) else part
