"""The baseline for insertions and deletions: two streams of insertions, and the difference of their answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import PAUSE, DynamicMechanism, DynamicRun
from disttrack.privacy.mechanisms.dynamic.growing import GrowingSparseInfinite


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
