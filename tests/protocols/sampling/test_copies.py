"""Many copies of the randomised tracker in one: each is a tracker of its own, and what its messages say by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from disttrack.protocols import Randomized
from disttrack.protocols.base import EVERYONE, Message
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


def test_running_estimates_are_what_the_reports_say() -> None:
    server, _ = fed(50, [300, 200, 17, 1])
    anew = server.last.sum(axis=0) + (server.inverse - 1) * np.count_nonzero(server.last, axis=0)
    assert (server.estimates == anew).all()


def test_all_alike_while_every_item_is_reported() -> None:
    server, tracker = fed(500, [3, 2])
    assert tracker.inverse_p(2, 5) == 1
    assert server.exact == 5


def test_a_server_by_hand() -> None:
    """One site of 4 items known at the start, alpha = c: 1/p = 4, so a report of item L makes 4 + L - 1 + 4 of a copy.

    The doubling report of 8 items announces 8: 1/p = 8, and all estimates are made anew from what was reported.
    """
    server = Watched(Randomized(alpha=0.5, confidence=0.5), 1, 3, (4,))
    assert server.exact is None
    assert server.estimates.tolist() == [4, 4, 4]
    assert server.hear(0, Message("report", (np.array([0, 2]), 5), 2)) == ()
    assert server.estimates.tolist() == [12, 4, 12]
    server.hear(0, Message("report", (np.array([0]), 6)))
    assert server.estimates.tolist() == [13, 4, 12]
    server.hear(0, Message("report", (np.array([1]), 7)))
    assert server.estimates.tolist() == [13, 14, 12]
    server.hear(0, Message("report", (np.array([0, 1]), 8), 2))  # all copies have one by now
    assert server.estimates.tolist() == [15, 15, 12]
    ((receiver, total),) = server.hear(0, Message("double", 8))
    assert (receiver, total) == (EVERYONE, ("total", (8, 0), 1))
    assert server.estimates.tolist() == [19, 19, 16]
    server.hear(0, Message("adjust", (np.array([0, 2]), np.array([3, 0])), 2))
    assert server.estimates.tolist() == [14, 19, 4]


def test_a_site_by_hand() -> None:
    """While p is 1 one word serves all copies; a report names those that it speaks for, a word each."""
    site = CopiesSite(Randomized(alpha=0.5, confidence=0.5), 1, 3, Coins(np.random.default_rng(1)), 0, 0)
    assert site.take(1) == [("report", (None, 1), 1), ("double", 1, 1)]
    assert site.hear(Message("total", (1, 0))) == []
    assert site.take(1) == [("report", (None, 2), 1), ("double", 2, 1)]
    for message in site.hear(Message("total", (2, 0))):
        assert message.kind == "adjust"
        which, lasts = message.value
        assert message.words == len(which) == len(lasts)
        assert (lasts < 2).all()  # only a report that has been lost is told
    while not (sent := site.take(site.quota() + 1)) or sent[0].kind != "report":
        pass
    which, last = sent[0].value
    assert last == site.count
    assert sent[0].words == len(which)


def test_used_up_copies_fall_silent() -> None:
    """After the broadcast that says so, no site reports or adjusts a copy before the one in use."""
    tracker = Randomized(alpha=0.5)
    site = CopiesSite(tracker, 4, 30, Coins(np.random.default_rng(0)), 0, 0)
    for _ in range(40):
        site.take(site.quota() + 1)
    said = list(site.hear(Message("total", (200, 12), 2)))
    while len(said) < 40:
        said.extend(site.take(site.quota() + 1))
    named = [which for message in said if message.kind != "double" for which in message.value[0].tolist()]
    assert named
    assert min(named) >= 12
    assert max(named) < 30
    assert all(message.words == len(message.value[0]) for message in said if message.kind != "double")
