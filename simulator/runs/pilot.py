"""How long games take, told by short ones: what a bound says is corrected by what games of its kind were seen to take.

Of each kind of game (task, protocol, adversary, engine) some are played with sizes made so small that they take some
hundredths of a second at most. Bounds of messages are far above what is sent for some protocols, messages of one
protocol take longer than those of another, and arrays are the faster the longer they are: all of this is in how their
time grows with what was told for them, and the long game is told by the same power law. A class of the user's is not
played: nobody knows what it does.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from simulator.errors import ScenarioError
from simulator.points.point import Point
from simulator.points.source import is_reference

PATIENCE: Final = 5.0
"""Seconds for all short games together."""
BEGIN: Final = 0.005
"""The first short game is told to take so many seconds at most."""
ENOUGH: Final = 0.1
"""A game that takes so many seconds is long enough to tell the rest by."""
GUARD: Final = 1.0
"""No short game is told to take more seconds."""
SHRINKS: Final = tuple(4**power for power in range(31, -1, -1))
"""By what sizes are divided, one after the other, until a game is long enough."""
POWERS: Final = (0.7, 1.05)
"""Between these the time of a game grows as a power of what is told for it: less is noise, and so is more."""
FAR: Final = 300.0
"""So many times what was told for the longest short game, the power is taken for 1."""
FARTHEST: Final = 1000.0
"""A ratio beyond this is taken for noise."""

Kind = tuple[str, ...]
Told = Callable[[Point], float]


@dataclass(frozen=True)
class Pace:
    """What games of a kind take: `took` seconds where `told` were told, and elsewhere by a power of what is told.

    The first game takes `first` seconds more: it computes what the others find.
    """

    told: float
    took: float
    power: float = 1.0
    first: float = 0.0

    def seconds(self, told: float) -> float:
        """Return what a game takes that is not the first.

        Examples
        --------
        >>> Pace(told=0.1, took=0.2).seconds(10), round(Pace(0.1, 0.2, power=0.5).seconds(10), 9)
        (20.0, 2.0)
        """
        if told <= self.told:
            return self.took * told / self.told
        growth = told / self.told
        near = min(growth, FAR)  # what arrays gain by their length is gained by then
        return self.took * math.pow(near, self.power) * growth / near


def kind_of(point: Point) -> Kind:
    """Return the kind of game that a point is, as far as its speed goes."""
    sides = (point.protocol, point.adversary)
    return (point.task.label, *(part.label for part in sides), point.engine, "delays" if point.network else "")


def paces(points: Sequence[Point], told: Told, clock: Callable[[], float] = time.process_time) -> Mapping[Kind, Pace]:
    """Return what games of each kind take.

    Parameters
    ----------
    points
        The points that are to be played, the costly ones first: patience may end before all kinds have been tried.
    told
        What is told for a game of a point, in seconds.
    clock
        Seconds of this process: what else the machine does must not count.
    """
    largest: dict[Kind, Point] = {}
    for point in points:
        largest.setdefault(kind_of(point), point)
    found: dict[Kind, Pace] = {}
    begun = clock()
    for kind, point in largest.items():
        if clock() - begun >= PATIENCE:
            break
        pace = _pace(point, told, clock)
        if pace is not None:
            found[kind] = pace
    ratios = [pace.took / pace.told for pace in found.values()]
    usual = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 1.0
    return {kind: found.get(kind, Pace(1.0, usual)) for kind in largest}


def _pace(point: Point, told: Told, clock: Callable[[], float]) -> Pace | None:
    """Return the pace that longer and longer games show; None if there is none, or if the kind is a user's own."""
    if any(is_reference(part.kind) for part in (point.task, point.protocol, point.adversary)):
        return None
    seen: list[tuple[float, float, float]] = []
    for small in _longer_and_longer(point, told):
        if seen and told(small) <= 2 * seen[-1][0]:
            continue
        try:
            seen.append((told(small), *_time(small, clock)))
        except Exception:  # a size that no check refuses and no game can have
            continue
        if seen[-1][1] >= ENOUGH:
            break
    if not seen:
        return None
    before, last = seen[-2:] if len(seen) > 1 else (seen[0], seen[0])
    one_by_one = point.task.make().items_looked_at(point) > 0  # then nothing is saved by length
    power = 1.0 if one_by_one or before == last else math.log(last[1] / before[1]) / math.log(last[0] / before[0])
    took = min(max(last[1], last[0] / FARTHEST), last[0] * FARTHEST)
    return Pace(last[0], took, min(max(power, POWERS[0]), POWERS[1]), seen[0][2])


def _longer_and_longer(point: Point, told: Told) -> Iterator[Point]:
    """Yield points of the same kind, from one that is told to be short to the point itself."""
    if told(point) <= BEGIN:
        yield point
        return
    for shrink in SHRINKS:
        try:
            task = point.task.make()
            small = task.smaller(point, shrink)
            task.check(small)
            seconds = told(small)
        except (ScenarioError, ValueError, ArithmeticError):
            continue  # too small for this task or these parameters
        if seconds > GUARD:
            return
        if seconds > 0.9 * told(point):  # what is told does not depend on what was made smaller
            small = point
        yield small


def _time(point: Point, clock: Callable[[], float]) -> tuple[float, float]:
    """Return the seconds that a game takes, the best of some, and how many more the first one took."""
    took: list[float] = []
    while len(took) < 2 or (len(took) < 4 and sum(took) < ENOUGH / 4):
        begun = clock()
        point.task.make().play(point, len(took))
        took.append(clock() - begun)
        if took[0] > GUARD:
            return took[0], 0.0
    best = max(min(took), 1e-6)
    return best, took[0] - best
