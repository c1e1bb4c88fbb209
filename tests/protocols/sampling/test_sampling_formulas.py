"""The sampling trackers from their formulas: constants, a site of copies, the private median."""

from __future__ import annotations

from math import ceil, exp, log, log1p, log2, sqrt
from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.protocols import PrivateCopies, Randomized, SketchSwitching
from disttrack.protocols.base import EVERYONE, FOREVER, Message
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.protocols.sampling.confidence import at_rest, confidence_for, rate, spoilt
from disttrack.protocols.sampling.copies import CopiesServer, CopiesSite
from disttrack.protocols.sampling.private_copies import MARGIN, TESTS
from disttrack.protocols.sampling.randomized import LARGEST_COUNT
from disttrack.protocols.sampling.sketch_switching import CHECKPOINTS, changes


def test_what_each_tracker_is_made_of() -> None:
    for k in (1, 4, 100):
        assert Randomized(0.3, confidence=2.0, copies=3).tuned(k) == (0.15, 3)
        tight = Randomized(0.3, delta=0.1, parameters="tight").tuned(k)
        assert tight == (pytest.approx(0.3 / confidence_for(k, 0.3, 0.1 / 63)), 1)
        accuracy, copies = Randomized(0.3, delta=0.1).tuned(k)
        checkpoints = log(LARGEST_COUNT) / log1p(0.1) + 2 * log2(LARGEST_COUNT)
        least = ceil(log(checkpoints / 0.1) / -log(0.6))
        assert (accuracy, copies) == (pytest.approx(0.1 / sqrt(10)), least if least % 2 else least + 1)
        rule = Randomized(0.3, confidence=2.0).rule(k)
        assert (rule.spread, rule.sites, rule.early) == (0.15, k, pytest.approx(sqrt(k) / 0.15))
        for known in (0, 10, 100, 10**6):
            wanted = 0.15 * known / sqrt(k)
            inverse = Randomized(0.3, confidence=2.0).inverse_p(k, known)
            assert inverse == 1 if wanted < 2 else inverse <= wanted < 2 * inverse
    switching = SketchSwitching(0.4, 0.1, 1e6)
    for start in (0, 1, 50):
        copies = ceil((log(1.05) + log(1e6 / max(start, 1))) / log(1.2)) + 1
        assert switching.copies(start) == changes(0.4, 1e6, start) == copies
        made = switching.tracker(9, start)
        assert made == Randomized(0.4 / 12, confidence=strength_for(0.1 / (copies * CHECKPOINTS), 9))
    server: Any = switching.server(2, None, [30, 20])
    assert (server._rule, server.copies) == (switching.tracker(2, 50).rule(2), switching.copies(50))
    assert switching.tracker(2, 50) != switching.tracker(2, 0)
    assert switching.copies() == switching.copies(0)
    assert switching.tracker(9) == switching.tracker(9, 0)
    assert changes(0.4, 2.0, 10**9) == 1


def test_what_private_copies_are_made_of() -> None:
    free = PrivateCopies(0.4, 0.1, largest=1e6)
    assert free.tracker == Randomized(0.1, confidence=sqrt(10))
    for start in (0, 50):
        many = changes(0.4, 1e6, start)
        assert free.changes(start) == many
        noise = 8 * log(2 * TESTS * many / 0.1) / MARGIN
        assert free.copies(start) == ceil(4 * sqrt(many))
        assert free.loss(start) == pytest.approx(noise / free.copies(start))
        bought = PrivateCopies(0.4, 0.1, epsilon=2.0, largest=1e6)
        each = 2.0 / sqrt(8 * many * log(10))
        assert bought.loss(start) == pytest.approx(each)
        assert bought.copies(start) == ceil(noise / each)
    assert (free.changes(), free.copies(), free.loss()) == (free.changes(0), free.copies(0), free.loss(0))


@pytest.mark.parametrize("k", [1, 4, 50])
def test_errors_of_a_sum_of_ages(k: int) -> None:
    """The sum of k exponential ages, its density, and how often it leaves a band."""
    gamma = stats.gamma(k)
    for deviation in (0.3, 1.0, 3.0, 9.0):
        u = deviation / sqrt(k)
        high = gamma.cdf(k * (1 - u)) if u < 1 else 0.0
        assert float(at_rest(k, deviation)) == pytest.approx(gamma.sf(k * (1 + u)) + high)
        begun = gamma.pdf(k * (1 + u)) * u / (1 + u) + (gamma.pdf(k * (1 - u)) * u if u < 1 else 0.0)
        assert float(rate(k, deviation)) == pytest.approx(k * begun)
    for factor in (1.5, 2.0):
        grown = np.linspace(1, factor, 20_001)
        begin = float(np.trapezoid([float(one) for one in rate(k, 2.5 * grown)], grown))
        exact = float(at_rest(k, 2.5)) + begin * 2.5 / (0.1 * sqrt(k))
        assert spoilt(k, 0.1, 2.5, factor) == pytest.approx(exact, rel=1e-3)
    assert spoilt(k, 0.1, 2.5) == spoilt(k, 0.1, 2.5, 2.0)
    for allowed in (0.2, 1e-4, 1e-9):
        found = confidence_for(k, 0.1, allowed, 1.5)
        assert spoilt(k, 0.1, found, 1.5) == pytest.approx(allowed, rel=1e-3)
        assert spoilt(k, 0.1, found * 1.01, 1.5) < allowed < spoilt(k, 0.1, found * 0.99, 1.5)
    assert confidence_for(k, 0.1, 1e9) == 0.5


class Fixed(Coins):
    """Coins whose gaps are all of one length and whose tosses all come down alike."""

    def __init__(self, gap: int, success: bool = True) -> None:
        super().__init__(np.random.default_rng(0))
        self.each, self.all = gap, success

    def gap(self, scale: float, shape: int | None = None) -> Any:
        return self.each if shape is None else np.arange(self.each, self.each + shape)

    def success(self, p: float, shape: int | None = None) -> Any:
        return self.all if shape is None else np.full(shape, self.all)


def test_a_site_of_copies_by_hand() -> None:
    """alpha / c = 1 and k = 1: 1/p is the largest power of two up to the number known."""
    tracker = Randomized(alpha=0.5, confidence=0.5)
    site = CopiesSite(tracker, 1, 3, Fixed(2), 0, 0)
    assert site.quota() == 0
    sent = site.take(1)
    assert list(sent) == [Message("report", (None, 1)), Message("double", 1)]
    assert list(site.take(1)) == [Message("report", (None, 2)), Message("double", 2)]
    assert list(site.take(1)) == [Message("report", (None, 3))]
    # known 2: p falls to 1/2; tosses that stand leave the last reports as they were, and gaps of 2, 3, 4 are drawn
    assert list(site.hear(Message("total", (2, 0)))) == []
    assert site._last.tolist() == [3, 3, 3]
    assert site._due.tolist() == [5, 6, 7]
    assert (site.next, site.quota()) == (4, 0)
    assert list(site.take(1)) == [Message("double", 4)]
    (report,) = site.take(1)
    assert (report.kind, report.value[0].tolist(), report.value[1], report.words) == ("report", [0], 5, 1)
    assert site._due.tolist() == [7, 6, 7]
    # the first copy goes out of use, and p falls to 1/4: every toss fails, so each last report goes back by its gap
    site._coins = Fixed(1, success=False)
    (adjust,) = site.hear(Message("total", (4, 1)))
    assert (adjust.kind, adjust.value[0].tolist(), adjust.value[1].tolist(), adjust.words) == (
        "adjust",
        [1, 2],
        [2, 1],
        2,
    )
    assert site._due.tolist() == [6, 7]
    assert list(site.hear(Message("total", (5, 1)))) == []  # 1/p stays as it is
    (report,) = site.take(1)
    assert (report.value[0].tolist(), report.value[1]) == ([1], 6)
    assert site._due.tolist() == [7, 7]
    assert list(site.hear(Message("total", (6, 2)))) == []  # the next copy goes out of use as well
    assert (site._due.tolist(), site._last.tolist()) == ([7], [1])
    (report,) = site.take(1)
    assert (report.value[0].tolist(), report.value[1]) == ([2], 7)
    known = CopiesSite(tracker, 1, 2, Fixed(3), 9, 9)
    assert (known.count, known.before, known.double, known._due.tolist(), known.next) == (9, 9, 18, [12, 13], 12)
    (report,) = known.take(3)
    assert (report.value[0].tolist(), report.value[1]) == ([0], 3)  # items of the start are not sampled
    fresh = CopiesSite(tracker, 1, 2, Fixed(3), 0, 0)
    assert fresh._due.tolist() == [FOREVER, FOREVER]


class Watched(CopiesServer):
    """A server that counts how often it looks."""

    __slots__ = ("looked",)

    def look(self) -> None:
        self.looked = getattr(self, "looked", 0) + 1

    @property
    def in_use(self) -> int:
        return 1 if self.known > 4 else 0


def test_a_server_of_copies_by_hand() -> None:
    tracker = Randomized(alpha=0.5, confidence=0.5 / sqrt(2))  # alpha / c over sqrt k is 1
    server = Watched(tracker, 2, 3, ())
    assert (server.exact, server.estimates, server.copies) == (0, None, 3)
    server.hear(0, Message("report", (None, 1)))
    server.hear(1, Message("report", (None, 1)))
    server.hear(1, Message("report", (None, 2)))
    assert (server.exact, server.looked) == (3, 3)
    ((receiver, said),) = server.hear(0, Message("double", 1))
    assert (receiver, said.kind, said.value, said.words) == (EVERYONE, "total", (1, 0), 1)
    assert server.hear(1, Message("double", 1)) or server.known == 2
    assert server.known == 2
    assert server.inverse == 2
    assert server.exact is None
    # of each copy last reports 1 and 2 at 1/p = 2: 1 + 1 + 2 + 1
    assert server.estimates.tolist() == [5, 5, 5]
    server.hear(0, Message("report", (None, 4)))  # late, for all
    assert server.estimates.tolist() == [8, 8, 8]
    server.hear(1, Message("report", (np.array([0, 2]), 6)))
    assert server.estimates.tolist() == [12, 8, 12]
    server.hear(1, Message("adjust", (np.array([1, 2]), np.array([0, 3]))))
    assert server.estimates.tolist() == [12, 5, 9]  # nothing reported counts nothing
    server.hear(1, Message("report", (np.array([1]), 9)))
    assert server.estimates.tolist() == [12, 15, 9]
    looked = server.looked
    assert server.hear(0, Message("double", 2)) == ()
    assert server.looked == looked
    ((_, said),) = server.hear(1, Message("double", 6))
    assert (said.value, said.words, server.inverse) == ((8, 1), 2, 8)
    assert server.estimates.tolist() == [4 + 7 + 6 + 7, 4 + 7 + 9 + 7, 4 + 7 + 3 + 7]
    begun = Watched(tracker, 2, 3, [4, 5])
    assert (begun.exact, begun.estimates.tolist(), begun.before) == (None, [9, 9, 9], 9)


@pytest.mark.parametrize("alpha", [0.2, 0.9])
def test_the_private_median_is_drawn_by_ranks(alpha: float) -> None:
    """Gumbel noise that is written down; the weight of a point is -loss / 2 times its distance in ranks."""
    server = PrivateCopies(alpha, 0.1, largest=1e6).server(4, np.random.default_rng(0))
    step = log1p(alpha / 10)
    estimates = np.array([0.0, 3.0, 7.0, 7.0, 50.0, 900.0, 20.0])
    places = sorted(round(log(max(one, 1)) / step) for one in estimates.tolist())
    points = ceil(log(2**63) / step)

    class Source:
        def gumbel(self, size: int) -> np.ndarray:
            assert size == points
            return noise

    server._rng = Source()
    server._loss = 0.7
    for seed in range(20):
        noise = np.random.default_rng(seed).gumbel(size=points)
        scores = []
        for g in range(points):
            below = sum(place < g for place in places)
            above = sum(place > g for place in places)
            scores.append(noise[g] - 0.35 * max(0.0, below - 3.5, above - 3.5))
        assert server._median(estimates) == pytest.approx(exp(int(np.argmax(scores)) * step))


def test_a_grid_too_long_is_drawn_by_stretches() -> None:
    server = PrivateCopies(0.2, 0.1, largest=1e6).server(4, np.random.default_rng(0))
    places, points = np.array([3.0, 3.0, 5.0, 9.0, 40.0]), 30
    begins, lengths = [0, 3, 4, 5, 6, 9, 10], [3, 1, 1, 1, 3, 1, 20]

    class Source:
        def gumbel(self, size: int) -> np.ndarray:
            assert size == len(begins)
            return noise

        def integers(self, high: int) -> int:
            assert high == lengths[chosen]
            return high - 1

    server._rng = Source()
    server._loss = 0.9
    for seed in range(30):
        noise = np.random.default_rng(seed).gumbel(size=len(begins))
        scores = []
        for begin, length, one in zip(begins, lengths, noise.tolist(), strict=True):
            below, above = sum(place < begin for place in places), sum(place > begin for place in places)
            scores.append(one + log(length) - 0.45 * max(0.0, below - 2.5, above - 2.5))
        chosen = int(np.argmax(scores))
        assert server._drawn_by_stretches(places, points) == begins[chosen] + lengths[chosen] - 1
