"""The online interval tree: items inserted and deleted, split into few sets by time; and the mechanism at a node of it.

Time is cut into segments 1, 2, ...; node v_i is built when segment i closes. In the in-order numbering of the infinite
tree the height of v_i is the number of trailing zeros of i, its nearest ancestor on the left is i without its lowest
set bit, and v_i contains the items alive at its birth that were inserted after that ancestor. So at time q the nodes q,
q without its lowest set bit, ... contain each live item exactly once: their ranges (i & (i - 1), i] of segments cover
1 ... q, as in a Fenwick tree. A node leaves that chain when a later node takes over its range; it is then freed.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

import numpy as np

from disttrack.mechanisms.laplace_sums import laplace_sum_quantile
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import counts_of
from disttrack.privacy.mechanisms.dynamic.releases import HybridReleases
from disttrack.privacy.mechanisms.static.base import LaplaceQueries, Paid, StaticMechanism

Key = TypeVar("Key", bound=Hashable)
Label = TypeVar("Label")


class Node(Generic[Key, Label]):
    """A node in use: the live items inserted in the segments `first` ... `number`.

    Attributes
    ----------
    number
        In-order number: the segment at whose end it was built.
    items
        Its live items, label by key.
    departed
        Labels of the items that left it since they were taken last.
    """

    __slots__ = ("departed", "items", "number")

    def __init__(self, number: int, items: dict[Key, Label]) -> None:
        self.number = number
        self.items = items
        self.departed: list[Label] = []

    @property
    def level(self) -> int:
        """Level in the tree: 1 for a leaf."""
        return level_of(self.number)

    @property
    def first(self) -> int:
        """The first segment of its range: one past its nearest ancestor on the left."""
        return left_ancestor(self.number) + 1

    def leave(self, key: Key) -> bool:
        """Remove an item from the node if it is there; it counts as departed."""
        if key not in self.items:
            return False
        self.departed.append(self.items.pop(key))
        return True

    def take_departed(self) -> list[Label]:
        """Return the labels of the items that left it since the last call."""
        departed, self.departed = self.departed, []
        return departed


class OnlineIntervalTree(Generic[Key, Label]):
    """An interval tree that grows from left to right while items are inserted and deleted.

    Items have keys that are never used again, so equal items are distinct. There is no order within a segment:
    an item deleted in the segment of its insertion never existed.

    Memory: the live items, and one node per set bit of the number of segments.

    Source
    ------
    Qiu, Yi 2022, section 4.1 and Lemma 9; the numbering by bits is derived.

    Examples
    --------
    >>> tree = OnlineIntervalTree()
    >>> tree.insert("a", 1), tree.insert("b", 2), tree.close().number
    (None, None, 1)
    >>> tree.delete("b"), tree.insert("c", 3), tree.close().number
    (True, None, 2)
    >>> tree.delete("nobody"), [sorted(node.items.items()) for node in tree.chain]
    (False, [[('a', 1), ('c', 3)]])
    """

    __slots__ = ("_chain", "_coming", "segments")

    def __init__(self) -> None:
        self.segments = 0
        """Segments closed so far."""
        self._chain: list[Node[Key, Label]] = []  # oldest first
        self._coming: dict[Key, Label] = {}

    @property
    def chain(self) -> tuple[Node[Key, Label], ...]:
        """The nodes that cover the present: the newest and its ancestors on the left, of section 4.1.2."""
        return tuple(reversed(self._chain))

    def insert(self, key: Key, label: Label) -> None:
        """Insert an item whose key was never used before."""
        self._coming[key] = label

    def delete(self, key: Key) -> bool:
        """Delete an item; False, without effect, if there is none of that key."""
        if self._coming.pop(key, None) is not None:
            return True
        return any(node.leave(key) for node in reversed(self._chain))

    def close(self) -> Node[Key, Label]:
        """Close the segment, build its node (section 4.1.1), free the nodes it replaces, and return it."""
        self.segments += 1
        left = left_ancestor(self.segments)  # the lowest ancestor on the left: D(v_i) has what came after it
        items = self._coming
        self._coming = {}
        while self._chain and self._chain[-1].number > left:
            older = self._chain.pop().items
            if len(older) > len(items):
                items, older = older, items
            items.update(older)
        newest = Node(self.segments, items)
        self._chain.append(newest)
        return newest


def left_ancestor(number: int) -> int:
    """Return the nearest ancestor on the left of node `number`, 0 if there is none.

    >>> [left_ancestor(number) for number in (1, 5, 6, 7, 8)]
    [0, 4, 4, 6, 0]
    """
    return number & (number - 1)


def level_of(number: int) -> int:
    """Return the level of node `number`: 1 for a leaf.

    >>> [level_of(number) for number in (1, 2, 3, 4, 12)]
    [1, 2, 1, 3, 3]
    """
    return (number & -number).bit_length()


def last_query(number: int) -> int:
    """Return the last segment after which node `number` is in use.

    >>> [last_query(number) for number in (4, 5, 6)]
    [7, 5, 7]
    """
    return number + (number & -number) - 1


@dataclass(frozen=True)
class Shares:
    """The budget of each of the four mechanisms of a round, and the failure probability of its bound.

    In round r epsilon_r = 3 epsilon / (2 pi^2 r^2), delta_r = 2 delta / (pi^2 r^2), beta_r = beta / (pi^2 r^2): four
    times the first and three times the second add up to epsilon and delta over all rounds.
    """

    epsilon: float
    delta: float
    beta: float

    def of_round(self, number: int) -> Shares:
        """Return the shares of a round, from 1."""
        squares = (math.pi * number) ** 2
        return Shares(3 * self.epsilon / (2 * squares), 2 * self.delta / squares, self.beta / squares)


@lru_cache(maxsize=8192)
def _unit_bound(power: int, beta: float) -> float:
    """Return the error of a hybrid counter at epsilon 1 at failure probability `beta`, in the epoch from 2^power."""
    return laplace_sum_quantile([(2.0, power + 1), (2.0 * max(1, power), power)], beta)


def deletion_bound(steps: int, epsilon: float, beta: float) -> float:
    """Return gamma, the public bound on the error of the number of deletions: that of the worst step of the epoch.

    At beta it also bounds the error of the noisy size, one Laplace variable of scale 1 / epsilon.
    """
    return _unit_bound(max(1, steps).bit_length() - 1, beta) / epsilon


class NodeMechanism:
    """Algorithm 3: answers on the items of one node while they are deleted; comments give its lines.

    A round has four mechanisms at epsilon_r each: the size of the data, its release, and over the deletions since then
    a growing release and a growing count. When the counted deletions exceed half of the size by twice their bound, the
    next round begins with the remaining items; if they are too few to distinguish from none, the answer is 0 from then
    on.

    Parameters
    ----------
    static
        The static mechanism at any budget.
    shares
        The node's epsilon, delta and beta.
    counts
        The data at its birth.
    rng
        Generator of all noise.
    ledger
        The node's budget, in sequence.
    segment
        The segment of its birth.

    Attributes
    ----------
    round
        Number of the round, from 1.
    due
        Rounds that were due: the first, and rounds that began when half of the items were really gone (Lemma 10).
    halted
        Whether it answers 0 permanently.
    at_restart
        Items at the start of the round.
    gone
        Items deleted since.

    Source
    ------
    Qiu, Yi 2022, Algorithm 3 and Lemma 10; results/reference/tables/papers.md lists the corrections.
    """

    __slots__ = (
        "_counter", "_ledger", "_now", "_release", "_releases", "_rng", "_shares", "_size", "_static",
        "at_restart", "counts", "due", "gone", "halted", "round", "segments", "share",
    )  # fmt: skip

    def __init__(
        self,
        static: StaticMechanism,
        shares: Shares,
        counts: Floats | None,
        rng: np.random.Generator,
        ledger: PrivacyLedger,
        segment: int,
    ) -> None:
        self._static, self._shares, self._rng, self._ledger = static, shares, rng, ledger
        self.counts = np.zeros(static.domain) if counts is None else counts
        self._now = segment
        self.round = 0
        self.due = 1
        self.segments = 0
        """Segments since the round began; for a halted node, of its last round."""
        self.halted = False
        self._next_round()

    def _next_round(self) -> None:
        """Begin a round with the remaining items; halt if they are too few for the length of the last round."""
        self.round += 1  # l. 1 and 19
        self.share = share = self._shares.of_round(self.round)
        budget = self._ledger.part(f"round {self.round}", 4 * share.epsilon, 3 * share.delta)
        self.at_restart, self.gone = int(self.counts.sum()), 0  # l. 2 and 20
        budget.use("size", share.epsilon)
        number = LaplaceQueries(share.epsilon)
        self._size = float(number.release(np.array([float(self.at_restart)]), self._rng)[0])  # l. 3 and 21
        if self.round > 1 and self._size < 2 * self.bound:  # l. 22, gamma of the last round's length
            self.halted = True  # l. 23
            return
        self.segments = 0
        static = self._static.at(share.epsilon, share.delta)
        budget.use("release", share.epsilon, share.delta)
        self._release = static.release(self.counts, self._rng, Paid(self._size, 1 / share.epsilon))  # l. 4 and 25
        of_deletions = budget.part("deletions", share.epsilon, share.delta)
        self._releases = HybridReleases(static, self._rng, of_deletions, after=self._now)  # l. 5 and 26
        counted = budget.part("number of deletions", share.epsilon, share.delta)
        self._counter = HybridReleases(number, self._rng, counted, after=self._now)

    @property
    def answers(self) -> Floats:
        """The present answers."""
        if self.halted:
            return np.zeros(self._static.family.number)  # l. 23
        return self._release - self._releases.answers  # l. 29-31

    def published(self) -> list[float]:
        """Return the noisy numbers of the round: its size, its release, its deletions and their number."""
        if self.halted:
            return [self._size]
        return [self._size, *self._release.tolist(), *self._releases.answers.tolist(), float(self._counter.answers[0])]

    @property
    def bound(self) -> float:
        """Gamma at this time; for a halted node, the one that its size was compared with."""
        return deletion_bound(self.segments, self.share.epsilon, self.share.beta)

    def close_segment(self, departed: list[int]) -> None:
        """Take the items deleted in the segment that has just closed, all at once."""
        self._now += 1
        if self.halted:
            return
        deleted = counts_of(departed, self._static.domain)
        if deleted is not None:
            self.counts = self.counts - deleted  # l. 8 and 9
            self.gone += len(departed)
        self.segments += 1
        self._releases.step(deleted)  # l. 10 and 13, one input per segment
        number = self._counter.step(np.array([float(len(departed))]) if departed else None)  # l. 16
        if float(number[0]) > self._size / 2 + 2 * self.bound:  # l. 17 and 18
            self.due += self.gone >= self.at_restart / 2
            self._next_round()
