"""Partners from below: trackers of items use all of the slack that they promise, and have the coins of their proofs.

A game that stays within alpha says little: a tracker with a quarter more error passes too. Here the worst case is
played, and the coins are compared with bounds that are computed here.
"""

from __future__ import annotations

from collections import Counter
from math import ceil, exp, log, log1p, sqrt
from typing import Any

import numpy as np
import pytest
from plain_contents import fed

from disttrack.protocols.contents import FrequencyDeterministic, FrequencyRandomized, FrequencySample, HeavyHitters

LONGEST = 2**61
"""Items of the longest game."""


class Play:
    """A game of a tracker, item by item, by somebody who sees all of it."""

    def __init__(self, tracker: Any, k: int, seed: int = 1) -> None:
        of_sites, of_server = np.random.default_rng(seed).spawn(2)
        self.tracker, self.copies, self.counts = tracker, Counter[tuple[int, int]](), [0] * k
        self.sites: Any = tracker.sites(k, of_sites, feeds=fed(k, lambda site, item: self.copies[site, item]))
        self.server: Any = tracker.server(k, of_server)

    def give(self, site: int, item: int) -> int:
        """Give a site an item, and return the number of reports on items that this sets off."""
        self.copies[site, item] += 1
        self.counts[site] += 1
        sent = self.sites[site].receive(item)
        for message in sent:
            for _, answer in self.server.hear(site, message):
                for one in self.sites:
                    one.hear(answer)
        return sum(message.kind != "total" for message in sent)

    def least(self, among: Any = None) -> int:
        """Return the site with the fewest items, so that all report their totals at about the same time."""
        return int(min(range(len(self.counts)) if among is None else among, key=self.counts.__getitem__))


def worst_at_the_brink(tracker: HeavyHitters, share: float, k: int = 8, items: int = 3000) -> float:
    """Return the largest error, over alpha, of an item whose every site holds all copies that it need not report.

    After each announcement the sites are filled up to one copy before a report; other items keep its share below
    `share` before. So it passes phi while its estimate lacks as much as it can, and the server's total is fresh.
    """
    play, heavy, worst = Play(tracker, k), 0, 0.0
    for number in range(1, items + 1):
        held = [play.copies[site, 0] - play.sites[site].reported.get(0, 0) for site in range(k)]
        below = [site for site in range(k) if held[site] < play.sites[site].scale - 1]
        if below or heavy < share * number:
            heavy += 1
            play.give(play.least(below or None), 0)
        else:
            play.give(play.least(), number)
        off = tracker.phi - heavy / number
        listed = tracker.lists(play.server.estimates.get(0, 0), play.server.total)
        worst = max(worst, off if listed else tracker.alpha - off)
    return worst / tracker.alpha


class Wide(HeavyHitters):
    """The planted fault: estimates within alpha / 2.4, and not alpha / 3, behind the same list."""

    @property
    def inner(self) -> Any:
        return FrequencyDeterministic(self.alpha / 2.4)


def test_a_list_uses_all_of_its_slack_and_no_more() -> None:
    """Nothing is drawn. Estimates within alpha / 2.6 or more break the promise."""
    assert 0.9 < worst_at_the_brink(HeavyHitters(alpha=0.15, phi=0.3), 0.285) <= 1
    assert worst_at_the_brink(HeavyHitters(alpha=0.15, phi=0.3), 0.295) <= 1
    assert worst_at_the_brink(Wide(alpha=0.15, phi=0.3), 0.295) > 1


def needed_of_sample(alpha: float, delta: float, domain: int, k: int) -> float:
    """Return L / alpha^2, by bisection of the failure bound of docs/contents.md: p = (L / alpha^2) / N is needed."""
    growth = 1.05
    stretches = ceil(log(LONGEST) / log(growth))

    def failure(strength: float) -> float:
        return 2 * domain * stretches * exp(-strength / (growth**2 + 2 * alpha * growth / 3))

    return bisected(failure, delta) / alpha**2


def needed_of_counts(alpha: float, delta: float, domain: int, k: int) -> float:
    """Return c sqrt(k) / alpha likewise; a tenth of alpha each is for the growth between checkpoints, either side."""
    checkpoints = ceil(log(LONGEST) / log1p(0.1 * alpha)) + 2 * LONGEST.bit_length()

    def failure(strength: float) -> float:
        x = 0.8 * strength / sqrt(k)
        return 2 * domain * checkpoints * exp(-k * (x - log1p(x)))

    return bisected(failure, delta) * sqrt(k) / alpha


def bisected(failure: Any, delta: float) -> float:
    low, high = 0.0, 1e4
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if failure(middle) > delta else (low, middle)
    return high


@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.01])
def test_trackers_have_the_coins_of_their_proofs_and_no_more(alpha: float) -> None:
    for delta, domain, k in ((0.05, 50, 4), (1e-6, 10**6, 300)):
        of_sample, of_counts = (needs(alpha, delta, domain, k) for needs in (needed_of_sample, needed_of_counts))
        sample, counts = (kind(alpha, delta, domain) for kind in (FrequencySample, FrequencyRandomized))
        assert sample.size == pytest.approx(of_sample, rel=1e-3)
        assert counts.needed(k) * sqrt(k) / alpha == pytest.approx(of_counts, rel=1e-3)
    for by in ("sample", "randomized"):
        tracker = HeavyHitters(alpha=3 * alpha, phi=0.95, by=by, domain=50)  # type: ignore[arg-type]
        assert tracker.inner.alpha == pytest.approx(alpha)
