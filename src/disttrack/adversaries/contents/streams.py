"""Streams of items that do not react: drawn from a distribution over a domain, each item at a random site."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View
from disttrack.adversaries.contents.base import ItemAdversary
from disttrack.adversaries.contents.plans import Pairs
from disttrack.adversaries.oblivious import CHUNK, AliasTable, alias_table, draw
from disttrack.adversaries.schedules import NEVER
from disttrack.mechanisms.checks import FromZero, NotNegative, Whole

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
