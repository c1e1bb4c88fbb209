"""Protocols in rounds on arrays where messages take time, in the order of events of `RoundSite` and `RoundServer`.

Sites are in different rounds for a while, so each has the row of its own rule. A site tosses for one signal after the
other: sites that draw numbers of different sizes take turns at one generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.rules import gap_scale
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import FOREVER, Message
from disttrack.protocols.kernel import GO_ON, REFILL, SERVE, post_up
from disttrack.protocols.letters import FROM, HEARD, KIND, LETTERS, VALUE
from disttrack.protocols.rounds.kernel import (
    BASE,
    BITS,
    BITS_OF,
    ENDS,
    FORWARDS,
    ITEMS,
    LIMIT,
    RULES,
    SIGNALS,
    SPEAKER,
    UNIT,
    RoundForm,
    due_after,
)
from disttrack.protocols.rounds.sites import BlockRule, CoinRule, SignalRule, counted

COUNTS, TO_COME, POLLED, AHEAD, RULES_AT = range(SPEAKER + 1, SPEAKER + 6)
"""Messages of a further kind; answers to come to the poll, the items of those that have, and whether a poll announces
the next round. From `RULES_AT` on, for each rule: the size of a block (0: a coin), `last`, and whether it is drawn."""
RULE, HEARD_BITS, ANSWERED, EARLY = range(BITS_OF, BITS_OF + 4)
"""Of a site, the row of its rule, or FORWARDING; of the server about it, the signals in the round, whether it has
answered the poll, and its signals since then."""
FORWARDING: Final = -1
COLUMNS: Final = 3
POLL, ROUND = range(2)
"""Messages of the server: with a poll comes the row of the next rule, or NO_RULE, or nothing."""
NO_RULE: Final = RULES
NOTHING: Final = -1


def round_speaks(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site send its message: `take` of the site."""
    rule, due = sites[site, RULE], sites[site, slot.NEXT]
    if rule == FORWARDING:
        sites[site, slot.NEXT] = due + 1
        post_up(whole, sites, mail, site, ITEMS, 0)
    elif due == whole[RULES_AT + COLUMNS * rule + 1]:
        sites[site, slot.NEXT] = FOREVER
        post_up(whole, sites, mail, site, ENDS, 0)
    else:
        whole[slot.SPEAKING] = site
        post_up(whole, sites, mail, site, BITS, 0)
    return GO_ON


def round_goes_on(whole: Any, real: Any, sites: Any, mail: Any, site: Any) -> Any:
    """Let a site toss for its next signal, and send it if it is due; or forward one of the items that have waited."""
    rule, count = sites[site, RULE], sites[site, slot.COUNT]
    if rule == FORWARDING:
        if count:
            sites[site, slot.COUNT] = count - 1
            post_up(whole, sites, mail, site, ITEMS, 0)
        else:
            sites[site, slot.NEXT], whole[slot.SPEAKING] = 1, -1
        return GO_ON
    place = RULES_AT + COLUMNS * rule
    size, last, drawn = whole[place], whole[place + 1], whole[place + 2]
    if drawn and (whole[slot.COIN] == whole[slot.COINS] or whole[slot.WANTED] != size):
        whole[slot.WANTED] = size
        return REFILL
    due = min(last, due_after(whole, real, sites[site, slot.NEXT], size, drawn, real[-1 - rule]))
    sites[site, slot.NEXT] = due
    if due > count:
        whole[slot.SPEAKING] = -1
    elif due == last:
        sites[site, slot.NEXT], whole[slot.SPEAKING] = FOREVER, -1
        post_up(whole, sites, mail, site, ENDS, 0)
    else:
        post_up(whole, sites, mail, site, BITS, 0)
    return GO_ON


def round_site_hears(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let a site answer a poll, or begin a round: `hear` of the site."""
    site, row = letter[FROM], letter[VALUE]
    if sites[site, RULE] == FORWARDING:
        sites[site, slot.COUNT] = 0
    if letter[KIND] == POLL:
        post_up(whole, sites, mail, site, COUNTS, sites[site, slot.COUNT])
        sites[site, slot.COUNT], sites[site, slot.NEXT] = 0, FOREVER
        if row == NOTHING:
            return GO_ON
    sites[site, RULE], sites[site, slot.NEXT] = FORWARDING if row == NO_RULE else row, 0
    whole[slot.SPEAKING] = site
    return GO_ON


def round_server_hears(whole: Any, real: Any, sites: Any, mail: Any, letter: Any) -> Any:
    """Let the server hear a message while it only counts: `hear` of the server."""
    site, kind = letter[FROM], letter[KIND]
    if kind == BITS:
        if whole[TO_COME]:
            sites[site, EARLY] += sites[site, ANSWERED]
            return GO_ON
        sites[site, HEARD_BITS] += 1
        whole[SIGNALS] += 1
        whole[SPEAKER] = site
        if real[UNIT] != 0:
            real[slot.OUTPUT] = real[BASE] + real[UNIT] * whole[SIGNALS]
        return SERVE if whole[SIGNALS] >= whole[LIMIT] else GO_ON
    if kind == ITEMS:
        real[BASE] += 1
        if whole[FORWARDS] or real[UNIT] == 0:
            real[slot.OUTPUT] += 1
        else:
            real[slot.OUTPUT] = real[BASE] + real[UNIT] * whole[SIGNALS]
        if not whole[FORWARDS]:
            return GO_ON
        whole[FORWARDS] -= 1
        return GO_ON if whole[FORWARDS] else SERVE
    if kind == COUNTS:
        sites[site, ANSWERED] = whole[AHEAD]
        whole[POLLED] += letter[VALUE]
        whole[TO_COME] -= 1
    return GO_ON if whole[TO_COME] else SERVE


class MailedRoundForm(RoundForm):
    """The same, also where messages take time; for the parameters see `RoundForm`."""

    speaks = staticmethod(round_speaks)
    goes_on = staticmethod(round_goes_on)
    server_hears = staticmethod(round_server_hears)
    site_hears = staticmethod(round_site_hears)
    messages = (*RoundForm.messages, (counted(0), COUNTS))
    _draws_by_size = False
    """Whether sites draw coins when they need them, of different sizes."""

    def begin_mail(self) -> None:
        whole, server, rule = self.whole, self.server, self._rule
        self._draws_by_size = True
        assert self.coins is not None
        whole[slot.TOSSES], whole[slot.WANTED] = 0, self.coins.size
        self.sites[:, RULE] = FORWARDING if rule is None else self._keep(server.rounds, rule)
        self._look_by_mail()

    def renew(self, rngs: Any) -> bool:
        self._draws_by_size = False
        return super().renew(rngs)

    def refill(self, wanted: int = 0) -> None:
        if not self._draws_by_size:
            super().refill(wanted)
            return
        assert self.coins is not None
        whole, self.coins.size = self.whole, int(self.whole[slot.WANTED])
        drawn = self.coins.draw()
        self.real[slot.COINS_AT : slot.COINS_AT + len(drawn)] = drawn
        whole[slot.COIN], whole[slot.COINS] = 0, len(drawn)

    def serve_by_mail(self, ledger: Any, mail: Any, post: Callable[[int, int], object]) -> None:
        whole, sites, server = self.whole, self.sites, self.server
        kind = mail[LETTERS][whole[HEARD], KIND]
        for _, message in self._replies_by_mail(kind):
            ledger.count_broadcast(message, self.k)
            ahead = message.kind == "poll"
            if ahead and message.value is None:
                post(POLL, NOTHING)
                continue
            number = server.rounds + (ahead or server.rule is None)
            rule = self._rule_of(number, message.value)
            post(POLL if ahead else ROUND, NO_RULE if rule is None else self._keep(number, rule))
        if kind in (ITEMS, COUNTS):
            whole[POLLED] = 0
            if server.rule is not None:  # a round has begun
                sites[:, HEARD_BITS] = sites[:, EARLY]
                sites[:, EARLY] = sites[:, ANSWERED] = 0
        self._look_by_mail()

    def _replies_by_mail(self, kind: int) -> Sequence[tuple[int, Message]]:
        """Let the server act on the last letter and what has been counted before; return what it sends."""
        whole, real, sites, server = self.whole, self.real, self.sites, self.server
        base, signals = int(real[BASE]), int(whole[SIGNALS])
        server.early[:] = np.arange(self.k).repeat(sites[:, EARLY]).tolist()
        if kind == ITEMS:
            return server.forwarded(base - server.base)
        server.base = base
        if not server.unit:  # late items have been added to it one by one
            output = float(real[slot.OUTPUT])
            server.output = int(output) if isinstance(server.output, int) else output
        if kind == BITS:
            site = int(whole[SPEAKER])
            server.last_signal = site, int(sites[site, HEARD_BITS])
            return server.absorb(signals - server.signals)
        server.signals = signals
        return server.counted(int(whole[POLLED]), self.k) if kind == COUNTS else server.end_round()

    def _keep(self, number: int, rule: SignalRule) -> int:
        """Keep the rule of a round by its number; return its row."""
        row = number % RULES
        size = rule.size if isinstance(rule, BlockRule) else 0
        place = RULES_AT + COLUMNS * row
        self.whole[place : place + COLUMNS] = size, rule.last, rule.drawn
        if isinstance(rule, CoinRule):
            self.real[-1 - row] = gap_scale(rule.p)
        return row

    def _look_by_mail(self) -> None:
        """Copy what the kernel needs of the server."""
        self._look()
        whole, server = self.whole, self.server
        whole[TO_COME], whole[AHEAD] = server.counts_to_come, server.polls_ahead
        whole[FORWARDS] = self.items_to_forward() if server.rule is None else 0
