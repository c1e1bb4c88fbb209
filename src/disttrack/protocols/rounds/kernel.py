"""Protocols in rounds as arrays, in the order of events of `RoundSite`; the server is the protocol's own.

Items that are forwarded and signals are compiled, up to the one at which the server acts.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.rules import full_blocks, gap_of, gap_scale
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import FOREVER, Message
from disttrack.protocols.coins import OrderedCoins, gaps_of
from disttrack.protocols.kernel import GO_ON, HIDDEN, MOST, NEVER_DUE, SERVE, SHOWN, Compiled, KernelForm, next_coin
from disttrack.protocols.rounds.sites import (
    BIT,
    END,
    ITEM,
    BlockRule,
    CoinRule,
    RoundServer,
    RuleOf,
    SignalRule,
    counted,
    items_until_rule,
)

BITS, ITEMS, ENDS, FORWARDS, SIGNALS, LIMIT, SIZE, FINAL, SPEAKER = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 9)
"""Messages of three kinds; items to forward until a round begins; the server's `signals` and `limit`; of the signal
rule, the size of a block (0: a coin), and `last`; the site at whose message the server acts."""
BASE, UNIT, SCALE = range(slot.OWN_REAL, slot.OWN_REAL + 3)
"""The server's `base` and `unit`, and the mean of the exponential numbers of a coin."""
RULES: Final = 4
"""Rules of rounds that are kept where messages take time: sites are at most one round behind the server."""
BITS_OF = slot.OWN
"""Signals of a site in the round."""


def round_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site send its messages: `take` of the site, and `hear` of the server while it only counts."""
    whole[slot.MESSAGES] += 1
    sites[site, slot.SENT] += 1
    due = sites[site, slot.NEXT]
    if whole[FORWARDS]:
        whole[ITEMS] += 1
        whole[FORWARDS] -= 1
        real[slot.OUTPUT] += 1
        sites[site, slot.NEXT] = due + 1
        return GO_ON if whole[FORWARDS] else SERVE
    whole[SPEAKER] = site
    if due == whole[FINAL]:
        whole[ENDS] += 1
        sites[site, slot.NEXT] = FOREVER
        return SERVE
    whole[BITS] += 1
    sites[site, BITS_OF] += 1
    due = due_after(whole, real, due, whole[SIZE], whole[slot.TOSSES], real[SCALE])
    sites[site, slot.NEXT] = min(due, whole[FINAL])
    whole[SIGNALS] += 1
    if real[UNIT] != 0:
        real[slot.OUTPUT] = real[BASE] + real[UNIT] * whole[SIGNALS]
    return SERVE if whole[SIGNALS] >= whole[LIMIT] else GO_ON


def due_after(whole: Any, real: Any, due: Any, size: Any, drawn: Any, scale: Any) -> Any:
    """Return the count of a site's next signal, as `SignalRule.after`; `scale` is that of a coin, whose size is 0."""
    if size == 0:
        return due + gap_of(next_coin(whole, real), scale)
    if drawn:
        return full_blocks(due, size) + int(next_coin(whole, real))
    return due + size


Sides = Callable[[np.random.Generator, np.random.Generator], tuple[RoundServer, RuleOf]]
"""Makes the server and the signal rules of the sites for a game, from the generators of the sites and the server."""


class RoundForm(KernelForm):
    """All sites and the server.

    Parameters
    ----------
    sides
        Makes the protocol's own server, and the signal rule of each round.
    site_rng, server_rng
        The generators of the first game.
    levels
        Estimators that a site has at a time, each with signals of its own.
    more
        As that of `KernelForm`.
    """

    turn = staticmethod(round_turn)
    messages: tuple[tuple[Message, int], ...] = ((BIT, BITS), (ITEM, ITEMS), (END, ENDS))
    server: RoundServer

    def __init__(
        self,
        sides: Sides,
        site_rng: np.random.Generator,
        server_rng: np.random.Generator,
        levels: int = 1,
        more: int = 1,
    ) -> None:
        self._sides = sides
        self._until: dict[tuple[int, int], int] = {}
        """The items to forward, by a round's number and the count before them: no coin has a part in that."""
        made = sides(site_rng, server_rng)
        super().__init__(made[0].k, most_coins=made[0].k * levels + RULES, more=more)
        self._begin_game(*made, OrderedCoins(site_rng))

    def renew(self, rngs: Mapping[str, np.random.Generator]) -> bool:
        self.whole[:], self.sites[:], self.real[:slot.COINS_AT], self._untouched = 0, 0, 0, -1
        self._begin_game(*self._sides(rngs["sites"], rngs["server"]), OrderedCoins(rngs["sites"]))
        return True

    def _begin_game(self, server: RoundServer, rule_of: RuleOf, coins: OrderedCoins) -> None:
        """Begin a game in arrays of zeros."""
        self.server, self._rule_of, self.coins = server, rule_of, coins
        self._rule: SignalRule | None = None
        self._round = self._forwarded = self._ends = 0
        if server.rule is None:
            self._forward()
        else:
            self._begin(server.announced)
        self._look()

    def serve(self, ledger: object, compiled: Compiled) -> None:
        waiting = deque(message for _, message in self._replies())
        if waiting:
            self.settle()
        while waiting:
            message = waiting.popleft()
            self.broadcast(ledger, message)
            if message.kind == "poll":
                waiting.extend(message for _, message in self._poll(ledger, message))
            else:
                self._follow(message)
        self._look()

    def _replies(self) -> Sequence[tuple[int, Message]]:
        """Let the server act on what has been counted; return what it sends."""
        server, whole = self.server, self.whole
        if self._rule is None:
            items, self._forwarded = int(whole[ITEMS]) - self._forwarded, int(whole[ITEMS])
            return server.forwarded(items)
        site, ended = int(whole[SPEAKER]), int(whole[ENDS]) != self._ends
        self._ends = int(whole[ENDS])
        server.last_signal = site, int(self.sites[site, BITS_OF])
        signals = int(whole[SIGNALS]) - server.signals
        # without a signal it does not act: a round that began with its limit reached may end before the first
        replies = server.absorb(signals) if signals else ()
        return server.end_round() if ended else replies

    def _follow(self, message: Message) -> None:
        """Let all sites hear a message that is no poll."""
        self._begin(message.value)

    def _poll(self, ledger: Any, message: Message) -> Sequence[tuple[int, Message]]:
        """Let all sites answer a poll; return what the server then sends."""
        items = int(self.sites[:, slot.COUNT].sum())
        ledger.count_many_up(counted(0), self.k)
        self.sites[:, slot.SENT] += 1
        self.whole[slot.MESSAGES] += self.k
        if message.value is not None:
            self._begin(message.value)
        return self.server.counted(items, self.k)

    def _begin(self, total: int) -> None:
        """Let all sites begin the next round, with `total` items counted."""
        self.sites[:, slot.COUNT] = self.sites[:, BITS_OF] = 0
        rule = self._rule = self._rule_of(self._round + 1, total)
        if rule is None:
            self._forward()
            return
        self._round += 1
        whole = self.whole
        whole[FORWARDS], whole[FINAL], whole[slot.TOSSES] = 0, rule.last, rule.drawn
        assert self.coins is not None
        if isinstance(rule, BlockRule):
            whole[SIZE] = rule.size
            if rule.drawn and self.coins.size != rule.size:
                self.drop_coins()
                self.coins.size = rule.size
        self._start(rule)

    def _start(self, rule: SignalRule) -> None:
        """Let all sites toss for their first signals in a round."""
        whole = self.whole
        self.due = HIDDEN if isinstance(rule, CoinRule) else SHOWN
        if isinstance(rule, CoinRule):
            self.real[SCALE], whole[SIZE] = gap_scale(rule.p), 0
            due = gaps_of(self.take_coins(self.k), self.real[SCALE])
        else:
            assert isinstance(rule, BlockRule)
            due = self.take_coins(self.k) if rule.drawn else np.full(self.k, rule.size)
        self.sites[:, slot.NEXT] = np.minimum(due, rule.last)

    def _forward(self) -> None:
        """Let all sites forward their items."""
        self.due = NEVER_DUE
        self._forwarded, self.whole[slot.TOSSES] = int(self.whole[ITEMS]), False
        self.whole[FORWARDS] = self.items_to_forward()
        self.sites[:, slot.NEXT] = self.sites[:, slot.COUNT] + 1

    def items_to_forward(self) -> int:
        """Return the items to come until the server begins a round."""
        asked = self.server.rounds + 1, self.server.base
        if asked not in self._until:
            self._until[asked] = items_until_rule(self._rule_of, *asked, MOST)
        return self._until[asked]

    def _look(self) -> None:
        """Copy what the kernel needs of the server."""
        server, whole, real = self.server, self.whole, self.real
        whole[SIGNALS], whole[LIMIT] = server.signals, server.limit
        real[BASE], real[UNIT], real[slot.OUTPUT] = server.base, server.unit, server.output
