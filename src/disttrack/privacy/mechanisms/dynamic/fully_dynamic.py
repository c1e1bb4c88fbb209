"""Insertions and deletions: the private partition, the online interval tree, and a shrinking data set at each node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from disttrack.mechanisms.partition import PrivatePartition
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import Cutter, DynamicMechanism, DynamicRun, counts_of, share
from disttrack.privacy.mechanisms.dynamic.interval_tree import (
    Node,
    NodeMechanism,
    OnlineIntervalTree,
    Shares,
    last_query,
    level_of,
)
from disttrack.privacy.mechanisms.dynamic.releases import hybrid_parts
from disttrack.privacy.mechanisms.static.base import Parts

HALF: Final = 0.5
"""Share of epsilon that goes to the partition; not given in the paper."""


@dataclass(frozen=True)
class FullyDynamic(DynamicMechanism):
    """The fully dynamic mechanism: its error depends on the number of live items, not on that of updates.

    Half of epsilon cuts the updates into segments. After each segment a node of the online interval tree is built for
    the items that its ancestors on the left do not contain; a node at level l has 6 / (pi l)^2 of the other half, and
    runs Algorithm 3. The answers are the sum over the nodes that cover the present, and do not change until the next
    segment closes.

    Source
    ------
    Qiu, Yi 2022, section 4 and Theorem 11.
    """

    kind = "fully-dynamic"
    error = "alpha^(log^2 m)(epsilon / log^5 m, n_t + log^1.5 m log log m / epsilon) + log t / epsilon, m = N_t updates"
    memory = "O(n_t + |X| log^2 m)"
    deletes = True

    @property
    def partition(self) -> PrivatePartition:
        """The partition of the updates."""
        return PrivatePartition(self.epsilon * HALF, None, self.beta / 2)

    def shares(self, level: int) -> Shares:
        """Return the budget of a node at a level, from 1: 6 / (pi l)^2 of what the partition leaves (section 4.3)."""
        part = share(level)
        return Shares(self.epsilon * (1 - HALF) * part, self.delta * part, self.beta / 2 * part)

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> FullyDynamicRun:
        return FullyDynamicRun(self, self.budget(ledger), rng)


@dataclass
class LevelHistory:
    """Maxima over the nodes of one level, for the stated error.

    Attributes
    ----------
    nodes
        Number of nodes.
    rounds, due
        The largest number of rounds of a node, and of rounds that were due.
    segments
        The largest number of segments of a round.
    halted
        Bound on the items of a halted node, if its halt was due; 0 if none has halted.
    """

    nodes: int = 0
    rounds: int = 1
    due: int = 1
    segments: int = 0
    halted: float = 0.0


class FullyDynamicRun(DynamicRun):
    """A running fully dynamic mechanism, in the steps of section 4 of Qiu, Yi 2022."""

    mechanism: FullyDynamic

    def __init__(self, mechanism: FullyDynamic, ledger: PrivacyLedger, rng: np.random.Generator) -> None:
        super().__init__(mechanism, ledger)
        for_partition, self._rng = rng.spawn(2)
        partition = mechanism.partition
        self._cutter = Cutter(partition, for_partition, ledger.part("partition", partition.epsilon, rule="parallel"))
        rest = mechanism.epsilon * (1 - HALF)
        self._budget = ledger.part("tree", rest, mechanism.delta)
        self._levels: dict[int, PrivacyLedger] = {}
        self._static = mechanism.part(rest, mechanism.delta)
        self.tree: OnlineIntervalTree[int, int] = OnlineIntervalTree()
        self.nodes: dict[int, tuple[NodeMechanism, PrivacyLedger]] = {}
        """Mechanism and budget of each node in use, by number."""
        self.history: dict[int, LevelHistory] = {}
        self.restarts = 0

    def step(self, code: int) -> bool:
        self._next(code)
        if code > 0:
            self.tree.insert(self.t, code - 1)
        elif code < 0 and not self.tree.delete(-code):
            self.ignored += 1
        if not self._cutter.step(code != 0):  # Algorithm 2 cuts the updates
            return False
        self._close_segment()
        return True

    def _close_segment(self) -> None:
        newest = self.tree.close()  # section 4.1.1
        in_use = {node.number for node in self.tree.chain}
        for number in [number for number in self.nodes if number not in in_use]:
            mechanism, ledger = self.nodes.pop(number)
            self._levels[level_of(number)].close(ledger)
        for node in self.tree.chain:
            if node is newest:
                self._build(node)
                continue
            mechanism = self.nodes[node.number][0]
            before = mechanism.round
            mechanism.close_segment(node.take_departed())  # Algorithm 3, l. 6
            self.restarts += mechanism.round - before
            self._remember(node.level, mechanism)
        # section 4.1.2: the sum over the nodes that cover the present
        self.answers = np.sum([mechanism.answers for mechanism, _ in self.nodes.values()], axis=0)

    def _build(self, node: Node[int, int]) -> None:
        """Make the mechanism of a new node."""
        level, shares = node.level, self.mechanism.shares(node.level)
        if level not in self._levels:
            self._levels[level] = self._budget.part(f"level {level}", shares.epsilon, shares.delta, rule="parallel")
        over = node.first, last_query(node.number)
        ledger = self._levels[level].part("node", shares.epsilon, shares.delta, over=over)
        counts = counts_of(node.items.values(), self.mechanism.domain)
        mechanism = NodeMechanism(self._static, shares, counts, self._rng, ledger, node.number)
        self.nodes[node.number] = mechanism, ledger
        self.history.setdefault(level, LevelHistory()).nodes += 1

    def _remember(self, level: int, mechanism: NodeMechanism) -> None:
        seen = self.history[level]
        seen.rounds = max(seen.rounds, mechanism.round)
        seen.due = max(seen.due, mechanism.due)
        seen.segments = max(seen.segments, mechanism.segments)
        if mechanism.halted and mechanism.due == mechanism.round:
            seen.halted = max(seen.halted, 3 * mechanism.bound)

    def error_bound(self, items: int, beta: float) -> float:
        """Return a bound that the largest error so far exceeds with probability at most `beta`.

        The bound adds each release of the costliest due round of each level, and for a level with a halted node the
        items that such a node may contain; that no round begins before it is due has a beta of its own (Algorithm 3). A
        node contains at most `items` when a round of it begins, and loses no more than these; nodes of several ages may
        contain `items` each, although their items were never live together. Half of beta goes to the open segment, the
        other half to the segments that have closed, `share(j)` of it to the j-th, since an adversary may react to
        errors.
        """
        segments = self._cutter.segments
        parts: list[Parts] = []
        for level, seen in self.history.items():
            of = self.mechanism.shares(level).of_round(seen.due)
            static = self._static.at(of.epsilon, of.delta)
            parts.append([(static, 1), *hybrid_parts(static, seen.segments)])
        every = [part for some in parts for part in some]
        held = 2 * items * len(parts)
        noise = self._static.error_of_sum(every, held, beta / 2 * share(segments)) if every else 0.0
        return noise + sum(seen.halted for seen in self.history.values()) + self._cutter.most_items(beta / 2)

    def published(self) -> list[float]:
        return [number for mechanism, _ in self.nodes.values() for number in mechanism.published()]

    def facts(self) -> dict[str, float]:
        return {
            "segments": self._cutter.segments,
            "restarts": self.restarts,
            "nodes": sum(seen.nodes for seen in self.history.values()),
            "most_rounds": max((seen.rounds for seen in self.history.values()), default=1),
        }
