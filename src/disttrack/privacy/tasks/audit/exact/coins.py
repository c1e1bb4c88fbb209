"""The exact privacy loss of a mechanism that tosses a few coins, or draws one uniform number, by all their outcomes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import inf, log
from types import SimpleNamespace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from disttrack.privacy.tasks.audit.case import Inputs, Watch

Chances = Mapping[tuple[float, ...], float]

ROUNDING: Final = 1e-12


class Coins:
    """Replacement for a numpy generator whose uniform numbers are only compared with probabilities; follows a script.

    Parameters
    ----------
    script
        Outcomes of the first coins. The others take a possible outcome.

    Attributes
    ----------
    fallen, chances
        Outcomes of the coins, and the probability of each outcome.
    """

    def __init__(self, script: Sequence[bool] = ()) -> None:
        self._script = script
        self.fallen: list[bool] = []
        self.chances: list[float] = []

    def random(self, size: int | None = None) -> _Uniform:
        """Return uniform numbers that are undetermined until they are compared."""
        return _Uniform(self, size)

    def toss(self, chance: float) -> bool:
        """Return whether a uniform number is below this probability."""
        place = len(self.fallen)
        below = self._script[place] if place < len(self._script) else chance > 0
        self.fallen.append(below)
        self.chances.append(chance if below else 1 - chance)
        return below


class _Uniform:
    """One uniform number, or several."""

    def __init__(self, coins: Coins, size: int | None) -> None:
        self._coins, self._size = coins, size

    def __lt__(self, chance: float) -> bool | NDArray[np.bool_]:
        if self._size is None:
            return self._coins.toss(float(chance))
        return np.array([self._coins.toss(float(chance)) for _ in range(self._size)], dtype=bool)


def chances(play: Callable[[object], Sequence[float]]) -> Chances:
    """Return the probability of every possible observation.

    Examples
    --------
    >>> chances(lambda rng: [float(rng.random() < 0.25)])
    {(1.0,): 0.25, (0.0,): 0.75}
    """
    outcomes: dict[tuple[float, ...], float] = {}
    left: list[list[bool]] = [[]]
    while left:
        script = left.pop()
        coins = Coins(script)
        seen = tuple(play(coins))
        outcomes[seen] = outcomes.get(seen, 0.0) + float(np.prod(coins.chances))
        for place in range(len(script), len(coins.fallen)):
            if coins.chances[place] < 1:
                left.append([*coins.fallen[:place], not coins.fallen[place]])
    return outcomes


def coin_loss(watch: Watch, inputs: Inputs, delta: float = 0.0) -> float:
    """Return the least epsilon for which the mechanism is (epsilon, delta)-private on an input and its neighbour."""
    here, there = (chances(partial(watch, each)) for each in inputs)
    return max(loss_between(here, there, delta), loss_between(there, here, delta))


def loss_between(here: Chances, there: Chances, delta: float) -> float:
    """Return the least epsilon >= 0 with here(E) <= e^epsilon there(E) + delta for all events E.

    Examples
    --------
    >>> here, there = {(0,): 0.02, (1,): 0.98}, {(1,): 1.0}
    >>> loss_between(here, there, 0.02), loss_between(here, there, 0.01)
    (0.0, inf)
    """
    # outcomes in the order of their ratios: the worst event consists of those above e^epsilon
    pairs = sorted(((p, there.get(seen, 0.0)) for seen, p in here.items() if p > 0), key=_ratio, reverse=True)
    above = below = 0.0
    for (p, q), following in zip(pairs, [*map(_ratio, pairs[1:]), 0.0], strict=True):
        above, below = above + p, below + q
        if above - following * below > delta + ROUNDING:
            if below <= 0:
                return inf
            return max(0.0, log((above - delta) / below))
    return 0.0


def _ratio(pair: tuple[float, float]) -> float:
    p, q = pair
    return p / q if q > 0 else inf


PIECES: Final = 64
"""Parts in which an outcome that is the same at both ends is taken to be so between them."""
RESOLUTION: Final = 2.0**-46
"""Width of an interval that is not halved again."""


def outcomes(watch: Watch, data: object) -> Mapping[tuple[float, ...], float]:
    """Return the probability of each outcome: its places of change are searched by halving intervals."""

    def seen(number: float) -> tuple[float, ...]:
        generator: object = SimpleNamespace(random=lambda: number)
        return tuple(watch(data, generator))

    chances: dict[tuple[float, ...], float] = defaultdict(float)
    ends = [min(piece / PIECES, 1 - 2.0**-53) for piece in range(PIECES + 1)]
    open_parts = [(low, high, seen(low), seen(high)) for low, high in pairwise(ends)]
    while open_parts:
        low, high, first, last = open_parts.pop()
        if first == last or high - low < RESOLUTION:
            for outcome in (first, last):
                chances[outcome] += (high - low) / 2
        else:
            middle = (low + high) / 2
            between = seen(middle)
            open_parts += [(low, middle, first, between), (middle, high, between, last)]
    return chances


def draw_loss(watch: Watch, inputs: Inputs) -> float:
    """Return the largest logarithm of the ratio of an event's probabilities on an input and its neighbour.

    Outcomes with less than a rounding's probability are only counted together with others.
    """
    mine, other = (outcomes(watch, data) for data in inputs)
    return max(loss_between(mine, other, 0.0), loss_between(other, mine, 0.0))
