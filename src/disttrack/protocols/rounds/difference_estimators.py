"""Difference estimators: dyadic blocks of growth, a fresh estimator for each block of each level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log, log2, pi, sqrt
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.rules import full_blocks, size_within
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import (
    EVERYONE,
    FOREVER,
    Guarantee,
    Message,
    Protocol,
    Readmission,
    RoundCost,
    Site,
    bound_by_rounds,
)
from disttrack.protocols.coins import Coins
from disttrack.protocols.kernel import GO_ON, SERVE, SHOWN, KernelForm, next_coin
from disttrack.protocols.rounds.block import Blocks
from disttrack.protocols.rounds.kernel import (
    BASE,
    BITS,
    ENDS,
    FORWARDS,
    ITEMS,
    LIMIT,
    SIZE,
    SPEAKER,
    RoundForm,
    Sides,
    round_turn,
)
from disttrack.protocols.rounds.sites import END, ITEM, RoundServer, RoundSite, RuleOf, SignalRule, remembering

LEVELS, BLOCK, BLOCKS, BROADCASTS, OF_LEVELS = range(SPEAKER + 1, SPEAKER + 6)
"""Levels of the present round; its blocks that have ended, and all that it has; ends of blocks announced in the
compiled part. From there on, for each level, the bits of the present estimator, and then those of a finished one."""
DUES = slot.OWN + 1
"""From there on, for each level: the count of a site's next signal, and that at which the estimator began."""
BLOCK_ENDED: Final = Message("block", 0)
"""The end of a block: a word."""


def levels_ended(block: Any) -> Any:
    """Return the number of levels, from 0 on, on which a block ends with this block of level 0, from 1."""
    levels = 1
    while block % (1 << levels) == 0:
        levels += 1
    return levels


def end_block(bits: Any, finished: Any, block: Any) -> Any:
    """End a block of level 0, and those that end with it; return the bits of the dyadic decomposition.

    Parameters
    ----------
    bits
        The bits of each level's present estimator: those of the estimators that end become 0.
    finished
        The bits of the finished estimator of each binary digit 1 of the number of blocks, 0 for the others.
    block
        The number of the block, from 1.
    """
    ended = levels_ended(block)
    finished[ended - 1] = bits[ended - 1]
    for level in range(ended - 1):
        finished[level] = 0
    for level in range(ended):
        bits[level] = 0
    growth = 0
    for level in range(len(finished)):
        growth += finished[level]
    return growth


def levels_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its signals, and the server count them: level 0 last, which may end the blocks of the others."""
    if whole[FORWARDS]:
        return round_turn(whole, real, sites, site)
    count, event, least = sites[site, slot.COUNT], GO_ON, FOREVER
    for above in range(whole[LEVELS]):
        level = whole[LEVELS] - 1 - above
        due, begun = sites[site, DUES + 2 * level], sites[site, DUES + 2 * level + 1]
        if due == count:
            due = begun + full_blocks(due - begun, whole[SIZE]) + int(next_coin(whole, real))
            sites[site, DUES + 2 * level] = due
            sites[site, slot.SENT] += 1
            whole[BITS] += 1
            whole[slot.MESSAGES] += 1
            whole[OF_LEVELS + level] += 1
            if level == 0 and whole[OF_LEVELS] >= whole[LIMIT]:
                event = SERVE
        least = min(least, due)
    sites[site, slot.NEXT] = least
    return event


def levels_served(whole: Any, real: Any, sites: Any) -> Any:
    """Let the server end a block that is not the last of its doubling, and all sites hear it, if the coins suffice."""
    block, levels = whole[BLOCK] + 1, whole[LEVELS]
    ended = levels_ended(block)
    if whole[FORWARDS] or block == whole[BLOCKS] or whole[slot.COIN] + len(sites) * ended > whole[slot.COINS]:
        return SERVE
    middle = OF_LEVELS + levels
    growth = end_block(whole[OF_LEVELS:middle], whole[middle : middle + levels], block)
    real[slot.OUTPUT] = real[BASE] + whole[SIZE] * growth
    whole[BLOCK] = block
    whole[BROADCASTS] += 1
    whole[slot.MESSAGES] += len(sites)
    for site in range(len(sites)):
        count = least = sites[site, slot.COUNT]
        for level in range(levels):
            if level < ended:
                sites[site, DUES + 2 * level] = count + int(next_coin(whole, real))
                sites[site, DUES + 2 * level + 1] = count
            due = sites[site, DUES + 2 * level]
            least = due if level == 0 else min(least, due)
        sites[site, slot.NEXT] = least
    return GO_ON


class LevelsForm(RoundForm):
    """All sites and the server; for the parameters see `RoundForm`."""

    turn = staticmethod(levels_turn)
    served = staticmethod(levels_served)
    server: Any
    messages = ((Message("bit", 0), BITS), (ITEM, ITEMS), (END, ENDS))

    def __init__(
        self, sides: Sides, site_rng: np.random.Generator, server_rng: np.random.Generator, levels: int
    ) -> None:
        super().__init__(sides, site_rng, server_rng, levels, 2 * levels + 3)

    def _replies(self) -> Sequence[tuple[int, Message]]:
        if self._rule is None:
            return super()._replies()
        server, (bits, finished) = self.server, self._bits()
        server.bits, server.finished, server.block = bits.tolist(), finished.tolist(), int(self.whole[BLOCK])
        return server.next_block()  # type: ignore[no-any-return]

    def _bits(self) -> Any:
        """Return the bits of the present estimator of each level, and of the finished ones."""
        levels = int(self.whole[LEVELS])
        return self.whole[OF_LEVELS : OF_LEVELS + 2 * levels].reshape(2, levels)

    def _follow(self, message: Message) -> None:
        if message.kind != "block":
            super()._follow(message)
            return
        self._restart(levels_ended(message.value))

    def _start(self, rule: Any) -> None:
        self.due, self.whole[LEVELS], self.whole[slot.TOSSES] = SHOWN, rule.division.levels, rule.division.levels
        self._restart(rule.division.levels)

    def _restart(self, levels: int) -> None:
        """Let all sites begin the estimators of the lowest levels."""
        sites = self.sites
        coins = self.take_coins(self.k * levels).reshape(self.k, levels).astype(int)
        counts = sites[:, slot.COUNT, None]
        sites[:, DUES + 1 : DUES + 1 + 2 * levels : 2] = counts
        sites[:, DUES : DUES + 2 * levels : 2] = counts + coins
        sites[:, slot.NEXT] = sites[:, DUES : DUES + 2 * int(self.whole[LEVELS]) : 2].min(axis=1)

    def _look(self) -> None:
        super()._look()
        server, whole = self.server, self.whole
        if self._rule is not None:
            whole[LIMIT], whole[BLOCK] = server.division.block_bits, server.block
            whole[BLOCKS], whole[SIZE] = server.division.blocks, server.rule.size
            self._bits()[:] = server.bits, server.finished

    def count_up(self, ledger: Any) -> None:
        for _ in range(self.whole[BROADCASTS]):
            ledger.count_broadcast(BLOCK_ENDED, self.k)
        super().count_up(ledger)


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
