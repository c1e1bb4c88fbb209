"""The server of the tracker of Huang, Yi and Zhang, and what becomes of a report when p is lowered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import numpy as np

from protocols.base import EVERYONE, Message, Server
from protocols.coins import Coins, gap_scale


def thinned(last: Any, kept: float, scale: float, coins: Coins) -> Any:
    """Return the last success under the new p, given the last one under p / kept; 0 for none.

    The last success survives with probability `kept`; below it every item is a fresh coin of bias p.
    `scale` is `gap_scale(p)`. Takes one number or an array.
    """
    if isinstance(last, np.ndarray):
        shape = len(last)
        return np.where(coins.success(kept, shape), last, np.maximum(0, last - coins.gap(scale, shape)))
    return last if coins.success(kept) else max(0, last - coins.gap(scale))


class RandomizedServer(Server):
    """Keeps a number of items within a factor four, and each site's last report, a copy.

    Parameters
    ----------
    inverse_p
        The protocol's 1/p, from the number of sites and the number known to all.
    k, copies
        Number of sites, and of independent copies.
    start
        Items that each site holds already.
    """

    __slots__ = (
        "_inverse_p",
        "_k",
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

    def __init__(self, inverse_p: Callable[[int, int], int], k: int, copies: int, start: Sequence[int]) -> None:
        self._inverse_p = inverse_p
        self._k = k
        self.before = sum(start)
        self.known = self.before
        """The number broadcast last: at most the number of items, which stays below four times of it."""
        self.lower = self.before
        """Sum of the counts reported to the doubling tracker."""
        self.doubled = list(start) or [0] * k
        self.inverse = inverse_p(k, self.known)
        self.last = [[0] * k for _ in range(copies)]
        self.sums = [0] * copies
        """Sum of `last` over the sites, a copy."""
        self.number = [0] * copies
        """Sites that have reported, a copy."""
        self.rounds = 0
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
            self.output += last - before  # all else in estimate() stands; nearly every message comes this way
            return ()
        self.number[copy] += (last > 0) - (before > 0)
        self.output = self.estimate(sums, self.number)
        return ()

    @property
    def next_total(self) -> int:
        """The sum of the doubling reports at which the server speaks."""
        return max(1, 2 * self.known)

    def announce(self) -> Message:
        """Make the sum of the doubling reports the number known to all, and return what tells them."""
        self.known = self.lower
        self.rounds += 1
        self.inverse = self._inverse_p(self._k, self.known)
        return Message("total", self.known)

    def redrawn(self, last: Any, kept: float, coins: Coins) -> Any:
        """Return what the sites' last reports become under the present p, `kept` times what it was."""
        return thinned(last, kept, gap_scale(1 / self.inverse), coins)

    def estimate(self, sums: Any, numbers: Any) -> Any:
        """Return the median over the copies of sum(L - 1 + 1/p); a row a copy, of numbers or arrays."""
        more = self.inverse - 1
        if len(sums) == 1:
            return self.before + sums[0] + numbers[0] * more
        if isinstance(sums, np.ndarray):
            return self.before + np.median(sums + numbers * more, axis=0).astype(np.int64)
        return self.before + median(total + number * more for total, number in zip(sums, numbers, strict=True))
