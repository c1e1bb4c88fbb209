"""Trackers of content: the server estimates how often each item came, not only how many items.

All of them share one skeleton. Sites report their totals each time these have grown by a factor, and the server, which
so knows a number that the count exceeds by at most two such factors, announces it when the tracker's scale has grown:
the copies that a site may keep to itself, or the mean number of items per coin that succeeds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import log, log1p
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.protocols.base import EVERYONE, FOREVER, Message, Protocol, Server, Site
from disttrack.protocols.coins import Coins
from disttrack.protocols.contents.kernel import ItemForm, grown

LONGEST: Final = 2**61
"""Most items of a game; error probabilities are shared out up to there."""

Name = int | str
"""The name of an item: a whole number of any size, or a text."""


class Feed(ABC):
    """The items of one site, which the game passes on in their order. An item counts as its weight in copies."""

    __slots__ = ()

    @abstractmethod
    def held(self, item: Name) -> int:
        """Return how many copies of an item the site has received by now, which it counts itself."""

    @abstractmethod
    def take(self, items: int) -> tuple[int, Name, int]:
        """Pass on the next items; return the weight of all before the last one, the last one, and its weight."""

    @abstractmethod
    def before(self, weight: int) -> int:
        """Return how many items come before the one with which the weight of those to come reaches this number."""

    @abstractmethod
    def before_copies(self, due_of: Callable[[Name], int]) -> int:
        """Return how many items come before one of whose copies there are then `due_of(item)`, which only grows."""


@dataclass(frozen=True)
class ItemTracker(Protocol):
    """A protocol whose answer is the estimates of all items. Subclasses are frozen dataclasses.

    Parameters
    ----------
    alpha
        Error allowed for every item, over the number of all items, in (0, 1).
    """

    alpha: Share

    plays: ClassVar[tuple[str, ...]] = ("item-frequency",)
    report_words: ClassVar[int] = 1
    """Words of a report on an item."""
    weighs: ClassVar[bool] = False
    """Whether items may have weights."""
    per_item: ClassVar[bool] = False
    """Whether a site's next message can depend on the copies of an item (`ItemSite.due_of`)."""

    @abstractmethod
    def scale(self, known: int, k: int) -> int:
        """Return the scale once the server knows that there are this many items: from 1, and never falling."""

    @abstractmethod
    def growth(self, k: int) -> float:
        """Return how much a total, and the scale, grow from one report to the next, over their value."""

    @abstractmethod
    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        """Return one of the k sites."""

    @abstractmethod
    def server_by(self, k: int, coins: Coins) -> ItemServer:
        """Return the server of k sites."""

    def sites(
        self, k: int, rng: np.random.Generator, start: Sequence[int] = (), feeds: Sequence[Feed] = ()
    ) -> Sequence[ItemSite]:
        """Return the k sites, each with its feed; these games have no start."""
        if len(feeds) != k:
            raise ValueError(f"feeds must be {k}, one for each site, since it tracks items; got {len(feeds)}")
        coins = Coins(rng)
        return [self.site(k, feed, coins) for feed in feeds]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> ItemServer:
        return self.server_by(k, Coins(rng))

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm | None:
        """Return all sites and the server as arrays for items without weights; None if there is no such form.

        As `kernel_form`: it must draw what `sites` and `server` draw, in their order.
        """
        return None

    def item_words(self, scale: float, k: int) -> float:
        """Return the expected words of reports per item while the scale is this, or a bound."""
        return self.report_words / scale

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return a bound on the expected words: of reports, by the smallest scale possible, of totals, of the scale."""
        if self.scale(items, k) == 1:
            return self.item_words(1, k) * items
        growth = 1 + self.growth(k)
        cost, known = 0.0, 1.0
        while known < items:
            least = max(1.0, self.scale(int(known / growth), k) / growth)
            cost += (min(known * growth, items) - known) * self.item_words(least, k)
            known *= growth
        totals = k * (1 + log1p(items / k) / log(growth))
        return self.item_words(1, k) + cost + totals + k * log(self.scale(items, k)) / log(growth) + k

    shortcuts: ClassVar = {"per_item": Shortcut(True), "item_form": Shortcut(item_form)}
    descriptions = frozenset({"item_words", "report_words", "weighs"})


class ItemSite(Site):
    """One site. It receives its own items and the server's announcements, nothing else.

    Parameters
    ----------
    tracker, k
        The rules, and the number of sites.
    feed
        Its items.
    """

    __slots__ = ("count", "feed", "k", "next_total", "scale", "tracker")

    def __init__(self, tracker: ItemTracker, k: int, feed: Feed) -> None:
        self.tracker, self.k, self.feed = tracker, k, feed
        self.count = 0
        """Items received, by their weight; as all numbers of items and copies here."""
        self.next_total: int = FOREVER
        """The count at which it reports its total; no one needs it while every item is reported."""
        self.scale = 1

    def silence(self) -> int:
        silence = self.feed.before(min(self.next_total, self.due()) - self.count)
        return min(silence, self.feed.before_copies(self.due_of)) if self.tracker.per_item else silence

    def due(self) -> int:
        """Return the count at which it next reports an item, whatever this is; `FOREVER` if there is none."""
        return FOREVER

    def due_of(self, item: Name) -> int:
        """Return the number of its copies of an item at which it next sends a message; messages only raise it."""
        return FOREVER

    def held(self, item: Name) -> int:
        """Return how many copies of an item it has received."""
        return self.feed.held(item)

    def take(self, items: int) -> Sequence[Message]:
        before, item, weight = self.feed.take(items)
        self.count += before
        return self.receive(item, weight)

    def receive(self, item: Name, weight: int = 1) -> Sequence[Message]:
        """Receive an item, which counts as `weight` copies, and return what it sends."""
        self.count += weight
        sent = self.report(item)
        if self.count >= self.next_total:
            self.next_total = grown(self.count, self.tracker.growth(self.k))
            sent = (*sent, Message("total", self.count))
        return sent

    @abstractmethod
    def report(self, item: Name) -> Sequence[Message]:
        """Return the report on an item that has just been received; empty if there is none."""

    def hear(self, message: Message) -> Sequence[Message]:
        """Receive the server's announcement of the scale, and return its answers."""
        if self.next_total == FOREVER:
            self.next_total = grown(self.count, self.tracker.growth(self.k))
        self.rescale(message.value)
        return ()

    def rescale(self, scale: int) -> None:
        """Adapt to a new scale."""
        self.scale = scale

    hooks = frozenset({"rescale"})
    shortcuts: ClassVar = {"due": Shortcut(due), "due_of": Shortcut(due_of)}


class ItemServer(Server):
    """The server. `estimates` are its estimates at every step, 0 for other items.

    Parameters
    ----------
    tracker, k
        The rules, and the number of sites.

    Attributes
    ----------
    moved
        Items whose estimate may have changed; emptied by the game after each step.
    """

    __slots__ = ("estimates", "k", "moved", "rounds", "scale", "total", "totals", "tracker")

    def __init__(self, tracker: ItemTracker, k: int) -> None:
        self.tracker, self.k = tracker, k
        self.estimates: dict[Name, int] = {}
        self.moved: list[Name] = []
        self.totals = [0] * k
        self.total = 0
        """The sum of the totals."""
        self.rounds: int = 0
        """The number of announcements."""
        self.scale = 1

    @property
    def output(self) -> Mapping[Name, int]:  # type: ignore[override]
        """The estimates: an answer that changes in place."""
        return self.estimates

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message.kind == "total":
            self.total += message.value - self.totals[sender]
            self.totals[sender] = message.value
        else:
            copies = self.learn(sender, message.value)
            if self.rounds:
                return ()
            self.totals[sender] += copies  # every item is reported
            self.total += copies
        return self.announced()

    def announced(self) -> Sequence[tuple[int, Message]]:
        """Announce the scale if it has grown enough."""
        if self.tracker.scale(self.total, self.k) < self.due_scale:
            return ()
        self.rounds += 1
        self.rescale(self.tracker.scale(self.total, self.k))
        return ((EVERYONE, self.announcement()),)

    @property
    def due_scale(self) -> float:
        """The least scale that is announced."""
        return self.scale * (1 + self.tracker.growth(self.k))

    def due_total(self) -> int:
        """Return the least sum of the totals at which the scale is announced; `FOREVER` for none within a game."""
        high, least = 2 * self.total + 1, self.due_scale

        def scale_of(total: int) -> int:
            return self.tracker.scale(total, self.k)

        while scale_of(high) < least:
            if high > LONGEST:
                return FOREVER
            high *= 2
        return bisect_left(range(high), least, lo=self.total, key=scale_of)

    def announcement(self) -> Message:
        """Return the message to all sites that the scale has changed."""
        return Message("scale", self.scale)

    def quantile(self, share: float) -> Name:
        """Return the least item up to which there is at least this share, from 0 to 1, of the sum of all estimates.

        While ranks are within alpha N, this many more or fewer than share * N items are up to it, as far as copies of
        one item allow: at most (1 + share) alpha N.
        """
        names: list[Any] = [item for item, copies in self.estimates.items() if copies]
        if len({isinstance(item, str) for item in names}) > 1:
            raise ValueError("items are numbers and texts, which have no common order")
        names.sort()
        if not (0 <= share <= 1 and names):
            raise ValueError(f"share must be a number from 0 to 1, of at least one item; got {share!r}")
        sums = list(accumulate(self.estimates[item] for item in names))
        quantile: Name = names[bisect_left(sums, share * sums[-1])]
        return quantile

    def add(self, item: Name, copies: int) -> None:
        """Add copies to the estimate of an item."""
        self.estimates[item] = self.estimates.get(item, 0) + copies
        self.moved.append(item)

    @abstractmethod
    def learn(self, sender: int, report: Any) -> int:
        """Take the report of a site on an item, and return how many copies it tells of while every item is reported."""

    def rescale(self, scale: int) -> None:
        """Adapt to a new scale."""
        self.scale = scale


class SumOfItems(ItemServer):
    """A server that adds the scale to the estimate of an item with each report, or several times with one."""

    __slots__ = ()

    def learn(self, sender: int, report: Name | tuple[Name, int]) -> int:
        item, times = report if isinstance(report, tuple) else (report, 1)
        self.add(item, times * self.scale)
        return times


def on_item(item: Name, times: int) -> Message:
    """Return the report on an item to whose estimate `SumOfItems` adds `times` times the scale."""
    return Message("item", item) if times == 1 else Message("items", (item, times), 2)
