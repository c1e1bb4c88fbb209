"""The belief about the tracker `randomized`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View
from disttrack.adversaries.known import sampling_rule
from disttrack.adversaries.views import Heard
from disttrack.attack.adversaries.beliefs.base import Belief, Reals
from disttrack.attack.adversaries.beliefs.joint import JointReports
from disttrack.attack.adversaries.beliefs.moments import Moments
from disttrack.attack.adversaries.beliefs.seen import LastSeen
from disttrack.mechanisms.rules import estimate, next_double


class SamplingBelief(Belief):
    """Against `randomized`: each item is reported with probability p, and the estimate is then count - 1 + 1/p.

    p is public, since the doubling tracker draws no coins. While p is constant, a report is visible as a change of the
    output and determines the error of its site: it is now 1/p - 1, and the jump of the output gives the one before.
    When p is lowered, all sites redraw their reports in secret, and only the sum is visible. A redraw does not change
    the mean of an estimate, so a report of the L-th item, seen under p_0, makes L - 1 + 1/p_0 the mean from then on;
    the variance that each redraw adds is known, too (`variance_redrawn`). The site fed in that very step may have
    reported its item under the old p just before, with probability p.

    `errors` is the exact posterior mean as long as few combinations of reports are possible since all sites were last
    known (`JointReports`): with two or three sites, or few items. Beyond that it is the best estimate that is linear in
    the totals and the reports seen (`Moments`), with exact means, variances and covariances. That is the posterior mean
    if all uncertain sites have redrawn reports of many items, since they are then exchangeable. It differs if redraws
    may take some of them back to their first item: after one redraw by 3 % of a site's standard deviation with 16
    sites, by less than 1 % from 64 on.

    Source
    ------
    Huang, Yi, Zhang 2012, section 2, as in `randomized`; means, variances and their filter derived here.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._rule = sampling_rule(view)
        share, rest = divmod(view.start, view.sites)
        self._begun = [share + (site < rest) for site in range(view.sites)]
        self._doubled = list(self._begun)
        self._counts = list(self._begun)
        self._lower = self._known = view.start
        self.inverse = self._rule.inverse_p(self._known)
        self._sent, self._total = 0, 0.0
        self._seen = LastSeen(view.sites, self.inverse)
        self._moments = Moments(self.errors)
        self._joint: JointReports | None = None
        """The exact posterior, while sites are uncertain and it is small."""

    def note(self, view: View, site: int, items: int, changed: bool, heard: Sequence[Heard] | None = None) -> None:
        """Record a move as any belief does; `heard` are the messages since the last request, if they are seen."""
        total = float(view.output) - view.start - view.sent
        redrawn, left = False, items
        while left:
            some, inverse = self._count(site, left)
            left -= some
            self._sent += some
            self._total -= some
            self.errors[site] -= some
            redrawn = inverse != self.inverse
            if redrawn:
                # before the last item the output was unchanged, whatever was redrawn
                self._redraw(site, inverse, self._total if left else total, heard)
        if changed and not redrawn:
            self._report(site, total)
        self._total = total
        if self._joint is not None:
            self.errors[:] = self._joint.means(self.inverse) - self._items()
            if self._moments.certain:
                self._joint = None

    def _count(self, site: int, items: int) -> tuple[int, int]:
        """Count items of a site up to the one at which p falls; return their number, and 1/p after them."""
        begin, doubled = self._counts[site], self._doubled
        while (double := next_double(doubled[site])) <= begin + items:
            self._lower += double - doubled[site]
            doubled[site] = double
            if self._lower >= next_double(self._known):
                self._known = self._lower
                inverse = self._rule.inverse_p(self._known)
                if inverse != self.inverse:
                    self._counts[site] = double
                    return double - begin, inverse
        self._counts[site] += items
        return items, self.inverse

    def _report(self, site: int, total: float) -> None:
        """Record that a site has reported its latest item, and that the total error is now `total`."""
        item, error = self._counts[site] - self._begun[site], self._top
        self._moments.learn(site, self._total + error - total)
        self.errors[site] = error
        self._seen.see(site, item, self.inverse)
        if self._joint is not None:
            self._joint = self._joint.reported(site, item).given(total + self._sent, self.inverse)

    def _redraw(self, site: int, inverse: int, total: float, heard: Sequence[Heard] | None) -> None:
        """Record that 1/p has become `inverse` at an item of `site`, and that the total error is now `total`."""
        before, item, joint = self.inverse, self._counts[site] - self._begun[site], self._joint
        if joint is None and heard is None and self._moments.certain:
            joint = JointReports(self._seen.certain[None, :], np.ones(1))
        # the coin of this item was tossed with the old p, and its result was lost in the redraw
        reported = 1 / before if heard is None else float(any(message.kind == "report" for message in heard))
        self._moments.mix(site, self._top, reported)
        self._seen.suspect(site, item, before, reported)
        self.inverse = inverse
        self.epoch += 1
        if heard is None:
            self._moments.shift(0.0, self._seen.variances(inverse) - self._seen.variances(before))
        else:
            self._hear(before, [message.sender for message in heard if message.kind == "adjust"])
        self._moments.learn_sum(total)
        if joint is not None:
            joint = joint.redrawn(site, item, before, inverse)
        self._joint = joint and joint.given(total + self._sent, inverse)

    @property
    def _top(self) -> float:
        """The error of a site right after its report, for any item."""
        return float(estimate(1, self.inverse) - 1)

    def _items(self) -> npt.NDArray[np.int64]:
        """Return the items of each site, without the start."""
        items: npt.NDArray[np.int64] = np.array(self._counts) - np.array(self._begun)
        return items

    # ------------------------------------------------------------------ for greater powers

    def _hear(self, before: int, redrew: Sequence[Any]) -> None:
        """Record which sites have sent a redrawn report; the others have kept theirs."""
        inverse, gain = self.inverse, self.inverse - before
        lost = np.zeros(len(self.errors), dtype=bool)
        lost[redrew] = True
        holds = self._seen.holding(before)
        # a site that lost its report has the estimate of the items before it; one that kept it, that of the new p
        means = np.where(lost, -before, gain * holds)
        variances = np.where(lost, self._seen.variances_anew(inverse), gain * gain * holds * (1 - holds))
        self._moments.shift(means, variances)
        self._seen.redrew(lost, inverse / before)

    def see(self, lasts: Sequence[int]) -> None:
        """Record each site's last report, 0 for none, for an adversary that sees the state."""
        last = np.array(lasts, dtype=np.int64)
        self._moments.learn_all(estimate(last, self.inverse) - self._items())
        self._seen.see_all(last, self.inverse)
        self._joint = None

    # ------------------------------------------------------------------ expected effects

    def prospects(self) -> tuple[Reals, Reals]:
        return self._top - self.errors, np.full(len(self.errors), float(self.inverse))

    def ideal(self) -> float:
        # all sites at 1/p, as early as p allows: n = c sqrt(k)/(alpha p), and k/p items more to bring them there
        sites = len(self.errors)
        return sites / (self._rule.early + sites)
