"""What sites that may be cut off do with the state of a game as arrays, as those of `disttrack.fleet.quotas.away` do.

As in `disttrack.fleet.quotas.kernel`, the functions are plain Python, written to be compiled.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.amounts import even_share, weighed
from disttrack.fleet.quotas.kernel import (
    ANSWERED,
    CHARGED,
    COUNTED,
    FIRST_REPORT,
    REPORT,
    REPORTS,
    REST_SLOTS,
    TOTAL,
    account_of,
    awaits_none,
    closes_total,
    is_past,
    opens_limit,
    spends,
)
from disttrack.fleet.quotas.lease_kernel import COLUMNS as OF_LEASES
from disttrack.fleet.quotas.lease_kernel import (
    FIRST_QUESTION,
    OVERDUE,
    QUESTION,
    RECENT,
    UNANSWERED,
    answers_first,
    asks_for,
    asks_lease,
    hears_grant,
    joins_lease,
    leaves_lease,
    mute_lease,
    opens_lease,
    slots_lease,
)
from disttrack.fleet.quotas.mail import COST, NUMBER, OF, TEXT, posts
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, VALUE

FOR_ALONE, METERED = state.OWN_WHOLE + 17, state.OWN_WHOLE + 18
"""What all sites together may admit by themselves, and the meter by which they count it."""
IN_WINDOWS, IN_SLOTS, BY_WEIGHTS = range(3)
CUT_OFF, LOOKED, GIVEN_UP, ALONE, LENT, USED, METER_AT = range(state.OWN + OF_LEASES, state.OWN + OF_LEASES + 7)
"""Whether a site is cut off, its last question when it last looked, and when it was last cut off or came back; what it
may still admit by itself, what of this it has for the present, what it has used that still counts, and the slot of its
meter."""
METER = METER_AT + 1
"""The first number of the meter: what was used in the last slots, in turn; or in the window before and in this one."""
COLUMNS = METER - state.OWN


def turns_alone(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window or slot, with nothing lent, as `Alone.turn` does."""
    slot, sites[site, LENT] = sites[site, state.TURNS], 0
    if whole[METERED] == IN_SLOTS:
        place = METER + slot % whole[REST_SLOTS]
        sites[site, USED] -= sites[site, place]
        sites[site, place] = 0
    if whole[METERED] == BY_WEIGHTS:
        left = whole[COUNTED] - slot % whole[COUNTED]
        if left == whole[COUNTED]:
            sites[site, METER], sites[site, METER + 1] = sites[site, METER + 1], 0
        sites[site, USED] = sites[site, METER + 1] + weighed(sites[site, METER], left, whole[COUNTED])
    sites[site, METER_AT] = slot
    sites[site, ALONE] = max(0, even_share(whole[FOR_ALONE], len(sites), site) - sites[site, USED])


def lends(sites: Whole, site: Number) -> Any:
    """Lend all that a site may still admit by itself."""
    sites[site, LENT], sites[site, ALONE] = sites[site, ALONE], 0
    return sites[site, LENT]


def gives_back(whole: Whole, sites: Whole, site: Number) -> None:
    """Return what was lent and is left."""
    unused = max(0, min(sites[site, state.LEFT], sites[site, LENT]))
    uses(whole, sites, site, sites[site, LENT] - unused)
    sites[site, state.LEFT] -= unused
    sites[site, ALONE] += unused
    sites[site, LENT] = 0


def uses(whole: Whole, sites: Whole, site: Number, cost: Number) -> None:
    """Count a cost by the meter of a site."""
    if whole[METERED] == IN_WINDOWS:
        return
    place = METER + 1
    if whole[METERED] == IN_SLOTS:
        place = METER + sites[site, METER_AT] % whole[REST_SLOTS]
    sites[site, place] += cost
    sites[site, USED] += cost


def forgets_alone(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a life, with nothing for a window or a span."""
    for place in range(CUT_OFF, sites.shape[1]):
        if not LOOKED <= place <= GIVEN_UP:
            sites[site, place] = 0
    sites[site, METER_AT] = sites[site, state.TURNS]
    uses(whole, sites, site, even_share(whole[FOR_ALONE], len(sites), site))


# ---------------------------------------------------------------------- permits


def opens_away(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of a `CentralSite`."""
    opens_lease(whole, sites, mail, site)
    begins_alone(whole, sites, site)


def slots_away(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot of such a site."""
    slots_lease(whole, sites, mail, site)
    gives_back(whole, sites, site)
    begins_alone(whole, sites, site)


def begins_alone(whole: Whole, sites: Whole, site: Number) -> None:
    """Lend such a site what it may admit from now on, if it is cut off."""
    turns_alone(whole, sites, site)
    if sites[site, CUT_OFF]:
        sites[site, state.LEFT] += lends(sites, site)


def mute_away(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request."""
    return sites[site, CUT_OFF] or mute_lease(whole, sites, site)


def asks_away(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> Any:
    """Ask, unless the site is cut off."""
    return not sites[site, CUT_OFF] and asks_lease(whole, sites, mail, site, price)


def looks_for_answers(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Look whether a question is unanswered; ask whether the server is there."""
    if sites[site, OVERDUE] and not sites[site, CUT_OFF]:
        sites[site, CUT_OFF] = 1
        sites[site, state.LEFT] += lends(sites, site)
        while sites[site, state.WAITING]:
            answers_first(whole, sites, mail, site, 1)
    sites[site, LOOKED], sites[site, OVERDUE] = sites[site, QUESTION], sites[site, RECENT]
    if sites[site, CUT_OFF]:
        hopes_anew(sites, site)
        asks_for(whole, sites, mail, site, 0)


def hopes_anew(sites: Whole, site: Number) -> None:
    """Look for answers to later questions only."""
    sites[site, LOOKED] = sites[site, GIVEN_UP] = sites[site, QUESTION]
    sites[site, RECENT] = sites[site, OVERDUE] = 0


def hears_away(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `CentralSite` take an answer, which ends that it is cut off."""
    site, number = letter[FROM], letter[NUMBER]
    if number <= sites[site, FIRST_QUESTION]:
        return
    sites[site, RECENT] -= number > sites[site, GIVEN_UP]
    sites[site, OVERDUE] -= sites[site, GIVEN_UP] < number <= sites[site, LOOKED]
    if sites[site, CUT_OFF]:
        sites[site, CUT_OFF] = 0
        gives_back(whole, sites, site)
        hopes_anew(sites, site)
    if letter[COST]:
        hears_grant(whole, sites, mail, letter)
    else:  # it only asked whether the server is there
        sites[site, UNANSWERED] -= 1


def leaves_away(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Return permits that are left."""
    gives_back(whole, sites, site)
    leaves_lease(whole, sites, mail, site)


def joins_away(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come with nothing."""
    forgets_alone(whole, sites, site)
    joins_lease(whole, sites, mail, site)


# ---------------------------------------------------------------------- totals

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
