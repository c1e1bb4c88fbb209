"""A protocol that forwards every item and puts out whatever it is told to: for what an engine makes of odd ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from disttrack.protocols import Protocol
from disttrack.protocols.base import EVERYONE, Message, Server, Site


@dataclass(frozen=True)
class Scripted(Protocol):
    """Every item is sent to the server.

    Parameters
    ----------
    output
        The output after so many messages, 0 at the start.
    words
        Words of each message of a site.
    answers
        Words of the messages that the server sends on the fifth one it hears: to site 0, then to all.
    """

    kind: ClassVar[str] = "scripted"

    output: Callable[[int], Any] = int
    words: Any = 1
    answers: tuple[Any, ...] = ()
    alpha: float | None = 0.1

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_Site(self) for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return _Server(self, sum(start))


class _Site(Site):
    def __init__(self, script: Scripted) -> None:
        self.message = Message("item", 1, script.words)

    def silence(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return (self.message,) * items

    def hear(self, message: Message) -> Sequence[Message]:
        return ()


class _Server(Server):
    def __init__(self, script: Scripted, start: int) -> None:
        self.script, self.heard = script, start
        self.output = script.output(start)

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.heard += 1
        self.output = self.script.output(self.heard)
        if self.heard != 5:
            return ()
        return [
            (to, Message("answer", 1, words)) for to, words in zip((0, EVERYONE), self.script.answers, strict=False)
        ]
