"""Record whole segments of a game: count messages, judge outputs, take rows of the timeline."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Message, Number, even_start
from disttrack.protocols.bulk import BulkForm, Integers, MessageBatch, Segment, Signals
from disttrack.simulator.game.channels import SERVER
from disttrack.simulator.game.engines.base import Strides
from disttrack.simulator.game.outputs import measured, plain

FEW: Final = 8
"""Ratio of sites to messages from which messages are counted one by one."""


class NoBulkError(Exception):
    """This game can't be played in bulk; the text is the reason."""


class Segments(Strides):
    """A game recorded one segment at a time; for its parameters see `Engine`."""

    def __init__(self, *sides: Any, **options: Any) -> None:
        self.done = 0
        """The last step that has been played."""
        super().__init__(*sides, **options)
        self._up: Any = np.zeros(self.k, dtype=np.int64)
        self._down: Any = np.zeros(self.k, dtype=np.int64)

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

    @abstractmethod
    def at(self, steps: Integers) -> Integers:
        """Return the site of each of these steps of the present plan."""

    @abstractmethod
    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step."""

    def count_sites(self) -> None:
        """Pass the messages of each site to the ledger."""
        self.ledger.up_sites = self._up.tolist()
        self.ledger.down_sites = self._down.tolist()

    def take(self, segment: Segment) -> None:
        """Count the messages of a segment, judge its outputs, and keep its rows."""
        items = self.start + self.sent(segment.end) - segment.end  # items minus step
        for batch in segment.batches:
            self.ledger.more_words(batch.message, "every site")  # refused before anything is recorded
        if segment.forwarded is not None:
            self.ledger.more_words(segment.forwarded, "every site")
        if segment.forwarded is not None:
            self._take_forwarded(segment, segment.forwarded)
        else:
            self._take_batches(segment, items)
        for direction, message, sites in segment.exchange:
            numbers = np.asarray(sites)
            if direction == "down" and len(numbers):
                self.ledger.check_receiver(numbers.min().item(), message)
                self.ledger.check_receiver(numbers.max().item(), message)
            self._count(direction, message, numbers.astype(np.int64))
        if self.transcript is not None:
            self._write(segment)

    def take_signals(self, signals: Signals) -> None:
        """Count the messages of one site, judge the resulting output, and take its rows."""
        end, message, site, steps, output = signals
        if self.timeline.due < end + self.offset:
            batch = MessageBatch(message, np.array(steps, dtype=np.int64), np.full(len(steps), site))
            self._rows(Segment(end, [batch]), batch.steps[:0], (), self.offset)
        if steps:
            self.ledger.count_many_up(message, len(steps))
            self._up[site] += len(steps)
            if self.transcript is not None:
                row = site, SERVER, message.kind, message.words, self.ledger.bits_of(message)
                self.transcript.extend((step, *row) for step in steps)
        if output is not None:
            self._change(end, self.offset, output)

    def take_forwarded(self, message: Message, sites: list[int]) -> None:
        """Record that in the next steps these sites sent their items, one per step."""
        first, last = self.done + 1, self.done + len(sites)
        self._forwarded_rows(message, last + 1)
        self.ledger.count_many_up(message, len(sites))
        add_each(self._up, sites)
        if self.transcript is not None:
            row = SERVER, message.kind, message.words, self.ledger.bits_of(message)
            self.transcript.extend((step, site, *row) for step, site in enumerate(sites, first))
        self._exact(first, last)

    def _take_batches(self, segment: Segment, items: int) -> None:
        steps, outputs = np.asarray(segment.steps, dtype=np.int64), np.asarray(segment.outputs)
        if len(steps) > 1:
            standing = np.append(steps[1:] != steps[:-1], True)  # the last output of a step holds
            if not standing.all():
                steps, outputs = steps[standing], outputs[standing]
        self._rows(segment, steps, outputs, items)
        for batch in segment.batches:
            self._count("up", batch.message, batch.sites)
        if len(steps) == 1:
            self._change(int(steps[0]), items, plain(outputs[0], *segment.scale))
        elif len(steps):
            exactly = self.outputs is not None
            steps, values = self.referee.change_many(steps, items, outputs, segment.scale, exactly=exactly)
            if self.outputs is not None:
                self.outputs.extend(zip(steps.tolist(), values.tolist(), strict=True))

    def _take_forwarded(self, segment: Segment, message: Message) -> None:
        """Record a segment whose items are all sent, with an exact output except for a last one that it lists."""
        first, last = self.done + 1, segment.end
        self._forwarded_rows(message, last)
        self.ledger.count_many_up(message, last - self.done)
        self._up += self.counts(last) - self.counts(self.done)
        exact_to = last - 1 if len(segment.steps) else last
        if first <= exact_to:
            self._exact(first, exact_to)
        if exact_to < last:
            self._change(last, self.offset, plain(segment.outputs[-1], *segment.scale))

    def _forwarded_rows(self, message: Message, end: int) -> None:
        """Take the timeline's rows before step `end`, if each item up to there was sent."""
        timeline, ledger, offset = self.timeline, self.ledger, self.offset
        while (due := timeline.due) < end + offset:
            more = due - offset - self.done
            output = due if more else self.referee.value  # the step before them has the output of that time
            timeline.pass_by(
                due, due - offset, output, ledger.messages + more, ledger.words + more * message.words, due
            )

    def _exact(self, first: int, last: int) -> None:
        """Judge an output that is exact in each of these steps."""
        referee, offset = self.referee, self.offset
        if self.outputs is not None:
            changed = first if referee.output != first + offset else first + 1
            self.outputs.extend((step, step + offset) for step in range(changed, last + 1))
        referee.exact_stretch(first, last, offset)

    def _change(self, step: int, items: int, output: Number) -> None:
        """Judge an output at a step, if it is a new one; the number of items is the step plus `items`."""
        referee = self.referee
        news = output != referee.output and referee.change(step, step + items, step + items - 1, output)
        if news and self.outputs is not None:
            self.outputs.append((step, referee.value))

    def _rows(self, segment: Segment, steps: Integers, outputs: Any, items: int) -> None:
        """Take the timeline's rows within the segment; rows of its last step come with the next segment."""
        timeline, last = self.timeline, segment.end - 1 + items
        if timeline.due > last:
            return
        before, words_before = self.ledger.messages, self.ledger.words
        sent = [(batch.message.words, np.asarray(batch.steps)) for batch in segment.batches]
        while (due := timeline.due) <= last:
            step = due - items
            place = int(steps.searchsorted(step, side="right"))
            output = plain(outputs[place - 1], *segment.scale) if place else self.referee.value
            until = int(steps[place]) - 1 + items if place < len(steps) else last
            messages, words = before, words_before
            for each, sent_at in sent:
                number = int(sent_at.searchsorted(step, side="right"))
                messages += number
                words += each * number
                if number < len(sent_at):
                    until = min(until, int(sent_at[number]) - 1 + items)
            # rows up to the next message or output differ only in their items
            timeline.pass_by(min(until, last), step, measured(output)[1], messages, words, due)

    def _count(self, direction: str, message: Message, sites: Integers) -> None:
        if direction == "up":
            self.ledger.count_many_up(message, len(sites))
            add_each(self._up, sites)
        else:
            self.ledger.count_broadcast(message, len(sites))
            self._down[sites] += 1

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


def add_each(counts: Any, sites: Any) -> None:
    """Add one to the count of each of these sites, for each occurrence."""
    if len(sites) * FEW < len(counts):
        np.add.at(counts, sites, 1)
    else:
        counts += np.bincount(sites, minlength=len(counts))
