"""Difference estimators as arrays, in the order of events of their sites and server; in rounds as `RoundForm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.rules import full_blocks
from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import GO_ON, SERVE, SHOWN, next_coin
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
from disttrack.protocols.rounds.sites import END, ITEM
from disttrack.protocols.sites import FOREVER, Message

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
