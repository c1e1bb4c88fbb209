"""The bulk form of a protocol: all sites at once, as arrays.

It shares the rules of its protocol with the single sites: thresholds, coins and the server are the same code, called
for an array instead of a number. The engine `bulk` lets it `advance` through the stream, one segment at a time, and
takes the messages and the outputs from each `Segment`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from disttrack.protocols.sites import Message, Number, Server

Integers = npt.NDArray[np.int64]

CHUNK: Final = 2**20
"""Approximate maximum number of messages per segment; with k sites it may hold a few times k more."""


class Stream(Protocol):
    """The stream that a bulk form receives: one item per step, from step 1 on.

    It answers for any step up to the `until` passed to `advance`, and for arrays as well as single numbers.
    Counts do not include what the sites held at the start.
    """

    @property
    def k(self) -> int:
        """Number of sites."""
        ...

    def at(self, steps: Integers) -> Integers:
        """Return the site that receives the item of each of these steps, which must belong to the present plan."""
        ...

    def counts(self, step: int) -> Integers:
        """Return the items of each of the k sites by the end of a step, since the game began."""
        ...

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step, since the game began."""
        ...

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites, n from 1 and counted since the game began."""
        ...


@dataclass(slots=True)
class MessageBatch:
    """Messages of one kind from sites to the server, in the order of their steps.

    Attributes
    ----------
    message
        Kind, words, and whether it carries a value (None: one bit), for the ledger.
    steps, sites
        For each message, the step in which it is sent and the site that sends it. Steps do not decrease.
    """

    message: Message
    steps: Integers
    sites: Integers


class Exchange(NamedTuple):
    """One message between the server and many sites in the last step of a segment.

    Parameters
    ----------
    direction
        down: the server broadcasts it; up: sites send it.
    message
        Kind and words, for the ledger.
    sites
        The sites that receive it, or that send it, in this order.
    """

    direction: Literal["up", "down"]
    message: Message
    sites: Sequence[int]


@dataclass(slots=True)
class Segment:
    """What happened in the steps after the last segment, up to step `end`.

    Attributes
    ----------
    end
        Last step of the segment.
    batches
        Messages that sites sent on receiving an item. Within one step, an earlier batch was sent first.
    steps, outputs
        The steps after which the output may change, in order, and the output from then on. Where a step is listed more
        than once, the last output holds; an output equal to the one before is no change.
    scale
        Numerator and denominator of a fraction by which each of the (whole) outputs is to be multiplied, exactly.
    exchange
        Messages between the server and the sites after that, in step `end`, in this order: broadcasts and answers.
    forwarded
        If not None, every item of the segment is sent as this message, and the output is exact at each step. `steps`
        and `outputs` then refer to step `end` only, where they replace the exact output.
    """

    end: int
    batches: list[MessageBatch] = field(default_factory=list)
    steps: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    outputs: npt.NDArray[Any] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    scale: tuple[int, int] = (1, 1)
    exchange: list[Exchange] = field(default_factory=list)
    forwarded: Message | None = None

    def stand(self, output: Number) -> None:
        """Set the output at the end of step `end`, after any outputs listed already."""
        # empty arrays are not appended to: that would turn whole numbers into floats
        self.steps = np.append(self.steps, self.end) if len(self.steps) else np.array([self.end])
        self.outputs = np.append(self.outputs, output) if len(self.outputs) else np.array([output])


class BulkForm(ABC):
    """The sites and the server of one game, as arrays. `Protocol.bulk_form` makes a new one for each game.

    It must play the game of the single sites: the same messages and outputs where nothing is random, and otherwise a
    game of the same distribution, from the first item on, wherever segments end. `check_bulk_form`
    of `simulator.workshop.conformance` compares the two.
    """

    server: Server
    """The server that single sites would send to; after `advance` its output and rounds are those of step `end`."""
    counts_sites: bool = True
    """Whether it asks the stream for the items of single sites. If not, they need not be counted."""

    @abstractmethod
    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        """Play the steps after `now`, up to `until` at most, and return what happened.

        The segment must end after `now`, and no later than the step in which the server sends a message, because that
        message changes what the sites do. It may end earlier, to keep arrays small (`CHUNK`); the engine then calls
        `advance` again with `now` at that step. Coins that have been tossed must not be tossed again.

        Parameters
        ----------
        stream
            The site of each step.
        now
            Last step played, 0 at first.
        until
            Last step for which the stream is fixed: the end of the adversary's plan, or of the game.
        """


def in_order(steps: Integers) -> tuple[Integers, Integers | slice]:
    """Return the steps sorted, and the order that sorts them.

    Steps of one segment span far fewer than 2^40 steps, so step and place fit one 64-bit key: sorting those is
    several times faster than numpy's argsort.
    """
    if len(steps) < 2 or bool((steps[1:] >= steps[:-1]).all()):
        return steps, slice(None)
    least = int(steps.min())
    bits = len(steps).bit_length()
    if (int(steps.max()) - least).bit_length() + bits > 62:
        order = np.argsort(steps, kind="stable")
        return steps[order], order
    keys = steps - least
    keys <<= bits
    keys |= np.arange(len(steps))
    keys.sort()
    order = keys & ((1 << bits) - 1)
    keys >>= bits
    keys += least
    return keys, order


def repeated(numbers: Integers) -> tuple[Integers, Integers]:
    """Return, for `numbers[i]` entries each, the i of every entry and its position 0, 1, … within that i."""
    owners = np.repeat(np.arange(len(numbers)), numbers)
    firsts = np.cumsum(numbers) - numbers
    return owners, np.arange(len(owners)) - firsts[owners]
