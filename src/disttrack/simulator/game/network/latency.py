"""Delays of messages, in steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from math import ceil, exp
from typing import Final

import numpy as np

from disttrack.mechanisms.checks import with_plain_numbers
from disttrack.protocols.letters import LONGEST
from disttrack.simulator.errors import must_be, must_be_one_of

_TIME: Final = re.compile(r"[\d.]+ ?(us|µs|ms|s|min|h)")
"""A duration with its unit."""


@dataclass(frozen=True)
class Latency:
    """Delay of messages, in steps; one of the four is given.

    A message sent in step t arrives in step t + ceil(delay), after that step's item, and, unless it is reordered,
    never before an earlier message of the same site in the same direction.

    Parameters
    ----------
    constant
        The same delay for every message.
    mean
        Exponential delays of this mean, drawn independently for each message.
    uniform
        Least and largest of uniformly distributed delays.
    lognormal
        Median, and the standard deviation of the logarithm.

    Raises
    ------
    ValueError
        If not exactly one is given, or a number in it is negative or above 2^62 (a mean, a median: not above 0).

    Examples
    --------
    >>> Latency(constant=2.5).mean_steps, Latency(uniform=(0, 10)).mean_steps
    (3.0, 5.5)
    """

    constant: float | None = None
    mean: float | None = None
    uniform: tuple[float, float] | None = None
    lognormal: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        with_plain_numbers(self)
        given = {field.name: value for field in fields(self) if (value := getattr(self, field.name)) is not None}
        if len(given) != 1:
            raise ValueError(must_be_one_of([field.name for field in fields(self)], sorted(given), "latency"))
        ((name, value),) = given.items()
        for number in value if name in ("uniform", "lognormal") and isinstance(value, tuple) else (value,):
            if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number <= 2**62:
                units = "; a step is an item" * bool(_TIME.fullmatch(str(number)))
                raise ValueError(must_be("a number of steps from 0 to 2^62", value, f"latency: {name}") + units)
        if name in ("uniform", "lognormal") and (not isinstance(value, tuple) or len(value) != 2):
            raise ValueError(must_be("two numbers", value, f"latency: {name}"))
        if name == "uniform" and value[0] > value[1]:
            raise ValueError(must_be("from low to high", value, "latency: uniform"))
        if name == "mean" and not value:
            raise ValueError(must_be("above 0", value, "latency: mean"))
        if name == "lognormal" and not value[0]:
            raise ValueError(must_be("above 0", value[0], "latency: lognormal: median"))

    @property
    def law(self) -> str:
        """The name of the parameter that is given."""
        return next(name for name, value in vars(self).items() if value is not None)

    @property
    def instant(self) -> bool:
        """Whether there is no delay at all."""
        return self.constant == 0 or self.uniform == (0, 0)

    @property
    def fixed(self) -> bool:
        """Whether nothing is drawn."""
        return self.constant is not None

    @property
    def mean_steps(self) -> float:
        """Approximate mean delay of a message in whole steps."""
        if self.constant is not None:
            return float(ceil(self.constant))
        if self.mean is not None:
            return self.mean + 0.5
        if self.uniform is not None:
            return sum(self.uniform) / 2 + 0.5
        assert self.lognormal is not None
        median, sigma = self.lognormal
        return min(median * exp(min(sigma**2 / 2, 100)) + 0.5, float(LONGEST))

    @property
    def least(self) -> int:
        """The shortest possible delay in whole steps; 0 for a distribution without bounds."""
        return ceil(self.uniform[0] if self.uniform is not None else self.constant or 0)

    def slower(self, pace: int) -> Latency:
        """Return these delays for steps of which each is divided into this many."""
        constant = None if self.constant is None else self.constant * pace
        mean = None if self.mean is None else self.mean * pace
        uniform = None if self.uniform is None else (self.uniform[0] * pace, self.uniform[1] * pace)
        lognormal = None if self.lognormal is None else (self.lognormal[0] * pace, self.lognormal[1])
        return Latency(constant, mean, uniform, lognormal)

    def sampler(self, rng: np.random.Generator) -> Callable[[], int]:
        """Return a function that draws one delay in whole steps from the game's network stream."""
        if self.constant is not None:
            delay = ceil(self.constant)
            return lambda: delay
        if self.mean is not None:
            mean = self.mean
            return lambda: min(ceil(rng.exponential(mean)), LONGEST)
        if self.uniform is not None:
            least, largest = self.uniform
            return lambda: ceil(rng.uniform(least, largest))
        assert self.lognormal is not None
        median, sigma = self.lognormal
        return lambda: ceil(min(median * exp(min(sigma * rng.standard_normal(), 700.0)), LONGEST))
