"""Common parts of the robust forms: their plain sketches, their budget of changes, and rounding."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Mapping
from math import inf, log
from typing import ClassVar, Final

from disttrack.mechanisms.checks import one_of
from disttrack.privacy.mechanisms.sketches.base import Goal, Sketch, SketchRun
from disttrack.privacy.mechanisms.sketches.distinct import HyperLogLog, Kmv
from disttrack.privacy.mechanisms.sketches.frequencies import CountMin, CountSketch
from disttrack.privacy.mechanisms.sketches.second_moment import Ams

PLAIN: Final[Mapping[str, Callable[..., Sketch]]] = {
    one.kind: one for one in (Ams, Kmv, HyperLogLog, CountSketch, CountMin)
}
"""The plain sketches usable in a robust form. `size` sets the first parameter of each.

The state of each is a function of the frequencies and its coins, for any order of the updates."""


def plain(sketch: str, size: int, alpha: float) -> Sketch:
    """Return the plain sketch of a kind and a size.

    Raises
    ------
    ValueError
        If there is no such kind, or it refuses the size; the message begins with the argument's name.
    """
    one_of("sketch", sketch, PLAIN)
    try:
        return PLAIN[sketch](size, alpha=alpha)
    except ValueError as error:
        raise ValueError(re.sub("^(rows|registers|width) ", "size ", str(error))) from error


class Robust(Sketch):
    """A robust form of a plain sketch: of one copy, or of as many as its parameter `copies` has."""

    @property
    @abstractmethod
    def inner(self) -> Sketch:
        """The plain sketch of which each item updates one copy, unless a subclass differs."""

    @property
    def goal(self) -> Goal:
        return self.inner.goal

    @property
    def words(self) -> int:
        return self._copies * self.inner.words + 1

    @property
    def total_rows(self) -> int:
        return self._copies * self.inner.total_rows

    @property
    def active_rows(self) -> int:
        return self.inner.total_rows

    @property
    def _copies(self) -> int:
        return getattr(self, "copies", 1)


class OverPlain(Robust):
    """A robust form whose plain sketch is given by its kind and size."""

    goals: ClassVar[tuple[Goal, ...]] = ("second-moment", "distinct", "frequency")
    """What it can estimate."""

    size: int
    sketch: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.goal not in self.goals:
            raise ValueError(f"sketch must estimate {' or '.join(self.goals)}; {self.sketch} estimates {self.goal}")

    @property
    def inner(self) -> Sketch:
        return plain(self.sketch, self.size, self.alpha)


class RobustRun(SketchRun):
    """A running robust form: it publishes an answer, and replaces it at most as often as its budget allows.

    When the budget is used up, it publishes the estimates of its sketch directly. Subclasses define `decide`.

    Parameters
    ----------
    run
        The sketch that takes the updates.
    budget
        Number of changes of the answer; infinite without a limit.
    """

    def __init__(self, run: SketchRun, budget: float = inf) -> None:
        self._run, self._left = run, budget
        self._published = 0.0

    def update(self, item: int, change: int) -> None:
        self._run.update(item, change)
        if self.exhausted:
            self._published = self._run.estimate()
        else:
            self.decide(item, change)

    @abstractmethod
    def decide(self, item: int, change: int) -> None:
        """Decide, after the sketch has taken an update, whether to publish another answer."""

    def publish(self, answer: float) -> None:
        """Replace the answer."""
        self._published = answer
        self._left -= 1
        self.exhausted = self._left == 0

    def estimate(self) -> float:
        return self._published


def rounded(value: float, step: float) -> float:
    """Return the power of 1 + step nearest to a value, in the logarithm; 0 for 0.

    Examples
    --------
    >>> rounded(9.0, 1.0), rounded(0.0, 1.0), rounded(-9.0, 1.0)
    (8.0, 0.0, -8.0)
    """
    if value == 0:
        return 0.0
    power: float = (1 + step) ** round(log(abs(value)) / log(1 + step))
    return power if value > 0 else -power
