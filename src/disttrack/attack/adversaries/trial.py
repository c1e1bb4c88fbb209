"""The attacker that parks groups of sites, and keeps the groups that the robust tracker's phases show to be good."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Final

from disttrack.adversaries.adaptive import Side
from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Burst, Runs, Schedule
from disttrack.mechanisms.checks import Natural, NotNegative, Share
from disttrack.mechanisms.rules import size_within

AT_ONCE: Final = 8
"""Number of sites that one plan parks; a longer plan would seldom be played to its end."""
SPENT: Final = 0.85
"""Share of the phases of a round in which quiet parking is to be done with all sites, on average."""
SURE: Final = 1e-9
"""Relative difference of two outputs up to which they count as equal: rounding."""


@dataclass
class Trial(Adversary):
    """Parks sites within a block, infers from the phases how many of them have signalled, and parks the bad ones again.

    A phase of the robust tracker ends after a noisy number of signals. One site, the store, is fed whole blocks: it
    sends one signal per block, which leaves room in the phase for signals of the sites that it parks. The length of the
    phase and the step of the estimate then determine how many of these have signalled. It keeps them at their places if
    they err to its side, and else feeds them to the end of their block, where nothing is wrong, and parks them again.
    Because of noise this number is estimated; if the first outputs show no noise, it is exact.

    Quiet parking (group 0) leaves room for one signal. To err ``below``, it parks site after site while the output is
    constant: without noise none of them has signalled, and k sites can be left at up to L / (L + k) of their blocks. To
    err ``above``, it feeds a site until the output changes: that site has just signalled, with or without noise.
    Against protocols without phases it goes on to the next site whenever the output changes.

    Parameters
    ----------
    side
        above or below.
    group
        Sites parked per phase; 0 for quiet parking.
    depth
        Share of a block, above 0 and below 1, to which it feeds a parked site; for above and quiet: the largest
        share at which it leaves one. None: half a block, and for quiet parking below 0.85 L / (0.85 L + k), for which
        most of L phases suffice.
    margin
        It keeps a group that errs to its side by at least this multiple of the root of the number of its sites.

    Source
    ------
    derived; what the noise of Xiong, Zhu, Huang 2023, Algorithm 2, is there to hide.
    """

    kind: ClassVar[str] = "trial"

    side: Side = "below"
    group: Natural = 0
    depth: Share | None = None
    margin: NotNegative = 0.0
    _round: _Round | None = field(default=None, init=False, repr=False, compare=False)
    _rounds: int = field(default=0, init=False, repr=False, compare=False)

    def plan(self, view: View) -> Schedule:
        constants = view.known.get("constants")
        if constants is None or view.sites < 2:
            return Burst(view.changes % view.sites)
        if self._round is not None:
            self._round.take(view)
        of, count, alpha = constants(self._rounds + 1), view.start + view.sent, float(view.known["alpha"])
        allowed, size = alpha * count, size_within(alpha, count, of.divisor)
        if of.ahead and self._round is not None:
            # computed from an estimate of the count: if a round begins now, its first output reveals the estimate
            size = max(1, round((allowed - (float(view.output) - count)) / (of.divisor - of.shift)))
        of = of.fitted(allowed / size) if size else of
        if self._round is None or self._round.over(view, count + size * of.shift):
            if not size:
                self._round = None
                return Burst(view.sites - 1)  # every item is forwarded
            self._round = _Round(self, view, of, size)
            self._rounds += 1
        return self._round.plan()


class Role(Enum):
    """Purpose of a burst."""

    FINISH = "to the end of a block, where nothing is wrong"
    WHOLE = "a whole block, which sends one signal"
    PARK = "up to the depth"


class _Round:
    """A round: the items fed, the sites parked, and the contents of the present phase.

    Attributes
    ----------
    size
        Items of a block.
    exact
        Whether every estimate so far rose by a whole phase: then there is no noise.
    free, finish
        Sites at the end of a block; sites that must be brought there.
    owed
        Expected number of signals of the sites in `finish` until then.
    parked, whole
        In this phase: the sites parked, and the blocks fed whole.
    """

    def __init__(self, trial: Trial, view: View, of: Any, size: int) -> None:
        self.above, self.margin, self.group = trial.side == "above", trial.margin, trial.group
        self.of, self.size = of, size
        self.length = max(1, math.ceil(of.phase_length))
        share = trial.depth
        if share is None:
            share = 0.5 if self.group or self.above else SPENT * of.phases / (SPENT * of.phases + view.sites)
        self.depth = min(max(1, round(share * size)), max(1, size - 1))
        room = round(self.group * self.depth / size)
        self.goal = max(0, self.length - max(1, room))
        self.exact, self.phases = True, 0
        self.guess = _Guess(of.phase_length, of.threshold_scale)
        self.output, self.changes, self.sent = float(view.output), view.changes, view.sent
        self.store = view.sites - 1
        self.fed = [0] * view.sites
        self.free, self.finish = deque(range(view.sites - 1)), deque[int]()
        self.owed = 0.0
        self.runs: list[tuple[int, int, Role]] = []
        self._begin_phase()

    def _begin_phase(self) -> None:
        self.parked: list[int] = []
        self.whole = 0
        self.fill = max(0, round(self.goal - self.owed))

    # ------------------------------------------------------------------ effects of the plan

    def take(self, view: View) -> None:
        """Record the items sent since the last request, and the end of a phase."""
        passed, self.sent = view.sent - self.sent, view.sent
        moved, self.changes = view.changes != self.changes, view.changes
        runs, self.runs = deque(self.runs), []
        while passed:
            site, items, role = runs.popleft()
            some = min(items, passed)
            passed -= some
            self.fed[site] += some
            if moved and not passed:
                self._phase_over(view, site, role)
            else:
                self._done(site, role)
        # sites that were not reached are as free as before
        self.free.extendleft(site for site, _, role in reversed(runs) if role is not Role.FINISH and site != self.store)

    def _done(self, site: int, role: Role) -> None:
        """Record that a site has had its items, and the output was constant."""
        if role is Role.FINISH:
            self.finish.popleft()
        elif role is Role.WHOLE:
            self.whole += 1
        if role is Role.PARK:
            self.parked.append(site)
        elif site != self.store:
            self.free.append(site)

    def _phase_over(self, view: View, caught: int, role: Role) -> None:
        """Handle a change of the output with an item to this site: judge the sites that were parked, and this one."""
        step, self.output = (float(view.output) - self.output) / self.size, float(view.output)
        self.phases += 1
        self.exact = self.exact and abs(step - self.length) <= SURE * (1 + abs(self.output) / self.size)
        bits = float(self.length) if self.exact else self.guess.bits(step)
        place = self.fed[caught] % self.size
        if role is Role.FINISH:
            self.owed = max(0.0, self.owed - bits)
            if not place:
                self._done(caught, role)
        else:
            self._judge(bits - self.owed - self.whole - 1)
            if not place:
                self.free.extend([caught] * (caught != self.store))
            elif caught == self.store or not self.above or place > self.depth:
                self.finish.append(caught)
        self._begin_phase()

    def _judge(self, signals: float) -> None:
        """Keep the group if the signals attributed to it err to the right side, else finish its blocks."""
        size, share = len(self.parked), self.depth / self.size
        expected, variance = size * share, size * share * (1 - share)
        if not self.exact:
            signals = expected + (signals - expected) * variance / (variance + self.guess.variance)
        signals = min(max(signals, 0.0), float(size))
        self.owed = 0.0
        if (signals - expected) * (1 if self.above else -1) < self.margin * math.sqrt(size):
            self.finish.extend(self.parked)
            self.owed = size - signals

    def over(self, view: View, first: float) -> bool:
        """Return whether a new round has begun, given its first output.

        Without noise an estimate may happen to be the same number; then the phases are counted.
        """
        if self.exact and self.phases < self.of.phases:
            return False
        return abs(float(view.output) - first) <= SURE * abs(first)

    # ------------------------------------------------------------------ the next plan

    def plan(self) -> Schedule:
        """Return the bursts up to the end of the phase, or to the next decision."""
        size = self.size
        self.runs = [(site, size - self.fed[site] % size, Role.FINISH) for site in self.finish]
        self.runs += [(self.store, size, Role.WHOLE)] * (self.fill - self.whole)
        quiet_above = self.above and not self.group
        room = self.group - len(self.parked) if self.group else AT_ONCE
        for _ in range(min(AT_ONCE, room, len(self.free))):
            site = self.free.popleft()
            self.runs.append((site, size, Role.WHOLE) if quiet_above else (site, self.depth, Role.PARK))
        if not self.runs:
            self.runs = [(self.store, size, Role.WHOLE)] * AT_ONCE
        return Runs([site for site, _, _ in self.runs], [items for _, items, _ in self.runs])


class _Guess:
    """The bits of a phase, from the distribution of its length and from the step of the estimate, which has noise too.

    Attributes
    ----------
    variance
        Remaining variance of the bits when both are known.
    """

    def __init__(self, length: float, scale: float) -> None:
        self.mean = length + scale / 2 * math.exp(-length / scale)  # of max(0, length + Laplace noise)
        self.prior = 2 * scale**2
        self._squares, self._steps = 0.0, 0
        self.variance = self.prior

    def bits(self, step: float) -> float:
        """Return the expected bits of a phase, if the estimate rose by `step` at its end."""
        self._squares += (step - self.mean) ** 2
        self._steps += 1
        noise = max(self._squares / self._steps - self.prior, 1.0)
        self.variance = 1 / (1 / self.prior + 1 / noise)
        return self.variance * (self.mean / self.prior + step / noise)
