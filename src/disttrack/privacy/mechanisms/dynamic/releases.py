"""Insertions only: releases over ranges of steps, few of which cover each prefix. Over any static mechanism.

The binary tree of a counter, with a release of all answers in place of each noisy number (Chan, Shi, Song 2011;
Qiu, Yi 2022, sections 2.2 and 2.3).
"""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import together
from disttrack.privacy.mechanisms.static.base import Parts, StaticMechanism


class ReleaseTree:
    """A binary tree of releases, of section 2.2: one per dyadic range of steps, an equal share of the budget per level.

    Parameters
    ----------
    static
        The mechanism at the whole budget.
    levels
        Levels of the tree: floor(log2 T) + 1 for T steps.
    rng
        Generator of all noise.
    ledger
        The budget, in sequence: one parallel part per level.
    after
        The number of steps before the tree began.
    """

    __slots__ = ("_after", "_answers", "_ledger", "_levels", "_rng", "_shares", "nodes", "static", "t")

    def __init__(
        self, static: StaticMechanism, levels: int, rng: np.random.Generator, ledger: PrivacyLedger, after: int = 0
    ) -> None:
        self.static = static.at(static.epsilon / levels, static.delta / levels)
        """The mechanism of a release."""
        self._levels = levels
        self._rng, self._ledger, self._after = rng, ledger, after
        self._shares: dict[int, PrivacyLedger] = {}
        self._answers = [np.zeros(static.family.number)]
        self.nodes: list[tuple[int, Floats | None]] = []
        """Level and data of the ranges that cover the steps so far, oldest first."""
        self.t = 0

    def step(self, counts: Floats | None) -> Floats:
        """Take the data of the next step, and return answers on all data so far."""
        self.t += 1
        level = (self.t & -self.t).bit_length()
        while self.nodes and self.nodes[-1][0] < level:
            counts = together(self.nodes.pop()[1], counts)
            self._answers.pop()
        now = self._after + self.t
        if level not in self._shares:
            share = self.static.epsilon, self.static.delta
            self._shares[level] = self._ledger.part(f"level {level}", *share, rule="parallel")
        stretch = now - (1 << (level - 1)) + 1, now
        self._shares[level].use("release", self.static.epsilon, self.static.delta, over=stretch)
        answers = self._answers[-1] + self.static.release(counts, self._rng)
        self.nodes.append((level, counts))
        self._answers.append(answers)
        return answers

    def parts(self) -> Parts:
        """Return the releases behind an answer, at most."""
        return [(self.static, self._levels)]


class HybridReleases:
    """Releases without a horizon, of section 2.3: one per epoch up to a power of two, and a tree in the open epoch.

    Half of the budget goes to the releases of epochs, half to the trees; epochs are disjoint.

    Parameters
    ----------
    static
        The mechanism at the whole budget.
    rng
        Generator of all noise.
    ledger
        The budget, in sequence.
    after
        The number of steps before.
    """

    __slots__ = ("_after", "_base", "_epochs", "_half", "_ledger", "_rng", "_tree", "_trees", "answers", "static", "t")

    def __init__(
        self, static: StaticMechanism, rng: np.random.Generator, ledger: PrivacyLedger, after: int = 0
    ) -> None:
        self.static = static
        """The mechanism at the whole budget."""
        self._half = static.at(static.epsilon / 2, static.delta / 2)
        self._rng, self._ledger, self._after = rng, ledger, after
        half = self._half.epsilon, self._half.delta
        self._epochs = ledger.part("epochs", *half, rule="parallel")
        self._trees = ledger.part("within epochs", *half, rule="parallel")
        self._tree: ReleaseTree | None = None
        self._base = np.zeros(static.family.number)
        self.answers: Floats = self._base
        self.t = 0

    def step(self, counts: Floats | None) -> Floats:
        """Take the data of the next step, and return answers on all data so far."""
        self.t += 1
        if self.t & (self.t - 1):
            if self._tree is None:
                self._tree = self._new_tree()
            self.answers = self._base + self._tree.step(counts)
            return self.answers
        for _, held in () if self._tree is None else self._tree.nodes:
            counts = together(held, counts)
        self._tree = None
        now = self._after + self.t
        self._epochs.use("release", self._half.epsilon, self._half.delta, over=(now - self.t + self.t // 2 + 1, now))
        self._base = self.answers = self._base + self._half.release(counts, self._rng)
        return self.answers

    def _new_tree(self) -> ReleaseTree:
        """Begin the tree of an epoch at the present step; the last step of the epoch has a separate release."""
        began = self.t - 1
        levels = max(1, began.bit_length() - 1)
        first, last = self._after + self.t, self._after + 2 * began - 1
        ends = last if self._trees.over is None else min(last, self._trees.over[1])  # it may be freed before
        for old in self._trees.parts:
            self._trees.close(old)
        share = self._trees.part("tree", self._half.epsilon, self._half.delta, over=(first, ends))
        return ReleaseTree(self._half, levels, self._rng, share, after=self._after + began)

    def parts(self) -> Parts:
        """Return the releases behind the answers so far, at most."""
        return hybrid_parts(self.static, max(1, self.t))


def hybrid_parts(static: StaticMechanism, steps: int) -> Parts:
    """Return the releases behind an answer of `HybridReleases` in the first `steps` steps, at most."""
    if steps < 1:
        return []
    half = static.at(static.epsilon / 2, static.delta / 2)
    power = steps.bit_length() - 1
    each = max(1, power)
    return [(half, power + 1), (half.at(half.epsilon / each, half.delta / each), power)]
