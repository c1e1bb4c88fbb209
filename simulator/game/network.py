"""How long a message is under way. Without a network, channels are instantaneous."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any


@dataclass(frozen=True)
class Latency:
    """Delay of every message, in steps.

    A message sent in step t arrives in step t + ceil(delay), after that step's item, and never
    before an earlier message of the same site in the same direction: each channel is first in, first out.

    Parameters
    ----------
    constant
        The same delay for every message.
    mean
        Exponential delays of this mean, drawn for each message by itself. One of the two is given.

    Raises
    ------
    ValueError
        If not exactly one is given, or it is negative (a mean: not above 0).
    """

    constant: float | None = None
    mean: float | None = None

    def __post_init__(self) -> None:
        if (self.constant is None) == (self.mean is None):
            raise ValueError("latency needs either a constant or the mean of an exponential distribution")
        for name, value in (("constant", self.constant), ("mean", self.mean)):
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
                raise ValueError(f"latency: {name} must be a number of steps of at least 0; got {value!r}")
        if self.mean == 0:
            raise ValueError("latency: mean must be above 0; for no delay leave the network out")

    @property
    def instant(self) -> bool:
        """Whether there is no delay at all."""
        return self.constant == 0

    def sampler(self, rng: Any) -> Callable[[], int]:
        """Return a function that draws one delay in whole steps from the game's network stream."""
        if self.constant is not None:
            delay = ceil(self.constant)
            return lambda: delay
        mean = self.mean
        return lambda: ceil(rng.exponential(mean))
