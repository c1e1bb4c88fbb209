"""The yardstick: every item is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from disttrack.protocols.base import Message, Protocol, Server, Site
from disttrack.protocols.bulk import BulkForm, Segment, Stream

ITEM: Final = Message("item")


@dataclass(frozen=True)
class Exact(Protocol):
    """Every site sends every item, one word each; the output is never wrong.

    Source
    ------
    The trivial protocol; yardstick for all others.
    """

    kind: ClassVar[str] = "exact"
    source: ClassVar[str] = "the trivial protocol"
    guarantee: ClassVar[Any] = "always"
    reveals: ClassVar[str] = "everything"
    one_sided: ClassVar[bool] = True
    readmission: ClassVar[Any] = "report"

    @property
    def accuracy(self) -> float:
        """Zero: no error at all."""
        return 0.0

    def sites(self, k: int, rng: Any, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_Site() for _ in range(k)]

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return _Server(sum(start))

    def returned_site(self, k: int, rng: Any, items: int) -> Site:
        return _Site()

    def recoverable_server(self, k: int, rng: Any, start: Sequence[int] = ()) -> Server:
        return _TallyingServer(list(start) or [0] * k)

    def bulk_form(self, k: int, site_rng: Any, server_rng: Any, start: Sequence[int] = ()) -> BulkForm:
        return _BulkForm(_Server(sum(start)))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the number of items."""
        return float(items)


class _Site(Site):
    __slots__ = ()

    def quota(self) -> int:
        return 0

    def take(self, items: int) -> Sequence[Message]:
        return (ITEM,) * items


class _BulkForm(BulkForm):
    server: _Server

    def __init__(self, server: _Server) -> None:
        self.server = server

    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        self.server.output += until - now
        return Segment(until, forwarded=ITEM)


class _Server(Server):
    __slots__ = ("output",)

    def __init__(self, start: int) -> None:
        self.output: int = start

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += 1
        return ()


class _TallyingServer(_Server):
    """Keeps the number of items that each site has sent; a returning site replaces its number by its own count."""

    __slots__ = ("_counts",)

    def __init__(self, counts: list[int]) -> None:
        super().__init__(sum(counts))
        self._counts = counts

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self._counts[sender] += 1
        return super().hear(sender, message)

    def readmit(self, sender: int, items: int) -> Sequence[tuple[int, Message]]:
        self.output += items - self._counts[sender]
        self._counts[sender] = items
        return ()
