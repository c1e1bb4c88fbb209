"""Common parts of the robust forms: their plain sketches, and rounding."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from math import log
from typing import Any, Final

from disttrack.mechanisms.checks import one_of
from disttrack.mechanisms.sketches.base import Goal, Sketch, SketchRun
from disttrack.mechanisms.sketches.distinct import HyperLogLog, Kmv
from disttrack.mechanisms.sketches.frequencies import CountMin, CountSketch
from disttrack.mechanisms.sketches.second_moment import Ams

PLAIN: Final[Mapping[str, tuple[type[Any], str]]] = {
    Ams.kind: (Ams, "rows"),
    Kmv.kind: (Kmv, "size"),
    HyperLogLog.kind: (HyperLogLog, "registers"),
    CountSketch.kind: (CountSketch, "width"),
    CountMin.kind: (CountMin, "width"),
}
"""The plain sketches usable in a robust form, and the parameter of each that `size` sets.

The state of each is a function of the frequencies and its coins, for any order of the updates."""


def plain(sketch: str, size: int, alpha: float) -> Sketch:
    """Return the plain sketch of a kind and a size.

    Raises
    ------
    ValueError
        If there is no such kind, or it refuses the size; the message begins with the argument's name.
    """
    one_of("sketch", sketch, PLAIN)
    maker, parameter = PLAIN[sketch]
    try:
        made: Sketch = maker(**{parameter: size, "alpha": alpha})
    except ValueError as error:
        message = str(error)
        raise ValueError(
            f"size {message.removeprefix(parameter).lstrip()}" if message.startswith(parameter) else message
        ) from error
    return made


class Robust(Sketch):
    """A robust form of a plain sketch; it runs only one at a time unless a subclass differs."""

    @property
    @abstractmethod
    def inner(self) -> Sketch:
        """The underlying plain sketch."""

    @property
    def goal(self) -> Goal:
        return self.inner.goal

    @property
    def words(self) -> int:
        return self.inner.words + 1

    @property
    def total_rows(self) -> int:
        return self.inner.total_rows


class OverPlain(Robust):
    """A robust form whose plain sketch is given by its kind and size."""

    size: int
    sketch: str

    @property
    def inner(self) -> Sketch:
        return plain(self.sketch, self.size, self.alpha)


class RobustRun(SketchRun):
    """A running robust form: it publishes an answer that is not always the estimate of its sketch."""

    _published = 0.0

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
