"""One round of the robust tracker at a size at which everything that can happen is enumerated.

The database of thresholds, the histories of moves and outputs, and the exact probability of each history given each
database: no sampling, no tolerance but that of floating point. Laplace noise enters by integrals, since a released
value is shown only to the interval that it falls into, which is a function of the value and so hides no less.
Nothing here comes from the package: `test_small_cases.py` plays the package's own sites and server against it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import log
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Small:
    """A round so small that it is enumerated.

    Parameters
    ----------
    sites, blocks, size
        Number of sites, blocks of a site, items of a block.
    phases, releases
        Phases of the round; those whose end shows a new value (the paper's: all, the tight constants': all but one).
    length, threshold_scale
        Bits of a phase before noise, and the scale of its Laplace noise; 0 for none.
    node_scale
        Scale of the Laplace noise of a node of the binary mechanism; 0 for none.
    edges
        Where a node's noisy sum is cut into intervals: only the interval is shown.
    places
        The items of a block at which a threshold may lie, each equally likely.
    clock
        With 0 a phase ends with a bit. Else with every so-many-th item, whatever was sent: such a round leaks nothing.
    factor
        What the server multiplies its estimate by: 1, unless it is broken.
    """

    sites: int = 2
    blocks: int = 1
    size: int = 3
    phases: int = 2
    releases: int = 1
    length: float = 2.0
    threshold_scale: float = 1 / log(2)
    node_scale: float = 1 / log(2)
    edges: tuple[float, ...] = (0.0, 3.0)
    places: tuple[int, ...] = (1, 2, 3)
    clock: int = 0
    factor: float = 1.0

    @property
    def silent(self) -> Small:
        """The same round without any noise."""
        return replace(self, threshold_scale=0.0, node_scale=0.0)

    @property
    def entries(self) -> int:
        """The m of the paper: thresholds in the database."""
        return self.sites * self.blocks

    @cached_property
    def databases(self) -> Array:
        """Every database: a row each, with the threshold of site i's block j in column i · blocks + j."""
        return np.array(list(product(self.places, repeat=self.entries)))

    @property
    def threshold_loss(self) -> float:
        """Privacy loss of the length of a phase for one bit more: 1 / b (equation 13)."""
        return 0.0 if self.clock else 1 / self.threshold_scale

    @property
    def counter_loss(self) -> float:
        """Privacy loss of the counter for one bit more: an input lies in one node a level."""
        return self.releases.bit_length() / self.node_scale

    @property
    def odds(self) -> float:
        """The x of docs/proofs.md: the loss of a bit that has been sent against one that has not."""
        return self.threshold_loss + self.counter_loss

    @property
    def epsilon(self) -> float:
        """The paper's privacy loss of a whole round: a moved bit changes two phases (equations 14 and 15)."""
        return 2 * self.odds

    def length_below(self, bits: Array) -> Array:
        """Return the chance that the noisy length of a phase is at most so many bits."""
        return _laplace_below(bits - self.length, self.threshold_scale)

    def shown(self, total: Array) -> Array:
        """Return the chances of the intervals in which a node of this sum may be shown, along a new last axis."""
        below = _laplace_below(np.array(self.edges) - np.asarray(total)[..., None], self.node_scale)
        ends = np.concatenate((np.zeros((*below.shape[:-1], 1)), below, np.ones((*below.shape[:-1], 1))), axis=-1)
        return np.diff(ends, axis=-1)

    def value(self, interval: Array) -> Array:
        """Return what the server takes a node to be whose sum is shown in this interval."""
        edges = np.array(self.edges)
        return np.concatenate(([edges[0] - 0.5], (edges[1:] + edges[:-1]) / 2, [edges[-1] + 0.5]))[interval]


def _laplace_below(x: Array, scale: float) -> Array:
    """Return the distribution function of Laplace noise; that of no noise at all for scale 0."""
    if not scale:
        return (x >= 0).astype(float)
    tail = np.exp(-np.abs(x) / scale) / 2
    return np.where(x < 0, tail, 1 - tail)


@dataclass(frozen=True)
class Histories:
    """Histories of the same number of steps, a row each.

    Attributes
    ----------
    likelihood
        Chance of the phases that are over and of what they showed, given each database.
    counts
        Bits of each phase, given each database.
    phase
        Phases that are over.
    fed
        Items of each site.
    leaked
        Whether an entry is in the leaked set (Definition 4).
    seen
        The interval that each release showed, -1 before it.
    bits, items, whole, released
        After each step: the bits sent given each database, the items, the full blocks, and the releases so far.
    """

    small: Small
    likelihood: Array
    counts: Array
    phase: Array
    fed: Array
    leaked: Array
    seen: Array
    bits: Array
    items: Array
    whole: Array
    released: Array

    @staticmethod
    def start(small: Small) -> Histories:
        """Return the histories of no steps: more than one if a phase may be over before its first bit."""
        d = len(small.databases)
        first = Histories(
            small,
            likelihood=np.ones((1, d)),
            counts=np.zeros((1, small.phases, d), dtype=np.int8),
            phase=np.zeros(1, dtype=int),
            fed=np.zeros((1, small.sites), dtype=int),
            leaked=np.zeros((1, small.entries), dtype=bool),
            seen=np.full((1, small.releases), -1),
            bits=np.zeros((1, 0, d), dtype=np.int8),
            items=np.zeros((1, 0), dtype=int),
            whole=np.zeros((1, 0), dtype=int),
            released=np.zeros((1, 0), dtype=int),
        )
        return first.begin_phase().noted()

    def __len__(self) -> int:
        return len(self.phase)

    @property
    def over(self) -> Array:
        """Whether the round is over."""
        return self.phase >= self.small.phases

    @property
    def open(self) -> Array:
        """Whether each site has items of its blocks left."""
        return self.fed < self.small.blocks * self.small.size

    @cached_property
    def law(self) -> Array:
        """The chance of each history given each database: of what is over, and that the present phase is not."""
        present = np.minimum(self.phase, self.small.phases - 1)
        bits = self.counts[np.arange(len(self)), present]
        going_on = 1.0 if self.small.clock else 1 - self.small.length_below(bits)
        return np.where(self.over[:, None], self.likelihood, self.likelihood * going_on)

    @property
    def answers(self) -> Array:
        """The estimate of the bits after each step: the sum of the nodes that make up the last release."""
        values = np.where(self.seen >= 0, self.small.value(self.seen), 0.0)
        estimates = [np.zeros(len(self))]
        for release in range(1, self.small.releases + 1):
            estimates.append(values[:, release - 1] + estimates[release & (release - 1)])
        shown = np.minimum(self.released, self.small.releases)
        return self.small.factor * np.take_along_axis(np.stack(estimates, axis=1), shown, axis=1)

    # ------------------------------------------------------------------ how they grow

    def step(self, sites: Array) -> Histories:
        """Return the histories in which each of these is followed by an item to the site in its place; -1: by none."""
        idle = (sites < 0) | self.over
        parts = [self.pick(idle).noted()]
        here, site = self.pick(~idle), sites[~idle]
        small, rows = self.small, np.arange(len(site))
        block, offset = np.divmod(here.fed[rows, site], small.size)
        entry = site * small.blocks + block
        fired = small.databases.T[entry] == (offset + 1)[:, None]
        counts = here.counts.copy()
        counts[rows, here.phase] += fired
        fed = here.fed.copy()
        fed[rows, site] += 1
        here = replace(here, counts=counts, fed=fed)
        bits = counts[rows, here.phase]
        if not small.clock:
            ends = fired * (small.length_below(bits) - small.length_below(bits - 1))
            leaked = here.leaked.copy()
            leaked[rows, entry] = True
            parts.append(here.noted())
            parts.append(replace(here, likelihood=here.likelihood * ends, leaked=leaked).end_phase().noted())
        else:
            ended = fed.sum(axis=1) % small.clock == 0
            parts.append(here.pick(~ended).noted())
            parts.append(here.pick(ended).end_phase().noted())
        return _joined(parts).possible()

    def pick(self, rows: Array) -> Histories:
        """Return some of the histories."""
        return replace(self, **{name: getattr(self, name)[rows] for name in FIELDS})

    def possible(self) -> Histories:
        """Return those that can happen."""
        return self.pick(self.law.max(axis=1, initial=0) > 0)

    def noted(self) -> Histories:
        """Return them with the step's bits, items and releases put down."""
        more = {
            "bits": self.counts.sum(axis=1, dtype=np.int8),
            "items": self.fed.sum(axis=1),
            "whole": (self.fed // self.small.size).sum(axis=1),
            "released": np.minimum(self.phase, self.small.releases),
        }
        return replace(
            self, **{name: np.concatenate((getattr(self, name), new[:, None]), axis=1) for name, new in more.items()}
        )

    def end_phase(self) -> Histories:
        """Return the histories in which the phase is over and its value, if it has one, has been shown."""
        parts = []
        for number in range(self.small.phases):
            here = self.pick(self.phase == number)
            number += 1
            after = replace(here, phase=here.phase + 1)
            if number > self.small.releases:
                parts.append(after)
                continue
            total = here.counts[:, number & (number - 1) : number].sum(axis=1)
            chances = self.small.shown(total)
            for interval in range(chances.shape[-1]):
                seen = here.seen.copy()
                seen[:, number - 1] = interval
                parts.append(replace(after, likelihood=here.likelihood * chances[..., interval], seen=seen))
        return _joined(parts).begin_phase()

    def begin_phase(self) -> Histories:
        """Return them with those beside them in which the next phase is over at once, its noisy length not above 0."""
        empty = 0.0 if self.small.clock else float(self.small.length_below(np.zeros(())))
        again = self.pick(~self.over)
        if not empty or not len(again):
            return self
        return _joined([self, replace(again, likelihood=again.likelihood * empty).end_phase()])


FIELDS = ("likelihood", "counts", "phase", "fed", "leaked", "seen", "bits", "items", "whole", "released")


def _joined(parts: list[Histories]) -> Histories:
    return replace(parts[0], **{name: np.concatenate([getattr(part, name) for part in parts]) for name in FIELDS})
