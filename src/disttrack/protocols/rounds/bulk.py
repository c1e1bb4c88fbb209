"""The bulk form of protocols that go in rounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from math import ceil, sqrt
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import FOREVER, Message
from disttrack.protocols.bulk import (
    CHUNK,
    BulkForm,
    Exchange,
    Integers,
    MessageBatch,
    Segment,
    Stream,
    in_order,
    repeated,
)
from disttrack.protocols.rounds.rules import BlockRule, CoinRule, RuleOf, SignalRule, items_until_rule
from disttrack.protocols.rounds.sites import BIT, END, ITEM, POLL, RoundServer, counted

Replies = Sequence[tuple[int, Message]]
"""Messages that the server sends, with their receivers."""

_NOTHING: Final[Replies] = ()


class BulkRounds(BulkForm):
    """The sites of a protocol in rounds as arrays, with the server that single sites use.

    Parameters
    ----------
    server
        The protocol's own server.
    rule_of
        The protocol's signal rule of a round, with the sites' coins in it.
    blocks
        Whether rules may have blocks, which depend on the items of each site; if not, all rules are coins.
    """

    server: RoundServer

    def __init__(self, server: RoundServer, rule_of: RuleOf, *, blocks: bool = True) -> None:
        self.server = server
        self.counts_sites = blocks
        self._rule_of = rule_of
        self._rule: SignalRule | None = None
        self._due: Any = None
        """Count in the round at which each site signals next; None until it is needed."""
        self._begun = 0
        """The step after which the round begins."""
        self._before: Integers | None = None
        """Items of each site by then, if they are counted and it is not 0."""
        if server.rule is not None:
            self._rule = rule_of(server.rounds, server.announced)

    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        if self._rule is None:
            return self._forward(stream, now, until)
        return self._signal(stream, self._rule, now, until)

    # ------------------------------------------------------------------ every item forwarded

    def _forward(self, stream: Stream, now: int, until: int) -> Segment:
        server = self.server
        items = self._until_rule(until - now)
        segment = Segment(now + items, forwarded=ITEM)
        self._deliver(stream, segment, server.forwarded(items))
        return segment

    def _until_rule(self, most: int) -> int:
        return items_until_rule(self._rule_of, self.server.rounds + 1, self.server.base, most)

    # ------------------------------------------------------------------ a round

    def _signal(self, stream: Stream, rule: SignalRule, now: int, until: int) -> Segment:
        server = self.server
        wanted = max(1, min(server.expected_signals_left(), CHUNK))
        until = min(until, now + ceil((wanted + 4 * sqrt(wanted) + 16) / rule.rate))
        if isinstance(rule, CoinRule):
            steps, sites = rule.signalled(wanted, now, until), None
            ends, settled = FOREVER, until if len(steps) < wanted else int(steps[-1])
            due = blocks = None
        else:
            assert isinstance(rule, BlockRule)
            steps, sites, blocks, ends, due = self._thresholds(stream, rule, until)
            settled = min(until, ends)
        segment, taken, replies = self._hear(steps, sites, blocks, settled)
        keep = slice(0, taken)
        signals = MessageBatch(BIT, steps[keep], stream.at(steps[keep]) if sites is None else sites[keep])
        segment.batches.append(signals)
        self._due = due
        if not replies and ends <= until and segment.end == ends:
            step = np.array([ends])
            segment.batches.append(MessageBatch(END, step, stream.at(step)))
            replies = server.end_round()
        self._deliver(stream, segment, replies)
        return segment

    def _hear(
        self, steps: Integers, sites: Integers | None, blocks: Integers | None, settled: int
    ) -> tuple[Segment, int, Replies]:
        """Pass the signals to the server in order; their blocks are needed if it acts within a round.

        Return the segment, the number of signals taken, and the replies to the last one, which are empty within a
        round.
        """
        server = self.server
        within = int(np.searchsorted(steps, settled, side="right")) if settled < FOREVER else len(steps)
        taken, replies = 0, _NOTHING
        changes: list[tuple[int, object]] = []
        outputs = None
        if server.unit:
            first = server.signals + 1
            room = min(within, server.limit - server.signals)
            outputs = server.output_after(np.arange(first, first + room))
            replies = server.absorb(room)
            taken = room
        else:
            while taken < within and not replies:
                some = min(within - taken, max(1, server.limit - server.signals))
                taken += some
                if server.signals + some >= server.limit:
                    assert sites is not None
                    assert blocks is not None
                    server.last_signal = int(sites[taken - 1]), int(blocks[taken - 1])
                    replies = server.absorb(some)
                    changes.append((int(steps[taken - 1]), server.output))
                else:
                    replies = server.absorb(some)
        end = int(steps[taken - 1]) if replies else settled
        segment = Segment(end)
        if outputs is None:
            segment.steps = np.array([step for step, _ in changes], dtype=np.int64)
            segment.outputs = np.array([output for _, output in changes])
        else:
            segment.steps, segment.outputs = steps[:taken], outputs
        return segment, taken, replies

    def _round_count(self, sites: Integers) -> Any:
        return 0 if self._before is None else self._before[sites]

    def _thresholds(
        self, stream: Stream, rule: BlockRule, until: int
    ) -> tuple[Integers, Integers, Integers, int, Integers]:
        """Return steps, sites and blocks of the signals up to `until`, the first step of an END, and each next count.

        The next count is that of the round at which each site signals.
        """
        if self._due is None:
            self._due = np.minimum(rule.after(np.zeros(stream.k, dtype=np.int64), stream.k), rule.last)
        counts = stream.counts(until) - (0 if self._before is None else self._before)
        due: Integers = self._due
        # every site's signals: the pending one, then one for each block that it enters by then
        pending = rule.block(due)
        number = np.maximum(rule.block(counts) - pending, 0)
        owners, place = repeated(number)
        later = rule.place(pending[owners] + 1 + place, len(owners))
        fired = due <= counts
        fired_later = later <= counts[owners]
        # a site's last block may not have fired yet; if all have, the next block's threshold is drawn
        following = due.copy()
        last = np.cumsum(number) - 1
        some = number > 0
        following[some] = later[last[some]]
        spent = following <= counts
        following[spent] = rule.place(rule.block(following[spent]) + 1, int(spent.sum()))
        sites = np.concatenate((np.flatnonzero(fired), owners[fired_later]))
        at = np.concatenate((due[fired], later[fired_later]))
        ends = FOREVER
        if rule.last < FOREVER:
            over = counts >= rule.last
            if bool(over.any()):
                who = np.flatnonzero(over)
                ends = int(stream.nth(who, self._absolute(who, np.full(len(who), rule.last))).min())
                inside = at < rule.last
                sites, at = sites[inside], at[inside]
            following = np.minimum(following, rule.last)
        steps = stream.nth(sites, self._absolute(sites, at))
        ordered, order = in_order(steps)
        return ordered, sites[order], rule.block(at[order]), ends, following

    def _absolute(self, sites: Integers, in_round: Integers) -> Integers:
        begun = self._round_count(sites)
        absolute: Integers = in_round + begun
        return absolute

    # ------------------------------------------------------------------ between rounds

    def _deliver(self, stream: Stream, segment: Segment, replies: Replies) -> None:
        """Deliver the server's messages to all sites, and their answers, until no message is left."""
        everyone, waiting = range(stream.k), deque(replies)
        while waiting:
            _, message = waiting.popleft()
            segment.exchange.append(Exchange("down", message, everyone))
            if message.kind == POLL.kind:
                segment.exchange.append(Exchange("up", counted(0), everyone))
                waiting.extend(self.server.counted(segment.end - self._begun, stream.k))
            if message.kind != POLL.kind or self.server.polls_ahead:
                self._begin(stream, segment)

    def _begin(self, stream: Stream, segment: Segment) -> None:
        """Begin the server's present round, which all sites know by now."""
        server = self.server
        self._rule = None if server.rule is None else self._rule_of(server.rounds, server.announced)
        self._begun = segment.end
        self._before = stream.counts(segment.end) if self.counts_sites else None
        self._due = None
        segment.stand(server.output)
