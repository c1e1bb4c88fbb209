"""Cutting a stream of updates into segments by the private partition, with its ledger."""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.partition import PrivatePartition
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import share


class Cutter:
    """A running private partition of updates; every update counts 1, even if it names no live item.

    So the presence of one insertion changes one segment's count only, although a later deletion depends on it.

    Parameters
    ----------
    partition
        The partition.
    rng
        Generator of its noise.
    ledger
        Its budget, in parallel: each segment's test declares the steps that it has read.
    """

    __slots__ = ("_ledger", "_partition", "_run", "_t", "most")

    def __init__(self, partition: PrivatePartition, rng: np.random.Generator, ledger: PrivacyLedger) -> None:
        self._partition = partition
        self._ledger = ledger
        self._t = 0
        self.most = 2
        """The greatest T_j so far."""
        self._begin()
        self._run = partition.start(rng)

    @property
    def segments(self) -> int:
        """Segments closed so far."""
        return self._run.segments

    def step(self, update: bool) -> bool:
        """Take the next step; return whether the segment closes with it."""
        self._t += 1
        if self._run.step(update) is None:
            return False
        self._ledger.declare(self._t)
        self.most = max(self.most, self._t**2)
        self._begin()
        return True

    def most_items(self, beta: float) -> float:
        """Return a bound that the updates of any segment so far exceed with probability at most `beta`.

        Segment j has `share(j)` of beta, regardless of the past: the number of segments depends on the same noise.
        """
        deadline, number = self._partition.horizon or self.most, self.segments + 1
        return self._partition.most_items(number, deadline, beta * share(number))

    def _begin(self) -> None:
        self._ledger.use("segment", self._partition.epsilon, over=(self._t + 1, None))
