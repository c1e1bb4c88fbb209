"""All sites of a protocol at once, as arrays: for streams that do not react to the outputs.

A fleet shares the rules of its protocol with the single sites: thresholds, coins and the server are
the same code, asked for an array instead of a number. It goes through a stretch of the stream at a time, which ends at
the latest where the server speaks.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from protocols.base import Message, Number, Server

Integers = npt.NDArray[np.int64]

CHUNK: Final = 2**20
"""Messages that a stretch aims for at most; with k sites it may hold a few times k more."""


class Stream(Protocol):
    """The stream so far as it is settled: which items come, by step or by a site's own count."""

    @property
    def k(self) -> int:
        """Number of sites."""
        ...

    def at(self, steps: Integers) -> Integers:
        """Return the site fed in each of these steps."""
        ...

    def counts(self, step: int) -> Integers:
        """Return the items of each site by the end of a step, since the game began."""
        ...

    def count(self, sites: Integers, steps: Integers) -> Integers:
        """Return the items of each of these sites by the end of its step."""
        ...

    def nth(self, sites: Integers, n: Integers) -> Integers:
        """Return the step of the n-th item of each of these sites, n counted since the game began."""
        ...


@dataclass
class MessageBatch:
    """Messages from the sites that are alike but for who sends them when, in the order of their steps.

    Attributes
    ----------
    message
        What each of them is, for the ledger.
    steps, sites
        When, and who.
    """

    message: Message
    steps: Integers
    sites: Integers


@dataclass
class Segment:
    """What happened up to step `end`.

    Attributes
    ----------
    end
        The last step that is settled.
    said
        What the sites said unasked, kind by kind.
    steps, outputs
        The steps after which the output may be a new one, in order, and what it then is.
    numerator, denominator
        The outputs are to be multiplied by this fraction, exactly.
    exchange
        What server and sites then said to each other in step `end`: (direction, message, receivers or senders).
    forwarded
        If not None, every item of the segment is sent as this message, and the output is exact at each step. `steps`
        and `outputs` then speak of step `end` only: what is listed stands at it in place of the exact output.
    """

    end: int
    said: list[MessageBatch] = field(default_factory=list)
    steps: Any = ()
    outputs: Any = ()
    numerator: int = 1
    denominator: int = 1
    exchange: list[tuple[str, Message, Sequence[int]]] = field(default_factory=list)
    forwarded: Message | None = None

    def stand(self, output: Number) -> None:
        """Let this output stand at step `end`, after whatever is listed already."""
        # what is empty is not appended to: it would make floats of whole numbers
        self.steps = np.append(self.steps, self.end) if len(self.steps) else np.array([self.end])
        self.outputs = np.append(self.outputs, output) if len(self.outputs) else np.array([output])


class BulkForm(ABC):
    """The sites and the server of a game, as arrays."""

    server: Server
    """The same server that single sites speak to."""

    @abstractmethod
    def advance(self, stream: Stream, now: int, until: int) -> Segment:
        """Go on from step `now`, at the longest to step `until`, and return what happened."""

    @property
    def output(self) -> Number:
        """The present output."""
        return self.server.output


def in_order(steps: Integers) -> tuple[Integers, Integers | slice]:
    """Return the steps sorted, and the order that sorts them.

    Steps of one stretch span far fewer than 2^40 steps, so step and place fit one 64-bit key: sorting those is
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
    """Return, for `numbers[i]` entries each, the i of every entry and its place 0, 1, … among those of its i."""
    owners = np.repeat(np.arange(len(numbers)), numbers)
    firsts = np.cumsum(numbers) - numbers
    return owners, np.arange(len(owners)) - firsts[owners]
