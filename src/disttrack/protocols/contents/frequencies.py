"""Frequencies of items: after a number of copies, by a Bernoulli sample, by coins and counts; and heavy hitters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import ceil, log, log1p, sqrt
from typing import ClassVar, Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole, one_of
from disttrack.mechanisms.roots import root
from disttrack.mechanisms.rules import gap_scale, redrawn
from disttrack.mechanisms.shortcuts import state
from disttrack.protocols.base import Guarantee, Message, ratio
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.contents.base import (
    LONGEST,
    Feed,
    ItemServer,
    ItemSite,
    ItemTracker,
    Name,
    SumOfItems,
    on_item,
)
from disttrack.protocols.contents.kernel import (
    ItemForm,
    estimated,
    is_listed,
    report_coin,
    report_copies,
    report_count,
    times_due,
)


@dataclass(frozen=True)
class FrequencyDeterministic(ItemTracker):
    """A site reports an item whenever it holds D copies that it has not reported; the server adds D.

    An item with a weight may bring several times D at once, whose number is then a second word. D - 1 <= alpha N / k,
    so that an estimate never exceeds the truth, and lacks at most k (D - 1) <= alpha N copies.

    Source
    ------
    Yi, Zhang 2009 (arXiv 0812.0209), section 2.
    The server learns the number of items by reports of totals, instead of signals of equal size and polls.
    """

    kind: ClassVar[str] = "frequency-deterministic"
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    weighs: ClassVar[bool] = True
    per_item: ClassVar[bool] = True

    def scale(self, known: int, k: int) -> int:
        part, whole = ratio(self.alpha)
        return 1 + part * known // (whole * k)

    def growth(self, k: int) -> float:
        # reports cost (1 + growth) k / alpha per e-fold of the items, totals and announcements 2 k / growth
        return min(1.0, sqrt(2 * self.alpha))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _CopySite(self, k, feed)

    def server_by(self, k: int, coins: Coins) -> SumOfItems:
        return SumOfItems(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        return ItemForm(self, k, self.server(k, server_rng), report_copies)


class _CopySite(ItemSite):
    __slots__ = ("reported",)

    def __init__(self, tracker: ItemTracker, k: int, feed: Feed) -> None:
        super().__init__(tracker, k, feed)
        self.reported: dict[Name, int] = {}

    def due_of(self, item: Name) -> int:
        return self.reported.get(item, 0) + self.scale

    def report(self, item: Name) -> Sequence[Message]:
        times = times_due(self.held(item) - self.reported.get(item, 0), self.scale)
        if not times:
            return ()
        self.reported[item] = self.reported.get(item, 0) + times * self.scale
        return (on_item(item, times),)


STRETCH: Final = 1.05
"""The factor by which the items grow in a stretch of the union bound; 1.03 to 1.1 give nearly the same strength."""


@dataclass(frozen=True)
class FrequencySample(ItemTracker):
    """Every item is sent with the same probability p while the scale is 1/p, and adds 1/p to its estimate.

    An item of weight w has w coins, and is sent once, with the number of those that succeed. The error of an item is a
    martingale against any adversary, whatever it has seen, as no random state is kept. With p >= L / (alpha^2 N) at N
    items its variance is at most alpha^2 N^2 / (2 L), so that it exceeds alpha N within a stretch from N to G N with
    probability at most 2 exp(-L / (G^2 + 2 alpha G / 3)), by Freedman's inequality; L makes these sum to delta, over
    all items of the domain and all stretches (`docs/contents.md`). The same holds of the items up to any one, so that
    the sums of the estimates are ranks within alpha N, with the same delta.

    Parameters
    ----------
    delta
        Probability that any estimate ever has a larger error, in (0, 1).
    domain
        Number of different items at most.
    strength
        L itself instead; nothing is then guaranteed about delta.

    Source
    ------
    derived; as `martingale`, with a union bound over the items.
    """

    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "frequency-sample"
    guarantee: ClassVar[Guarantee] = "adaptive"
    plays: ClassVar[tuple[str, ...]] = ("item-frequency", "item-rank")
    weighs: ClassVar[bool] = True
    reveals: ClassVar[str] = "each change shows that the last item was sampled, which does not help an adversary"

    @property
    def size(self) -> float:
        """The expected size of the sample, were all items sampled with the present p: L / alpha^2."""
        return self.needed() / self.alpha**2

    def needed(self) -> float:
        """Return L, the strength."""
        if self.strength is not None:
            return self.strength
        stretches = ceil(log(LONGEST) / log(STRETCH))
        return log(2 * self.domain * stretches / self.delta) * (STRETCH**2 + 2 * self.alpha * STRETCH / 3)

    def scale(self, known: int, k: int) -> int:
        return max(1, int(known / self.size))

    def growth(self, k: int) -> float:
        # the sample costs (1 + growth) size per e-fold of the items, totals and announcements 2 k / growth
        return min(1.0, max(0.05, sqrt(2 * k / self.size)))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return CoinSite(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return SumOfItems(self, k)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        return ItemForm(self, k, self.server(k, server_rng), report_coin, OrderedCoins(site_rng))


class CoinSite(ItemSite):
    """A site that reports the items whose coin, of bias one over the scale, succeeds; a weight has as many coins."""

    __slots__ = ("_coins", "_due")

    def __init__(self, tracker: ItemTracker, k: int, feed: Feed, coins: Coins) -> None:
        super().__init__(tracker, k, feed)
        self._coins, self._due = coins, 1

    def due(self) -> int:
        return self._due

    def report(self, item: Name) -> Sequence[Message]:
        if self.count < self._due:
            return ()
        further = self.count - self._due
        self._toss()
        return (self.reported(item, further),)

    def reported(self, item: Name, further: int) -> Message:
        """Return the message on an item one of whose coins has succeeded, after which it has `further` ones."""
        return on_item(item, 1 + int(self._coins.rng.binomial(further, 1 / self.scale)) if further else 1)

    def rescale(self, scale: int) -> None:
        super().rescale(scale)
        self._toss()

    def _toss(self) -> None:
        self._due = self.count + (self._coins.gap(gap_scale(1 / self.scale)) if self.scale > 1 else 1)


SLACK: Final = 0.1
"""The part of alpha by which the items grow from one checkpoint of the union bound to the next."""


@lru_cache(maxsize=256)
def strength_for(failure: float, k: int) -> float:
    """Return the least c with which k sites err by c sqrt(k) / p with probability at most `failure`.

    The error of a site, times p, is at worst an exponential variable less its mean, and at most 1 the other way.
    Chernoff's bound on the sum of k of them: exp(-k (x - ln(1 + x))) for c = x sqrt(k).
    """
    needed = log(1 / failure) / k
    return sqrt(k) * root(lambda x: x - log1p(x) - needed, 0.0, 2 * needed + 4)


@dataclass(frozen=True)
class FrequencyRandomized(ItemTracker):
    """With probability p = c sqrt(k) / (alpha N) an item makes its site send the item's count there.

    A site's last report on an item plus 1/p - 1, and 0 without a report, is an unbiased estimate of its copies at the
    site, with a variance of at most 1/p^2. When p falls, the server thins the reports by coins of its own, which leaves
    them as if p had been small from the start.

    Parameters
    ----------
    delta
        Probability that any estimate ever has a larger error, in (0, 1), on a stream that does not react.
    domain
        Number of different items at most.
    strength
        c itself instead; nothing is then guaranteed about delta.

    Source
    ------
    Huang, Yi, Zhang 2012 (arXiv 1108.3413), sections 2 and 3.
    Sites count every item, and the server thins: they bound the sites' memory, at the price of a second coin.
    """

    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "frequency-randomized"
    guarantee: ClassVar[Guarantee] = "oblivious"
    weighs: ClassVar[bool] = True
    report_words: ClassVar[int] = 2
    reveals: ClassVar[str] = "a change shows that the site's count of the item was just sent"

    def needed(self, k: int) -> float:
        """Return c, with which errors stay below alpha N.

        Between two checkpoints, and two changes of p, estimates and counts only grow, so that an error exceeds those at
        the ends by the growth of the items at most.
        """
        if self.strength is not None:
            return self.strength
        step = SLACK * self.alpha
        checkpoints = ceil(log(LONGEST) / log1p(step)) + 2 * LONGEST.bit_length()
        return strength_for(self.delta / (2 * self.domain * checkpoints), k) / (1 - 2 * SLACK)

    def scale(self, known: int, k: int) -> int:
        inverse = int(self.alpha * known / (self.needed(k) * sqrt(k)))
        return 1 << max(0, inverse.bit_length() - 1)

    def growth(self, k: int) -> float:
        return 0.5

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        return _CountSite(self, k, feed, coins)

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        return _CountServer(self, k, coins)

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm:
        server = self.server(k, server_rng)
        return ItemForm(self, k, server, report_count, OrderedCoins(site_rng), OrderedCoins(server_rng))


class _CountSite(CoinSite):
    __slots__ = ()

    def reported(self, item: Name, further: int) -> Message:
        # the count at the last coin that succeeds: copies after it are not known to the server
        last = min(further, int(self._coins.rng.geometric(1 / self.scale)) - 1) if further else 0
        return Message("count", (item, self.held(item) - last), 2)

    silence, due = CoinSite.silence, CoinSite.due


class _CountServer(ItemServer):
    __slots__ = ("_coins", "last")

    def __init__(self, tracker: ItemTracker, k: int, coins: Coins) -> None:
        super().__init__(tracker, k)
        self._coins = coins
        self.last: dict[tuple[int, Name], int] = {}
        """The last count of an item reported by a site."""

    def learn(self, sender: int, report: tuple[Name, int]) -> int:
        item, count = report
        added: int = estimated(count, self.scale) - estimated(self.last.get((sender, item), 0), self.scale)
        self.last[sender, item] = count
        self.add(item, added)
        return added

    def rescale(self, scale: int) -> None:
        before = self.scale
        super().rescale(scale)
        for (site, item), count in list(self.last.items()):
            anew = redrawn(count, before, scale, self._coins)
            self.add(item, estimated(anew, scale) - estimated(count, before))
            if anew:
                self.last[site, item] = anew
            else:
                del self.last[site, item]


COINS: Final = {"sample": FrequencySample, "randomized": FrequencyRandomized}
"""Trackers of frequencies that toss coins."""


@dataclass(frozen=True)
class HeavyHitters(ItemTracker):
    """Lists the items with an estimate of at least (phi - a) T, for the total T that the sites have reported.

    A tracker of frequencies gives estimates within a N of the truth, a = alpha / 3, and T <= N <= (1 + g) T for
    g = a / (phi - a). So every item above phi N is listed, and none below (phi - alpha) N.

    Parameters
    ----------
    alpha
        Width of the band below phi in which an item may be listed or not.
    phi
        Share of all items from which on an item must be listed, above alpha.
    by
        The tracker of frequencies: deterministic, sample or randomized. The guarantee is that of this tracker.
    delta, domain, strength
        Passed to the tracker of frequencies if that is sample or randomized.

    Source
    ------
    Yi, Zhang 2009 (arXiv 0812.0209), section 2.
    The reduction; here from any tracker of frequencies.
    """

    phi: Share = 0.2
    by: Literal["deterministic", "sample", "randomized"] = "deterministic"
    delta: Share = 0.05
    domain: Whole = 1000
    strength: Positive | None = None

    kind: ClassVar[str] = "heavy-hitters"
    guarantee: ClassVar[Guarantee] = "always"  # that of the tracker of frequencies, for an instance
    plays: ClassVar[tuple[str, ...]] = ("frequent-items",)
    weighs: ClassVar[bool] = True
    reveals: ClassVar[str] = "what the estimates reveal"
    per_item: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("by", self.by, ("deterministic", *COINS))
        if self.phi <= self.alpha:
            raise ValueError(f"phi must be a number above alpha, {self.alpha}; got {self.phi!r}")
        for name in ("guarantee", "per_item", "report_words"):
            state(self, HeavyHitters, name, getattr(self.inner, name))

    @cached_property
    def inner(self) -> ItemTracker:
        """The tracker of frequencies."""
        if self.by == "deterministic":
            return FrequencyDeterministic(self.alpha / 3)
        return COINS[self.by](self.alpha / 3, self.delta, self.domain, self.strength)

    def lists(self, estimate: int, total: int) -> bool:
        """Return whether an item with this estimate is listed while the sites have reported this total."""
        return bool(is_listed(estimate, total, self.least))

    @property
    def least(self) -> float:
        """The least share of the total with which an item is listed."""
        return self.phi - self.alpha / 3

    def scale(self, known: int, k: int) -> int:
        return self.inner.scale(known, k)

    def growth(self, k: int) -> float:
        return min(self.inner.growth(k), self.alpha / (3 * self.phi - self.alpha))

    def site(self, k: int, feed: Feed, coins: Coins) -> ItemSite:
        site = self.inner.site(k, feed, coins)
        site.tracker = self
        return site

    def server_by(self, k: int, coins: Coins) -> ItemServer:
        server = self.inner.server_by(k, coins)
        server.tracker = self
        return server

    def item_form(self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator) -> ItemForm | None:
        form = self.inner.item_form(k, site_rng, server_rng)
        return form and form.of(self, self.server(k, server_rng))
