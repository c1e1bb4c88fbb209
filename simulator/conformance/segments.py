"""What each segment of a bulk form must be, whatever it plays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Protocol, even_start
from disttrack.protocols.bulk import BulkForm, Integers, MessageBatch, Segment, Signals
from disttrack.simulator.conformance.failure import Checks, require

LENGTHS: Final = (1, 2, 61)
"""Steps that a bulk form is given at a time, beside all of them at once."""


class ListedStream:
    """A stream that is a list: each question is answered by going through it.

    Parameters
    ----------
    labels
        The site of each step.
    k
        Number of sites.
    """

    def __init__(self, labels: Integers, k: int) -> None:
        self._labels = labels
        self._k = k

    @property
    def k(self) -> int:
        """Number of sites."""
        return self._k

    def at(self, steps: Integers) -> Integers:
        """Return the site fed in each of these steps."""
        sites: Integers = self._labels[steps - 1]
        return sites

    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step."""
        return np.bincount(self._labels[:step], minlength=self._k).astype(np.int64)

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step."""
        return np.array([np.count_nonzero(self._labels[:s] == i) for i, s in zip(sites, steps, strict=True)], dtype=int)

    @property
    def fed(self) -> Integers:
        """The sites that are fed at all."""
        return np.unique(self._labels).astype(np.int64)

    @property
    def only(self) -> None:
        """The list is no burst."""
        return

    def received(self, site: int, step: int) -> int:
        """Return the items of one site by the end of a step."""
        return int(np.count_nonzero(self._labels[:step] == site))

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites, beyond the list where there is none."""
        own = [np.flatnonzero(self._labels == site) for site in range(self._k)]
        beyond = len(self._labels) + 1
        return np.array(
            [own[i][m - 1] + 1 if m <= len(own[i]) else beyond for i, m in zip(sites, n, strict=True)], dtype=int
        )


MEND: Final = "follow protocols.bulk in each segment, or leave bulk_form out: the game is then played by leap"


def segments_are_well_formed(protocol: Protocol, sites: Sequence[int], items: int) -> Checks:
    """Each segment ends where it may, and its messages and outputs lie within it, in order, at sites that were fed."""
    for k in sites:
        labels = np.random.default_rng(k).integers(k, size=min(items, 400))
        for start in (0, 1000):
            for length in (*LENGTHS, len(labels)):
                form = _made(protocol, k, start)
                _go_through(form, ListedStream(labels, k), len(labels), length)
                yield None
            if protocol.reacting_bulk != "none":
                form = _made(protocol, k, start)
                _go_by_changes(form, ListedStream(labels, k), len(labels))
                yield None


def _made(protocol: Protocol, k: int, start: int) -> BulkForm:
    begun = (even_start(start, k),) if start else ()
    form = protocol.bulk_form(k, np.random.default_rng(1), np.random.default_rng(2), *begun)
    require(isinstance(form, BulkForm), f"has no bulk form: bulk_form() is {form!r}, not a BulkForm", MEND)
    assert form is not None
    plays = type(form).until_change is not BulkForm.until_change
    what = "says that its bulk form plays streams that react, but it has no until_change"
    require(plays or protocol.reacting_bulk == "none", what, MEND)
    output = protocol.server(k, np.random.default_rng(2), *begun).output
    require(form.output == output, f"its bulk form begins with output {form.output}, its server with {output}", MEND)
    return form


def _go_through(form: BulkForm, stream: ListedStream, items: int, length: int) -> None:
    now = 0
    while now < items:
        until = min(items, now - now % length + length)
        segment = form.advance(stream, now, until)
        where = f"in the segment after step {now}, up to {until} at most,"
        require(now < segment.end <= until, f"{where} advance() ends at step {segment.end}", MEND)
        _check_messages(segment, stream, now, where)
        steps = np.asarray(segment.steps)
        first = segment.end if segment.forwarded is not None else now + 1
        _check_steps(steps, first, segment.end, f"{where} outputs")
        require(len(steps) == len(segment.outputs), f"{where} steps and outputs are not equally many", MEND)
        if len(steps):
            numerator, denominator = segment.scale
            listed = segment.outputs[-1] * numerator / denominator
            require(listed == float(form.output), f"{where} output {listed} is listed, {form.output} stands", MEND)
        now = segment.end


def _go_by_changes(form: BulkForm, stream: ListedStream, items: int) -> None:
    """Go through the stream as if it reacted: the output must stand still up to the end of each segment."""
    now = 0
    while now < items:
        output, change = form.output, form.until_change(stream, now, items)
        where = f"after step {now}, up to {items} at most, until_change()"
        if change is None:
            require(form.output == output, f"{where} says that nothing happens, but the output changes", MEND)
            return
        require(now < change.end <= items, f"{where} ends at step {change.end}", MEND)
        if isinstance(change, Signals):
            steps = np.array(change.steps, dtype=np.int64)
            segment = Segment(change.end, [MessageBatch(change.message, steps, np.full(len(steps), change.site))])
            if change.output is not None:
                segment.stand(change.output)
        else:
            segment = change
        _check_messages(segment, stream, now, where)
        _check_steps(np.asarray(segment.steps), change.end, change.end, f"{where} changes the output: its steps")
        if len(segment.outputs):
            output = segment.outputs[-1] * segment.scale[0] / segment.scale[1]
        if len(segment.outputs) or segment.forwarded is None:
            same = float(output) == float(form.output)
            require(same, f"{where} leaves or lists {output}, {form.output} stands", MEND)
        now = change.end


def _check_messages(segment: Segment, stream: ListedStream, now: int, where: str) -> None:
    for batch in segment.batches:
        kind = batch.message.kind
        steps, senders = np.asarray(batch.steps), np.asarray(batch.sites)
        _check_steps(steps, now + 1, segment.end, f"{where} messages {kind!r}")
        require(len(steps) == len(senders), f"{where} messages {kind!r} have not a site for each step", MEND)
        fed = not len(steps) or bool((stream.at(steps) == senders).all())
        require(fed, f"{where} a site sends {kind!r} in a step in which another was fed", MEND)
    for exchange in segment.exchange:
        numbers = np.asarray(exchange.sites, dtype=np.int64)
        right = exchange.direction in ("up", "down") and bool(((numbers >= 0) & (numbers < stream.k)).all())
        require(right, f"{where} {exchange.message.kind!r} goes {exchange.direction!r} to or from no site", MEND)


def _check_steps(steps: Any, first: int, last: int, what: str) -> None:
    within = not len(steps) or (first <= int(steps[0]) and int(steps[-1]) <= last and bool((np.diff(steps) >= 0).all()))
    require(within, f"{what} are not in order from step {first} to {last}", MEND)
