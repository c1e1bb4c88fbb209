"""Difference estimators as arrays, in the order of events of their sites and server; in rounds as `RoundForm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from disttrack.mechanisms.rules import full_blocks
from disttrack.protocols.kernel import COUNT, GO_ON, MESSAGES, NEXT, OWN, SENT, SERVE, SHOWN, TOSSES, next_coin
from disttrack.protocols.rounds.kernel import BITS, ENDS, FORWARDS, ITEMS, LIMIT, SIZE, SPEAKER, RoundForm, round_turn
from disttrack.protocols.rounds.sites import END, ITEM
from disttrack.protocols.sites import FOREVER, Message

LEVELS, BITS_OF_LEVEL = SPEAKER + 1, SPEAKER + 2
"""Levels of the present round, and, from there on, the bits of the present estimator of each."""
DUES = OWN + 1
"""From there on, for each level: the count of a site's next signal, and that at which the estimator began."""


def levels_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its signals, and the server count them: level 0 last, which may end the blocks of the others."""
    if whole[FORWARDS]:
        return round_turn(whole, real, sites, site)
    count, event, least = sites[site, COUNT], GO_ON, FOREVER
    for above in range(whole[LEVELS]):
        level = whole[LEVELS] - 1 - above
        due, begun = sites[site, DUES + 2 * level], sites[site, DUES + 2 * level + 1]
        if due == count:
            due = begun + full_blocks(due - begun, whole[SIZE]) + int(next_coin(whole, real))
            sites[site, DUES + 2 * level] = due
            sites[site, SENT] += 1
            whole[BITS] += 1
            whole[MESSAGES] += 1
            whole[BITS_OF_LEVEL + level] += 1
            if level == 0 and whole[BITS_OF_LEVEL] >= whole[LIMIT]:
                event = SERVE
        least = min(least, due)
    sites[site, NEXT] = least
    return event


class LevelsForm(RoundForm):
    """All sites and the server; for the parameters see `RoundForm`."""

    turn = staticmethod(levels_turn)
    messages = ((Message("bit", 0), BITS), (ITEM, ITEMS), (END, ENDS))

    def _replies(self) -> Sequence[tuple[int, Message]]:
        if self._rule is None:
            return super()._replies()
        server: Any = self.server
        server.bits = self.whole[BITS_OF_LEVEL : BITS_OF_LEVEL + int(self.whole[LEVELS])].tolist()
        return server.next_block()  # type: ignore[no-any-return]

    def _follow(self, message: Message) -> None:
        if message.kind != "block":
            super()._follow(message)
            return
        levels = int(self.whole[LEVELS])
        self._restart(sum(message.value % (1 << level) == 0 for level in range(levels)))

    def _start(self, rule: Any) -> None:
        self.due, self.whole[LEVELS], self.whole[TOSSES] = SHOWN, rule.division.levels, rule.division.levels
        self._restart(rule.division.levels)

    def _restart(self, levels: int) -> None:
        """Let all sites begin the estimators of the lowest levels."""
        sites = self.sites
        coins = self.take_coins(self.k * levels).reshape(self.k, levels).astype(int)
        counts = sites[:, COUNT, None]
        sites[:, DUES + 1 : DUES + 1 + 2 * levels : 2] = counts
        sites[:, DUES : DUES + 2 * levels : 2] = counts + coins
        sites[:, NEXT] = sites[:, DUES : DUES + 2 * int(self.whole[LEVELS]) : 2].min(axis=1)

    def _look(self) -> None:
        super()._look()
        server: Any = self.server
        if self._rule is not None:
            self.whole[LIMIT] = server.division.block_bits
            self.whole[BITS_OF_LEVEL : BITS_OF_LEVEL + len(server.bits)] = server.bits
