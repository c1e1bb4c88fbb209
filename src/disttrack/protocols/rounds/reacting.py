"""The bulk form of protocols in rounds, for streams that react to the outputs.

Between two changes of the output the stream is fixed. So a segment ends with the signal that moves the output, or with
the round. Coins already drawn for later items are kept, one per site: the thresholds of blocks that the site may
already be in.
"""

from __future__ import annotations

from bisect import bisect_right
from math import ceil, sqrt
from typing import Final

import numpy as np

from disttrack.protocols.base import FOREVER, Message
from disttrack.protocols.bulk import Integers, MessageBatch, Segment, Signals, Stream, in_order, repeated
from disttrack.protocols.rounds.bulk import BulkRounds, Replies
from disttrack.protocols.rounds.rules import BlockRule, CoinRule
from disttrack.protocols.rounds.sites import BIT, END, ITEM

_NOTHING: Final[Replies] = ()

FEW: Final = 12
"""Number of thresholds up to which drawing them one by one is faster than as an array."""


class ReactingRounds(BulkRounds):
    """The sites of a protocol in rounds as arrays, for any stream."""

    def until_change(self, stream: Stream, now: int, until: int) -> Segment | Signals | None:
        rule = self._rule
        if rule is None:
            return self._forward(stream, now, now + 1)
        if isinstance(rule, CoinRule):
            return self._toss(stream, rule, now, until)
        assert isinstance(rule, BlockRule)
        if self._due is None:
            self._due = np.minimum(rule.after(np.zeros(stream.k, dtype=np.int64), stream.k), rule.last)
        if stream.only is not None:
            return self._feed_one(stream, rule, stream.only, now, until)
        return self._feed_many(stream, rule, now, until)

    def forwarding(self, most: int) -> tuple[Message, int] | None:
        items = 0 if self._rule is not None else self._until_rule(most)
        if items and self._rule_of(self.server.rounds + 1, self.server.base + items) is not None:
            items -= 1  # the last one begins a round
        return (ITEM, items) if items else None

    def forwarded(self, items: int) -> None:
        self.server.forwarded(items)

    # ------------------------------------------------------------------ memoryless coins

    def _toss(self, stream: Stream, rule: CoinRule, now: int, until: int) -> Segment | Signals | None:
        """Play to the next signal. The coin is the same for each item, so the step is known before the site is."""
        step = self._due
        if step is None:
            step = now + rule.gap()
        if step > until:
            self._due = step
            return None
        self._due = None
        site = stream.only
        if site is None:
            site = int(stream.at(np.array([step]))[0])
        return self._with_replies(stream, self.server.absorb(1), Signals(step, BIT, site, (step,), self.server.output))

    def _with_replies(self, stream: Stream, replies: Replies, signals: Signals) -> Segment | Signals:
        """Return the site's signals, as a segment with the server's replies if there are any."""
        if not replies:
            return signals
        steps = np.array(signals.steps)
        segment = Segment(signals.end, [MessageBatch(BIT, steps, np.full(len(steps), signals.site))])
        if signals.output is not None:
            segment.stand(signals.output)
        self._deliver(stream, segment, replies)
        return segment

    # ------------------------------------------------------------------ thresholds in blocks

    def _wanted(self) -> int:
        """Return the number of signals after which the output may change."""
        return 1 if self.server.unit else max(1, self.server.limit - self.server.signals)

    def _feed_one(self, stream: Stream, rule: BlockRule, site: int, now: int, until: int) -> Segment | Signals | None:
        """Play while one site receives items: its signals lie in consecutive blocks."""
        begun = self._begun
        before = stream.received(site, now) - (begun.item(site) if isinstance(begun, np.ndarray) else 0)
        due, most = self._due.item(site), before + until - now
        if due > most:
            return None
        server, wanted, block = self.server, self._wanted(), rule.block(due)
        # one more than needed, since the next signal is drawn too
        number = 1 if wanted == 1 else min(wanted, rule.block(most) - block + 1)
        if number == 1:
            places = [due, rule.place(block + 1)]
        elif number <= FEW:
            places = [due, *[rule.place(block + place) for place in range(1, number + 1)]]
        else:
            places = [due, *rule.place(block + np.arange(1, number + 1), number).tolist()]
        taken = min(wanted, bisect_right(places, min(most, rule.last - 1)))
        self._due[site] = min(places[taken], rule.last)
        shift, replies, output = now - before, _NOTHING, None
        if taken:
            server.last_signal = site, rule.block(places[taken - 1])
            replies = server.absorb(taken)
        if taken == wanted:
            most, output = places[taken - 1], server.output
        steps = [place + shift for place in places[:taken]]
        if taken < wanted and rule.last <= most:
            return self._end(stream, Signals(rule.last + shift, BIT, site, steps, None))
        return self._with_replies(stream, replies, Signals(most + shift, BIT, site, steps, output))

    def _end(self, stream: Stream, signals: Signals) -> Segment:
        """Return the segment in which a site, after some signals, has used up its share of the round."""
        steps, end = np.array(signals.steps, dtype=np.int64), np.array([signals.end])
        batches = [
            MessageBatch(BIT, steps, np.full(len(steps), signals.site)),
            MessageBatch(END, end, np.array([signals.site])),
        ]
        segment = Segment(signals.end, batches)
        self._deliver(stream, segment, self.server.end_round())
        return segment

    def _feed_many(self, stream: Stream, rule: BlockRule, now: int, until: int) -> Segment:
        """Play while several sites receive items."""
        server, wanted, fed = self.server, self._wanted(), stream.fed
        until = min(until, now + ceil((wanted + 4 * sqrt(wanted) + 16) / rule.rate))
        begun: Integers = self._begun[fed] if isinstance(self._begun, np.ndarray) else np.zeros(len(fed), np.int64)
        counts = stream.count(fed, np.full(len(fed), until)) - begun
        due: Integers = self._due[fed]
        pending = rule.block(due)
        # for each site its pending signal, and the thresholds of later blocks up to one beyond `until`
        owners, place = repeated(np.maximum(rule.block(counts) - pending + 1, 0))
        owned = np.concatenate((np.arange(len(fed)), owners))
        at = np.concatenate((due, rule.place(pending[owners] + 1 + place, len(owners))))
        at = np.minimum(at, rule.last)
        reached = np.flatnonzero(at <= counts[owned])
        sites = fed[owned[reached]]
        steps, order = in_order(stream.nth(sites, at[reached] + begun[owned[reached]]))
        reached, sites = reached[order], sites[order]
        over = np.flatnonzero(at[reached] == rule.last)
        ends = int(over[0]) if len(over) else len(steps)  # the place of the first END among them
        taken = min(wanted, ends)
        ended = taken < wanted and ends < len(steps)
        if ended:
            until = int(steps[ends])
        elif taken == wanted:
            until = int(steps[taken - 1])
        still = np.ones(len(at), dtype=bool)
        still[reached[:taken]] = False
        due = np.full(len(fed), FOREVER)
        np.minimum.at(due, owned[still], at[still])
        self._due[fed] = due
        segment, replies = Segment(until, [MessageBatch(BIT, steps[:taken], sites[:taken])]), _NOTHING
        if taken:
            server.last_signal = int(sites[taken - 1]), int(rule.block(at[reached[taken - 1]]))
            replies = server.absorb(taken)
        if ended:
            segment.batches.append(MessageBatch(END, steps[ends : ends + 1], sites[ends : ends + 1]))
            replies = server.end_round()
        elif taken == wanted:
            segment.stand(server.output)
        self._deliver(stream, segment, replies)
        return segment
