"""How the time of a game grows with what is told for it: measured on short games, continued to long ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final

DECADE: Final = 10.0
"""Growth is measured over so large a factor of what is told, if such games are short enough to be played."""
POWERS: Final = (0.7, 1.05)
"""Between these the time of a game grows as a power of what is told for it: less is noise, and so is more."""
LEAST_SLOPE: Final = 0.05
"""Where time hardly grows, it is still taken to grow so much as a share of proportional growth: less is noise."""
FAR: Final = 300.0
"""So many times what was told for the longest short game, the power is taken for 1."""
FARTHEST: Final = 1000.0
"""A ratio beyond this is taken for noise."""


@dataclass(frozen=True)
class Growth:
    """What games take, by what is told for them: as seen where games were played, and continued beyond.

    Attributes
    ----------
    seen
        What was told, and what was taken, of the games that were played; from short to long.
    power
        Beyond them time grows as this power of what is told: what arrays gain by length, bounds that are too high.
    slope
        Seconds a second that is told, if these are fewer: the games seen spent most of their time on what does not
        grow, on arrays so short that only their number counts.
    like
        If given, time grows beyond the games that were seen as it does here.
    first
        Seconds that the first game takes more: it imports and computes what the others find.
    """

    seen: tuple[tuple[float, float], ...]
    power: float = 1.0
    slope: float = inf
    like: Growth | None = None
    first: float = 0.0

    def seconds(self, told: float) -> float:
        """Return what a game takes that is not the first.

        Examples
        --------
        >>> Growth(((0.1, 0.2),)).seconds(10), round(Growth(((0.1, 0.2),), power=0.5).seconds(10), 9)
        (20.0, 2.0)
        >>> round(Growth(((0.1, 0.2), (10, 2.0))).seconds(1), 9)
        0.632455532
        """
        longest, took = self.seen[-1]
        if told <= longest:
            return self._between(told)
        if self.like is not None:
            return took * self.like.seconds(told) / self.like.seconds(longest)
        growth = told / longest
        near = min(growth, FAR)  # what arrays gain by their length is gained by then
        return min(took * math.pow(near, self.power) * growth / near, took + self.slope * (told - longest))

    def _between(self, told: float) -> float:
        """Return what a game takes that is told to take no longer than one that was played."""
        if len(self.seen) == 1:
            longest, took = self.seen[0]
            return took * (told / longest)
        above = next(place for place, (at, _) in enumerate(self.seen) if told <= at)
        (low, fast), (high, slow) = self.seen[max(0, above - 1)], self.seen[max(1, above)]
        power = math.log(slow / fast) / math.log(high / low)
        if above == 0:  # shorter than all: they have what does not grow as well, and never take longer
            power = min(max(power, 0.0), 1.0)
        return fast * math.pow(told / low, power)

    def times(self, factor: float) -> Growth:
        """Return the growth of games that take so many times as long."""
        seen = tuple((told, took * factor) for told, took in self.seen)
        return replace(self, seen=seen, slope=self.slope * factor)


def growth_of(seen: Sequence[tuple[float, float]], *, proportional: bool = False) -> Growth:
    """Return how time grows that these games took: what was told and what was taken, from short to long.

    Parameters
    ----------
    proportional
        Games look at each item, so nothing is saved by length.
    """
    # a shorter game takes no longer than a longer one: if it did, it was disturbed, or the first of all
    least = [min(took for _, took in seen[place:]) for place in range(len(seen))]
    taken = tuple(
        (told, min(max(took, told / FARTHEST), told * FARTHEST)) for (told, _), took in zip(seen, least, strict=True)
    )
    longest, took = taken[-1]
    shorter = [one for one in taken[:-1] if one[0] * DECADE <= longest] or taken[:1]
    told_before, before = shorter[-1]
    if proportional or told_before == longest:
        return Growth(taken)
    power = math.log(took / before) / math.log(longest / told_before)
    slope = max((took - before) / (longest - told_before), LEAST_SLOPE * took / longest)
    return Growth(taken, min(max(power, POWERS[0]), POWERS[1]), slope)
