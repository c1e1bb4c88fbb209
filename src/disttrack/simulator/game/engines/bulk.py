"""The bulk engine: whole segments of a game as arrays, while the schedule is fixed."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from disttrack.protocols.base import Message, Number, even_start
from disttrack.protocols.bulk import BulkForm, Integers, MessageBatch, Segment
from disttrack.simulator.game.channels import SERVER
from disttrack.simulator.game.engines.base import NoBulkError, Strides
from disttrack.simulator.game.outputs import as_float, measured, plain, scaled


class Bulk(Strides):
    """All sites' messages of a segment at once, sorted by step, up to the server's next message.

    For adversaries that do not react. Gives the transcript of `leap` if nothing is random, and the same distribution
    otherwise: the rules are the same code, and coins not tossed yet are exchangeable. Memory is O(k) and a bounded
    chunk of messages. For its parameters see `Engine`.
    """

    name: ClassVar[str] = "bulk"

    def __init__(self, *sides: object, **options: object) -> None:
        self.done = 0
        """The last step that has been played."""
        super().__init__(*sides, **options)
        self._up: Any = np.zeros(self.k, dtype=np.int64)
        self._down: Any = np.zeros(self.k, dtype=np.int64)
        self._before: Any = np.zeros(self.k, dtype=np.int64)
        """Items of each site before the present plan, if the bulk form needs them."""
        self._everyone = np.arange(self.k)

    def make_sides(self) -> None:
        begun = (even_start(self.start, self.k),) if self.start else ()
        bulk_form = self.protocol.bulk_form(self.k, self.rngs["sites"], self.rngs["server"], *begun)
        if not isinstance(bulk_form, BulkForm):
            raise NoBulkError("the protocol has no array form")
        self.bulk_form = bulk_form
        self.server = bulk_form.server

    @property
    def now(self) -> int:
        return self.done + 1

    def run(self) -> None:
        while self.done < self.game_end:
            until = min(self.consultation.end, self.game_end)
            segment = self.bulk_form.advance(self, self.done, until)
            if not self.done < segment.end <= until:
                name = type(self.bulk_form).__name__
                raise RuntimeError(f"{name}.advance() from step {self.done} to {until} ends at step {segment.end}")
            self._take(segment)
            self.done = segment.end
            self.consult(self.done)
        self.ledger.up_sites = self._up.tolist()
        self.ledger.down_sites = self._down.tolist()

    # ------------------------------------------------------------------ plans

    def leave_plan(self, now: int) -> None:
        if self.bulk_form.counts_sites:
            self._before = self.counts(now)

    def enter_plan(self, now: int) -> None:
        if self.consultation.plan.skips:
            raise NoBulkError("the adversary skips steps")

    # ------------------------------------------------------------------ the stream, for the bulk form

    def at(self, steps: Integers) -> Integers:
        """Return the site of each of these steps of the present plan."""
        turns = self.consultation
        sites: Integers = turns.plan.at(steps - turns.begun)
        return sites

    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step."""
        turns = self.consultation
        counts: Integers = self._items_before() + turns.plan.count(self._everyone, step - turns.begun)
        return counts

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step."""
        turns = self.consultation
        counts: Integers = self._items_before()[sites] + turns.plan.count(sites, steps - turns.begun)
        return counts

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites."""
        turns = self.consultation
        steps: Integers = turns.begun + turns.plan.nth(sites, n - self._items_before()[sites])
        return steps

    def _items_before(self) -> Any:
        if not self.bulk_form.counts_sites:
            raise RuntimeError(f"{type(self.bulk_form).__name__} asks for items of sites, with counts_sites = False")
        return self._before

    # ------------------------------------------------------------------ the record of a segment

    def _take(self, segment: Segment) -> None:
        """Count the messages of a segment, judge its outputs, and keep its rows."""
        for batch in segment.batches:
            self.ledger.more_words(batch.message, "every site")  # refused before anything is recorded
        if segment.forwarded is not None:
            self.ledger.more_words(segment.forwarded, "every site")
            self._take_forwarded(segment, segment.forwarded)
        else:
            self._take_batches(segment)
        for direction, message, sites in segment.exchange:
            numbers = np.asarray(sites)
            if direction == "down" and len(numbers):
                self.ledger.check_receiver(numbers.min().item(), message)
                self.ledger.check_receiver(numbers.max().item(), message)
            if direction == "up":
                self._count_up(message, numbers.astype(np.int64))
            else:
                self.ledger.count_broadcast(message, len(numbers))
                self._down[numbers.astype(np.int64)] += 1
        if self.transcript is not None:
            self._write(segment)

    def _take_batches(self, segment: Segment) -> None:
        steps, outputs = np.asarray(segment.steps, dtype=np.int64), np.asarray(segment.outputs)
        if len(steps) > 1:
            standing = np.append(steps[1:] != steps[:-1], True)  # the last output of a step holds
            if not standing.all():
                steps, outputs = steps[standing], outputs[standing]
        self._rows(segment, steps, outputs)
        for batch in segment.batches:
            self._count_up(batch.message, batch.sites)
        if len(steps) == 1:
            self._change(int(steps[0]), plain(outputs[0], *segment.scale))
        elif len(steps):
            exactly = self.outputs is not None
            steps, values = self.referee.change_many(steps, self.offset, outputs, segment.scale, exactly=exactly)
            if self.outputs is not None:
                self.outputs.extend(zip(steps.tolist(), values.tolist(), strict=True))

    def _take_forwarded(self, segment: Segment, message: Message) -> None:
        """Record a segment whose items are all sent, with an exact output except for a last one that it lists."""
        first, last = self.done + 1, segment.end
        self._forwarded_rows(message, last)
        self.ledger.count_many_up(message, last - self.done)
        turns = self.consultation
        until, before = (turns.plan.count(self._everyone, step - turns.begun) for step in (last, self.done))
        self._up += until - before
        exact_to = last - 1 if len(segment.steps) else last
        if first <= exact_to:
            if self.outputs is not None:
                changed = first if self.referee.output != first + self.offset else first + 1
                self.outputs.extend((step, step + self.offset) for step in range(changed, exact_to + 1))
            self.referee.exact_stretch(first, exact_to, self.offset)
        if exact_to < last:
            self._change(last, plain(segment.outputs[-1], *segment.scale))

    def _forwarded_rows(self, message: Message, end: int) -> None:
        """Take the timeline's rows before step `end`, if each item up to there was sent."""
        due = self.timeline.waiting(end - 1 + self.offset)
        if not len(due):
            return
        more, outputs = due - self.offset - self.done, due.astype(float)
        if not more[0]:  # the step before them has the output of that time
            outputs[0] = self.referee.value
        messages, words = self.ledger.messages + more, self.ledger.words + more * message.words
        self.timeline.pass_all(due - self.offset, outputs, messages, words)

    def _change(self, step: int, output: Number) -> None:
        """Judge an output at a step, if it is a new one."""
        referee, items = self.referee, step + self.offset
        news = output != referee.output and referee.change(step, items, items - 1, output)
        if news and self.outputs is not None:
            self.outputs.append((step, referee.value))

    def _rows(self, segment: Segment, steps: Integers, outputs: Any) -> None:
        """Take the timeline's rows within the segment; rows of its last step come with the next segment."""
        due = self.timeline.waiting(segment.end - 1 + self.offset)
        if not len(due):
            return
        at = due - self.offset
        places = steps.searchsorted(at, side="right")
        standing = np.concatenate(([as_float(self.referee.value)], _values(outputs, segment.scale)))
        messages = np.full(len(at), self.ledger.messages)
        words = np.full(len(at), self.ledger.words)
        for batch in segment.batches:
            numbers = np.asarray(batch.steps).searchsorted(at, side="right")
            messages += numbers
            words += batch.message.words * numbers
        self.timeline.pass_all(at, standing[places], messages, words)

    def _count_up(self, message: Message, sites: Integers) -> None:
        self.ledger.count_many_up(message, len(sites))
        np.add.at(self._up, sites, 1)

    def _write(self, segment: Segment) -> None:
        """Write the messages of the segment into the transcript, in the order of sending."""
        assert self.transcript is not None
        if segment.forwarded is not None:
            steps = np.arange(self.done + 1, segment.end + 1)
            self._write_batches([MessageBatch(segment.forwarded, steps, self.at(steps))])
        self._write_batches(segment.batches)
        for direction, message, sites in segment.exchange:
            bits = self.ledger.bits_of(message)
            for site in sites:
                ends = (SERVER, int(site)) if direction == "down" else (int(site), SERVER)
                self.transcript.append((segment.end, *ends, message.kind, message.words, bits))

    def _write_batches(self, batches: list[MessageBatch]) -> None:
        assert self.transcript is not None
        rows = [
            (step, place, site, batch.message)
            for place, batch in enumerate(batches)
            for step, site in zip(batch.steps.tolist(), batch.sites.tolist(), strict=True)
        ]
        rows.sort(key=lambda row: row[:2])
        self.transcript.extend(
            (step, site, SERVER, message.kind, message.words, self.ledger.bits_of(message))
            for step, _, site, message in rows
        )


def _values(outputs: Any, scale: tuple[int, int]) -> Any:
    """Return outputs, each to be multiplied by the same fraction, as floats."""
    if outputs.dtype.kind == "f" and scale == (1, 1):
        return outputs
    if outputs.dtype.kind == "i" and len(outputs) and outputs.min() >= 0:
        return (outputs if scale == (1, 1) else scaled(outputs, *scale, exactly=True)).astype(float)
    return np.array([as_float(measured(plain(output, *scale))[1]) for output in outputs], dtype=float)
