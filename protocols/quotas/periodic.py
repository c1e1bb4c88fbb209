"""Quota protocols by the clock: sites tell each `every` steps what they have admitted, the server or each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, isfinite, log2
from typing import Any, ClassVar

from disttrack.mechanisms.checks import Whole
from disttrack.protocols.base import Message
from disttrack.protocols.quotas.base import Quota
from disttrack.protocols.quotas.parts import Answers, QuotaServer, QuotaSite


@dataclass(frozen=True)
class PeriodicQuota(Quota):
    """Every `every` steps a site reports what it has admitted since, and the server answers with the total.

    It admits while that total and its own admissions since are below the limit. Flushes are spread evenly over the
    sites.

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
    guarantee: ClassVar[Any] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return PeriodicSite(self, number, k, answers)

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> QuotaServer:
        return TotalServer(self, k)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False) -> float:
        """Return two flushes and a round trip, and a flush for each death."""
        if k == 1 and not deaths and isfinite(up + down):
            return 0.0
        return self.price * (2 * self.every + up + down + deaths * self.every)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per flush."""
        return 2.0 * k * (items / self.every + 1)


class PeriodicSite(QuotaSite):
    """Knows the total of the last answer."""

    __slots__ = ("flying",)

    def open(self) -> Sequence[Message]:
        self.left = self.rule.limit
        self.flying: deque[int] = deque()
        """Reports of this window that are not answered yet."""
        return ()

    def flush(self) -> Sequence[Message]:
        self.flying.append(self.held)
        self.held = 0
        return (Message("report", (self.window, self.flying[-1])),)

    def last_words(self) -> Sequence[Message]:
        return self.flush()

    def first_words(self) -> Sequence[Message]:
        self.flying.clear()
        return self.flush()

    def heard(self, message: Message) -> Sequence[Message]:
        if self.flying:
            self.flying.popleft()
            self.left = self.rule.limit - message.value[1] - self.held - sum(self.flying)
        return ()


class TotalServer(QuotaServer):
    """Answers each report with the total."""

    __slots__ = ()

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        window, cost = message.value
        if window < self.window:
            return ()
        return ((sender, Message("total", (window, self.spend(window, cost)))),)


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
    guarantee: ClassVar[Any] = "always"

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return GossipSite(self, number, k, answers)

    def server(self, k: int, rng: Any, start: Sequence[int] = ()) -> QuotaServer:
        return Relay(self, k)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False) -> float:
        """Return the time in which all hear of an admission, if no site is away."""
        rounds = ceil(log2(k)) if k > 1 else 0
        late = rounds and (rounds + 1) * self.every + rounds * (up + down)
        return float("inf") if away else self.price * late

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
