"""How long games take, told by short ones: what a bound says is corrected by what games of its kind were seen to take.

Of each kind of game (task, protocol, adversary, engine) some are played with sizes made so small that they take some
hundredths of a second at most. Bounds of messages are far above what is sent for some protocols, messages of one
protocol take longer than those of another, and arrays are the faster the longer they are: all of this is in how their
time grows with what was told for them (`simulator.runs.growth`). Games of one kind differ by parameters that no bound
knows of, so every *variant* of a kind (its parameters, and sizes that cannot be made smaller) has short games of its
own as long as there is time, and grows as its kind does. A class of the user's is not played: nobody knows what it
does.
"""

from __future__ import annotations

import math
import statistics
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Final

from simulator.errors import ScenarioError
from simulator.points.point import Point, canonical
from simulator.runs.growth import DECADE, Growth, growth_of
from simulator.tasks.sizes import COLUMNS

PATIENCE: Final = 3.0
"""A short game that takes more seconds is not played twice."""
KINDS: Final = 4.0
"""Seconds for the short games of one variant of each kind, together."""
VARIANTS: Final = 1.0
"""Seconds for the short games of all other variants together."""
LEAST: Final = 1e-4
"""Seconds that any short game is reckoned with: there is an end to how many are tried."""
BEGIN: Final = 0.005
"""The first short game is told to take so many seconds at most."""
ENOUGH: Final = 0.1
"""A game that takes so many seconds is long enough to tell the rest by."""
GUARD: Final = 1.0
"""No short game is expected to take more seconds."""
SHRINKS: Final = tuple(2**power for power in range(62, -1, -1))
"""By what sizes are divided, one after the other, until a game is long enough."""

Kind = tuple[str, ...]
Told = Callable[[Point], float]
Clock = Callable[[], float]


def kind_of(point: Point) -> Kind:
    """Return the kind of game that a point is, as far as how its time grows goes."""
    sides = (point.protocol, point.adversary)
    return (point.task.label, *(part.label for part in sides), point.engine, "delays" if point.network else "")


def variants_of(points: Sequence[Point]) -> list[Kind]:
    """Return the variant of its kind that each point is: parameters, and sizes that `Task.smaller` leaves as they are.

    What sizes these are is found out at the first point of each kind: to tell of a smaller one takes long for some.
    """
    left: dict[Kind, list[str]] = {}
    variants = []
    for point in points:
        if (kind := kind_of(point)) not in left:
            try:
                least = point.task.make().smaller(point, SHRINKS[0])
            except (ScenarioError, ValueError, ArithmeticError):
                least = point  # too small for this task or these parameters
            left[kind] = [name for name in COLUMNS if getattr(least, name) == getattr(point, name)]
        given = [[part.arguments, part.fault] for part in (point.task, point.protocol, point.adversary)]
        variants.append((*kind, canonical([given, point.network, [getattr(point, name) for name in left[kind]]])))
    return variants


def paces(points: Sequence[Point], told: Told, clock: Clock = time.process_time) -> list[tuple[Kind, Growth]]:
    """Return for each point which variant of game it is, and what games of that variant take.

    Parameters
    ----------
    points
        The points that are to be played, the costly ones first: patience may end before all have been tried.
    told
        What is told for a game of a point, in seconds.
    clock
        Seconds of this process: what else the machine does must not count.
    """
    largest: dict[Kind, Point] = {}
    variants = variants_of(points)
    for variant, point in zip(variants, points, strict=True):
        largest.setdefault(variant, point)
    of_kind: dict[Kind, list[Kind]] = {}
    for variant, point in largest.items():
        of_kind.setdefault(kind_of(point), []).append(variant)
    # growth is measured on the middle one: short games of the costliest are too unlike it, and take too long
    first_of = {kind: those[len(those) // 2] for kind, those in of_kind.items()}
    firsts = {variant: _Trial(largest[variant], told, clock) for variant in first_of.values()}
    _play_in_turn(list(firsts.values()), KINDS)
    found = {variant: growth for variant, trial in firsts.items() if (growth := trial.growth)}
    _try_others(largest, first_of, found, told, clock)
    growths = _all_of(largest, first_of, found)
    return [(variant, growths[variant]) for variant in variants]


def _play_in_turn(trials: Sequence[_Trial], seconds: float) -> None:
    """Play short games of each of these, and longer ones for so many seconds: always of those that had least time.

    Each has its share of the seconds, even if another one took more than was expected, and what others leave.
    """
    going = list(trials)
    while going:
        trial = min(going, key=lambda one: one.spent)
        left = max(seconds / len(trials) - trial.spent, seconds - sum(one.spent for one in trials))
        if not trial.play_longer(left):
            going.remove(trial)


def _try_others(
    largest: Mapping[Kind, Point], first_of: Mapping[Kind, Kind], found: dict[Kind, Growth], told: Told, clock: Clock
) -> None:
    """Play short games of the other variants, as many as there is time for; all kinds have as much time."""
    waiting: dict[Kind, list[Kind]] = {}
    for variant, point in largest.items():
        if variant not in found and first_of[kind_of(point)] in found:
            waiting.setdefault(kind_of(point), []).append(variant)
    spent = dict.fromkeys(waiting, 0.0)
    while waiting:
        kind = min(waiting, key=lambda one: spent[one])
        left = max(VARIANTS / len(spent) - spent[kind], VARIANTS - sum(spent.values()))
        if left <= 0:
            break
        variant, *others = waiting.pop(kind)
        share = left / (1 + len(others))
        trial = _Trial(largest[variant], told, clock, like=found[first_of[kind]], long_enough=min(ENOUGH, share / 4))
        _play_in_turn([trial], share)
        spent[kind] += max(trial.spent, LEAST)
        if trial.growth:
            found[variant] = trial.growth
        if others:
            waiting[kind] = others


def _all_of(
    largest: Mapping[Kind, Point], first_of: Mapping[Kind, Kind], found: Mapping[Kind, Growth]
) -> dict[Kind, Growth]:
    """Return the growth of all variants: those that were not tried are told by those of their kind, else by all."""
    ratios = [
        took / told for variant in first_of.values() if variant in found for told, took in found[variant].seen[-1:]
    ]
    usual = Growth(((1.0, _mean(ratios)),))
    tried: dict[Kind, list[Growth]] = {}
    for variant, growth in found.items():
        tried.setdefault(kind_of(largest[variant]), []).append(growth)
    told: dict[Kind, Growth] = {}
    for kind, variant in first_of.items():
        own = tried.get(kind, [])
        if not own:
            told[kind] = usual
            continue
        over = [growth.seen[-1][1] / found[variant].seconds(growth.seen[-1][0]) for growth in own]
        first = statistics.median(growth.first for growth in own[1:]) if own[1:] else 0.0
        told[kind] = replace(found[variant].times(_mean(over)), first=first)
    return {variant: found.get(variant, told[kind_of(point)]) for variant, point in largest.items()}


def _mean(ratios: Sequence[float]) -> float:
    """Return the geometric mean; 1 of none."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0


class _Trial:
    """Longer and longer games of one variant, and the growth that they show.

    Parameters
    ----------
    like
        The growth of its kind, if that has been measured; else it is measured here, over a decade.
    long_enough
        Seconds of the game that is long enough.
    """

    def __init__(
        self, point: Point, told: Told, clock: Clock, *, like: Growth | None = None, long_enough: float = ENOUGH
    ) -> None:
        self._point, self.spent = point, 0.0
        self.growth: Growth | None = None
        self._told, self._clock, self._like, self._long_enough = told, clock, like, long_enough
        self._points = iter(()) if point.own else _longer_and_longer(point, told)
        self._proportional = point.task.make().items_looked_at(point) > 0

    def play_longer(self, seconds: float) -> bool:
        """Play a longer game, if it is expected to take no more seconds; tell whether there is reason for another.

        The first is played in any case, unless it is told to be long.
        """
        begun = self._clock()
        try:
            return self._play_next(seconds)
        finally:
            self.spent += self._clock() - begun

    def _play_next(self, seconds: float) -> bool:
        small = next(self._points, None)
        if small is None:
            return False
        size, growth = self._told(small), self.growth
        seen = list(growth.seen) if growth else []
        last, guard = seen[-1][0] if seen else 0.0, GUARD if self._like is None else VARIANTS / 4
        allowed = min(guard, seconds) if seen else guard
        if size <= 1.5 * last or (small is not self._point and size < 4 * last and self._expected(4 * last) <= allowed):
            return True  # a longer one tells more
        expected = self._expected(size)
        if expected > allowed:
            return False
        try:
            took, more = _time(small, self._clock, self._long_enough, expected if growth else 0.0)
        except Exception:  # a size that no check refuses and no game can have
            return True
        seen.append((size, took))
        first = max(more, growth.first if growth else 0.0)
        self.growth = replace(growth_of(seen, proportional=self._proportional), first=first, like=self._like)
        self.spent -= more  # whoever computes it first
        return took < self._long_enough or (self._like is None and size < DECADE * seen[0][0])

    def _expected(self, size: float) -> float:
        """Return the seconds that a game is expected to take for which so many are told."""
        if self.growth is None:
            return max(size, self._like.seconds(size)) if self._like else size
        told, took = self.growth.seen[-1]
        # what the only game takes more than was told for it does not grow, unless another one shows that it does
        grown = took + size - told if len(self.growth.seen) == 1 else inf
        return min(self.growth.seconds(size), grown)


def _longer_and_longer(point: Point, told: Told) -> Iterator[Point]:
    """Yield points of the same kind, from one that is told to be short to the point itself."""
    whole = told(point)
    if whole <= BEGIN:
        yield point
        return

    def smaller(shrink: int) -> tuple[Point, float] | None:
        try:
            task = point.task.make()
            small = task.smaller(point, shrink)
            task.check(small)
            return small, told(small)
        except (ScenarioError, ValueError, ArithmeticError):
            return None  # too small for this task or these parameters

    def long(shrink: int) -> bool:
        found = smaller(shrink)
        return found is not None and found[1] > BEGIN

    largest = max(1, *(getattr(point, name) or 0 for name in COLUMNS))
    shrinks = [shrink for shrink in SHRINKS if shrink <= 2 * largest]
    begin = bisect_left(shrinks, True, key=long)  # what is told of a game may take long to compute
    for shrink in shrinks[max(0, begin - 1) :]:
        if (found := smaller(shrink)) is not None:
            small, seconds = found
            yield point if seconds > 0.9 * whole else small  # it may not depend on what was made smaller


def _time(point: Point, clock: Clock, long_enough: float, expected: float) -> tuple[float, float]:
    """Return the seconds that a game takes, the best of some, and how many more the first one took.

    A long one is played twice only if it takes longer than expected: it may import and compute what others find.
    """
    took: list[float] = []
    while len(took) < 2 or (len(took) < 4 and sum(took) < long_enough / 4):
        begun = clock()
        point.task.make().play(point, len(took))
        took.append(clock() - begun)
        if took[0] > PATIENCE or (long_enough < took[0] < 2 * expected):
            return took[0], 0.0
    best = max(min(took), 1e-6)
    return best, took[0] - best
