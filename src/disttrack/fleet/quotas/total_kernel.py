"""What quotas by totals do with the state of a game as arrays, also while a site is cut off.

As in `disttrack.fleet.quotas.kernel`, the functions are plain Python, written to be compiled. Without a timeout, they
are those of `PeriodicSite` and `TotalServer`, and no site is cut off; with one, of `FlushingSite` and `ToldServer`.
"""

from __future__ import annotations

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.kernel import LATE_SPENT, SPENT, account_of, is_past, spends
from disttrack.fleet.quotas.lease_kernel import CUT_OFF, forgets_alone, gives_back, lends, turns_alone
from disttrack.fleet.quotas.mail import COST, NUMBER, OF, TEXT, posts
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, VALUE

MOST_UNANSWERED = state.OWN_WHOLE + 10
"""The reports in a row without an answer after which a site is cut off; 0 for never."""
REPORT, TOTAL = range(2)
REPORTS, FIRST_REPORT, CHARGED, ANSWERED = range(state.OWN, state.OWN + 4)
"""Of a site its last report, the last one whose answer is not awaited any more, and the cost of the reports since then
and of those that are answered."""
FIRST_OF_LIFE, KEPT_FIRST, KEPT_NUMBER, KEPT = range(state.OWN + 4, state.OWN + 8)
"""Of a site its last report before its window or life; and with a timeout, by its last report that the server had, the
same, its number, and what it said."""


def opens_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of a site."""
    sites[site, state.LEFT] = whole[state.LIMIT]
    awaits_none(sites, site)
    begins_alone(whole, sites, site)


def slots_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot of a site."""
    left = sites[site, state.LEFT]
    gives_back(whole, sites, site)
    sites[site, state.LEFT] = left
    begins_alone(whole, sites, site)


def begins_alone(whole: Whole, sites: Whole, site: Number) -> None:
    """Let a site admit by itself from now on, if it is cut off."""
    turns_alone(whole, sites, site)
    if sites[site, CUT_OFF]:
        sites[site, state.LEFT] = lends(sites, site)


def awaits_none(sites: Whole, site: Number) -> None:
    """Await no answer to a report."""
    sites[site, FIRST_REPORT] = sites[site, FIRST_OF_LIFE] = sites[site, REPORTS]
    sites[site, CHARGED] = sites[site, ANSWERED] = 0


def closes_total(whole: Whole, sites: Whole) -> None:
    """Begin a window of the server."""
    whole[SPENT] = whole[LATE_SPENT] = 0
    sites[:, KEPT_NUMBER] = 0
    sites[:, KEPT] = 0


def flushes_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Report what was admitted, with a timeout all of it; a site whose last reports are unanswered is cut off.

    The letter also has the cost of all reports by then.
    """
    most = whole[MOST_UNANSWERED]
    if most and not sites[site, CUT_OFF] and sites[site, REPORTS] - sites[site, FIRST_REPORT] >= most:
        sites[site, CUT_OFF] = 1
        sites[site, state.LEFT] = lends(sites, site)
    sites[site, REPORTS] += 1
    cost, sites[site, state.HELD] = sites[site, state.HELD], 0
    sites[site, CHARGED] += cost
    letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, REPORT, 1)]
    letter[VALUE], letter[COST] = sites[site, CHARGED] if most else cost, sites[site, CHARGED]
    letter[NUMBER], letter[TEXT] = sites[site, REPORTS], sites[site, FIRST_OF_LIFE]


def charges_refused(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Charge a site what it refuses."""
    if sites[site, state.PRESENT]:
        sites[site, state.LEFT] -= price
        sites[site, state.HELD] += price


def joins_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come, and ask for the total by an empty report."""
    forgets_alone(whole, sites, site)
    awaits_none(sites, site)
    flushes_total(whole, sites, mail, site)


def hears_report(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have the server take a report, with a timeout what it says beyond the one before, and answer with the total."""
    if is_past(whole, letter):
        return
    site, place = letter[FROM], account_of(whole, letter)
    if not whole[MOST_UNANSWERED]:
        spends(whole, place, letter[VALUE])
    elif letter[NUMBER] > sites[site, KEPT_NUMBER]:
        known = sites[site, KEPT] if letter[TEXT] == sites[site, KEPT_FIRST] else 0
        spends(whole, place, letter[VALUE] - known)
        sites[site, KEPT_FIRST], sites[site, KEPT] = letter[TEXT], letter[VALUE]
        sites[site, KEPT_NUMBER] = letter[NUMBER]
    total = mail[state.LETTERS][posts(whole, sites, mail, site, 0, TOTAL, 1)]
    total[OF], total[VALUE], total[NUMBER] = letter[OF], whole[place], letter[NUMBER]
    total[COST] = letter[COST] if whole[state.SLOTTED] else letter[VALUE]


def hears_total(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site take a total, which ends that it is cut off unless it says too little of the time since.

    Where no window ends, or with a timeout, no answer to an earlier report is awaited after it.
    """
    site, most = letter[FROM], whole[MOST_UNANSWERED]
    if letter[NUMBER] <= sites[site, FIRST_REPORT]:
        return
    if whole[state.SLOTTED] or most:
        sites[site, FIRST_REPORT], sites[site, ANSWERED] = letter[NUMBER], letter[COST]
    else:
        sites[site, ANSWERED] += letter[COST]
    if most and sites[site, CUT_OFF]:
        if sites[site, REPORTS] - letter[NUMBER] >= most:
            return
        sites[site, CUT_OFF] = 0
        gives_back(whole, sites, site)
    awaited = sites[site, CHARGED] - sites[site, ANSWERED]
    sites[site, state.LEFT] = whole[state.LIMIT] - letter[VALUE] - sites[site, state.HELD] - awaited
