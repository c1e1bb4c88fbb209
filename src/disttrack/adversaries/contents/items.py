"""Adversaries that choose the items too: drawn streams, and attackers that react to the estimates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import count
from math import exp, log, sqrt
from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.adaptive import told_apart
from disttrack.adversaries.base import View
from disttrack.adversaries.contents.base import ItemAdversary, ItemMachine
from disttrack.adversaries.contents.plans import Pairs, one
from disttrack.adversaries.machines import NOT_ASKED
from disttrack.adversaries.oblivious import CHUNK, AliasTable, alias_table, draw
from disttrack.adversaries.schedules import NEVER
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import FromZero, Natural, NotNegative, Positive, Whole, at_most, whole

MOST_DRAWN: Final = 1 << 26
"""Different items of a distribution: its table takes 75 bytes for each while it is made."""


@dataclass
class DrawnItems(ItemAdversary):
    """Independent items; subclasses define the weights of the domain.

    Parameters
    ----------
    domain
        Number of different items.
    period
        Items that are drawn and then repeated without end, so that a game costs its messages; None draws every item.
    heaviest
        The largest weight: weights are drawn from 1 to it, with logarithms that are uniform. 1: all items count alike.
    """

    oblivious: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    domain: Whole = 1000
    period: Whole | None = None
    heaviest: Whole = 1
    _table: AliasTable | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.domain > MOST_DRAWN:
            raise ValueError(f"domain must be at most {MOST_DRAWN:,} for items that are drawn; got {self.domain:,}")

    @abstractmethod
    def weights(self) -> npt.NDArray[np.float64]:
        """Return numbers that the probabilities of the items are proportional to."""

    def plan(self, view: View) -> Pairs:
        if self._table is None:
            self._table = _table_of(np.asarray(self.weights(), dtype=np.float64).tobytes())
        size = min(self.period or CHUNK, view.left)
        sites = view.rng.integers(view.sites, size=size)
        items = draw(self._table, size, view.rng)
        weights = None if self.heaviest == 1 else (self.heaviest ** view.rng.random(size)).round().astype(np.int64)
        return Pairs(sites, items, size if self.period is None else NEVER, weights)


@lru_cache(maxsize=4)
def _table_of(weights: bytes) -> AliasTable:
    """Return the alias table of weights, which the games of a point share."""
    return alias_table(np.frombuffer(weights))


@dataclass
class ZipfItems(DrawnItems):
    """Draws item x with probability proportional to (x + 1)^-exponent, each at a site drawn uniformly at random.

    Parameters
    ----------
    exponent
        How uneven the items are: 0 is uniform.

    Source
    ------
    Zipf's law over items.
    """

    kind: ClassVar[str] = "zipf-items"

    exponent: NotNegative = 1.1

    def weights(self) -> npt.NDArray[np.float64]:
        return np.arange(1, self.domain + 1, dtype=np.float64) ** -float(self.exponent)


@dataclass
class UniformItems(DrawnItems):
    """Draws items uniformly, each at a site drawn uniformly at random.

    Source
    ------
    independent uniform items.
    """

    kind: ClassVar[str] = "uniform-items"

    def weights(self) -> npt.NDArray[np.float64]:
        return np.ones(self.domain)


@dataclass
class HeavyItem(DrawnItems):
    """Draws item 0 with a fixed probability, and else an item of the domain uniformly, each at a random site.

    Parameters
    ----------
    share
        That probability.

    Source
    ------
    a heavy hitter among light items.
    """

    kind: ClassVar[str] = "heavy-item"

    share: FromZero = 0.5

    def weights(self) -> npt.NDArray[np.float64]:
        weights = np.full(self.domain, (1 - self.share) / self.domain)
        weights[0] += self.share
        return weights


@dataclass
class RankDrift(ItemAdversary):
    """Gives the items of a domain in order, equally often, at sites drawn uniformly at random: the median moves.

    So the newest item is above all earlier ones, and every quantile moves as fast as it can without a jump.

    Parameters
    ----------
    domain
        Number of different items.

    Source
    ------
    a sorted stream.
    """

    kind: ClassVar[str] = "rank-drift"
    oblivious: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    domain: Whole = 1000

    def plan(self, view: View) -> Pairs:
        steps = range(view.sent, view.sent + min(CHUNK, view.left))
        sites = view.rng.integers(view.sites, size=len(steps))
        return Pairs(sites, [step * self.domain // view.items for step in steps], len(steps))


MOST_ITEMS: Final = 100_000
"""Items that a machine lists before a game."""
MOST_BITS: Final = 14_000
"""Python writes whole numbers of up to 4,300 digits."""


@dataclass
class FreezeItem(Scripted, ItemAdversary):
    """Gives one site copies of one item until an estimate changes, and then goes on to the next site.

    Every site stops right after a report, so that what a tracker adds for copies not reported is too much at all sites.
    Several items are taken in turn, each at every site once.

    Parameters
    ----------
    items
        Number of items that are used in turn.
    memory
        Bits of memory, with which it can tell the first 2^memory sites apart; None for unlimited: all sites. The item
        that is in turn costs none.

    Source
    ------
    `freeze`, with an item for each round over the sites.
    """

    kind: ClassVar[str] = "freeze-item"

    items: Whole = 1
    memory: Natural | None = None

    def script(self, view: View) -> Iterator[Pairs]:
        sites = told_apart(self.memory, view.sites)
        for changes in count():
            yield one(*next_pair(changes, sites, self.items))

    def machine(self, view: View) -> ItemMachine | None:
        if self.items > MOST_ITEMS:
            return None
        state = np.array([told_apart(self.memory, view.sites), self.items], dtype=float)
        return ItemMachine(freeze_item_burst, state, range(self.items))


@dataclass
class DrainItem(Scripted, ItemAdversary):
    """Gives one site copies of one item until no estimate has changed for a while, and then goes on to the next site.

    Against trackers with coins, every site is left with more unreported copies than it has on average. A deterministic
    site reports after alpha N / k copies, which the default patience exceeds from some 44 sites on: to leave it just
    before a report takes a patience of less than 1 / sqrt(k).

    Parameters
    ----------
    patience
        Copies without a change after which it goes on, over alpha N / sqrt(k).

    Source
    ------
    `drain`, for one item.
    """

    kind: ClassVar[str] = "drain-item"

    patience: Positive = 0.15

    def script(self, view: View) -> Iterator[Pairs]:
        site = 0
        while True:
            changes = view.changes
            yield Pairs([site], [0], wait_of(self._part(view), view.sites**0.5, view.sent))
            if view.changes == changes:
                site = (site + 1) % view.sites

    def _part(self, view: View) -> float:
        return self.patience * float(view.known.get("alpha", 0.1))

    def machine(self, view: View) -> ItemMachine:
        state = np.array([self._part(view), view.sites**0.5, 0.0, NOT_ASKED])
        return ItemMachine(drain_item_burst, state, range(1))


@dataclass
class SamplingAttack(Scripted, ItemAdversary):
    """Chooses items so that all that have ever been in the sample are smaller than all others.

    Keeps an interval of the domain: below it are the items that came into the sample, above it the others. The next
    item divides it by the chances of the two, s of i at the i-th item, and becomes its lower or its upper end: that
    takes the entropy h(s / i) in bits. When the interval is empty, all others are copies of that end.

    After x s items some s (1 + ln x) have been in the sample, which errs by 1 - (1 + ln x) / x. It takes s times the
    integral of h(1 / y) from 1 to x in bits, so that the error depends on bits / s only, if there are enough items:
    with 3.66 bits for each item of the sample, and 5.36 s items, it is 1/2.

    Parameters
    ----------
    bits
        The domain has 2^bits items in order.

    Source
    ------
    Ben-Eliezer, Yogev 2020 (arXiv 1906.11327), the attack on the set system of prefixes.
    """

    kind: ClassVar[str] = "sampling-attack"

    bits: Annotated[int, whole, at_most(MOST_BITS)] = 1000

    def script(self, view: View) -> Iterator[Pairs]:
        low, high, size = 0, 2**self.bits, view.known.get("size", 1)
        while high - low > 1:
            number = view.sent + 1
            item = low + max(1, (high - low) * max(0, number - size) // number)
            yield Pairs([view.sent % view.sites], [item], 1)
            low, high = (item, high) if self.is_low(view, item, min(1.0, size / number)) else (low, item)
        yield Pairs(range(view.sites), [high] * view.sites)

    def splits(self, size: int, items: int) -> float:
        """Return about how many items of a game divide the interval, against a sample of a size.

        Up to x s items take s (ln^2 x / 2 + ln x) / ln 2 bits, as h(1 / y) is about (1 + ln y) / (y ln 2).
        """
        grown = sqrt(1 + 2 * log(2) * self.bits / size) - 1
        return items if grown > log(items + 1) else min(float(items), size * exp(grown))

    def is_low(self, view: View, item: int, chance: float) -> bool:
        """Return whether the item goes below the interval: it has come into the sample, of which this is the chance."""
        return bool(view.output.get(item))


@dataclass
class BlindSplits(SamplingAttack):
    """The control of `sampling-attack`: a coin of the same probability decides, not the sample.

    Source
    ------
    control of sampling-attack.
    """

    kind: ClassVar[str] = "blind-splits"

    def is_low(self, view: View, item: int, chance: float) -> bool:
        return bool(view.rng.random() < chance)


# ---------------------------------------------------------------------- rules on numbers


def next_pair(changes: Any, sites: Any, items: Any) -> Any:
    """Return the site and the item of `freeze-item` after this number of changes, among these."""
    return changes % sites, changes // sites % items


def freeze_item_burst(state: Any, sites: Any, steps: Any, changes: Any) -> Any:
    """Return the next burst of `freeze-item`."""
    site, item = next_pair(changes, int(state[0]), int(state[1]))
    return site, item, NEVER


def wait_of(part: Any, root: Any, sent: Any) -> Any:
    """Return the copies of a burst of `drain-item`: this part of the items over the root of the sites."""
    return 1 + int(part * sent / root)


def drain_item_burst(state: Any, sites: Any, steps: Any, changes: Any) -> Any:
    """Return the next burst of `drain-item`; the state is that part, that root, the site, and the changes by then."""
    if state[3] == changes:
        state[2] = (state[2] + 1) % sites
    state[3] = changes
    return int(state[2]), 0, wait_of(state[0], state[1], steps)
