"""The bulk form of protocols that go in rounds, for streams that react to the outputs.

Between two changes of the output the stream is fixed. So a segment ends with the signal that moves the output, or with
the round. Coins of items beyond it that have been drawn are kept, one a site: thresholds are those of blocks
that the site may be in already.
"""

from __future__ import annotations

from bisect import bisect_right
from math import ceil, sqrt
from typing import Final

import numpy as np

from protocols.base import FOREVER, Message
from protocols.bulk import Integers, MessageBatch, Segment, Stream, in_order, repeated
from protocols.rounds.bulk import BulkRounds
from protocols.rounds.parts import BIT, END, ITEM
from protocols.rounds.rules import BlockRule, CoinRule

FEW: Final = 12
"""Thresholds that are drawn faster one by one than as an array."""


class ReactingRounds(BulkRounds):
    """The sites of a protocol in rounds, whatever the stream."""

    def until_change(self, stream: Stream, now: int, until: int) -> Segment | None:
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

    # ------------------------------------------------------------------ coins that do not remember

    def _toss(self, stream: Stream, rule: CoinRule, now: int, until: int) -> Segment | None:
        """Go on to the next signal. The coin falls for each item alike, so it is known before the site is."""
        server = self.server
        if self._due is None:
            self._due = now + rule.gap()
        step = self._due
        if step > until:
            return None
        self._due = None
        said = server.absorb(1)
        steps = np.array([step])
        segment = Segment(step, [MessageBatch(BIT, steps, stream.at(steps))])
        segment.stand(server.output)
        self._deliver(stream, segment, said)
        return segment

    # ------------------------------------------------------------------ thresholds in blocks

    def _wanted(self) -> int:
        """Return after how many signals the output may change."""
        return 1 if self.server.unit else max(1, self.server.limit - self.server.signals)

    def _feed_one(self, stream: Stream, rule: BlockRule, site: int, now: int, until: int) -> Segment | None:
        """Go on while one site is fed: its signals lie in one block after the other."""
        before = stream.received(site, now) - self._begun_at(site)
        due, most = self._due.item(site), before + until - now
        if due > most:
            return None
        wanted = self._wanted()
        block = rule.block(due)
        number = min(wanted, rule.block(most) - block + 1)  # one more than are needed, since what is due next is drawn too
        if number <= FEW:
            places = [due, *(rule.place(block + place) for place in range(1, number + 1))]
        else:
            places = [due, *rule.place(block + np.arange(1, number + 1), number).tolist()]
        taken = min(wanted, bisect_right(places, min(most, rule.last - 1)))
        self._due[site] = min(places[taken], rule.last)
        if taken == wanted:
            most = places[taken - 1]
        ended = taken < wanted and rule.last <= most
        if ended:
            most = rule.last
        steps = np.array(places[:taken], dtype=np.int64) + (now - before)
        segment = Segment(now + most - before, [MessageBatch(BIT, steps, np.full(taken, site))])
        self._hear_all(stream, segment, (site, rule.block(places[taken - 1])) if taken else (site, 0), ended)
        return segment

    def _feed_many(self, stream: Stream, rule: BlockRule, now: int, until: int) -> Segment:
        """Go on while several sites are fed."""
        wanted, fed = self._wanted(), stream.fed
        until = min(until, now + ceil((wanted + 4 * sqrt(wanted) + 16) / rule.rate))
        begun = self._begun[fed] if isinstance(self._begun, np.ndarray) else 0
        counts = stream.count(fed, np.full(len(fed), until)) - begun
        due: Integers = self._due[fed]
        pending = rule.block(due)
        # of each site what is due, and the thresholds of later blocks up to one that lies beyond `until`
        owners, place = repeated(np.maximum(rule.block(counts) - pending + 1, 0))
        owned = np.concatenate((np.arange(len(fed)), owners))
        at = np.concatenate((due, rule.place(pending[owners] + 1 + place, len(owners))))
        at = np.minimum(at, rule.last)
        reached = np.flatnonzero(at <= counts[owned])
        sites = fed[owned[reached]]
        steps, order = in_order(stream.nth(sites, at[reached] + (begun[owned[reached]] if len(np.shape(begun)) else 0)))
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
        segment = Segment(until, [MessageBatch(BIT, steps[:taken], sites[:taken])])
        last = (int(sites[taken - 1]), int(rule.block(at[reached[taken - 1]]))) if taken else (0, 0)
        self._hear_all(stream, segment, last, ended)
        return segment

    def _hear_all(self, stream: Stream, segment: Segment, last: tuple[int, int], ended: bool) -> None:
        """Let the server take the signals of a segment, of which the last one may make it act, and then an END."""
        server, taken = self.server, len(segment.batches[0].steps)
        wanted = self._wanted()
        server.last_signal = last
        said = server.absorb(taken) if taken else ()
        if ended:
            step = np.array([segment.end])
            segment.batches.append(MessageBatch(END, step, stream.at(step)))
            said = server.end_round()
        if taken >= wanted or ended:
            segment.stand(server.output)
        self._deliver(stream, segment, said)

    def _begun_at(self, site: int) -> int:
        """Return the items of a site when the round began."""
        return self._begun.item(site) if isinstance(self._begun, np.ndarray) else 0
