"""The adversary with few bits of memory: a machine of 2^memory states that feeds one site in each of them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.known import early, estimate
from disttrack.adversaries.machines import EARLY, PATIENCE, Machine, machine, memory_burst
from disttrack.adversaries.recorded import Text
from disttrack.adversaries.schedules import NEVER, Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Natural, Positive

Rows = Sequence[tuple[int, int]]
"""Of each state, the next one after a change of the output, and the next one after a wait without a change."""
MIXER = 0x9E3779B97F4A7C15
"""Odd, near 2^64 over the golden ratio: products with it are spread evenly."""


@dataclass
class BoundedMemory(Scripted, Adversary):
    """Keeps `memory` bits between two events, so that it distinguishes at most 2^memory sites.

    A machine with a table: its state names the site that it feeds until the output changes, or until a wait has
    ended without a change; the table then gives the next state. The length of a wait is patience · alpha · output /
    (c sqrt(k)) items, as for `drain`. Two things cost no memory: the clock of a wait, and the output that its length
    depends on.

    With ``reads: output`` the present output chooses the site too, by a hash of output and state. The paper's
    adversary without memory does so: it sees the last output, and moves as a function of it.

    Parameters
    ----------
    memory
        Bits of memory; None for unlimited, a state for each site.
    table
        ``freeze`` goes to the next state after each change of the output, ``drain`` after each wait, both from the
        last state to the first. Or a row per state, such as ``1/0-0/1``: the next state after a change, a slash, that
        after a wait.
    patience
        Length of a wait, in the unit above.
    reads
        Whether it knows of ``changes`` only, or of the ``output`` itself.

    Source
    ------
    after the model of Ben-Eliezer, Onak, Silwal 2025 (arXiv 2511.01769); the machine is derived.

    Examples
    --------
    >>> from disttrack import Randomized, play
    >>> tracker = Randomized(alpha=0.1, confidence=1.0)  # 2^memory must exceed c sqrt(k) = 8
    >>> [play(tracker, BoundedMemory(memory), sites=64, items=50_000, seed=1).verdict for memory in (1, 3, 5)]
    ['ok', 'ok', 'failed']
    """

    kind: ClassVar[str] = "bounded-memory"

    memory: Natural | None = 0
    table: Text = "freeze"
    patience: Positive = 1.0
    reads: Literal["changes", "output"] = "changes"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.table not in ("freeze", "drain"):
            rows = rows_of(self.table)
            if self.memory is not None and (len(rows) - 1).bit_length() > self.memory:
                raise ValueError(f"table must have at most 2^memory rows, with memory = {self.memory}; got {len(rows)}")

    def script(self, view: View) -> Iterator[Burst]:
        rows, state = self._rows(view.sites), 0
        while True:
            after_change, after_wait = rows[state]
            changes, site = view.changes, state
            if self.reads == "output":
                site = hash((float(view.output), state)) * MIXER % 2**64 >> 32
            wait = max(1, math.ceil(self.patience * estimate(view) / early(view)))
            yield Burst(site % view.sites, NEVER if after_wait == state else wait)
            state = after_change if view.changes != changes else after_wait

    def machine(self, view: View) -> Machine | None:
        if self.reads == "output":
            return None
        numbers = {EARLY: early(view), PATIENCE: self.patience}
        return machine(memory_burst, numbers, list(chain(*self._rows(view.sites))))

    def _rows(self, sites: int) -> Rows:
        if self.table in ("freeze", "drain"):
            return named(self.table, told_apart(self.memory, sites))
        return rows_of(self.table)


def told_apart(memory: int | None, sites: int) -> int:
    """Return how many of the sites an adversary with this memory can tell apart."""
    return sites if memory is None or memory >= sites.bit_length() else min(2**memory, sites)


def named(table: str, states: int) -> Rows:
    """Return the rows of ``freeze`` or of ``drain`` with this number of states."""
    rows = [((state + 1) % states, state) for state in range(states)]
    return rows if table == "freeze" else [(after_wait, after_change) for after_change, after_wait in rows]


def rows_of(text: str) -> Rows:
    """Return the rows of a table; ValueError if it is malformed."""
    rows = [
        (int(row[1]), int(row[2])) for row in map(re.compile(r"(\d{1,9})/(\d{1,9})").fullmatch, text.split("-")) if row
    ]
    if len(rows) < text.count("-") + 1 or max(map(max, rows)) >= len(rows):
        raise ValueError(
            f"table must be freeze, drain, or a row a/b per state, joined by -, of numbers of states; got {text!r}"
        )
    return rows


def text_of(rows: Rows) -> str:
    """Return the text of a table."""
    return "-".join(f"{after_change}/{after_wait}" for after_change, after_wait in rows)
