"""Many copies of the randomised tracker in one: each is a tracker of its own, and what its messages say by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from disttrack.protocols import Randomized
from disttrack.protocols.coins import Coins
from disttrack.protocols.sampling.copies import CopiesServer, CopiesSite


class Watched(CopiesServer):
    """A server that only keeps estimates."""

    __slots__ = ()

    def look(self) -> None:
        pass


def fed(copies: int, items: list[int], seed: int = 0) -> tuple[Watched, Randomized]:
    """Return a server after its sites have had these items, site after site in turn."""
    tracker = Randomized(alpha=0.5, confidence=3.0)
    k = len(items)
    coins = Coins(np.random.default_rng(seed))
    sites = [CopiesSite(tracker, k, copies, coins, 0, 0) for _ in items]
    server = Watched(tracker, k, copies, ())
    left = list(items)
    while any(left):
        for number, site in enumerate(sites):
            if left[number]:
                left[number] -= 1
                for message in site.take(1):
                    for _, answer in server.hear(number, message):
                        for other, one in enumerate(sites):
                            for again in one.hear(answer):
                                server.hear(other, again)
    return server, tracker


def test_each_copy_is_a_randomized_tracker() -> None:
    """Mean N and variance sum (1 - p)(1 - (1 - p)^n)/p^2 over 4,000 copies after several halvings of p.

    Mean: five standard errors; variance within 12 %, five of its own (the kurtosis is below 9): alarms below 1e-6.
    Power: a halving that keeps every report biases the mean by some 30 standard errors.
    """
    items = [700, 350, 40, 3]
    server, _ = fed(4000, items)
    p = 1 / server.inverse
    assert server.inverse >= 32
    expected = sum((1 - p) * (1 - (1 - p) ** n) / p**2 for n in items)
    assert abs(server.estimates.mean() - sum(items)) < 5 * sqrt(expected / 4000)
    assert server.estimates.var() == pytest.approx(expected, rel=0.12)


def test_copies_are_independent() -> None:
    """Correlation of the estimates of two copies over 300 games: below 0.3, five of its standard errors."""
    pairs = np.array([fed(2, [60, 30], seed)[0].estimates for seed in range(300)])
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.3
