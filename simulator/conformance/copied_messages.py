"""A wire between sites and server: each message arrives as a copy of what was sent, equal to it and another object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from adversaries import Freeze, RoundRobin
from protocols.base import Message, Number, Protocol, Server, Site
from simulator.conformance.failure import require, same_game, survives_pickling
from simulator.game.play import play


def copied_messages_mean_the_same(protocol: Protocol, subject: str, sites: Sequence[int], items: int) -> Iterator[None]:
    """Who hears a message goes by what it says, and not by which object it is: the same transcript over a wire."""
    for k in sites:
        for opponent in (RoundRobin(), Freeze()):
            straight, copied = (
                play(one, opponent, sites=k, items=items, seed=k, engine="leap", record=True)
                for one in (protocol, Wired(protocol, subject))
            )
            require(
                same_game(straight, copied),
                subject,
                f"takes a message that was copied on its way for another one ({k} sites, adversary {opponent.kind})",
            )
            yield


@dataclass(frozen=True)
class Wired(Protocol):
    """A protocol whose messages cross a wire.

    Parameters
    ----------
    inner
        The protocol.
    subject
        Its name, for errors.
    """

    inner: Protocol
    subject: str = ""

    @property
    def kind(self) -> str:  # type: ignore[override]
        """The protocol's own."""
        return self.inner.kind

    @property
    def accuracy(self) -> float | None:
        """The protocol's own."""
        return self.inner.accuracy

    def as_mapping(self) -> dict[str, Any]:
        return self.inner.as_mapping()

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        more = (start,) if start else ()
        return [_WiredSite(site, self.subject) for site in self.inner.sites(k, rng, *more)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        more = (start,) if start else ()
        return _WiredServer(self.inner.server(k, rng, *more), self.subject)


class _WiredSite(Site):
    __slots__ = ("_inner", "_subject")

    def __init__(self, inner: Site, subject: str) -> None:
        self._inner = inner
        self._subject = subject

    def quota(self) -> int:
        return self._inner.quota()

    def take(self, items: int) -> Sequence[Message]:
        return [_copied(self._subject, message) for message in self._inner.take(items)]

    def hear(self, message: Message) -> Sequence[Message]:
        return [_copied(self._subject, answer) for answer in self._inner.hear(message)]


class _WiredServer(Server):
    __slots__ = ("_inner", "_subject")

    def __init__(self, inner: Server, subject: str) -> None:
        self._inner = inner
        self._subject = subject

    @property
    def output(self) -> Number:  # type: ignore[override]
        """The server's own."""
        return self._inner.output

    @property
    def rounds(self) -> int:  # type: ignore[override]
        """The server's own."""
        return self._inner.rounds

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return [(receiver, _copied(self._subject, reply)) for receiver, reply in self._inner.hear(sender, message)]


def _copied(subject: str, message: Message) -> Any:
    return survives_pickling(f"{subject}: a message of kind {message.kind!r}", message)
