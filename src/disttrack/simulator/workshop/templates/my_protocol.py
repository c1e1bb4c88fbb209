"""MyProtocol: a protocol of my own.

Play it:  disttrack play --protocol my_protocol.py:MyProtocol --adversary round-robin --sites 16 --items 1e5
In a scenario:  protocol: {kind: my_protocol.py:MyProtocol, alpha: 0.05}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.protocols.base import Message, Protocol, Site, SumOfReports, ratio


@dataclass(frozen=True)
class MyProtocol(Protocol):
    """Every site reports its count whenever it has grown by a factor of more than 1 + alpha.

    Parameters
    ----------
    alpha
        Relative error that it promises, between 0 and 1.
    """

    kind: ClassVar[str] = "my-protocol"
    source: ClassVar[str] = "me"
    # What is stated here is tested. A guarantee is "always", "adaptive", "oblivious" or "none".
    guarantee: ClassVar[Literal["always", "adaptive", "oblivious", "none"]] = "always"
    reveals: ClassVar[str] = "that the site fed last has just reported, and by how much it has grown"
    one_sided: ClassVar[bool] = True

    # The fields are the parameters: `alpha: 0.05` in a scenario, or MyProtocol(alpha=0.05).
    # A value that its type does not accept is reported in one line, before any game starts.
    alpha: Share = 0.1

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> list[CountingSite]:
        """Return the k sites; `start` holds the items that each of them has already."""
        return [CountingSite(self.alpha, start[site] if start else 0) for site in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> SumOfReports:
        """Return the server, which adds up the last reports."""
        return SumOfReports(start or [0] * k)


class CountingSite(Site):
    """One site: its count, and the count that it reported last."""

    __slots__ = ("count", "denominator", "numerator", "reported")

    def __init__(self, alpha: float, count: int) -> None:
        # alpha as a fraction of whole numbers: thresholds at exact multiples misfire in floating point
        self.numerator, self.denominator = ratio(alpha)
        self.count = count
        self.reported = count

    def silence(self) -> int:
        """Return how many further items leave it silent: it may sleep through them."""
        most = self.reported * (self.numerator + self.denominator) // self.denominator
        return max(0, most - self.count)

    def take(self, items: int) -> Sequence[Message]:
        """Receive items, and say what it sends."""
        self.count += items
        if self.denominator * self.count <= (self.denominator + self.numerator) * self.reported:
            return ()
        self.reported = self.count
        return (Message("report", self.count),)
