"""Oblivious adversaries: their stream is fixed before the game begins and does not depend on the outputs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

from disttrack.adversaries import random_streams
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.random_streams import RandomStream
from disttrack.adversaries.schedules import NEVER, Burst, Labels, Rotation, Runs, Schedule
from disttrack.mechanisms.checks import FromOne, Natural, NotNegative

CHUNK: Final = 2**20
"""Maximum number of labels drawn at a time: a plan then takes about 12 MB, for any length of the game."""

BATCH: Final = 2**14
"""Labels that are drawn from an alias table at a time."""

RUNS: Final = 2**16
"""Maximum number of bursts drawn at a time."""

TAIL: Final = 1.5
"""Tail index of `heavy` bursts: Pr[length > x] falls as x^-1.5, so their variance is infinite."""

LengthDistribution = Literal["geometric", "constant", "heavy"]
AliasTable = tuple[npt.NDArray[np.float64], npt.NDArray[Any]]
"""Thresholds and aliases."""


@dataclass
class RoundRobin(Adversary):
    """Gives one item to each site in turn, repeatedly.

    Source
    ------
    the evenly spread stream, on which deterministic trackers cost the most.
    """

    kind: ClassVar[str] = "round-robin"
    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule:
        return Rotation(view.sites, first=view.sent % view.sites)


@dataclass
class SingleSite(Adversary):
    """Gives every item to one site.

    Parameters
    ----------
    site
        The site, from 0.

    Source
    ------
    the most uneven stream: every other site stays empty.
    """

    kind: ClassVar[str] = "single-site"
    oblivious: ClassVar[bool] = True

    site: Natural = 0

    @property
    def least_sites(self) -> int:  # type: ignore[override]
        return self.site + 1

    def plan(self, view: View) -> Schedule:
        return Burst(self.site)


@dataclass
class Independent(Adversary):
    """Gives each item to a site drawn at random, all from one distribution.

    Labels are drawn one by one up to `random_streams.switch`, and from there on counts in a tree, where somebody looks.
    """

    oblivious: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    _stream: RandomStream | None = field(default=None, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule:
        first = random_streams.switch(view.sites)
        if view.sent < first:
            return Labels(self.labels(view.sites, min(CHUNK, view.left, first - view.sent), view.rng), view.sites)
        stream = self._stream
        if stream is None or (stream.sites, stream.begin) != (view.sites, view.sent):
            key = stream.key if stream is not None else int(view.rng.integers(random_streams.KEYS))
            stream = self._stream = RandomStream(key, self.weights(view.sites), first, view.sent)
        return stream

    def looked_at(self, sites: int, items: int) -> int:
        return min(items, random_streams.switch(sites))

    @abstractmethod
    def labels(self, sites: int, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        """Return the sites of this number of items."""

    @abstractmethod
    def weights(self, sites: int) -> npt.NDArray[np.int64]:
        """Return whole numbers to which the probabilities of the sites are proportional, with a sum below 2^61."""


@dataclass
class Uniform(Independent):
    """Gives each item to a site drawn uniformly at random.

    Source
    ------
    independent uniform arrivals.
    """

    kind: ClassVar[str] = "uniform"

    def labels(self, sites: int, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        return rng.integers(sites, size=size, dtype=label_type(sites))

    def weights(self, sites: int) -> npt.NDArray[np.int64]:
        return np.ones(sites, dtype=np.int64)


@dataclass
class Zipf(Independent):
    """Gives each item to a site drawn at random, site i with probability proportional to (i + 1)^-exponent.

    Labels are drawn by the alias method, with a table made once per game: two look-ups per item, for any
    number of sites, and exact up to the rounding of the probabilities.

    Parameters
    ----------
    exponent
        How uneven the sites are: 0 is uniform; at 1 the sites from i to 2i get as many items as those from 2i to 4i.

    Source
    ------
    Zipf's law over sites; tables by Walker's alias method (Vose 1991).
    """

    kind: ClassVar[str] = "zipf"

    exponent: NotNegative = 1.1
    _table: AliasTable | None = field(default=None, init=False, repr=False, compare=False)

    def labels(self, sites: int, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        if self._table is None or len(self._table[0]) != sites:
            weights = np.arange(1, sites + 1, dtype=np.float64) ** -float(self.exponent)
            self._table = alias_table(weights)
        return draw(self._table, size, rng)

    def weights(self, sites: int) -> npt.NDArray[np.int64]:
        return random_streams.zipf_weights(sites, float(self.exponent))


@dataclass
class Bursts(Adversary):
    """Gives runs of items to one site after another, each site drawn uniformly at random.

    Parameters
    ----------
    mean
        Mean length of a run, in items; at least 1.
    law
        Distribution of the lengths: ``geometric`` (a run ends after each item with the same probability), ``constant``
        (all of length `mean`, then a whole number), ``heavy`` (1 plus a Lomax variable of tail index 1.5,
        rounded up or down at random so that the mean is exact: few runs contain most of the items).

    Source
    ------
    arrivals that come in runs.
    """

    kind: ClassVar[str] = "bursts"
    oblivious: ClassVar[bool] = True

    mean: FromOne = 1000
    law: LengthDistribution = "geometric"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.law == "constant" and self.mean != int(self.mean):
            raise ValueError(f"mean must be a whole number where law is constant; got {self.mean!r}")

    def plan(self, view: View) -> Schedule:
        # a fifth more runs than needed on average; if they do not suffice, another plan follows.
        # The second bound keeps the sum of the lengths within 63 bits.
        count = int(min(RUNS, NEVER // view.left, 1.2 * view.left / self.mean + 16))
        lengths = np.minimum(self._lengths(count, view.rng), view.left).astype(np.int64)
        sites = view.rng.integers(view.sites, size=count)
        needed = int(np.searchsorted(np.cumsum(lengths), view.left)) + 1
        return Runs(sites[:needed], lengths[:needed])

    def _lengths(self, count: int, rng: np.random.Generator) -> npt.NDArray[Any]:
        if self.law == "constant":
            return np.full(count, int(self.mean))
        if self.law == "geometric":
            return rng.geometric(1 / self.mean, count)
        # Lomax of scale s and index a has mean s/(a - 1)
        beyond = rng.pareto(TAIL, count) * (self.mean - 1) * (TAIL - 1)
        return 1 + np.floor(beyond + rng.random(count))


def label_type(sites: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest fast type for the numbers of `sites` sites."""
    return np.uint16 if sites <= 2**16 else np.uint32


def alias_table(weights: npt.NDArray[np.float64]) -> AliasTable:
    """Return thresholds and aliases from which `draw` draws i with probability proportional to weights[i].

    Scale the weights to a mean of 1 and give each i a cell of size 1. A light i leaves its cell partly
    empty. The heavy ones, in order, put their excess into the light cells, in order, each until it fits its own cell,
    which the next heavy one then fills up. The assignment follows from the running sums of the deficits of
    light cells and of the excess of heavy ones, without a loop.
    """
    scaled = weights * (len(weights) / weights.sum())
    full = min(1.0, float(scaled.max()))  # 1, up to rounding
    light, heavy = np.flatnonzero(scaled < full), np.flatnonzero(scaled >= full)
    lacking, excess = np.cumsum(1 - scaled[light]), np.cumsum(scaled[heavy] - 1)
    threshold, alias = scaled.copy(), np.arange(len(weights))
    # a light cell is filled by the first heavy one whose excess is not yet used up
    lacking_before = np.concatenate(([0.0], lacking))
    worker = np.searchsorted(excess, lacking_before[:-1], side="right")
    alias[light] = heavy[np.minimum(worker, len(heavy) - 1)]
    # a heavy one stops after the first light cell with which the sum of deficits reaches its excess
    stop = np.minimum(np.searchsorted(lacking_before, excess), len(light))
    threshold[heavy] = 1 + excess - lacking_before[stop]
    alias[heavy] = np.append(heavy[1:], heavy[-1])
    threshold[heavy[-1]] = 1.0  # exact except for rounding
    return threshold, alias.astype(label_type(len(weights)))


def draw(table: AliasTable, size: int, rng: np.random.Generator) -> npt.NDArray[Any]:
    """Return `size` independent draws from an alias table, in batches that stay in the cache."""
    threshold, alias = table
    drawn = np.empty(size, dtype=alias.dtype)
    for begin in range(0, size, BATCH):
        place = rng.random(min(BATCH, size - begin))
        place *= len(threshold)
        cell = place.astype(np.intp)
        place -= cell
        batch = drawn[begin : begin + BATCH]
        batch[:] = cell
        others = np.flatnonzero(place >= threshold.take(cell))
        batch[others] = alias.take(cell.take(others))
    return drawn
