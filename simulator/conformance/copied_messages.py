"""A wire between sites and server: each message arrives as a copy of what was sent, equal to it and another object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols.base import Protocol
from disttrack.simulator.conformance.failure import Checks, require, same_game, survives_pickling
from disttrack.simulator.game.play import play


def copied_messages_mean_the_same(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """Who hears a message goes by what it says, and not by which object it is: the same transcript over a wire."""
    for k in sites:
        for opponent in (RoundRobin(), Freeze()):
            straight, copied = (
                play(one, opponent, sites=k, items=items, seed=k, engine="leap", record=True)
                for one in (protocol, Wired(protocol))
            )
            require(
                same_game(straight, copied),
                f"takes a message that was copied on its way for another one ({k} sites, adversary {opponent.kind})",
                "compare messages by what they say (kind, value), not by identity (is)",
            )
            yield None


@dataclass(frozen=True)
class Wired(Protocol):
    """A protocol whose messages cross a wire."""

    inner: Protocol

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

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Any]:
        return [_Sender(site) for site in self.inner.sites(k, rng, *((start,) if start else ()))]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Any:
        return _Sender(self.inner.server(k, rng, *((start,) if start else ())))


class _Sender:
    """A site or a server that sends copies of its messages."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def take(self, items: int) -> Any:
        return survives_pickling(self._inner.take(items), "a message ")

    def hear(self, *message: Any) -> Any:
        return survives_pickling(self._inner.hear(*message), "a message ")
