"""The rows of a recorded stream as numbers, in a temporary file: what is in memory does not grow with them."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile
from typing import IO, Any, Final, NamedTuple

import numpy as np

from disttrack.adversaries.schedules import NEVER, Integers, Labels, Runs, Schedule

LABEL, COUNT, MOMENT, COST = "label", "count", "moment", "cost"
"""What a row may have: the number of its site, or the hash or number by which it is dealt; how many events it stands
for, 1 if left out; the step of its own time, from 0; and the cost of each event."""
PART: Final = 2**20
"""Rows that are read at once."""
MOST: Final = 10**12
"""The largest count or cost of a row, with which sums over a block fit into 64 bits."""


class Block(NamedTuple):
    """Rows that were written together.

    Attributes
    ----------
    first, end
        The numbers of the first row, and of the one after the last.
    moment, before
        The step of the last row before it, and the events of that step.
    events
        The events of all rows before it.
    """

    first: int
    end: int
    moment: int
    before: int
    events: int


class Rows:
    """Columns of whole numbers in a temporary file each, in blocks, in the order in which they are played.

    Parameters
    ----------
    columns
        The columns that are there.

    Attributes
    ----------
    length, events
        The number of rows, and of the events that they stand for.
    pace
        The most events of one step of their own time: each of these is as many steps of a game.
    pause
        The most steps of their own time from a row to the next one, and the number of that one, from 0.
    in_order
        Whether the rows came in the order in which they are played: others were in memory to be sorted.
    blocks
        Where the blocks begin.
    """

    def __init__(self, columns: Sequence[str]) -> None:
        self._files: dict[str, IO[bytes]] = {}
        for name in columns:
            self._files[name] = TemporaryFile()  # noqa: SIM115  # closed, and gone, with this object
        self.length = self.events = 0
        self.pace = 1
        self.pause = (0, 0)
        self.in_order = True
        self.blocks: list[Block] = []
        self._moment = self._before = 0

    def add(self, columns: Mapping[str, Integers]) -> None:
        """Write rows, which are in order; ValueError if they have too many events or steps."""
        for name, values in columns.items():
            self._files[name].write(np.ascontiguousarray(values, np.int64).tobytes())
        rows = len(columns[LABEL])
        if not rows:
            return
        self.blocks.append(Block(self.length, self.length + rows, self._moment, self._before, self.events))
        offsets, counts = _offsets(columns, rows, self._moment, self._before)
        self.length += rows
        self.events += int(counts.sum())
        if MOMENT in columns:
            self.pace = max(self.pace, int((offsets + counts).max()))
            gaps = np.diff(columns[MOMENT], prepend=self._moment)
            longest = int(gaps.argmax())
            self.pause = max(self.pause, (int(gaps[longest]), self.length - rows + longest), key=lambda one: one[0])
            self._moment = int(columns[MOMENT][-1])
        self._before = int(offsets[-1] + counts[-1])
        if self.events > NEVER or self.steps > NEVER:
            size = f"{self.events:,} events in {self.steps:,} steps"
            raise ValueError(f"its rows stand for {size}; at most 2^62 are played")

    def end(self) -> None:
        """Have all rows that were written read from now on."""
        for file in self._files.values():
            file.flush()

    @property
    def has(self) -> frozenset[str]:
        """The columns that are there."""
        return frozenset(self._files)

    @property
    def steps(self) -> int:
        """The steps of a game that plays all rows, up to its last event."""
        return self._moment * self.pace + self._before

    def column(self, name: str, first: int = 0, end: int | None = None) -> Integers:
        """Return a column of some rows."""
        values: Integers = np.empty((self.length if end is None else end) - first, np.int64)
        for begin in range(0, len(values), PART):
            some = values[begin : begin + PART]
            # by its place, as processes of one parent share the file's own
            read = os.pread(self._files[name].fileno(), 8 * len(some), 8 * (first + begin))
            some[:] = np.frombuffer(read, np.int64)
        return values

    def read(self, block: Block) -> dict[str, Integers]:
        """Return the columns of a block."""
        return {name: self.column(name, block.first, block.end) for name in self._files}

    def begins(self, block: Block) -> int:
        """Return the steps of a game before a block is played."""
        return block.moment * self.pace + block.before

    def plan(self, steps: int, sites: int, deal: str | None) -> Schedule | None:
        """Return the plan of the block that begins after these steps; None after the last.

        Parameters
        ----------
        sites
            Sites of the game, among which rows are dealt.
        deal
            How; None if labels are numbers of sites.
        """
        if steps >= self.steps:
            return None
        block = self.blocks[bisect_right(self.blocks, steps, key=self.begins) - 1]
        columns = self.read(block)
        labels = columns[LABEL] % sites if deal else columns[LABEL]
        if not {MOMENT, COUNT} & self.has:
            return Labels(labels[steps - self.begins(block) :], sites)
        starts, counts = self._spans(columns, block)
        ends = starts + counts
        gaps = np.maximum(starts, steps) - np.maximum(np.concatenate(([steps], ends[:-1])), steps)
        lengths = np.column_stack((gaps, ends - np.maximum(starts, steps))).ravel()
        fed = np.column_stack((np.full(len(labels), -1), labels)).ravel()
        left = lengths > 0
        return Runs(fed[left], lengths[left])

    def _spans(self, columns: Mapping[str, Integers], block: Block) -> tuple[Integers, Integers]:
        """Return the steps before the rows of a block, and the events of each."""
        offsets, counts = _offsets(columns, block.end - block.first, block.moment, block.before)
        return columns.get(MOMENT, 0) * self.pace + offsets, counts


def _offsets(columns: Mapping[str, Integers], rows: int, moment: int, before: int) -> tuple[Integers, Any]:
    """Return how many events of its step come before each row, and how many each row stands for."""
    counts = columns.get(COUNT, np.ones(rows, np.int64))
    sums = np.cumsum(counts) - counts
    if MOMENT not in columns:
        return sums + before, counts
    moments = columns[MOMENT]
    begun = moments == moment
    offsets = sums - sums[moments.searchsorted(moments)]
    return offsets + np.where(begun, before, 0), counts
