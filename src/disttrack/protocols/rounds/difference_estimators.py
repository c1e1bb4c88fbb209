"""Difference estimators: dyadic blocks of growth, a fresh estimator for each block of each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, log2, pi, sqrt
from typing import ClassVar, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.rules import size_within
from disttrack.protocols.base import (
    EVERYONE,
    Guarantee,
    Message,
    Protocol,
    Readmission,
    RoundCost,
    Site,
    bound_by_rounds,
)
from disttrack.protocols.coins import Coins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.rounds.block import Blocks
from disttrack.protocols.rounds.levels_kernel import LevelsForm, end_block, levels_ended
from disttrack.protocols.rounds.rules import RuleOf, SignalRule, remembering
from disttrack.protocols.rounds.sites import RoundServer, RoundSite


class Doubling(NamedTuple):
    """The division of one doubling from F to 2F."""

    levels: int
    """Levels; one of level j, from 0, spans 2^j blocks of level 0, and there are 2^levels of these."""
    budget: float
    """Bits of error allowed: an estimator sends one bit per alpha F / budget items of a site."""
    block_bits: int
    """Bits of a level-0 estimator that end its block."""

    @property
    def blocks(self) -> int:
        """Blocks of level 0 in a doubling."""
        return 1 << self.levels


@lru_cache(maxsize=1024)
def doubling(k: int, alpha: float, failure: float) -> Doubling:
    """Return the division of a doubling that fails with probability at most `failure`.

    A block of level 0 grows N by less than alpha F / 2. Three events may fail, each with a third of the block's part of
    `failure`: its end comes late, an output is too high, an output is too low. They are sums, over one estimator or
    over `levels` estimators, of k independent deviations of range 1, one per site (Hoeffding). No estimator ever errs
    by more than k bits.

    The level-0 estimator is read when it has sent these bits, where its deviation X has a nonzero mean, so that
    Hoeffding's bound of moments does not apply. But within a block the plan is fixed, and a deviation of x then means a
    deviation of x at the item that is x bits' worth away from its end: P(X >= x) <= exp(-2 x^2 / k). The others of a
    sum, Z, have ended before, so this holds given Z; and the least of 1 and exp(-2 (y - Z)^2 / k) is at most
    exp(s^2 k / 8 - s (y - Z)) for every s >= 0. So Z + X has the tail that moments would give it,
    P(Z + X >= y) <= exp(-2 y^2 / (levels k)).
    """
    levels = ceil(log2(2 / alpha))
    blocks = 1 << levels
    spread = k * log(3 * blocks / failure) / 2
    late = min(sqrt(spread), k)
    off = min(sqrt(levels * spread), levels * k)
    block_bits = max(1, int((late + off) / (alpha * blocks - 1)))
    return Doubling(levels, block_bits + late + off, block_bits)


@dataclass(frozen=True)
class DifferenceEstimators(Protocol):
    """While N grows from F to 2F, the growth is the sum of one estimator per set bit of the number of finished blocks.

    A doubling has 2^l >= 2/alpha blocks, and on level j = 0, ..., l-1 one estimator per 2^j of them: a random
    threshold in every Delta items of a site, fresh from the start of the estimator's span. The output changes when the
    present estimator of level 0 has sent its bits; each estimator is seen once, at its end. At each start
    a broadcast restarts all sites, 2^l k words per doubling. A poll ends the doubling. While
    Delta is below one item, every item is forwarded.

    Starts on several levels coincide, and one broadcast serves them all, which saves half of the published cost.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1); doubling r gets 6 delta / (pi r)^2 of it.

    Source
    ------
    Woodruff, Zhou 2021, in Xiong, Zhu, Huang 2023, section 1.2; constants derived.
    """

    alpha: Share
    delta: Share = 0.05

    kind: ClassVar[str] = "difference-estimators"
    mark: ClassVar = ("#009E73", ">")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "each change concerns estimators that are never used again"
    readmission: ClassVar[Readmission] = "anew"

    def doubling(self, k: int, number: int) -> Doubling:
        """Return the division of a doubling by its number, from 1."""
        return doubling(k, self.alpha, 6 * self.delta / (pi * number) ** 2)

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        def rule(number: int, total: int) -> SignalRule | None:
            division = self.doubling(k, number)
            size = size_within(self.alpha, total, division.budget)
            return Levels(size, coins, division) if size >= 1 else None

        return remembering(rule)

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        rule_of = self.rule_of(k, Coins(rng))
        return [_Site(rule_of, sum(start)) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> RoundServer:
        return _Server(self.rule_of(k, Coins(rng)), k, sum(start))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        def sides(site_rng: np.random.Generator, server_rng: np.random.Generator) -> tuple[RoundServer, RuleOf]:
            return self.server(k, server_rng, start), self.rule_of(k, Coins(site_rng))

        return LevelsForm(sides, site_rng, server_rng, self.doubling(k, 1).levels)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the items of the start, then (2^l + 3) k words and 2^l blocks of bits on l levels per doubling.

        A level's estimator begins anew, with a place in each site's first block: its last bit comes, on average, up to
        k / (k + 1) blocks of items before as many blocks as it has bits.
        """

        def round_of(number: int, total: float) -> RoundCost:
            of = self.doubling(k, number)
            bits = of.block_bits * of.blocks
            least = bits - of.blocks * k / (k + 1)
            size = max(1, size_within(self.alpha, total, of.budget))  # a block holds at least an item, up to rounding
            return RoundCost(ceil(of.budget / self.alpha), of.levels * bits, (of.blocks + 3) * k, least * size)

        return bound_by_rounds(items, start, round_of, each=self.doubling(k, 1).levels)


class Levels(Blocks):
    """The signal rule of a doubling: a random place in each block of `size` items, on each level separately."""

    def __init__(self, size: int, coins: Coins, division: Doubling) -> None:
        super().__init__(size, coins)
        self.division = division


_BITS: Final = tuple(Message("bit", level) for level in range(64))
"""A signal and its level: a word."""


class _Site(RoundSite):
    """A site with one estimator per level; `due` is the least of the counts of their next signals."""

    __slots__ = ("_begun", "_dues")

    def begin(self, total: int) -> Sequence[Message]:
        rule = self.next_rule(total)
        if rule is None:
            return super().begin(total)
        assert isinstance(rule, Levels)
        self.round += 1
        self.forwards = False
        self.rule = rule
        self._begun = [0] * rule.division.levels
        self._dues = [rule.after(0) for _ in self._begun]
        self.due = min(self._dues)
        return self.signals_due() if self.count >= self.due else ()

    def take(self, items: int) -> Sequence[Message]:
        if self.forwards:
            return super().take(items)
        self.count += items
        return self.signals_due() if self.count >= self.due else ()

    def signals_due(self) -> tuple[Message, ...]:
        rule = self.rule
        assert rule is not None
        sent = []
        # level 0 last: its signal may end the blocks of the other levels
        for level in reversed(range(len(self._dues))):
            while self._dues[level] <= self.count:
                sent.append(_BITS[level])
                begun = self._begun[level]
                self._dues[level] = begun + rule.after(self._dues[level] - begun)
        self.due = min(self._dues)
        return tuple(sent)

    def hear(self, message: Message) -> Sequence[Message]:
        if message.kind != "block":
            return super().hear(message)
        rule = self.rule
        if rule is None:  # the announcement of the round was lost
            return ()
        for level in range(levels_ended(message.value)):
            self._begun[level] = self.count
            self._dues[level] = self.count + rule.after(0)
        self.due = min(self._dues)
        return ()

    silence = RoundSite.silence


class _Server(RoundServer):
    """Counts the bits of each level's present estimator; keeps the finished ones of the dyadic decomposition."""

    __slots__ = ("_size", "bits", "block", "division", "finished")

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, Levels)
        self._size = rule.size
        self.division = rule.division
        self.bits = [0] * rule.division.levels
        self.finished = self.bits.copy()
        self.block = 0

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message.kind != "bit":
            return super().hear(sender, message)
        if self.counts_to_come:
            return ()
        level = message.value
        self.bits[level] += 1
        if level or self.bits[0] < self.division.block_bits:
            return ()
        return self.next_block()

    def next_block(self) -> Sequence[tuple[int, Message]]:
        """End a block of level 0: after n of them, the growth is the sum of the estimators at n's binary digits."""
        self.block += 1
        if self.block == self.division.blocks:
            return self.end_round()
        self.output = self.base + self._size * end_block(self.bits, self.finished, self.block)
        return ((EVERYONE, Message("block", self.block)),)
