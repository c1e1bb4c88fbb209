"""Streams for a single site and a clock, and the attacker that looks at the memory of a counter.

In games with a clock `view.items` is the number of steps; a step may be skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary, Sees, View
from disttrack.adversaries.oblivious import Uniform
from disttrack.adversaries.schedules import Burst, Rest, Runs, Schedule
from disttrack.adversaries.scripts import Scripted
from disttrack.mechanisms.checks import Flag, Natural, Whole, numbers
from disttrack.privacy.mechanisms import MONITORS
from disttrack.privacy.mechanisms.halting import hard_instance

MOST_STEPS: Final = 10**9
"""Largest number of steps over which items are scattered: the limit of numpy's hypergeometric distribution."""

STRETCH: Final = 2**20
"""Steps planned at a time."""


def at_steps(steps: npt.ArrayLike, length: int = 0) -> Runs:
    """Return the plan that gives site 0 an item at each of these increasing steps, and skips the others.

    It ends with the last of them, or after `length` steps if that is later.
    """
    ones = np.asarray(steps, dtype=np.int64)
    rests = np.diff(ones, prepend=0) - 1
    lengths = np.append(np.column_stack((rests, np.ones_like(rests))).ravel(), max(0, length - int(ones[-1])))
    sites = np.append(np.tile((-1, 0), len(ones)), -1)
    return Runs(sites[lengths > 0], lengths[lengths > 0])


@dataclass
class Scattered(Adversary):
    """Sends a few items at steps drawn uniformly at random, and skips the others.

    Parameters
    ----------
    count
        Items to send in total; None for log2 of the steps, rounded up.
    even
        True sends them at equal distances instead, the last one in the last step.

    Source
    ------
    the sparse stream of Qiu, Yi 2022, Table 1.
    """

    kind: ClassVar[str] = "scattered"
    rests: ClassVar[bool] = True
    oblivious: ClassVar[bool] = True

    count: Natural | None = None
    even: Flag = False

    def leaves_steps(self, items: int) -> bool:
        return self.count is None or self.count < items

    def plan(self, view: View) -> Schedule | None:
        steps = view.items - view.steps
        count = (view.items - 1).bit_length() if self.count is None else self.count
        left = min(count - view.sent, steps)
        if steps <= 0 or left <= 0:
            return None
        if self.even and left <= STRETCH:
            return at_steps(np.array([number * view.items // count - view.steps for number in range(1, left + 1)]))
        if left <= STRETCH:
            return at_steps(np.sort(view.rng.choice(steps, left, replace=False, shuffle=False)) + 1)
        if view.items > MOST_STEPS:
            raise ValueError(
                f"items must be at most {MOST_STEPS:,} for scattered with a count above {STRETCH:,}; got {view.items:,}"
            )
        stretch = min(STRETCH, steps)
        here = int(view.rng.hypergeometric(left, steps - left, stretch)) if stretch < steps else left
        if here == 0:
            return Rest(stretch)
        if here == stretch:
            return Burst(0, stretch)
        places = np.sort(view.rng.choice(stretch, here, replace=False, shuffle=False)) + 1
        return at_steps(places, stretch)


@dataclass
class HardInstance(Adversary):
    """Halves the stream repeatedly, choosing by the half in which a threshold monitor is likelier to halt.

    It knows the distribution of the monitor's halting step, not its coins: a stream of k items after which the
    monitor must have answered top, but is unlikely to have done so. In other games it sends an item at every step.

    Parameters
    ----------
    k
        Items to send; None for the monitor's own threshold.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Algorithm 1.
    """

    kind: ClassVar[str] = "hard-instance"
    plays: ClassVar[tuple[str, ...]] = ("threshold-monitor",)
    oblivious: ClassVar[bool] = True

    k: Whole | None = None

    def plan(self, view: View) -> Schedule | None:
        if view.known.get("kind") not in MONITORS:
            return Burst(0)
        if view.steps:
            return None
        known = dict(view.known)
        monitor: Any = MONITORS[known.pop("kind")](**known)
        k = monitor.k if self.k is None else self.k
        return at_steps(hard_instance(monitor.halting_times(view.rng), k).ones)


@dataclass
class LastMoment(Adversary):
    """Stays just below half of a monitor's threshold as long as it can, then sends the rest without a pause.

    ceil(k / 2) - 1 items in the first steps, the others in the last ones: the longest time for an alarm that is too
    early, and the shortest for one in time. In other games it sends an item at every step.

    Source
    ------
    derived here: the packing bound of `clock-monitor`.
    """

    kind: ClassVar[str] = "last-moment"
    plays: ClassVar[tuple[str, ...]] = ("threshold-monitor",)
    oblivious: ClassVar[bool] = True

    def plan(self, view: View) -> Schedule | None:
        if view.known.get("kind") not in MONITORS:
            return Burst(0)
        if view.steps:
            return None
        k = min(view.known["k"], view.items)
        first = min((view.known["k"] + 1) // 2 - 1, k)
        return at_steps([*range(1, first + 1), *range(view.items - k + first + 1, view.items + 1)])


@dataclass
class Biased(Uniform):
    """Charges each expert in each round with its own probability, from low for the first to high for the last.

    In games without experts it gives each item to a site drawn at random.

    Parameters
    ----------
    spread
        The probabilities go from 1/2 - spread to 1/2 + spread.

    Source
    ------
    independent costs, for experts of different worth.
    """

    kind: ClassVar[str] = "biased"
    plays: ClassVar[tuple[str, ...]] = ("experts",)
    oblivious: ClassVar[bool] = True

    spread: Annotated[float, numbers("from 0 to 0.5", lambda value: 0 <= value <= 0.5)] = 0.1

    def costs(self, view: View, rounds: int) -> npt.NDArray[np.float64]:
        """Return the experts' costs in the next rounds, one row per round."""
        chances = np.linspace(0.5 - self.spread, 0.5 + self.spread, view.sites)
        return (view.rng.random((rounds, view.sites)) < chances).astype(np.float64)


class Challenge(Rest):
    """One step in which the game tosses a hidden coin: it gives an item, or it does not."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(1)


@dataclass
class Intruder(Scripted, Adversary):
    """Looks at the state of a counter, and guesses from it whether the item of one step was present.

    All other steps are skipped, so it knows the rest of the stream. Half of its looks come in the last
    steps before the challenge, the rest from the challenge on; it compares the first look after and the
    last one before it, and answers yes if the count in memory differs by more than a half. In games
    without a challenge it feeds site 0.

    Parameters
    ----------
    looks
        Number of looks, each after one step.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, pan-privacy; sections 2 and 4.2.
    """

    kind: ClassVar[str] = "intruder"
    plays: ClassVar[tuple[str, ...]] = ("continual-count",)
    sees: ClassVar[Sees] = "state"

    looks: Whole = 1

    def script(self, view: View) -> Iterator[Schedule]:
        look = getattr(view, "look", None)
        if look is None:
            yield Burst(0)
            return
        challenge, before = view.items // 2 + 1, self.looks // 2
        last = min(challenge + self.looks - before - 1, view.items)
        seen = []
        while view.steps < last:
            yield Challenge() if view.steps + 1 == challenge else Rest(1)
            if view.steps >= challenge - before:
                seen.append(look()["count"])
            if view.steps == challenge:
                view.guess(seen[-1] - (seen[-2] if before else 0.0) > 0.5)
        if view.steps < view.items:
            yield Rest(view.items - view.steps)
