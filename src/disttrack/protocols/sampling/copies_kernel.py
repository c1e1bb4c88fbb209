"""Copies of the sampling tracker as arrays, in the order of events of `CopiesSite` and `CopiesServer`."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.above_threshold import fires
from disttrack.mechanisms.rules import doubled, estimate, gap_of, gap_scale, next_double, sum_of_estimates
from disttrack.protocols import kernel as slot
from disttrack.protocols.base import Message
from disttrack.protocols.coins import StraightCoins, gaps_of
from disttrack.protocols.kernel import GO_ON, LARGEST, SERVE, Compiled, KernelForm, next_coin
from disttrack.protocols.sampling.kernel import ADJUST, DOUBLE, REPORT

(
    REPORTS, REPORT_WORDS, ADJUSTS, ADJUST_WORDS, DOUBLES, COPIES, FIRST, EXACT, INVERSE, KNOWN, LOWER, ACTIVE, LEFT,
    FIRED, NOISES, ESTIMATES,
) = range(slot.OWN_WHOLE, slot.OWN_WHOLE + 16)  # fmt: skip
"""Messages of three kinds and their words beyond one each; the copies, and the first one that sites continue; the
estimate of all while p is 1, and the server's attributes of these names; the copy in use; changes that are left,
whether the test has fired, and the noise that is left for it; from there on the estimates."""
SCALE, GROWTH, THRESHOLD = range(slot.OWN_REAL, slot.OWN_REAL + 3)
"""The mean of the exponential numbers of the present p; the least growth of the output, or the fraction of it by which
copies are off; the hidden threshold of the test. The last numbers of all are the noise."""
BEFORE, DOUBLED, LASTS = range(slot.OWN, slot.OWN + 3)
"""Of a site: items before the game, count at its last doubling; from there on the items that the copies reported last,
and then the counts of their next reports."""

MOST_CELLS: Final = 2**24
"""Copies of all sites up to which there is a compiled form, which keeps them in one table."""


def is_off(estimate: Any, far: Any, output: Any) -> Any:
    """Return whether an estimate, or each of an array, is off the output by more than a fraction `far` of it."""
    return abs(estimate - output) > far * output


def has_grown(estimate: Any, growth: Any, output: Any) -> Any:
    """Return whether the estimate of the copy in use is to be shown."""
    return estimate > 0 and estimate >= growth * output


def switching_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site of `SketchSwitching` send its messages: `take` of the site, and `hear` of the server."""
    if reported(whole, real, sites, site):
        show(whole, real)
    return doubling_told(whole, sites, site)


def private_turn(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site of `PrivateCopies` do the same."""
    event = GO_ON
    if reported(whole, real, sites, site) and whole[LEFT]:
        event = tested(whole, real, copies_off(whole, real))
    return max(event, doubling_told(whole, sites, site))


def copies_off(whole: Any, real: Any) -> Any:
    """Return the number of copies that are off the output."""
    copies, far, output = whole[COPIES], real[GROWTH], real[slot.OUTPUT]
    if whole[INVERSE] == 1:
        return copies if is_off(whole[EXACT], far, output) else 0
    off = 0
    for copy in range(copies):
        off += is_off(whole[ESTIMATES + copy], far, output)
    return off


def tested(whole: Any, real: Any, off: Any) -> Any:
    """Let the server ask its test, of which there is noise left; `serve` changes the output, and draws more."""
    noise = real[len(real) - whole[NOISES]]
    whole[NOISES] -= 1
    whole[FIRED] = fires(off, noise, real[THRESHOLD])
    return SERVE if whole[FIRED] or whole[NOISES] == 0 else GO_ON


def reported(whole: Any, real: Any, sites: Any, site: Any) -> Any:
    """Let a site report, and note when its next report is due; return the number of copies."""
    reports, sites[site, slot.NEXT] = 1, sites[site, slot.COUNT] + 1
    if whole[INVERSE] == 1:
        whole[EXACT] += 1
    else:
        reports, sites[site, slot.NEXT] = report_copies(whole, real, sites, site, sites[site, slot.COUNT])
    if reports:
        whole[REPORTS] += 1
        whole[REPORT_WORDS] += reports - 1
        sent(whole, sites, site, reports)
    return reports


def doubling_told(whole: Any, sites: Any, site: Any) -> Any:
    """Let a site tell that its count has doubled, if it has, and note when it is due again."""
    count, event = sites[site, slot.COUNT], GO_ON
    if count >= doubled(sites[site, DOUBLED]):
        whole[LOWER] += count - sites[site, DOUBLED]
        sites[site, DOUBLED] = count
        whole[DOUBLES] += 1
        sent(whole, sites, site, 1)
        if whole[LOWER] >= doubled(whole[KNOWN]):
            event = SERVE
    sites[site, slot.NEXT] = min(sites[site, slot.NEXT], doubled(sites[site, DOUBLED]))
    return event


def report_copies(whole: Any, real: Any, sites: Any, site: Any, count: Any) -> Any:
    """Let a site report its count for the copies whose coin has succeeded; return their number, and the next count."""
    first, copies, inverse, scale = whole[FIRST], whole[COPIES], whole[INVERSE], real[SCALE]
    lasts = sites[site, LASTS + first : LASTS + copies]
    dues = sites[site, LASTS + copies + first : LASTS + 2 * copies]
    estimates = whole[ESTIMATES + first : ESTIMATES + copies]
    reports, least, last = 0, LARGEST, count - sites[site, BEFORE]
    now = estimate(last, inverse)
    for place in range(len(dues)):
        if dues[place] == count:
            estimates[place] += now - estimate(lasts[place], inverse)
            lasts[place], dues[place] = last, count + gap_of(next_coin(whole, real), scale)
            reports += 1
    for due in dues:  # a loop of its own, which a processor does for several at once
        least = min(least, due)
    return reports, least


def sent(whole: Any, sites: Any, site: Any, words: Any) -> Any:
    """Count a message of a site."""
    whole[slot.MESSAGES] += 1
    whole[slot.FURTHER] += words - 1
    sites[site, slot.SENT] += 1


def show(whole: Any, real: Any) -> Any:
    """Let the server show the copy in use, if it is to, and take the next one: `look`."""
    active = whole[ACTIVE]
    shown = whole[EXACT] if whole[INVERSE] == 1 else whole[ESTIMATES + active]
    if has_grown(shown, real[GROWTH], real[slot.OUTPUT]):
        real[slot.OUTPUT] = shown
        whole[ACTIVE] = min(active + 1, whole[COPIES] - 1)


class CopiesForm(KernelForm):
    """All sites and the server; subclasses define `look`.

    Parameters
    ----------
    server
        The tracker's own, which announces the number of items.
    k
        Number of sites.
    coins
        The coins of the sites.
    growth
        The number of the server's rule: see GROWTH.
    start
        Items that each site holds already.
    room
        Further real numbers.
    """

    server: Any
    messages = ((REPORT, REPORTS), (DOUBLE, DOUBLES), (ADJUST, ADJUSTS))
    further = MappingProxyType({"report": REPORT_WORDS, "adjust": ADJUST_WORDS})

    def __init__(
        self, server: Any, k: int, coins: StraightCoins, growth: float, start: Sequence[int], room: int = 0
    ) -> None:
        copies = server.copies
        super().__init__(k, None, 3 * copies * k + StraightCoins.LARGEST + room, copies + 6)
        self.coins, self.server = coins, server  # type: ignore[assignment]
        whole, sites, real = self.whole, self.sites, self.real
        whole[COPIES] = copies
        whole[EXACT] = whole[KNOWN] = whole[LOWER] = whole[ESTIMATES : ESTIMATES + copies] = server.before
        sites[:, slot.COUNT] = sites[:, BEFORE] = sites[:, DOUBLED] = list(start) or 0
        whole[INVERSE] = server.inverse
        real[slot.OUTPUT], real[GROWTH], real[SCALE] = server.output, growth, gap_scale(1 / server.inverse)
        self._look_ahead(self._coins(1)[:, 0] if server.inverse > 1 else None)

    def _coins(self, number: int) -> Any:
        """Return this number of coins of each copy in use at each site, in this order: site, number, copy."""
        copies = self.whole[COPIES] - self.whole[FIRST]
        return self.take_coins(self.k * number * int(copies)).reshape(self.k, number, copies)

    def _look_ahead(self, coins: Any) -> None:
        """Let all sites toss the coins of their next reports, if there are some, and note when they are due."""
        whole, sites, copies = self.whole, self.sites, int(self.whole[COPIES])
        dues, counts = sites[:, LASTS + copies + whole[FIRST] : LASTS + 2 * copies], sites[:, slot.COUNT, None]
        if coins is not None:
            whole[slot.TOSSES] = copies
            dues[:] = counts + gaps_of(coins, float(self.real[SCALE]))
        due = counts[:, 0] + 1 if whole[INVERSE] == 1 else dues.min(axis=1)
        sites[:, slot.NEXT] = np.minimum(due, next_double(sites[:, DOUBLED]))

    @abstractmethod
    def look(self) -> None:
        """Let the server update the output after a message: `look` of the server."""

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        self.settle()
        whole, sites, server, copies = self.whole, self.sites, self.server, int(self.whole[COPIES])
        server.lower, before = int(whole[LOWER]), server.inverse
        known = server.announce().value
        whole[KNOWN], whole[INVERSE] = known, server.inverse
        lasts = sites[:, LASTS : LASTS + copies]
        if before == 1:
            lasts[:] = (sites[:, slot.COUNT] - sites[:, BEFORE])[:, None]  # each copy sent every item
        if server.inverse > 1:
            numbers = np.count_nonzero(lasts, axis=0)
            sums = sum_of_estimates(lasts.sum(axis=0), numbers, server.inverse)
            whole[ESTIMATES : ESTIMATES + copies] = server.before + sums
        self.look()
        first = whole[FIRST] = whole[ACTIVE]
        self.broadcast(ledger, Message("total", (known, int(first)), 1 + int(first > 0)))
        coins = self._redrawn(lasts[:, first:], before) if server.inverse != before else None
        self._look_ahead(coins)

    def _redrawn(self, lasts: Any, before: int) -> Any:
        """Let all sites redraw their reports with the present p, and the server hear of it; return coins to go on."""
        whole, inverse, first = self.whole, self.server.inverse, int(self.whole[FIRST])
        self.real[SCALE] = scale = gap_scale(1 / inverse)
        coins = self._coins(3)
        kept = gaps_of(coins[:, 0], gap_scale(before / inverse)) == 1
        anew = np.where(kept, lasts, np.maximum(0, lasts - gaps_of(coins[:, 1], scale)))
        changed = np.count_nonzero(anew != lasts, axis=1)
        growth = estimate(anew, inverse) - estimate(lasts, inverse)
        lasts[:] = anew
        for site in np.flatnonzero(changed).tolist():
            whole[ESTIMATES + first : ESTIMATES + whole[COPIES]] += growth[site]
            whole[ADJUSTS] += 1
            whole[ADJUST_WORDS] += changed[site] - 1
            sent(whole, self.sites, site, changed[site])
            self.look()
        return coins[:, 2]


class SwitchingForm(CopiesForm):
    """`SketchSwitching`; for the parameters see `CopiesForm`."""

    turn = staticmethod(switching_turn)

    def look(self) -> None:
        show(self.whole, self.real)


class PrivateForm(CopiesForm):
    """`PrivateCopies`; for the parameters see `CopiesForm`. The server draws its noise in batches, and its medians."""

    turn = staticmethod(private_turn)
    whole_outputs = False

    def __init__(self, server: Any, k: int, coins: StraightCoins, far: float, start: Sequence[int]) -> None:
        noise = server.test.noise()
        super().__init__(server, k, coins, far, start, len(noise))
        self._begin_test(noise)

    def _begin_test(self, noise: Any) -> None:
        self.real[THRESHOLD], self.whole[LEFT], self.whole[FIRED] = self.server.test.hidden, self.server.left, 0
        self._lay_out(noise)

    def _lay_out(self, noise: Any) -> None:
        self.real[-len(noise) :], self.whole[NOISES] = noise, len(noise)

    def look(self) -> None:
        whole, real = self.whole, self.real
        if not whole[LEFT]:
            return
        if whole[INVERSE] == 1:
            off = copies_off(whole, real)
        else:
            off = np.count_nonzero(is_off(self._estimates(), real[GROWTH], real[slot.OUTPUT]))
        if tested(whole, real, off) == SERVE:
            self._answer()

    def _answer(self) -> None:
        """Change the output if the test has fired, and draw noise."""
        whole, server = self.whole, self.server
        if whole[FIRED]:
            server.change(self._estimates())
            self.real[slot.OUTPUT] = server.output
            self._begin_test(server.test.noise())
        elif whole[NOISES] == 0:
            self._lay_out(server.test.noise())

    def _estimates(self) -> Any:
        whole = self.whole
        if whole[INVERSE] == 1:
            return np.full(whole[COPIES], whole[EXACT])
        return whole[ESTIMATES : ESTIMATES + whole[COPIES]]

    def serve(self, ledger: Any, compiled: Compiled) -> None:
        self._answer()
        if self.whole[LOWER] >= doubled(self.whole[KNOWN]):
            super().serve(ledger, compiled)
