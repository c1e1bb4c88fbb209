"""Mechanisms for streams of insertions only: the four rows of Table 1, over any static mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.mechanisms.accounting import Ledger
from disttrack.mechanisms.dynamic.base import DynamicMechanism, DynamicRun, counts_of, share
from disttrack.mechanisms.dynamic.cutting import Cutter
from disttrack.mechanisms.dynamic.releases import HybridReleases, ReleaseTree
from disttrack.mechanisms.partition import PrivatePartition


@dataclass(frozen=True)
class GrowingFinite(DynamicMechanism):
    """A binary tree of releases over a known number of steps; each step has new answers."""

    kind = "growing-finite"
    source = "Dwork, Naor, Pitassi, Rothblum 2010; Qiu, Yi 2022, section 2.2 and row 1 of Table 1"
    error = "alpha^(log T)(epsilon / log T, delta / log T)"
    memory = "O(|X| log T)"
    needs_horizon = True

    def start(self, rng: np.random.Generator, ledger: Ledger | None = None) -> EveryStep:
        budget = self.budget(ledger)
        return EveryStep(self, budget, ReleaseTree(self.part(self.epsilon, self.delta), self.levels, rng, budget))

    @property
    def levels(self) -> int:
        """Levels of the tree."""
        assert self.horizon is not None
        return self.horizon.bit_length()

    def stated(self, steps: int, items: int, beta: float) -> float:
        """Return a bound that the largest error of `steps` steps exceeds with probability `beta` at most."""
        static = self.part(self.epsilon, self.delta)
        return static.error_of_sum(ReleaseTree.parts(static, self.levels, self.levels), items, beta / steps)


@dataclass(frozen=True)
class GrowingInfinite(DynamicMechanism):
    """Releases at powers of two with trees between them; no horizon is needed, and each step has new answers."""

    kind = "growing-infinite"
    source = "Chan, Shi, Song 2011; Qiu, Yi 2022, section 2.3 and row 2 of Table 1"
    error = "alpha^(log t)(epsilon / log t, delta / log t)"
    memory = "O(|X| log t)"

    def start(self, rng: np.random.Generator, ledger: Ledger | None = None) -> EveryStep:
        budget = self.budget(ledger)
        return EveryStep(self, budget, HybridReleases(self.part(self.epsilon, self.delta), rng, budget))

    def stated(self, steps: int, items: int, beta: float) -> float:
        """Return a bound that the largest error of `steps` steps exceeds with probability `beta` at most."""
        static = self.part(self.epsilon, self.delta)
        return static.error_of_sum(HybridReleases.parts(static, steps), items, beta / steps)


@dataclass(frozen=True)
class GrowingSparse(DynamicMechanism):
    """A private partition of a known number of steps, then releases without a horizon, one per segment.

    Half of the budget goes to the partition. Within a segment the answers do not change.
    """

    kind = "growing-sparse"
    source = "Dwork, Naor, Reingold, Rothblum 2015; Qiu, Yi 2022, section 2.4 and row 3 of Table 1"
    error = "alpha^(log n_t)(epsilon / log n_t, delta / log n_t) + O(log(T / beta) / epsilon)"
    memory = "O(|X| log n_t)"
    needs_horizon = True

    @property
    def partition(self) -> PrivatePartition:
        """The partition, at half of the budget."""
        return PrivatePartition(self.epsilon / 2, self.horizon, self.beta)

    def start(self, rng: np.random.Generator, ledger: Ledger | None = None) -> EverySegment:
        return EverySegment(self, self.budget(ledger), self.partition, rng)


@dataclass(frozen=True)
class GrowingSparseInfinite(GrowingSparse):
    """As `growing-sparse` with the partition that needs no horizon: the paper's mechanism for insertions."""

    kind = "growing-sparse-infinite"
    source = "Qiu, Yi 2022, Algorithm 2, Theorem 8 and row 4 of Table 1"
    error = "alpha^(log m_t)(epsilon / log m_t, delta / log m_t) + O(log(t / beta) / epsilon), m_t = n_t + log log t"
    memory = "O(|X| log m_t)"
    needs_horizon = False

    @property
    def partition(self) -> PrivatePartition:
        """The partition, at half of the budget."""
        return PrivatePartition(self.epsilon / 2, None, self.beta)


class EveryStep(DynamicRun):
    """Insertions with new answers at every step."""

    def __init__(self, mechanism: Any, ledger: Ledger, releases: ReleaseTree | HybridReleases) -> None:
        super().__init__(mechanism, ledger)
        self._stated = mechanism.stated
        self._releases = releases

    def step(self, code: int) -> bool:
        self._next()
        only_insertions(code, self.mechanism, self.t)
        counts = counts_of((code - 1,), self.mechanism.domain) if code else None
        self.answers = self._releases.step(counts)
        return True

    def error_bound(self, items: int, beta: float) -> float:
        bound: float = self._stated(max(1, self.t), items, beta)
        return bound


class EverySegment(DynamicRun):
    """Insertions with new answers whenever a segment of the private partition closes."""

    def __init__(
        self, mechanism: DynamicMechanism, ledger: Ledger, partition: PrivatePartition, rng: np.random.Generator
    ) -> None:
        super().__init__(mechanism, ledger)
        for_partition, for_releases = rng.spawn(2)
        rest, delta = mechanism.epsilon - partition.epsilon, mechanism.delta
        self._static = mechanism.part(rest, delta)
        self._cutter = Cutter(partition, for_partition, ledger.part("partition", partition.epsilon, rule="parallel"))
        self._releases = HybridReleases(self._static, for_releases, ledger.part("releases", rest, delta))
        self._open: list[int] = []

    def step(self, code: int) -> bool:
        self._next()
        only_insertions(code, self.mechanism, self.t)
        if code:
            self._open.append(code - 1)
        if not self._cutter.step(code != 0):
            return False
        self.answers = self._releases.step(counts_of(self._open, self.mechanism.domain))
        self._open.clear()
        return True

    def error_bound(self, items: int, beta: float) -> float:
        segments = self._cutter.segments
        parts = HybridReleases.parts(self._static, segments)
        noise = self._static.error_of_sum(parts, items, beta / 2 * share(segments)) if parts else 0.0
        return noise + self._cutter.most_items(beta / 2)

    def facts(self) -> dict[str, float]:
        return {"segments": self._cutter.segments}


def only_insertions(code: int, mechanism: DynamicMechanism, t: int) -> None:
    """Refuse a deletion, and an item outside the domain."""
    if code < 0:
        raise ValueError(f"step {t}: {mechanism.kind} takes insertions only")
    if code > mechanism.domain:
        raise ValueError(f"step {t}: item {code - 1} is not among the {mechanism.domain:,} values of the domain")
