"""Adversaries that go over the sites and react to the outputs: attackers, one with few bits, and a service."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, cycle, repeat
from typing import ClassVar, Final, Literal

from disttrack.adversaries.base import Adversary, View, early, estimate
from disttrack.adversaries.machines import (
    BELOW,
    EARLY,
    GROWTH,
    LENGTH,
    NEAR,
    PATIENCE,
    PLACE,
    STAY,
    STORES,
    TARGET,
    TRIES,
    Machine,
    drain_burst,
    freeze_burst,
    machine,
    memory_burst,
    phase_burst,
    policy_burst,
)
from disttrack.adversaries.recorded import Text
from disttrack.adversaries.schedules import NEVER, Burst
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import FromOne, Natural, NotNegative, Positive, UpToOne, ZeroToOne

SHARES: Final = 100
"""Number of shares that `coin` gives to a site, on average."""


@dataclass
class Freeze(Scripted, Adversary):
    """Feeds a site until the output changes, then goes on to the next, in laps over the sites.

    If a site keeps state between its reports, each site is left right after a report, when the server's
    estimate for it is highest: the errors of the k sites add up instead of cancelling. A lap over all sites does
    most harm if it begins with few items while reports are rare; so it may wait between laps, and feed the last
    site in the meantime.

    Parameters
    ----------
    reach
        Share of the sites in a lap.
    growth
        Factor by which the output grows from the start of a lap to that of the next; 1 never waits.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items; c is the protocol's
        `confidence`, 3 if it has none, and alpha its accuracy, 0.1 if it has none.

    Source
    ------
    the attack on Huang, Yi, Zhang 2012 of Xiong, Zhu, Huang 2023, section 1.2.
    """

    kind: ClassVar[str] = "freeze"

    reach: UpToOne = 1.0
    growth: FromOne = 1.0
    begin: NotNegative = 0.0

    def script(self, view: View) -> Iterator[Burst]:
        for site in laps(view, self.reach, self.growth, self.begin):
            yield Burst(view.sites - 1 if site is None else site)

    def machine(self, view: View) -> Machine:
        return machine(freeze_burst, of_laps(view, self.reach, self.growth, self.begin))


@dataclass
class Drain(Scripted, Adversary):
    """Leaves each site just before its report: the counterpart of `freeze`, driving the error below.

    Stays on a site until patience · alpha · output / (c sqrt(k)) items have passed since the last change of the output
    (or since it came to the site), then goes on to the next, in laps. With patience 1
    this is about the number of items that a site of a sampling tracker gets between two reports.

    Parameters
    ----------
    patience
        Length of its wait for the output to change, in the unit above; c is the protocol's `confidence`, 3
        if it has none, and alpha its accuracy, 0.1 if it has none.
    tries
        Changes of the output after which it abandons a site; 0 for never.

    Source
    ------
    derived; the mirror image of the attack of Xiong, Zhu, Huang 2023, section 1.2.
    """

    kind: ClassVar[str] = "drain"

    patience: Positive = 1.0
    tries: Natural = 0

    def script(self, view: View) -> Iterator[Burst]:
        for site in cycle(range(view.sites)):
            for _ in repeat(None, self.tries or NEVER):
                changes = view.changes
                wait = self.patience * estimate(view) / early(view)
                yield Burst(site, max(1, math.ceil(wait)))
                if view.changes == changes:
                    break  # the wait has ended without a change

    def machine(self, view: View) -> Machine:
        return machine(drain_burst, {EARLY: early(view), PATIENCE: self.patience, TRIES: self.tries or NEVER})


@dataclass
class Policy(Scripted, Adversary):
    """Goes over the sites in laps; five numbers decide when it leaves a site and when a lap begins.

    The unit of `stay` and `patience` is alpha · output / (c sqrt(k)) items, about what a site of a sampling
    tracker gets between two reports; c is the protocol's `confidence`, 3 if it has none, and alpha its accuracy,
    0.1 if it has none. `freeze` and `drain` are members of the family, and so is a slow round-robin.

    Parameters
    ----------
    stay
        Additional length of its stay at a site after the output has changed, in units.
    patience
        Length of its wait at a site for the output to change, in units.
    reach
        Share of the sites in a lap.
    growth
        Factor by which the output grows from one lap to the next.
    begin
        Output at which the first lap begins, in units of c sqrt(k) / alpha items.

    Source
    ------
    derived; contains freeze (stay 0, great patience) and drain (stay = patience).
    """

    kind: ClassVar[str] = "policy"

    stay: NotNegative = 0.0
    patience: Positive = 8.0
    reach: UpToOne = 1.0
    growth: FromOne = 1.0
    begin: NotNegative = 0.0

    def script(self, view: View) -> Iterator[Burst]:
        for site in laps(view, self.reach, self.growth, self.begin):
            if site is None:
                yield Burst(view.sites - 1)
                continue
            changes = view.changes
            yield Burst(site, max(1, math.ceil(self.patience * _unit(view))))
            while view.changes != changes and (stay := math.floor(self.stay * _unit(view))):
                changes = view.changes
                yield Burst(site, stay)

    def machine(self, view: View) -> Machine:
        numbers = {STAY: self.stay, PATIENCE: self.patience, **of_laps(view, self.reach, self.growth, self.begin)}
        return machine(policy_burst, numbers)


@dataclass
class Coin(Scripted, Adversary):
    """Draws the next site at each change, but goes there only after a fixed number of items: a harmless control.

    The control of an experiment: adaptive in form, but not in effect. Whenever the output has changed it draws the next
    site uniformly, and goes there after max(1, items // (100 sites)) items on the present one, a length that no output
    influences. The draws are independent of everything that the protocol does, so the stream has exactly the
    distribution of bursts of constant length on sites drawn at random, and any guarantee against these holds against
    it. (Going there at the change itself would be no control: each site would be left right after its report, as by
    `freeze`.)

    Source
    ------
    the control of `freeze`.
    """

    kind: ClassVar[str] = "coin"

    def script(self, view: View) -> Iterator[Burst]:
        site = int(view.rng.integers(view.sites))
        while True:
            drawn, changes = None, view.changes
            share = max(1, view.items // (SHARES * view.sites))
            plan, until = Burst(site, share), view.steps + share
            while view.steps < until:
                yield plan
                if view.changes != changes:
                    drawn, changes = int(view.rng.integers(view.sites)), view.changes
            # a whole share without a change: nothing has been drawn yet
            site = int(view.rng.integers(view.sites)) if drawn is None else drawn


def laps(view: View, reach: float, growth: float, begin: float) -> Iterator[int | None]:
    """Yield the first sites in turn, lap after lap; None while items are to be stored at another site.

    The next value is asked for when the present site is done, and at each change while items are stored.

    Parameters
    ----------
    reach
        Share of the sites in a lap, above 0 and at most 1.
    growth
        Factor by which the output grows from the start of one lap to that of the next, at least 1. With 1
        laps follow immediately.
    begin
        Output at the start of the first lap, in units of c sqrt(k) / alpha items (see `early`); 0 for the start.
    """
    target = begin * early(view)
    while True:
        while (output := float(view.output)) < target:
            yield None
        target = output * growth if growth > 1 else 0.0
        yield from range(lap_of(view, reach))


def lap_of(view: View, reach: float) -> int:
    """Return the number of sites in a lap."""
    return max(1, round(reach * view.sites))


def of_laps(view: View, reach: float, growth: float, begin: float) -> dict[int, float]:
    """Return the same laps as numbers of a machine, which is at the end of a lap."""
    unit, length = early(view), lap_of(view, reach)
    return {EARLY: unit, LENGTH: length, PLACE: length, GROWTH: growth, TARGET: begin * unit}


def _unit(view: View) -> float:
    """Return alpha · output / (c sqrt(k))."""
    return max(0.0, estimate(view)) / early(view)


PRIME: Final = 2**31 - 1
FACTOR: Final = 48271
"""The hash of a block is ``block * FACTOR % PRIME % sites``: the multiplicative generator of Park and Miller, 1993."""


@dataclass
class Feedback(Scripted, Adversary):
    """Picks the site by the reported total alone, as ordinary services do.

    The total is cut into blocks, and the present block names the site that gets the items: a log that goes on to the
    next machine whenever `block` more items are reported, identifiers from a counter that are sharded by ranges, a key
    made of the total. It knows nothing of the tracker, and keeps no state. Yet its moves depend on the
    coins, and each site is left at a change of the output, that is right after a report, as `freeze` leaves it.

    Parameters
    ----------
    block
        Length of a block, in items of the reported total.
    growth
        Factor from the beginning of a block to that of the next, in place of `block`; 1 for blocks of equal length.
    choice
        ``rotate`` takes the block's number modulo the number of sites, ``hash`` the hash of its number.

    Source
    ------
    derived, from the remark of Xiong, Zhu, Huang 2023, section 1, that a stream may depend on the outputs
    unintentionally.

    Examples
    --------
    >>> from disttrack import Randomized, play
    >>> loops = Feedback(block=100), Feedback(block=10_000)  # a lap over the sites: 25,600 items, 2,560,000
    >>> [play(Randomized(alpha=0.1), loop, sites=256, items=200_000, seed=1).verdict for loop in loops]
    ['failed', 'ok']
    """

    kind: ClassVar[str] = "feedback"

    block: Positive = 100.0
    growth: FromOne = 1.0
    choice: Literal["rotate", "hash"] = "rotate"

    def script(self, view: View) -> Iterator[Burst]:
        while True:
            number = self.number(estimate(view))
            yield Burst((number * FACTOR % PRIME if self.choice == "hash" else number) % view.sites)

    def number(self, total: float) -> int:
        """Return the number of the block that a reported total lies in."""
        if self.growth > 1:
            return math.floor(math.log(max(1.0, total)) / math.log(self.growth))
        return math.floor(total / self.block)


Side = Literal["above", "below"]


@dataclass
class Phase(Scripted, Adversary):
    """Predicts the next release from earlier ones, and feeds a suitable site at that time.

    The robust tracker changes its output once per phase, and a release shows that the last site has just
    signalled. Phases are about equally long, so the next release can be predicted. In the first part of a phase it
    feeds the last sites. In the second part it feeds, to err ``above``, a site that has not yet been caught in this
    round, and leaves it permanently once it is; to err ``below``, one that has been caught, whose block still takes
    items without a signal while the output lags behind anyway.

    Parameters
    ----------
    near
        Share of a phase that it lets pass first, from 0 to 1.
    side
        above or below.

    Source
    ------
    derived; aims at the leaked set of Xiong, Zhu, Huang 2023, section 4.
    """

    kind: ClassVar[str] = "phase"

    near: ZeroToOne = 0.5
    side: Side = "above"

    def script(self, view: View) -> Iterator[Burst]:
        caught: list[int] = []
        length = 0.0
        while True:
            target, begun, changes = None, view.sent, view.changes
            while view.changes == changes:
                quiet = int(self.near * length) - (view.sent - begun)
                if quiet > 0:
                    yield Burst(view.sites - 1 - changes % min(STORES, view.sites), quiet)
                else:
                    target = self._target(view, caught)
                    yield Burst(target)
            passed = view.sent - begun
            # a moving mean: phases grow with the count, from round to round
            length = passed if not length else 0.7 * length + 0.3 * passed
            if view.output == view.start + view.sent:
                caught.clear()  # the output is exact: a new round
            elif target is not None and target not in caught[-view.sites :]:
                caught.append(target)

    def machine(self, view: View) -> Machine:
        return machine(phase_burst, {NEAR: self.near, BELOW: self.side == "below"}, [0.0] * (2 * view.sites))

    def _target(self, view: View, caught: list[int]) -> int:
        """Return the site to feed in the second part of a phase."""
        if self.side == "below" and caught:
            return caught[view.changes % len(caught)]
        return len(caught) % view.sites if self.side == "above" else view.changes % view.sites


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
