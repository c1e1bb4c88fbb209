"""Private copies: a private median of many copies of the randomised tracker, updated when a private test fires."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log, log1p, sqrt
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.checks import Positive, Share
from disttrack.mechanisms.noise import Floats
from disttrack.protocols.base import Guarantee, Server
from disttrack.protocols.coins import StraightCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.sampling.copies import CopiesProtocol, CopiesServer, Largest
from disttrack.protocols.sampling.copies_kernel import MOST_CELLS, PrivateForm, is_off
from disttrack.protocols.sampling.randomized import LARGEST_COUNT, Randomized

TESTS: Final = 2**20
"""Messages between two changes of the output during which the test is to stay silent."""
MOST_POINTS: Final = 2**22
"""Points of a grid up to which it is enumerated point by point."""
MARGIN: Final = 0.35
"""Fraction by which the copies that are off exceed a half when the output must change, or fall short of it when it must
not; 0.4 is expected."""


@dataclass(frozen=True)
class PrivateCopies(CopiesProtocol):
    """Copies of the randomised tracker, their coins behind differential privacy: a heuristic here, without a guarantee.

    After each message that may move the copies' estimates the sparse-vector test asks how many of them are off the
    output by more than alpha/2 of it. When about half are, the output becomes a private median of the copies, on a grid
    of factors 1 + alpha/10, and the test restarts. With lambda changes in all, a total loss epsilon leaves
    epsilon / sqrt(8 lambda ln(1/delta)) for each, so that the copies which make the test sure grow like sqrt(lambda),
    with a factor of thousands.

    The proof of the framework does not carry over: a site sends a message when its own coin succeeds, and the server
    can change its output only after a message. An adversary that sees the output change knows with certainty that the
    last site has just sent a report of some copy, which no noise at the server hides.

    Parameters
    ----------
    alpha
        Relative error aimed at, in (0, 1).
    delta
        The delta of the composition, and the failure probability from which the number of copies is computed.
    epsilon
        Privacy loss over all changes together, from the server's noise only; it fixes the number of copies. The
        theory asks for 0.01. None: 4 sqrt(lambda) copies, and the noise that so few of them allow, which is no
        meaningful privacy (`loss` per change).
    largest
        Planned number of items: it fixes lambda, after which the output does not change any more.

    Source
    ------
    Hassidim et al. 2020, in Xiong, Zhu, Huang 2023, section 1.2; constants derived.
    Hassidim, Kaplan, Mansour, Matias, Stemmer 2020; the section applies it to tracking, and says why it fails there.
    """

    alpha: Share
    delta: Share = 0.05
    epsilon: Positive | None = None
    largest: Largest = LARGEST_COUNT

    kind: ClassVar[str] = "private-copies"
    mark: ClassVar = ("#A08F00", "h")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    arithmetic: ClassVar[str] = "real"
    guarantee: ClassVar[Guarantee] = "none"
    reveals: ClassVar[str] = "each change shows that the site fed last has just sent a report: privacy does not hide it"

    def tracker(self, k: int, start: int = 0) -> Randomized:
        """Return the tracker of each copy: within alpha/4 at any fixed step with probability 0.9 (Chebyshev)."""
        return Randomized(alpha=self.alpha / 4, confidence=sqrt(10))

    def loss(self, start: int = 0) -> float:
        """Return the privacy loss per change: by advanced composition from epsilon, or as the copies need."""
        if self.epsilon is None:
            return self._noise(start) / self.copies(start)
        return self.epsilon / sqrt(8 * self.changes(start) * log(1 / self.delta))

    def copies(self, start: int = 0) -> int:
        """Return the number of copies for a game that begins with `start` items."""
        if self.epsilon is None:
            return ceil(4 * sqrt(self.changes(start)))
        return ceil(self._noise(start) / self.loss(start))

    def _noise(self, start: int) -> float:
        """Return copies times loss at which the margin exceeds the noise of all tests (Qiu, Yi 2022, Theorem 4)."""
        return 8 * log(2 * TESTS * self.changes(start) / self.delta) / MARGIN

    @property
    def far(self) -> float:
        """The fraction of the output by which copies that are off differ from it at least."""
        return self.alpha / 2

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm | None:
        if k * self.copies(sum(start)) > MOST_CELLS:
            return None
        server = _Server(self, k, server_rng, start)
        return PrivateForm(server, k, StraightCoins(site_rng), self.far, start)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Server(self, k, rng, start)


class _Server(CopiesServer):
    """Tests after each message whether the output must change."""

    __slots__ = ("_far", "_loss", "_rng", "_step", "left", "test")

    def __init__(self, protocol: PrivateCopies, k: int, rng: np.random.Generator, start: Sequence[int]) -> None:
        known = sum(start)
        super().__init__(protocol, k, start)
        self._rng = rng
        self._far = protocol.far
        self._step = log1p(protocol.alpha / 10)
        self._loss = protocol.loss(known)
        self.left = protocol.changes(known)
        """Changes of the output that are left."""
        self._begin_test()

    def _begin_test(self) -> None:
        self.test = AboveThreshold(self._loss, self.copies / 2).start(self._rng)

    def look(self) -> None:
        if not self.left:
            return
        output = float(self.output)
        if self.exact is not None:
            off = self.copies * is_off(self.exact, self._far, output)
        else:
            off = int(np.count_nonzero(is_off(self.estimates, self._far, output)))
        if self.test.step(off):
            self.change(self.estimates if self.exact is None else np.full(self.copies, self.exact))

    def change(self, estimates: Floats) -> None:
        """Make a private median of the estimates the output, and begin another test."""
        self.output = self._median(estimates)
        self.left -= 1
        self._begin_test()

    def _median(self, estimates: Floats) -> float:
        """Return a point of the grid by the exponential mechanism, scored by its rank distance from the median."""
        places = np.sort(np.rint(np.log(np.maximum(estimates, 1)) / self._step))
        points = ceil(log(LARGEST_COUNT) / self._step)
        begins = np.arange(points) if points <= MOST_POINTS else _stretches(places, points)
        # the points of a stretch have equal weight: those between two estimates, if there are too many to enumerate
        lengths = np.diff(np.append(begins, points))
        half = len(estimates) / 2
        below = np.searchsorted(places, begins, side="left")
        up_to = np.searchsorted(places, begins, side="right")
        distance = np.maximum(0, np.maximum(below - half, half - up_to))
        # exponential weights exp(-loss distance / 2), drawn by adding Gumbel noise
        chosen = int(np.argmax(self._rng.gumbel(size=len(begins)) + np.log(lengths) - self._loss / 2 * distance))
        place = int(begins[chosen])
        if points > MOST_POINTS:
            place += int(self._rng.integers(int(lengths[chosen])))
        return float(np.exp(place * self._step))


def _stretches(places: Floats, points: int) -> Floats:
    """Return the first points of the stretches between the places of estimates, and of these places."""
    inside = places[places < points]
    begins = np.unique(np.concatenate(([0.0], inside, inside + 1)))
    return begins[begins < points]
