"""What one who knows the algorithm and sees the outputs can tell of the server's error, site by site.

The total error is no secret to an adversary: it sees the output and has counted its items. What it must work out is
which sites bear it, since only that says where the next item does the most harm. An error here is the server's
estimate of a site minus the site's items, in items; positive means too high an estimate.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Final

import numpy as np
import numpy.typing as npt

from adversaries.base import View

ALPHA: Final = 0.1
"""Accuracy supposed of a protocol that states none."""
CONFIDENCE: Final = 3.0
"""The c of sqrt(k)/p = alpha n/c supposed of a protocol that states none."""

Reals = npt.NDArray[np.float64]


class Belief(ABC):
    """Posterior means of the errors of the sites.

    Attributes
    ----------
    errors
        Expected error of each site, given all that has been seen, before the total is taken into account.
    epoch
        Goes up whenever the law of the reports has changed: a good moment to think again.
    """

    def __init__(self, view: View) -> None:
        self.errors: Reals = np.zeros(view.sites)
        self.epoch = 0

    @abstractmethod
    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        """Take in that `site` was given `items` items, and whether the output changed with the last of them."""

    @abstractmethod
    def prospects(self) -> tuple[Reals, Reals]:
        """Return what each site's error grows by if it is fed until the output changes, and the items that takes."""

    @abstractmethod
    def ideal(self) -> float:
        """Return the largest relative error that feeding each site until it reports is expected to reach."""


class SamplingBelief(Belief):
    """Against `randomized`: each item is reported with probability p, and the estimate then is count - 1 + 1/p.

    A site whose report of its L-th item has been seen under p_0 has, whatever p has become since, an estimate of mean
    L - 1 + 1/p_0: to redraw at a halving leaves the mean as it is (that is what redrawing is for), and what it loses to
    estimates of 0 is made up for exactly. p itself is no secret, since the doubling tracker draws no coins.

    Source
    ------
    Huang, Yi, Zhang 2012, section 2, as `randomized` has it; the means derived here.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._scale = float(view.known.get("alpha") or ALPHA) / float(view.known.get("confidence") or CONFIDENCE)
        share, rest = divmod(view.start, view.sites)
        self._doubled = [share + (site < rest) for site in range(view.sites)]
        self._counts = list(self._doubled)
        self._lower = self._known = view.start
        self._root = math.sqrt(view.sites)
        self.inverse = self._inverse()
        self.reported = [False] * view.sites

    def _inverse(self) -> int:
        """Return 1/p: the largest power of two not above alpha · known / (c sqrt k)."""
        return 1 << max(0, int(self._scale * self._known / self._root).bit_length() - 1)

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        before = self.inverse
        self._counts[site] += items
        while self._counts[site] >= (double := max(1, 2 * self._doubled[site])):
            self._lower += double - self._doubled[site]
            self._doubled[site] = double
            if self._lower >= max(1, 2 * self._known):
                self._known = self._lower
                self.inverse = self._inverse()
        if self.inverse != before:
            self.epoch += 1  # the sites redraw, which changes the output, too
            self.errors[site] -= items
        elif changed:
            self.errors[site] = self.inverse - 1
            self.reported[site] = True
        else:
            self.errors[site] -= items

    def prospects(self) -> tuple[Reals, Reals]:
        top = self.inverse - 1.0
        return top - self.errors, np.full(len(self.errors), float(self.inverse))

    def ideal(self) -> float:
        # all sites at 1/p, as early as p allows: n = c sqrt(k)/(alpha p), and k/p items more to bring them there
        sites = len(self.errors)
        return sites / (self._root / self._scale + sites)


class BlockBelief(Belief):
    """Against `block`: a signal at a uniform place of each block of D items, the estimate D times the signals.

    The errors are known exactly: every signal is seen. What is not known is when the next one comes, and that is
    uniform over what is left of the block.

    Source
    ------
    Overview of Xiong, Zhu, Huang 2023, as `block` has it.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        alpha, confidence = view.known.get("alpha") or ALPHA, view.known.get("confidence") or CONFIDENCE
        self._scale = float(alpha) / (float(confidence) * math.sqrt(view.sites))
        self._signalled = np.zeros(view.sites, dtype=bool)
        self._place: Reals = np.zeros(view.sites)
        self._begin(view.start)

    def _begin(self, total: int) -> None:
        self._base, self._signals = total, 0
        self.size = int(self._scale * total)
        self.errors[:] = 0
        self._place[:] = 0
        self._signalled[:] = False
        self.epoch += 1

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        if self.size < 1:  # every item is forwarded
            self._begin(view.start + view.sent)
            return
        self._signals += changed
        if self._signals * self.size >= self._base:
            self._begin(view.start + view.sent)  # the round is over: the output is exact
            return
        self.errors[site] += self.size * changed - items
        place = self._place[site] + items
        if place > self.size:
            self._signalled[site] = False
        self._place[site] = (place - 1) % self.size + 1 if place else 0
        self._signalled[site] |= changed

    def place(self, site: int) -> tuple[int, bool]:
        """Return how many items of its block a site has had, and whether it has signalled in it."""
        return int(self._place[site]), bool(self._signalled[site])

    def prospects(self) -> tuple[Reals, Reals]:
        size, place, done = self.size, self._place, self._signalled
        rest = size - place
        wait = np.where(done, rest + (size + 1) / 2, (rest + 1) / 2)
        return size - wait, wait

    def ideal(self) -> float:
        half = len(self.errors) * self._scale / 2
        return half / (1 + half)


class CaughtBelief(Belief):
    """Against trackers that hide their signals: a release only tells that the site fed then has signalled.

    Of all other sites the posterior is as good as the prior. So a site that has been caught is worth leaving until
    the round is over, which shows by an output that equals the count, and else all sites are alike.

    Source
    ------
    The privacy-leaked set of Xiong, Zhu, Huang 2023, section 4.
    """

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        if changed and view.output == view.start + view.sent:
            self.errors[:] = 0
            self.epoch += 1
        elif changed:
            self.errors[site] += 1

    def prospects(self) -> tuple[Reals, Reals]:
        return 1 - self.errors, np.ones(len(self.errors))

    def ideal(self) -> float:
        return 0.0


class AttributedBelief(Belief):
    """Against any other protocol: whatever the total error does while a site is fed is put down to this site.

    That is exact where the server's estimate is a sum over the sites. Where an output equals the count, all are
    taken to be right again.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._total = 0.0
        self._jump = 1.0

    def note(self, view: View, site: int, items: int, changed: bool) -> None:
        total = float(view.output) - view.start - view.sent
        moved, self._total = total - self._total, total
        self.errors[site] += moved
        if not changed:
            return
        if not total:
            self.errors[:] = 0
            self.epoch += 1
        elif moved + items > 0:
            self._jump = moved + items

    def prospects(self) -> tuple[Reals, Reals]:
        # a report sets the site's error to about half a jump, and takes about a jump of items
        return self._jump / 2 - self.errors, np.full(len(self.errors), max(1.0, self._jump))

    def ideal(self) -> float:
        return 0.0


def belief_of(view: View) -> Belief:
    """Return the belief that fits the protocol of this game."""
    kind = view.known.get("kind")
    plain = view.known.get("copies", 1) == 1 and view.known.get("delta") is None
    if kind == "randomized" and plain:
        return SamplingBelief(view)
    if kind == "block":
        return BlockBelief(view)
    if kind in ("robust", "private-copies", "sketch-switching", "difference-estimators"):
        return CaughtBelief(view)
    return AttributedBelief(view)
