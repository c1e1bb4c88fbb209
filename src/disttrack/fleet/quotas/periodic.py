"""Quota protocols by the clock: sites tell each `every` steps what they have admitted, the server or each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, gcd, inf, isfinite, log2
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.fleet.quotas.base import Quota, Shaped
from disttrack.fleet.quotas.forms import QuotaForm, by_client, gossip_form, in_slots, total_form, totals_alone_form
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.fleet.quotas.total_parts import FlushingSite, PeriodicSite, ToldServer, TotalServer
from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import Guarantee, Message

WIDEST: Final = 1024
"""Most sites of which each keeps a count of each in arrays."""


@dataclass(frozen=True)
class PeriodicQuota(Shaped):
    """Every `every` steps a site reports what it has admitted since, and the server answers with the total.

    It admits while that total and its own admissions since are below the limit. Flushes are spread evenly over the
    sites. With a timeout, reports are of all that it has admitted in a window or a life. The bound is the same in each
    shape: fleet/docs/quota-guarantees.md.

    Parameters
    ----------
    every
        Steps from one flush of a site to the next, s.

    Source
    ------
    the usual practice of counters in a central store.
    """

    every: Whole = 100  # type: ignore[misc]

    kind: ClassVar[str] = "periodic"
    one_sum: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return (FlushingSite if self.timeout else PeriodicSite)(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return (ToldServer if self.timeout else TotalServer)(self, k)

    @property
    def unanswered(self) -> int:
        """The flushes in a row whose reports have no answer when a site is cut off."""
        return -(-self.timeout // self.every) + 1

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return two flushes and a round trip but for the last request, unless it is alone, and a flush for each death.

        If a report may have no answer in time, it is what each site admits until it is cut off, and all shares.
        """
        if self.timeout and up + down > self.timeout:
            if away or self.away == "open":
                return inf
            return self.beyond(k * (self.unanswered + 1) * self.every) + self.for_alone(k)
        lost = self.dearest * deaths * (self.every - 1)
        if k == 1 and isfinite(up + down):
            return lost
        return self.beyond(2 * self.every + up + down + max(1, varies) - 1) + lost

    @property
    def forgets(self) -> bool:
        return self.clock == "store"

    @property
    def counts_anew(self) -> bool:
        return self.clock == "client"

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        """Return one unless corrections name reports."""
        form = total_form(self.charge == "asked")
        if self.shape != "window":
            if self.reserve:
                return None
            form = in_slots(form, self)
        form = totals_alone_form(form, self, k) if self.timeout else form
        return by_client(form) if self.clock == "client" else form

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per flush, and a word for each report and settling whose charges are corrected."""
        corrected = self.reserve and self.shape != "window"
        corrections = k * (items / self.every + items / self.settle + 2) if corrected else 0.0
        return 2.0 * k * (items / self.every + 1) + corrections


@dataclass(frozen=True)
class Gossip(Quota):
    """Sites pass on what they know of each site's admissions, each `every` steps to one other, through the server.

    In its n-th flush site i sends a vector of k counts to site i + 2^(n mod ceil(log2 k)). The server only relays: a
    link between the sites would cost half the words.

    Parameters
    ----------
    every
        Steps from one flush of a site to the next, s.

    Source
    ------
    counters that are merged by their maxima (Shapiro, Preguiça, Baquero, Zawirski 2011), on a hypercube.
    """

    every: Whole = 100  # type: ignore[misc]

    kind: ClassVar[str] = "gossip"
    one_sum: ClassVar[bool] = True
    guarantee: ClassVar[Guarantee] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return GossipSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return Relay(self, k)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return the time in which all hear of an admission, if no site is away."""
        if away or not isfinite(up + down):
            return inf
        return self.beyond(self.spread(k, int(up + down)) + 1) if k > 1 else 0

    @property
    def forgets(self) -> bool:
        return True

    def spread(self, k: int, trip: int) -> int:
        """Return the steps in which all of k sites hear of an admission, if a message takes a trip of this length.

        A site that hears in round n sends in round n + hop at the latest, and a hop at this rhythm comes to each of the
        distances, if it waits a round whenever it has been through all distances that it comes to.
        """
        distances, every = ceil(log2(k)), self.every
        hop = max(1, -(-(trip + every - 1) // every))
        rounds = (distances - 1) * hop + gcd(distances, hop) - 1
        return 2 * (every - 1) + rounds * every + trip

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return None if k > WIDEST else gossip_form(k, ceil(log2(k)))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages of k words per flush."""
        return 2.0 * k * k * (items / self.every + 1)


class GossipSite(QuotaSite):
    """Knows a count for each site; its own grows with its admissions."""

    __slots__ = ("_counts", "_flushes")

    def __init__(self, *parts: Any) -> None:
        self._flushes = 0
        super().__init__(*parts)

    def open(self) -> Sequence[Message]:
        self.left = self.rule.limit
        self._counts = [0] * self.k
        return ()

    def _own(self) -> None:
        self._counts[self.number] += self.held
        self.held = 0

    def flush(self) -> Sequence[Message]:
        self._own()
        if self.k == 1:
            return ()
        hop = 2 ** (self._flushes % ceil(log2(self.k)))
        self._flushes += 1
        to = (self.number + hop) % self.k
        return (Message("gossip", (self.window, to, tuple(self._counts)), words=self.k),)

    def first_words(self) -> Sequence[Message]:
        self._counts = [0] * self.k
        return ()

    def heard(self, message: Message) -> Sequence[Message]:
        self._own()
        self._counts = list(map(max, self._counts, message.value[2]))
        self.left = self.rule.limit - sum(self._counts)
        return ()


class Relay(QuotaServer):
    """Passes vectors on."""

    __slots__ = ()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        return ((message.value[1], message),)
