"""Base class of threshold protocols: the threshold, and the count from which an alarm is not early."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from disttrack.mechanisms.checks import Share, Whole
from disttrack.protocols.base import Protocol, ratio


@dataclass(frozen=True)
class Threshold(Protocol):
    """What the threshold protocols share: the threshold, and the count from which an alarm is not early.

    Parameters
    ----------
    threshold
        The count tau at which the alarm must have been raised, items of the start included.
    epsilon
        The alarm may be raised from (1 - epsilon) tau on.
    """

    threshold: Whole
    epsilon: Share

    plays: ClassVar[tuple[str, ...]] = ("threshold",)

    @property
    def earliest(self) -> int:
        """The least whole number of items that is at least (1 - epsilon) tau."""
        return earliest(self.threshold, self.epsilon)


def earliest(threshold: int, epsilon: float) -> int:
    """Return the least whole number that is at least (1 - epsilon) threshold.

    Examples
    --------
    >>> earliest(60_000, 0.037), earliest(10, 0.25)
    (57780, 8)
    """
    part, whole = ratio(epsilon)
    return -(-threshold * (whole - part) // whole)
