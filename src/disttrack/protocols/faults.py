"""Faults of trackers: mixins that break one part, stated by the classes that they break under `faults`.

The sites, the server and the constants of the broken tracker are the package's, and only the named part differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.faults import FaultyPart, Wrapped, quieter
from disttrack.mechanisms.shortcuts import held
from disttrack.protocols.base import EVERYONE, Message, Site
from disttrack.protocols.rounds.sites import announcement

TIMES: Final = 4
"""Factor of the promised error: trackers use a third to the whole of their promised error."""
COARSEST: Final = 0.9
"""An accuracy is below 1."""


class Coarse(FaultyPart):
    """The tracker is set for four times the relative error that it promises."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        return self._coarser().sites(k, rng, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        return self._coarser().server(k, rng, start)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        return self._coarser().kernel_form(k, site_rng, server_rng, start)

    def _coarser(self) -> Any:
        own = self.repaired()
        return replace(own, alpha=min(TIMES * own.alpha, COARSEST))


class LostReports(FaultyPart):
    """Every second message that a site sends unasked is lost."""

    def sites(self, k: int, rng: np.random.Generator, *given: object, **more: object) -> Any:
        protocol: Any = super()
        return [_HalfHeard(site) for site in protocol.sites(k, rng, *given, **more)]


class _HalfHeard(Site):
    """A site that loses every second of its own messages."""

    __slots__ = ("_lost", "_site")

    def __init__(self, site: Site) -> None:
        self._site, self._lost = site, True

    def silence(self) -> int:
        return self._site.silence()

    def take(self, items: int) -> Sequence[Message]:
        kept = []
        for message in self._site.take(items):
            self._lost = not self._lost
            if not self._lost:
                kept.append(message)
        return kept

    def hear(self, message: Message) -> Sequence[Message]:
        return self._site.hear(message)


class QuieterServer(FaultyPart):
    """A tracker whose server draws from a quieter generator."""

    noise_share: ClassVar[float]

    def server(self, k: int, rng: np.random.Generator, start: object = ()) -> Any:
        protocol: Any = super()
        return protocol.server(k, quieter(rng, self.noise_share), start)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        protocol: Any = super()  # whose form takes the server from `server`, above
        return protocol.kernel_form(k, site_rng, server_rng, start)


class NoServerNoise(QuieterServer):
    """The server draws no noise; its constants stay those with noise."""

    noise_share = 0.0


class HalfServerNoise(QuieterServer):
    """All noise of the server has half of its scale."""

    noise_share = 0.5


class TenfoldServerNoise(QuieterServer):
    """All noise of the server has ten times its scale."""

    noise_share = 10.0


def _first(low: object, high: object = None, size: object = None, **more: object) -> Any:
    """Return the smallest possible value, as a generator's `integers`."""
    least = 0 if high is None else low
    return least if size is None else np.full(size, least)


class FixedThresholds(FaultyPart):
    """A site signals at the first item of every block."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return protocol.sites(k, Wrapped(rng, integers=_first), start)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> Any:
        protocol: Any = super()
        return protocol.kernel_form(k, Wrapped(site_rng, integers=_first), server_rng, start)


class LeakIgnored(FaultyPart):
    """The server records no threshold as leaked."""

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        server = protocol.server(k, rng, start)
        server.leaked = _Forgetful()
        return server


class _Forgetful(list[Any]):
    """A list that stores nothing."""

    def append(self, entry: object) -> None:
        """Discard the entry."""


class NoPolls(FaultyPart):
    """A round begins with the server's own estimate; no site is polled."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return [_put_before(_Unasked, site) for site in protocol.sites(k, rng, start)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return _put_before(_Unasking, protocol.server(k, rng, start))


class _Unasked:
    """A site that begins each round without having been polled for its count."""

    __slots__ = ()

    def hear(self: object, message: Message) -> Sequence[Message]:
        self.count = 0
        site: Any = super()
        return site.hear(message)  # type: ignore[no-any-return]


class _Unasking:
    """A server that uses its own estimate as the count when a round ends."""

    __slots__ = ()

    def end_round(self: Any) -> Sequence[tuple[int, Message]]:
        self.base = self.announced = max(1, round(float(self.output)))
        return self._begin() or ((EVERYONE, announcement(self.base)),)


def _put_before(part: type, thing: object) -> Any:
    """Return the same object, with its class replaced by a subclass with the mixin first."""
    own: Any = type(thing)
    thing.__class__ = _before(part, own)
    return thing


@cache
def _before(part: Any, cls: Any) -> Any:
    return type(cls)(cls.__name__, (part, cls), {**held(cls), "__slots__": (), "__module__": __name__})


class UncountedKind(FaultyPart):
    """All answers to a poll are counted as one message."""

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        counts: list[int] = []
        return [_Behind(site, counts, k) for site in protocol.sites(k, rng, start)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Any:
        protocol: Any = super()
        return _put_before(_Together, protocol.server(k, rng, start))


class _Behind(Site):
    """A site whose answer to a poll bypasses the channels: the site polled last sends the answers of all."""

    __slots__ = ("_counts", "_k", "_site")

    def __init__(self, site: Site, counts: list[int], k: int) -> None:
        self._site, self._counts, self._k = site, counts, k

    def silence(self) -> int:
        return self._site.silence()

    def take(self, items: int) -> Sequence[Message]:
        return self._site.take(items)

    def hear(self, message: Message) -> Sequence[Message]:
        answers = self._site.hear(message)
        if message.kind != "poll":
            return answers
        self._counts += [answer.value for answer in answers]
        if len(self._counts) < self._k:
            return ()
        total = sum(self._counts)
        self._counts.clear()
        return (answers[0]._replace(value=total),)


class _Together:
    """A server that treats one message as the counts of all the sites."""

    __slots__ = ()

    def counted(self: Any, items: int, sites: int = 1) -> Sequence[tuple[int, Message]]:
        server: Any = super()
        return server.counted(items, self.k)  # type: ignore[no-any-return]
