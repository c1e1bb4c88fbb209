"""The belief about the tracker `randomized`: last reports, their joint distribution or moments, and the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import View, sampling_rule
from disttrack.adversaries.views import Heard
from disttrack.attack.adversaries.beliefs.base import Belief, Reals
from disttrack.mechanisms.rules import estimate, next_double
from disttrack.mechanisms.rules.sampling import chances_redrawn, variance, variance_redrawn

Mask = npt.NDArray[np.bool_]


class LastSeen:
    """For each site, cases of its last report before any redraw: their probabilities, items, and 1/p at the time.

    Most sites have one case. A site that was fed in a step in which p fell may or may not have reported then: two.
    A table has one row per case and one column per site.

    Parameters
    ----------
    sites, inverse
        Number of sites, none of which has reported yet, and 1/p.
    """

    def __init__(self, sites: int, inverse: int) -> None:
        self._chance: Reals = np.ones((1, sites))
        self._item: Reals = np.zeros((1, sites))
        self._then: Reals = np.full((1, sites), float(inverse))

    @property
    def certain(self) -> npt.NDArray[np.int64]:
        """The last item that each site reported, 0 for none, if that is known."""
        items: npt.NDArray[np.int64] = self._item[0].astype(np.int64)
        return items

    def see(self, site: int, item: int, inverse: int) -> None:
        """Record that a site has reported this item."""
        self._chance[:, site] = 0
        self._set(0, site, 1.0, item, inverse)

    def see_all(self, items: npt.NDArray[np.int64], inverse: int) -> None:
        """Record the last reports of all sites, under the present p."""
        self._chance[:] = 0
        self._chance[0], self._item[0], self._then[0] = 1, items, inverse

    def suspect(self, site: int, item: int, inverse: int, chance: float) -> None:
        """Record that a site may have reported this item, with this probability."""
        if chance == 1:
            self.see(site, item, inverse)
        elif chance:
            self._chance[:, site] *= 1 - chance
            free = np.flatnonzero(self._chance[:, site] == 0)
            if not len(free):
                self._append_row()
            self._set(int(free[0]) if len(free) else -1, site, chance, item, inverse)

    def variances(self, inverse: int) -> Reals:
        """Return the variance that redraws have added to each site's estimate by the time that 1/p is `inverse`."""
        variances: Reals = (self._chance * variance_redrawn(self._item, self._then, inverse)).sum(axis=0)
        return variances

    def holding(self, inverse: int) -> Reals:
        """Return the probability that each site still has a report while 1/p is `inverse`."""
        none = (1 - self._then / inverse) * (1 - 1 / inverse) ** self._before
        chances: Reals = (self._chance * (self._item > 0) * (1 - none)).sum(axis=0)
        return chances

    def variances_anew(self, inverse: int) -> Reals:
        """Return the variance of each site's estimate if it has lost its report and 1/p is `inverse`."""
        variances: Reals = (self._chance * variance(self._before, inverse)).sum(axis=0)
        return variances

    def redrew(self, lost: Mask, factor: float) -> None:
        """Record which sites have lost their reports while 1/p grew by a factor; the others kept theirs."""
        self._then = np.where(lost, 0.0, self._then * factor)

    @property
    def _before(self) -> Reals:
        """Items before the one reported, 0 if there is none."""
        before: Reals = np.maximum(self._item, 1) - 1
        return before

    def _set(self, row: int, site: int, chance: float, item: int, inverse: int) -> None:
        self._chance[row, site], self._item[row, site], self._then[row, site] = chance, item, inverse

    def _append_row(self) -> None:
        none, once = np.zeros((1, self._chance.shape[1])), np.ones((1, self._chance.shape[1]))
        self._chance, self._item = np.vstack((self._chance, none)), np.vstack((self._item, none))
        self._then = np.vstack((self._then, once))


LIMIT: Final = 2**18
"""Maximum number of combinations times the number of sites."""

Combinations = npt.NDArray[np.int64]


class JointReports:
    """The last reported item of each site, as a distribution over combinations.

    Parameters
    ----------
    lasts
        The combinations: one row each, one column per site, 0 for no report.
    chances
        Their probabilities.
    """

    def __init__(self, lasts: Combinations, chances: Reals) -> None:
        self._lasts, self._chances = lasts, chances

    def means(self, inverse: int) -> Reals:
        """Return the expected estimate of each site."""
        expected: Reals = self._chances @ estimate(self._lasts, inverse)
        return expected

    def reported(self, site: int, item: int) -> JointReports:
        """Return the distribution after a site has reported this item."""
        lasts = self._lasts.copy()
        lasts[:, site] = item
        return JointReports(lasts, self._chances)

    def redrawn(self, site: int, item: int, before: int, inverse: int) -> JointReports | None:
        """Return the distribution after 1/p has grown from `before` at this item of a site; None if it is too large.

        The coin of the item was tossed, unseen, with the old p.
        """
        lasts, chances = np.vstack((self._lasts, self.reported(site, item)._lasts)), self._chances / before
        chances = np.append(self._chances - chances, chances)
        ways = np.log1p(lasts).sum(axis=1)  # a report of item l may become any of 0, 1, …, l
        if np.exp(np.minimum(ways, 700)).sum() * lasts.shape[1] > LIMIT:
            return None
        for each in np.flatnonzero(lasts.any(axis=0)).tolist():
            lasts, chances = _redrawn(lasts, chances, each, before, inverse)
        return JointReports(lasts, chances)

    def given(self, total: float, inverse: int) -> JointReports | None:
        """Return the distribution given that the estimates add up to `total`; None if they cannot."""
        fits = (estimate(self._lasts, inverse).sum(axis=1) == total) & (self._chances > 0)
        if not fits.any():
            return None
        lasts, places = np.unique(self._lasts[fits], axis=0, return_inverse=True)
        chances = np.bincount(places.ravel(), weights=self._chances[fits])
        return JointReports(lasts, chances / chances.sum())


def _redrawn(lasts: Combinations, chances: Reals, site: int, before: int, inverse: int) -> tuple[Combinations, Reals]:
    """Let one site redraw its report in each combination."""
    parts: list[Combinations] = []
    weights: list[Reals] = []
    for last in np.unique(lasts[:, site]).tolist():
        rows = lasts[:, site] == last
        ways = chances_redrawn(last, before, inverse)
        anew = np.repeat(lasts[rows], last + 1, axis=0)
        anew[:, site] = np.tile(np.arange(last + 1), int(rows.sum()))
        parts.append(anew)
        weights.append(np.outer(chances[rows], ways).ravel())
    return np.concatenate(parts), np.concatenate(weights)


ROUNDING: Final = 1e-9
"""Share of a variance below which the remainder is rounding: the number is then known."""


class Moments:
    """The means and covariances of k numbers, independent at first.

    An observation moves each mean by its covariance with the observed value, over that value's variance: the best
    estimate that is linear in all observations so far, and the expected value wherever that is linear. The covariances
    are stored as diag(own) - ties · weights · ties^T. An observed single number changes only the small matrix of
    weights, and each observed sum adds a column to the ties, so that either costs O(k · columns) and not O(k^2).

    Parameters
    ----------
    means
        The means, changed in place. Initially all of the numbers are known.
    """

    def __init__(self, means: Reals) -> None:
        self.means = means
        self._own: Reals = np.zeros(len(means))
        self._ties: Reals = np.zeros((len(means), 0))
        self._weights: Reals = np.zeros((0, 0))

    @property
    def certain(self) -> bool:
        """Whether all of the numbers are known."""
        return not self._own.any()

    def variance(self, place: int) -> float:
        """Return the variance of one of the numbers; 0 if it is known."""
        ties = self._ties[place]
        left = float(self._own[place] - ties @ self._weights @ ties)
        return left if left > ROUNDING * float(self._own[place]) else 0.0

    def shift(self, by: Reals | float, variances: Reals) -> None:
        """Add to each number an independent one, with these means and variances."""
        self.means += by
        self._own += variances

    def mix(self, place: int, value: float, probability: float) -> None:
        """Replace one of the numbers by `value` with this probability, independently of all."""
        stays = 1 - probability
        variance = stays * self.variance(place) + probability * stays * (value - float(self.means[place])) ** 2
        self._ties[place] *= stays
        ties = self._ties[place]
        self._own[place] = variance + ties @ self._weights @ ties
        self.means[place] += probability * (value - self.means[place])

    def learn(self, place: int, value: float) -> None:
        """Condition on one of the numbers being `value`."""
        if self._own[place]:
            variance = self.variance(place)
            ties = self._weights @ self._ties[place]
            self._own[place] = 0.0
            self._ties[place] = 0.0
            if variance:
                self.means -= (value - self.means[place]) / variance * (self._ties @ ties)
                self._weights += np.outer(ties, ties) / variance
        self.means[place] = value

    def learn_all(self, values: Reals) -> None:
        """Condition on the values of all numbers."""
        self.means[:] = values
        self._own[:] = 0.0
        self._forget_ties()

    def learn_sum(self, total: float) -> None:
        """Condition on the sum of all numbers being `total`."""
        if self.certain:
            self._forget_ties()
            return
        with_sum = self._own - self._ties @ (self._weights @ self._ties.sum(axis=0))
        variance = float(with_sum.sum())
        if variance <= ROUNDING * float(self._own.sum()):
            return
        self.means += (total - float(self.means.sum())) / variance * with_sum
        self._ties = np.column_stack((self._ties, with_sum))
        self._weights = np.pad(self._weights, (0, 1))
        self._weights[-1, -1] = 1 / variance

    def _forget_ties(self) -> None:
        self._ties = self._ties[:, :0]
        self._weights = self._weights[:0, :0]


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
