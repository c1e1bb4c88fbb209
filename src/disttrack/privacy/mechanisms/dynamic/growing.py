"""Mechanisms for streams of insertions, the four rows of Table 1; and for deletions, the difference of two of them."""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

import numpy as np

from disttrack.mechanisms.partition import PrivatePartition
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import PAUSE, Cutter, DynamicMechanism, DynamicRun, counts_of, share
from disttrack.privacy.mechanisms.dynamic.releases import HybridReleases, ReleaseTree


@dataclass(frozen=True)
class GrowingFinite(DynamicMechanism):
    """A binary tree of releases over a known number of steps; each step has new answers.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010; Qiu, Yi 2022, section 2.2 and row 1 of Table 1.
    """

    kind = "growing-finite"
    counting = "log^1.5 T/ε"
    error = "alpha^(log T)(epsilon / log T, delta / log T)"
    memory = "O(|X| log T)"
    needs_horizon = True

    @staticmethod
    def counting_order(steps: float, items: float) -> float:
        """Return the value of `counting` at epsilon 1, with logarithms to base 2, after these steps and items."""
        return float(log2(max(2.0, steps)) ** 1.5)

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> EveryStep:
        assert self.horizon is not None
        static, budget = self.part(self.epsilon, self.delta), self.budget(ledger)
        return EveryStep(self, budget, ReleaseTree(static, self.horizon.bit_length(), rng, budget))


@dataclass(frozen=True)
class GrowingInfinite(DynamicMechanism):
    """Releases at powers of two with trees between them; no horizon is needed, and each step has new answers.

    Source
    ------
    Chan, Shi, Song 2011; Qiu, Yi 2022, section 2.3 and row 2 of Table 1.
    """

    kind = "growing-infinite"
    counting = "log^1.5 t/ε"
    error = "alpha^(log t)(epsilon / log t, delta / log t)"
    memory = "O(|X| log t)"
    counting_order = GrowingFinite.counting_order

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> EveryStep:
        budget = self.budget(ledger)
        return EveryStep(self, budget, HybridReleases(self.part(self.epsilon, self.delta), rng, budget))


@dataclass(frozen=True)
class GrowingSparse(DynamicMechanism):
    """A private partition of a known number of steps, then releases without a horizon, one per segment.

    Half of the budget goes to the partition. Within a segment the answers do not change.

    Source
    ------
    Dwork, Naor, Reingold, Rothblum 2015; Qiu, Yi 2022, section 2.4 and row 3 of Table 1.
    """

    kind = "growing-sparse"
    counting = "(log^1.5 n + log T)/ε"
    error = "alpha^(log n_t)(epsilon / log n_t, delta / log n_t) + O(log(T / beta) / epsilon)"
    memory = "O(|X| log n_t)"
    needs_horizon = True

    @staticmethod
    def counting_order(steps: float, items: float) -> float:
        """Return the value of `counting` at epsilon 1, with logarithms to base 2, after these steps and items."""
        return float(log2(max(2.0, items)) ** 1.5 + log2(max(2.0, steps)))

    @property
    def partition(self) -> PrivatePartition:
        """The partition, at half of the budget."""
        return PrivatePartition(self.epsilon / 2, self.horizon if self.needs_horizon else None, self.beta)

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> EverySegment:
        return EverySegment(self, self.budget(ledger), self.partition, rng)


@dataclass(frozen=True)
class GrowingSparseInfinite(GrowingSparse):
    """As `growing-sparse` with the partition that needs no horizon: the paper's mechanism for insertions.

    Source
    ------
    Qiu, Yi 2022, Algorithm 2, Theorem 8 and row 4 of Table 1.
    """

    kind = "growing-sparse-infinite"
    counting = "(log^1.5 n + log t)/ε"
    error = "alpha^(log m_t)(epsilon / log m_t, delta / log m_t) + O(log(t / beta) / epsilon), m_t = n_t + log log t"
    memory = "O(|X| log m_t)"
    needs_horizon = False


class EveryStep(DynamicRun):
    """Insertions with new answers at every step."""

    def __init__(
        self, mechanism: DynamicMechanism, ledger: PrivacyLedger, releases: ReleaseTree | HybridReleases
    ) -> None:
        super().__init__(mechanism, ledger)
        self._releases = releases

    def step(self, code: int) -> bool:
        self._next(code)
        counts = counts_of((code - 1,), self.mechanism.domain) if code else None
        self.answers = self._releases.step(counts)
        return True

    def error_bound(self, items: int, beta: float) -> float:
        static = self._releases.static
        return static.error_of_sum(self._releases.parts(), items, beta / max(1, self.t))


class EverySegment(DynamicRun):
    """Insertions with new answers whenever a segment of the private partition closes."""

    def __init__(
        self, mechanism: DynamicMechanism, ledger: PrivacyLedger, partition: PrivatePartition, rng: np.random.Generator
    ) -> None:
        super().__init__(mechanism, ledger)
        for_partition, for_releases = rng.spawn(2)
        rest, delta = mechanism.epsilon - partition.epsilon, mechanism.delta
        self._static = mechanism.part(rest, delta)
        self._cutter = Cutter(partition, for_partition, ledger.part("partition", partition.epsilon, rule="parallel"))
        self._releases = HybridReleases(self._static, for_releases, ledger.part("releases", rest, delta))
        self._open: list[int] = []

    def step(self, code: int) -> bool:
        self._next(code)
        if code:
            self._open.append(code - 1)
        if not self._cutter.step(code != 0):
            return False
        self.answers = self._releases.step(counts_of(self._open, self.mechanism.domain))
        self._open.clear()
        return True

    def error_bound(self, items: int, beta: float) -> float:
        segments = self._cutter.segments
        parts = self._releases.parts()
        noise = self._static.error_of_sum(parts, items, beta / 2 * share(segments)) if segments else 0.0
        return noise + self._cutter.most_items(beta / 2)

    def facts(self) -> dict[str, float]:
        return {"segments": self._cutter.segments}


@dataclass(frozen=True)
class InsertedMinusDeleted(DynamicMechanism):
    """Answers on all items ever inserted minus answers on all items ever deleted.

    Each is a `growing-sparse-infinite` at half of the budget, since the presence of an insertion may decide
    whether a deletion has an effect. The error grows with the number of updates, however few items are left.

    Source
    ------
    the simple solution that Qiu, Yi 2022 improve on.
    """

    kind = "inserted-minus-deleted"
    error = "twice that of growing-sparse-infinite on all updates so far, at half of the budget"
    memory = "O(n_t + |X| log m_t)"
    deletes = True

    @property
    def half(self) -> GrowingSparseInfinite:
        """One of the two mechanisms."""
        return GrowingSparseInfinite(
            self.epsilon / 2, self.delta / 2, self.queries, self.domain, self.static, None, self.beta
        )

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> DifferenceRun:
        return DifferenceRun(self, self.budget(ledger), rng)


class DifferenceRun(DynamicRun):
    """A running baseline."""

    def __init__(self, mechanism: InsertedMinusDeleted, ledger: PrivacyLedger, rng: np.random.Generator) -> None:
        super().__init__(mechanism, ledger)
        half = mechanism.half
        for_inserted, for_deleted = rng.spawn(2)
        share = half.epsilon, half.delta
        self._inserted = half.start(for_inserted, ledger.part("inserted", *share))
        self._deleted = half.start(for_deleted, ledger.part("deleted", *share))
        self._live: dict[int, int] = {}
        self._arrived = self._departed = 0

    def step(self, code: int) -> bool:
        self._next(code)
        gone = PAUSE
        if code > 0:
            self._live[self.t] = code - 1
            self._arrived += 1
        elif code < 0:
            item = self._live.pop(-code, None)
            self.ignored += item is None
            self._departed += item is not None
            gone = PAUSE if item is None else item + 1
        news = self._inserted.step(max(code, PAUSE))
        news |= self._deleted.step(gone)
        if news:
            self.answers = self._inserted.answers - self._deleted.answers
        return news

    def error_bound(self, items: int, beta: float) -> float:
        return self._inserted.error_bound(self._arrived, beta / 2) + self._deleted.error_bound(self._departed, beta / 2)

    def published(self) -> list[float]:
        return [*self._inserted.published(), *self._deleted.published()]

    def facts(self) -> dict[str, float]:
        return {"segments": self._inserted.facts()["segments"] + self._deleted.facts()["segments"]}
