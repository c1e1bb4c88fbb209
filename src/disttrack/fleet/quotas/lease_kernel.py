"""What quotas by permits do with the state of a game as arrays: leases, sites that are cut off, leases with shares.

As in `disttrack.fleet.quotas.kernel`, the functions are plain Python, written to be compiled.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.amounts import even_share, granted_of, part_of, weighed
from disttrack.fleet.quotas.kernel import (
    COUNTED,
    HEARD_LOAD,
    LATE_SPENT,
    LOAD,
    LONGER,
    LONGERS,
    MOST,
    NEXT_SHARE,
    NEXT_SPENT,
    REST_SLOTS,
    SHARE,
    SHARED,
    SPENT,
    SPENT_OF,
    TIMES,
    account_of,
    awaits_share,
    closes_weights,
    counts_load,
    hears_share,
    is_past,
    joins_weights,
    sends_shares,
    spends,
)
from disttrack.fleet.quotas.mail import COST, NUMBER, OF, WAIT_COST, answers, posts, rejects_waiting
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, KIND, VALUE

UPFRONT, ASKED, PART, OF_PART, LOW_PART, OF_LOW, ALL = range(state.OWN_WHOLE + 10, state.OWN_WHOLE + 17)
"""What each site begins with, the sites that have asked, fractions, and whether what is refused is charged."""
ONE_BY_ONE = state.OWN_WHOLE + 23
"""Whether a site asks no question before the one before is answered."""
MARK, REFUSED, HAS_ASKED, QUESTION, FIRST_QUESTION, UNANSWERED = range(state.OWN, state.OWN + 6)
"""Of a site its low-water mark, the cheapest price refused, whether it has asked in this window, its last question, the
last one of those that were given up, and the questions after it without an answer."""
RECENT, OVERDUE, UNUSED = range(state.OWN + 14, state.OWN + 17)
"""The questions without an answer since the site was last cut off or came back, and those of them from before its last
look; what it has not used of the window that ends."""
FOR_ALONE, METERED = state.OWN_WHOLE + 17, state.OWN_WHOLE + 18
"""What all sites together may admit by themselves, and the meter by which they count it."""
IN_WINDOWS, IN_SLOTS, BY_WEIGHTS = range(3)
CUT_OFF, LOOKED, GIVEN_UP, ALONE, LENT, USED, METER_AT = range(state.OWN + 17, state.OWN + 24)
"""Whether a site is cut off, its last question when it last looked, and when it was last cut off or came back; what it
may still admit by itself, what of this it has for the present, what it has used that still counts, and the slot of its
meter."""
METER = METER_AT + 1
"""The first number of the meter: what was used in the last slots, in turn; or in the window before and in this one."""
COLUMNS = METER - state.OWN
"""Columns of sites with leases and shares by load, but for the numbers of their meters."""
ASK, GRANT, RETURN = range(3)


def opens_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `LeaseSite` or `CentralSite`; with further limits, return what is left of the one before."""
    sites[site, state.LEFT] = whole[UPFRONT]
    sites[site, MARK] = part_of(whole[UPFRONT], whole[LOW_PART], whole[OF_LOW], 1)
    starts_lease(sites, site)
    if whole[LONGERS] and sites[site, state.TURNS] and sites[site, UNUSED]:
        sites[site, QUESTION] += 1
        letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, RETURN, 1)]
        letter[OF], letter[VALUE] = sites[site, state.TURNS] - 1, sites[site, UNUSED]
    begins_alone(whole, sites, site)


def ends_lease(whole: Whole, sites: Whole, site: Number) -> None:
    """End a window of `LeaseSite`."""
    sites[site, UNUSED] = sites[site, state.LEFT]


def starts_lease(sites: Whole, site: Number) -> None:
    """Begin without refusals and questions."""
    sites[site, REFUSED] = 0
    gives_up(sites, site)


def gives_up(sites: Whole, site: Number) -> None:
    """Take no answers to earlier questions."""
    sites[site, UNANSWERED], sites[site, FIRST_QUESTION] = 0, sites[site, QUESTION]
    sites[site, RECENT] = sites[site, OVERDUE] = 0


def closes_leases(whole: Whole, sites: Whole) -> None:
    """Begin a window of `LeaseServer`."""
    whole[SPENT], whole[LATE_SPENT] = whole[UPFRONT] * len(sites), 0
    whole[ASKED] = 0
    sites[:, HAS_ASKED] = 0
    for number in range(whole[LONGERS]):
        longer = LONGER + 3 * number
        if whole[state.NOW] % whole[longer + TIMES] == 0:
            whole[longer + SPENT_OF] = 0


def mute_lease(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request, however cheap."""
    waits = whole[ONE_BY_ONE] and sites[site, UNANSWERED] > 0
    return waits or sites[site, CUT_OFF] or 0 < sites[site, REFUSED] <= whole[state.LEAST]


def asks_lease(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> Any:
    """Ask about a request, which waits; return whether the site does."""
    if sites[site, CUT_OFF] or (whole[ONE_BY_ONE] and sites[site, UNANSWERED]):
        return False
    if sites[site, REFUSED] and price >= sites[site, REFUSED]:
        return False
    asks_for(whole, sites, mail, site, price)
    return True


def keeps_nothing(whole: Whole, sites: Whole, site: Number) -> None:
    """Keep no more than debts, but in windows: the server has counted what is left, and may forget it before that."""
    if whole[state.SLOTTED]:
        sites[site, state.LEFT] = min(0, sites[site, state.LEFT])


def slots_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot of `LeaseSite`; answers may be lost."""
    sites[site, REFUSED] = 0
    if sites[site, state.TURNS] % whole[REST_SLOTS] == 0:
        gives_up(sites, site)
        rejects_waiting(whole, sites, mail, site)
    gives_back(whole, sites, site)
    begins_alone(whole, sites, site)


def asks_for(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Ask for a lease."""
    sites[site, QUESTION] += 1
    sites[site, UNANSWERED] += 1
    sites[site, RECENT] += 1
    letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, ASK, 1)]
    letter[VALUE], letter[NUMBER] = price, sites[site, QUESTION]


def left_of(whole: Whole, place: Number) -> Any:
    """Return what is left of the limit, and of further ones; the place is that of what is spent."""
    left = whole[state.LIMIT] - whole[place]
    for number in range(whole[LONGERS]):
        longer = LONGER + 3 * number
        left = min(left, whole[longer + MOST] - whole[longer + SPENT_OF])
    return left


def hears_question(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `LeaseServer` take a question, or what a site returns."""
    if letter[KIND] == RETURN:
        takes_back(whole, letter)
        return
    if is_past(whole, letter):
        return
    site, price, place = letter[FROM], letter[VALUE], account_of(whole, letter)
    asking = whole[ASKED] if sites[site, HAS_ASKED] else len(sites)
    lease = granted_of(left_of(whole, place), whole[PART], whole[OF_PART], asking, price)
    whole[ASKED] += 1 - sites[site, HAS_ASKED]
    sites[site, HAS_ASKED] = 1
    spends(whole, place, price if whole[ALL] and not lease else lease)
    for number in range(whole[LONGERS]):
        whole[LONGER + 3 * number + SPENT_OF] += lease
    grant = mail[state.LETTERS][posts(whole, sites, mail, site, 0, GRANT, 1)]
    grant[OF], grant[VALUE], grant[NUMBER], grant[COST] = letter[OF], lease, letter[NUMBER], price


def takes_back(whole: Whole, letter: Whole) -> None:
    """Count what a site has not used of a window less in each window that is not over."""
    if not is_past(whole, letter):
        spends(whole, account_of(whole, letter), -letter[VALUE])
    for number in range(whole[LONGERS]):
        longer = LONGER + 3 * number
        if letter[OF] // whole[longer + TIMES] == whole[state.NOW] // whole[longer + TIMES]:
            whole[longer + SPENT_OF] -= letter[VALUE]


def hears_grant(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site take a lease, which ends that it is cut off, and answer the request that waits longest."""
    site, lease, price, number = letter[FROM], letter[VALUE], letter[COST], letter[NUMBER]
    if number <= sites[site, FIRST_QUESTION]:
        return
    sites[site, UNANSWERED] -= 1
    sites[site, RECENT] -= number > sites[site, GIVEN_UP]
    sites[site, OVERDUE] -= sites[site, GIVEN_UP] < number <= sites[site, LOOKED]
    if sites[site, CUT_OFF]:
        sites[site, CUT_OFF] = 0
        gives_back(whole, sites, site)
        hopes_anew(sites, site)
    if not price:  # it only asked whether the server is there
        return
    refused = sites[site, REFUSED]
    if not lease and not whole[ALL]:
        sites[site, REFUSED] = min(price, refused) if refused else price
    elif price >= refused:
        sites[site, REFUSED] = 0
    sites[site, state.LEFT] += lease
    sites[site, MARK] = part_of(lease, whole[LOW_PART], whole[OF_LOW], 1)
    if sites[site, state.WAITING]:
        answers_first(whole, sites, mail, site, lease)
    keeps_nothing(whole, sites, site)


def answers_first(whole: Whole, sites: Whole, mail: Mail, site: Number, lease: Number) -> None:
    """Answer the request that waits longest, and admit it if there is a lease and what is left covers it."""
    price = whole[state.RESERVE] or mail[state.WAITS][sites[site, state.FIRST_WAIT], WAIT_COST]
    fits = 1 if lease and price <= sites[site, state.LEFT] else 0
    sites[site, state.LEFT] -= price * fits
    answers(whole, sites, mail, site, fits)


def charged_lease(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Ask for the next lease below the low-water mark; the price is that of the next request."""
    if not sites[site, REFUSED] and not sites[site, UNANSWERED] and sites[site, state.LEFT] < sites[site, MARK]:
        asks_for(whole, sites, mail, site, price)


def leaves_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Return what is left."""
    gives_back(whole, sites, site)
    sites[site, QUESTION] += 1
    if sites[site, state.LEFT]:
        mail[state.LETTERS][posts(whole, sites, mail, site, 1, RETURN, 1), VALUE] = sites[site, state.LEFT]


def joins_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come with nothing."""
    forgets_alone(whole, sites, site)
    sites[site, MARK] = 0
    starts_lease(sites, site)


# ---------------------------------------------------------------------- sites that are cut off


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


def begins_alone(whole: Whole, sites: Whole, site: Number) -> None:
    """Lend such a site what it may admit from now on, if it is cut off."""
    turns_alone(whole, sites, site)
    if sites[site, CUT_OFF]:
        sites[site, state.LEFT] += lends(sites, site)


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


# ---------------------------------------------------------------------- fair leases


def opens_fair(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `FairSite`."""
    opens_lease(whole, sites, mail, site)
    awaits_share(whole, sites, mail, site)


def closes_fair(whole: Whole, sites: Whole) -> None:
    """Begin a window of `FairServer`: shares that are late are sent now."""
    closes_leases(whole, sites)
    closes_weights(whole, sites)
    if whole[state.NOW] >= 2:
        whole[SPENT] = whole[NEXT_SPENT]
    whole[NEXT_SPENT] = 0


def joins_fair(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come without a lease, and without a share that came early."""
    joins_lease(whole, sites, mail, site)
    joins_weights(whole, sites, mail, site)


def sends_fair_shares(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Send the shares that are decided; what they are of the limit is not leased."""
    sends_shares(whole, sites, mail)
    place = SPENT if whole[SHARED] == whole[state.NOW] else NEXT_SPENT
    for site in range(len(sites)):
        whole[place] += sites[site, NEXT_SHARE]


def hears_question_or_load(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `FairServer` take a message."""
    if letter[KIND] == LOAD:
        sites[letter[FROM], HEARD_LOAD] += letter[VALUE]
        counts_load(whole, sites)
    else:
        hears_question(whole, sites, mail, letter)


def hears_grant_or_share(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `FairSite` take a message."""
    if letter[KIND] == SHARE:
        hears_share(whole, sites, mail, letter)
    else:
        hears_grant(whole, sites, mail, letter)
