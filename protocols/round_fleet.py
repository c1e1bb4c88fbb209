"""Fleets of protocols that go in rounds."""

from __future__ import annotations

from math import ceil, sqrt
from typing import Any

import numpy as np

from protocols.base import FOREVER
from protocols.fleet import CHUNK, Fleet, Integers, Said, Stream, Stretch, in_order, repeated
from protocols.laws import BlockLaw, CoinLaw, Law, LawOf
from protocols.rounds import BIT, END, ITEM, POLL, RoundServer, announcement, counted


class RoundFleet(Fleet):
    """The sites of a protocol in rounds, with the server that single sites speak to.

    Parameters
    ----------
    server
        The protocol's own server.
    law_of
        The protocol's law of a round, with the sites' coins in it.
    """

    server: RoundServer

    def __init__(self, server: RoundServer, law_of: LawOf) -> None:
        self.server = server
        self._law_of = law_of
        self._law: Law | None = None
        self._due: Any = None
        """Count in the round at which each site signals next; None until it is needed."""
        self._begun: Any = None
        """Items of each site when the round began."""
        if server.law is not None:
            self._law = law_of(server.rounds, server.base)
            self._begun = 0

    def advance(self, stream: Stream, now: int, until: int) -> Stretch:
        if self._law is None:
            return self._forward(stream, now, until)
        return self._signal(stream, self._law, now, until)

    # ------------------------------------------------------------------ every item forwarded

    def _forward(self, stream: Stream, now: int, until: int) -> Stretch:
        server = self.server
        items = self._until_law(until - now)
        stretch = Stretch(now + items, forwarded=ITEM)
        if server.forwarded(items):
            self._announce(stream, stretch)
        return stretch

    def _until_law(self, most: int) -> int:
        """Return after how many more items a round begins, or `most` if that is fewer."""

        def begins(items: int) -> bool:
            return self._law_of(self.server.rounds + 1, self.server.base + items) is not None

        if not begins(most):
            return most
        low, high = 0, most  # begins(high), and never before low + 1: it takes at least one item
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if begins(middle) else (middle, high)
        return high

    # ------------------------------------------------------------------ a round

    def _signal(self, stream: Stream, law: Law, now: int, until: int) -> Stretch:
        server = self.server
        wanted = min(server.outlook(), CHUNK)
        until = min(until, now + ceil((wanted + 4 * sqrt(wanted) + 16) / law.rate))
        if isinstance(law, CoinLaw):
            steps, sites = _tossed(law, now, until, wanted), None
            ends, settled = FOREVER, until if len(steps) < wanted else int(steps[-1])
            due = None
        else:
            assert isinstance(law, BlockLaw)
            steps, sites, ends, due = self._thresholds(stream, law, now, until)
            settled = min(until, ends)
        stretch, heard, over = self._hear(stream, law, steps, settled)
        if over or (ends <= until and stretch.end == ends):
            self._end_round(stream, stretch, sent_end=not over)
        else:
            self._due = due
        keep = slice(0, heard)
        stretch.said.insert(0, Said(BIT, steps[keep], stream.at(steps[keep]) if sites is None else sites[keep]))
        return stretch

    def _hear(self, stream: Stream, law: Law, steps: Integers, settled: int) -> tuple[Stretch, int, bool]:
        """Let the server take the signals in order.

        Return what came of it, how many it took, and whether that ended the round.
        """
        server = self.server
        within = int(np.searchsorted(steps, settled, side="right")) if settled < FOREVER else len(steps)
        taken, over = 0, False
        changes: list[tuple[int, Any]] = []
        outputs = None
        if server.unit:
            first = server.signals + 1
            room = min(within, server.limit - server.signals)
            outputs = server.output_after(np.arange(first, first + room))
            over = bool(server.absorb(room))
            taken = room
        else:
            while taken < within and not over:
                some = min(within - taken, server.limit - server.signals)
                taken += some
                if some and server.signals + some >= server.limit:
                    step = steps[taken - 1 : taken]
                    site = stream.at(step)
                    assert isinstance(law, BlockLaw)
                    number = law.block(stream.count(site, step) - self._round_count(site))
                    server.culprit = (int(site[0]), int(number[0]))
                    over = bool(server.absorb(some))
                    changes.append((int(step[0]), server.output))
                else:
                    over = bool(server.absorb(some))
        end = int(steps[taken - 1]) if over else settled
        stretch = Stretch(end)
        if outputs is None:
            stretch.steps = np.array([step for step, _ in changes], dtype=np.int64)
            stretch.outputs = np.array([output for _, output in changes])
        else:
            stretch.steps, stretch.outputs = steps[:taken], outputs
        return stretch, taken, over

    def _round_count(self, sites: Integers) -> Any:
        return self._begun[sites] if isinstance(self._begun, np.ndarray) else 0

    def _thresholds(
        self, stream: Stream, law: BlockLaw, now: int, until: int
    ) -> tuple[Integers, Integers | None, int, Integers]:
        """Return steps and sites of the signals in (now, until], the first step of an END, and what is due next."""
        if self._due is None:
            self._due = np.minimum(law.after(np.zeros(stream.k, dtype=np.int64), stream.k), law.last)
        counts = stream.counts(until) - self._begun
        due: Integers = self._due
        # every site's signals: the one due, then one for each block that it enters by then
        pending = law.block(due)
        number = np.maximum(law.block(counts) - pending, 0)
        owners, place = repeated(number)
        later = law.place(pending[owners] + 1 + place, len(owners))
        fired = due <= counts
        fired_later = later <= counts[owners]
        # a site's last block may not have fired yet; if all have, the next block's threshold is drawn
        following = due.copy()
        last = np.cumsum(number) - 1
        some = number > 0
        following[some] = later[last[some]]
        spent = following <= counts
        following[spent] = law.place(law.block(following[spent]) + 1, int(spent.sum()))
        sites = np.concatenate((np.flatnonzero(fired), owners[fired_later]))
        at = np.concatenate((due[fired], later[fired_later]))
        ends = FOREVER
        if law.last < FOREVER:
            over = counts >= law.last
            if bool(over.any()):
                who = np.flatnonzero(over)
                ends = int(stream.nth(who, self._absolute(who, np.full(len(who), law.last))).min())
                inside = at < law.last
                sites, at = sites[inside], at[inside]
            following = np.minimum(following, law.last)
        steps = stream.nth(sites, self._absolute(sites, at))
        ordered, order = in_order(steps)
        return ordered, sites[order], ends, following

    def _absolute(self, sites: Integers, in_round: Integers) -> Integers:
        begun = self._round_count(sites)
        absolute: Integers = in_round + begun
        return absolute

    # ------------------------------------------------------------------ between rounds

    def _end_round(self, stream: Stream, stretch: Stretch, sent_end: bool) -> None:
        server = self.server
        if sent_end:
            stretch.said.append(Said(END, np.array([stretch.end]), stream.at(np.array([stretch.end]))))
            server.end_round()
        counts = stream.counts(stretch.end)
        self._poll(stream, stretch, counts - self._begun)

    def _poll(self, stream: Stream, stretch: Stretch, counts: Integers) -> None:
        everyone = range(stream.k)
        stretch.exchange.append(("down", POLL, everyone))
        stretch.exchange.append(("up", counted(0), everyone))
        self.server.counted(int(counts.sum()), stream.k)
        self._announce(stream, stretch)

    def _announce(self, stream: Stream, stretch: Stretch) -> None:
        """Begin the next round after the server has announced it."""
        server = self.server
        everyone = range(stream.k)
        stretch.exchange.append(("down", announcement(server.base), everyone))
        self._law = None if server.law is None else self._law_of(server.rounds, server.base)
        self._begun = stream.counts(stretch.end)
        self._due = None
        stretch.steps = np.append(stretch.steps, stretch.end)
        stretch.outputs = np.append(stretch.outputs, server.output)
        if server.law is not None and server.limit <= 0:
            self._poll(stream, stretch, np.zeros(stream.k, dtype=np.int64))


def _tossed(law: CoinLaw, now: int, until: int, wanted: int) -> Integers:
    """Return the steps of the next signals, at most `wanted` of them.

    A coin that does not remember falls for each item alike, whichever site it comes to: the signals of all sites
    together are one sequence of geometric gaps.
    """
    steps: Integers = now + np.cumsum(law.gap(wanted))
    return steps[: int(np.searchsorted(steps, until, side="right"))]
