"""All sites of the tracker of Huang, Yi and Zhang as arrays."""

from __future__ import annotations

import numpy as np

from disttrack.mechanisms.rules import gap_scale, next_double, redrawn
from disttrack.protocols.base import Message
from disttrack.protocols.bulk import CHUNK, BulkForm, Exchange, Integers, MessageBatch, Segment, Stream, in_order
from disttrack.protocols.coins import Coins
from disttrack.protocols.sampling.server import RandomizedServer


class BulkRandomized(BulkForm):
    """All sites: their doubling reports, and for each copy the last sampled item.

    The sampling coin is the same for each item, whichever site receives it and independently of the past, so the
    reports of all sites together are one sequence of geometric gaps per copy.

    Parameters
    ----------
    server
        The protocol's own server, which computes the estimates and the announcements.
    coins
        The sites' coins.
    start
        Items held by each site before the game, known exactly and not sampled.
    """

    server: RandomizedServer

    def __init__(self, server: RandomizedServer, k: int, coins: Coins, start: object) -> None:
        self.server = server
        self._coins = coins
        self._start: Integers = np.array(start or [0] * k, dtype=np.int64)
        self._doubled = self._start.copy()
        """Count at each site's last doubling report."""
        self._last: Integers = np.zeros((len(server.sums), k), dtype=np.int64)
        """Number of the last reported item per copy and site, counted without the start; 0 for none."""
        server.doubled, server.last = [], []  # the arrays here take their place

    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        server = self.server
        # the tracker doubles before the items are four times the known number; CHUNK reports are enough at a time
        until = min(until, now + max(1024, server.known), now + max(1, int(CHUNK * server.inverse / len(self._last))))
        doubles, speaks = self._doubling(stream, until)
        segment = Segment(speaks or until)
        reports = [self._reports(copy, stream, now, segment.end) for copy in range(len(self._last))]
        segment.batches = [batch for _, batch in reports]
        if len(doubles.steps):
            segment.batches.append(doubles)
        self._estimates(segment, [changes for changes, _ in reports])
        if speaks:
            self._announce(segment)
        return segment

    # ------------------------------------------------------------------ doubling reports

    def _doubling(self, stream: Stream, until: int) -> tuple[MessageBatch, int | None]:
        """Return the doubling reports up to the step at which the server broadcasts, and that step."""
        server, doubled = self.server, self._doubled.copy()
        counts = self._start + stream.counts(until)
        who, at, growth, following = [], [], [], next_double(doubled)
        while len(sites := (following <= counts).nonzero()[0]):
            reports = following[sites]
            who.append(sites)
            at.append(reports)
            growth.append(reports - doubled[sites])
            doubled[sites] = reports
            following[sites] = 2 * reports
        if not who:
            return MessageBatch(DOUBLE, _NONE, _NONE), None
        sites, reports = np.concatenate(who), np.concatenate(at)
        steps, order = in_order(stream.nth(sites, reports - self._start[sites]))
        sites, reports = sites[order], reports[order]
        lower = server.lower + np.cumsum(np.concatenate(growth)[order])
        spoken = np.flatnonzero(lower >= server.next_total)
        taken = int(spoken[0]) + 1 if len(spoken) else len(steps)
        # of several reports of one site the last holds; counts only grow
        np.maximum.at(self._doubled, sites[:taken], reports[:taken])
        server.lower = int(lower[taken - 1])
        return MessageBatch(DOUBLE, steps[:taken], sites[:taken]), int(steps[taken - 1]) if len(spoken) else None

    # ------------------------------------------------------------------ sampled items

    def _reports(self, copy: int, stream: Stream, now: int, until: int) -> tuple[tuple[Integers, ...], MessageBatch]:
        """Return a copy's reports in (now, until]: their steps, growth of the last items and of the number of sites."""
        steps = self._tossed(now, until)
        sites = stream.at(steps)
        items = stream.count(sites, steps)
        # the previous report of the same site, in this segment or in the state
        by_site, order = in_order(sites)
        first = np.ones(len(steps), dtype=bool)
        first[1:] = by_site[1:] != by_site[:-1]
        newest = np.ones(len(steps), dtype=bool)
        newest[:-1] = first[1:]
        values = items[order]
        row = self._last[copy]
        replaced = np.empty_like(values)
        replaced[1:] = values[:-1]
        replaced[first] = row[by_site[first]]
        row[by_site[newest]] = values[newest]
        before = np.empty_like(values)
        before[order] = replaced
        return (steps, items - before, (before == 0).astype(np.int64)), MessageBatch(REPORT, steps, sites)

    def _tossed(self, now: int, until: int) -> Integers:
        """Return the steps at which a coin of bias p succeeds."""
        scale = gap_scale(1 / self.server.inverse)
        if not scale:
            return np.arange(now + 1, until + 1)
        batches, last = [], now
        while last < until:
            wanted = (until - last) / self.server.inverse
            number = int(wanted + 4 * wanted**0.5) + 16
            steps = self._coins.successes(scale, number, last, until)
            batches.append(steps)
            last = int(steps[-1]) if len(steps) == number else until
        return np.concatenate(batches) if batches else _NONE

    def _estimates(self, segment: Segment, changes: list[tuple[Integers, ...]]) -> None:
        """Set the outputs of the segment: of one copy, or the median of all copies after each report of any."""
        server = self.server
        every = np.unique(np.concatenate([steps for steps, _, _ in changes])) if len(changes) > 1 else changes[0][0]
        sums, numbers = [], []
        for copy, (steps, growth, fresh) in enumerate(changes):
            total, number = server.sums[copy] + np.cumsum(growth), server.number[copy] + np.cumsum(fresh)
            if len(changes) > 1:
                place = np.searchsorted(steps, every, side="right")
                total = np.append(server.sums[copy], total)[place]
                number = np.append(server.number[copy], number)[place]
            sums.append(total)
            numbers.append(number)
            if len(steps):
                server.sums[copy], server.number[copy] = int(total[-1]), int(number[-1])
        segment.steps = every
        segment.outputs = server.estimate(np.array(sums), np.array(numbers))
        if len(every):
            server.output = segment.outputs[-1].item()

    # ------------------------------------------------------------------ broadcasts

    def _announce(self, segment: Segment) -> None:
        """Broadcast the doubled total; all sites redraw their last reports if p falls."""
        server, k = self.server, len(self._start)
        before = server.inverse
        total = server.announce()
        segment.exchange.append(Exchange("down", total, range(k)))
        if server.inverse != before:
            for copy, row in enumerate(self._last):
                sites = np.flatnonzero(row)
                anew = redrawn(row[sites], before, server.inverse, self._coins)
                changed = sites[anew != row[sites]]
                row[sites] = anew
                segment.exchange.append(Exchange("up", ADJUST, changed.tolist()))
                server.sums[copy], server.number[copy] = int(row.sum()), int(np.count_nonzero(row))
        server.output = server.estimate(server.sums, server.number)
        segment.steps = np.append(segment.steps, segment.end)
        segment.outputs = np.append(segment.outputs, server.output)


_NONE: Integers = np.zeros(0, dtype=np.int64)
# kinds of messages for the ledger, each with one word
REPORT = Message("report", 0)
DOUBLE = Message("double", 0)
ADJUST = Message("adjust", 0)
