"""What sites that report totals, and may be cut off, do with the state of a game as arrays, as `FlushingSite` does.

As in `disttrack.fleet.quotas.kernel`, the functions are plain Python, written to be compiled.
"""

from __future__ import annotations

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.kernel import (
    ANSWERED,
    CHARGED,
    FIRST_REPORT,
    REPORT,
    REPORTS,
    TOTAL,
    account_of,
    awaits_none,
    closes_total,
    is_past,
    opens_limit,
    spends,
)
from disttrack.fleet.quotas.lease_kernel import CUT_OFF, forgets_alone, gives_back, lends, turns_alone
from disttrack.fleet.quotas.mail import COST, NUMBER, OF, TEXT, posts
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, VALUE

MOST_UNANSWERED = state.OWN_WHOLE + 10
"""The reports in a row without an answer after which a site is cut off."""
FIRST_OF_LIFE, KEPT_FIRST, KEPT_NUMBER, KEPT = range(state.OWN + 4, state.OWN + 8)
"""Of a site its last report before its window or life; and by its last report that the server had, the same, its
number, and what it said."""


def opens_told(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of a `FlushingSite`."""
    opens_limit(whole, sites, mail, site)
    sites[site, FIRST_OF_LIFE] = sites[site, REPORTS]
    begins_told(whole, sites, site)


def slots_told(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot of such a site."""
    left = sites[site, state.LEFT]
    gives_back(whole, sites, site)
    sites[site, state.LEFT] = left
    begins_told(whole, sites, site)


def begins_told(whole: Whole, sites: Whole, site: Number) -> None:
    """Let such a site admit by itself from now on, if it is cut off."""
    turns_alone(whole, sites, site)
    if sites[site, CUT_OFF]:
        sites[site, state.LEFT] = lends(sites, site)


def closes_told(whole: Whole, sites: Whole) -> None:
    """Begin a window of a `ToldServer`."""
    closes_total(whole, sites)
    sites[:, KEPT_NUMBER] = 0
    sites[:, KEPT] = 0


def flushes_told(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Report all that was admitted; a site whose last reports are unanswered is cut off."""
    if not sites[site, CUT_OFF] and sites[site, REPORTS] - sites[site, FIRST_REPORT] >= whole[MOST_UNANSWERED]:
        sites[site, CUT_OFF] = 1
        sites[site, state.LEFT] = lends(sites, site)
    sites[site, REPORTS] += 1
    sites[site, CHARGED] += sites[site, state.HELD]
    sites[site, state.HELD] = 0
    letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, REPORT, 1)]
    letter[VALUE] = letter[COST] = sites[site, CHARGED]
    letter[NUMBER], letter[TEXT] = sites[site, REPORTS], sites[site, FIRST_OF_LIFE]


def joins_told(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come, and ask for the total by an empty report."""
    forgets_alone(whole, sites, site)
    awaits_none(sites, site)
    sites[site, FIRST_OF_LIFE] = sites[site, REPORTS]
    flushes_told(whole, sites, mail, site)


def hears_sum(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `ToldServer` take a report, and answer with the total."""
    if is_past(whole, letter):
        return
    site, place = letter[FROM], account_of(whole, letter)
    if letter[NUMBER] > sites[site, KEPT_NUMBER]:
        known = sites[site, KEPT] if letter[TEXT] == sites[site, KEPT_FIRST] else 0
        spends(whole, place, letter[VALUE] - known)
        sites[site, KEPT_FIRST], sites[site, KEPT] = letter[TEXT], letter[VALUE]
        sites[site, KEPT_NUMBER] = letter[NUMBER]
    total = mail[state.LETTERS][posts(whole, sites, mail, site, 0, TOTAL, 1)]
    total[OF], total[VALUE], total[NUMBER], total[COST] = letter[OF], whole[place], letter[NUMBER], letter[COST]


def hears_total_alone(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `FlushingSite` take a total, which ends that it is cut off unless it says too little of the time since."""
    site = letter[FROM]
    if letter[NUMBER] <= sites[site, FIRST_REPORT]:
        return
    sites[site, FIRST_REPORT], sites[site, ANSWERED] = letter[NUMBER], letter[COST]
    if sites[site, CUT_OFF]:
        if sites[site, REPORTS] - letter[NUMBER] >= whole[MOST_UNANSWERED]:
            return
        sites[site, CUT_OFF] = 0
        gives_back(whole, sites, site)
    awaited = sites[site, CHARGED] - sites[site, ANSWERED]
    sites[site, state.LEFT] = whole[state.LIMIT] - letter[VALUE] - sites[site, state.HELD] - awaited
