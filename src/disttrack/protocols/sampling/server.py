"""The server of the tracker of Huang, Yi and Zhang."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

from disttrack.mechanisms.rules import SamplingRule, next_double, sum_of_estimates
from disttrack.protocols.base import EVERYONE, Message, Server


class RandomizedServer(Server):
    """Keeps a number of items within a factor of four, and each site's last report per copy.

    Parameters
    ----------
    rule
        Determines p over the game.
    copies
        Independent copies.
    start
        Items that each site holds already.
    """

    __slots__ = (
        "_rule",
        "before",
        "doubled",
        "inverse",
        "known",
        "last",
        "lower",
        "number",
        "output",
        "rounds",
        "sums",
    )

    def __init__(self, rule: SamplingRule, copies: int, start: Sequence[int]) -> None:
        k = rule.sites
        self._rule = rule
        self.before = sum(start)
        self.known = self.before
        """The number broadcast last: at most the number of items, which stays below four times it."""
        self.lower = self.before
        """Sum of the counts reported to the doubling tracker."""
        self.doubled = list(start) or [0] * k
        self.inverse = rule.inverse_p(self.known)
        self.last = [[0] * k for _ in range(copies)]
        self.sums = [0] * copies
        """Sum of `last` over the sites, per copy."""
        self.number = [0] * copies
        """Sites that have reported, per copy."""
        self.rounds: int = 0
        self.output: int | float = self.before

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        if message[0] == "double":
            self.lower += message.value - self.doubled[sender]
            self.doubled[sender] = message.value
            if self.lower < self.next_total:
                return ()
            total = self.announce()
            self.output = self.estimate(self.sums, self.number)
            return ((EVERYONE, total),)
        copy, last = message[1]
        row, sums = self.last[copy], self.sums
        before = row[sender]
        row[sender] = last
        sums[copy] += last - before
        if before and last and len(sums) == 1:
            self.output += last - before  # the rest of estimate() is unchanged, as for nearly every message
            return ()
        self.number[copy] += (last > 0) - (before > 0)
        self.output = self.estimate(sums, self.number)
        return ()

    @property
    def next_total(self) -> int:
        """The sum of the doubling reports at which the server broadcasts."""
        number: int = next_double(self.known)
        return number

    def announce(self) -> Message:
        """Make the sum of the doubling reports the known number, and return the message that announces it."""
        self.known = self.lower
        self.rounds += 1
        self.inverse = self._rule.inverse_p(self.known)
        return Message("total", self.known)

    def estimate(self, sums: Any, numbers: Any) -> Any:
        """Return the median over the copies of sum(L - 1 + 1/p); one row per copy, of numbers or arrays."""
        inverse = self.inverse
        if len(sums) == 1:
            return self.before + sum_of_estimates(sums[0], numbers[0], inverse)
        if isinstance(sums, np.ndarray):
            return self.before + np.median(sum_of_estimates(sums, numbers, inverse), axis=0).astype(np.int64)
        pairs = zip(sums, numbers, strict=True)
        return self.before + median(sum_of_estimates(total, number, inverse) for total, number in pairs)
