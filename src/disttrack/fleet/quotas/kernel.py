"""The state of a quota's sites and server as arrays of whole numbers, and what each kind does with them.

The functions are plain Python, written to be compiled. They hold the order of events where messages take no time, so
that a question is answered before anything else happens; the arithmetic of the rules is in the files of the kinds. Each
group of functions is that of a family of kinds; `disttrack.fleet.quotas.forms` says which one takes which place in the
loop of `disttrack.fleet.kernel`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from disttrack.fleet.quotas.amounts import drained, even_share, granted_of, part_of, shrunk

# ---- whole numbers
(
    # the present step, the requests by its end, the last steps of game and plan, the step before the plan
    STEP, SENT, LAST, END, BEGUN,
    # the plan's form, its site or change, the steps of the plan before its labels, the step in which a try began
    PLAN, SITE, BEFORE, SINCE,
    # whether changes interest the adversary, whether the game is one that arrays cannot play, and whether the server is
    # to decide what takes more than arrays
    REACTS, BROKEN, DECIDES,
    # what may be admitted at once, the reserve, the cheapest price, the window, and the periods: of turns, settlings,
    # flushes and looks; whether the turns are those of slots
    LIMIT, RESERVE, LEAST, WINDOW, PERIOD, SETTLE, EVERY, LOOK, SLOTTED,
    # the steps of the next turn, settling, flush and look, and of the first of these; the site of that flush
    TURN_AT, SETTLE_AT, FLUSH_AT, LOOK_AT, CLOCK_AT, FLUSHES,
    # costs offered and admitted, requests rejected and admitted, steps that the latter waited
    OFFERED_COST, ADMITTED_COST, REJECTED, ADMISSIONS, WAITED,
    # changes of answers and the step of the last one, deaths, whether a site was away, messages to sites that were
    CHANGES, CHANGED_AT, DIED, AWAY, LOST,
    # rows that are written: of the timeline, looks and admissions; the most of these
    ROW, LOOKS, NOTES, MOST_NOTES,
    # messages and words in all, broadcasts, and the messages of each kind; then what the kind's own functions say
    MESSAGES, WORDS, BROADCASTS, SENT_OF, OWN_WHOLE,
) = (*range(45), 51)  # fmt: skip

# ---- a site: what it may admit and has not reported, its place in the costs, what it has admitted, the same by the
# last settling and by what is settled, whether it is there, its last answer or -1, messages; then its kind's own
(
    LEFT, HELD, PLACE, ADMITTED, SITE_COST, KNOWN, KNOWN_COST, SETTLED, SETTLED_COST, PRESENT, ANSWER, UP, DOWN, OWN,
) = range(14)  # fmt: skip

Whole = npt.NDArray[np.int64]
Number = Any


def sends_up(whole: Whole, sites: Whole, site: Number, kind: int, words: int) -> None:
    """Count a message of a site."""
    sites[site, UP] += 1
    whole[SENT_OF + kind] += 1
    whole[MESSAGES] += 1
    whole[WORDS] += words


def sends_down(whole: Whole, sites: Whole, site: Number, kind: int, words: int) -> Any:
    """Count a message to a site; return whether it is there to hear it."""
    sites[site, DOWN] += 1
    whole[SENT_OF + kind] += 1
    whole[MESSAGES] += 1
    whole[WORDS] += words
    whole[LOST] += 1 - sites[site, PRESENT]
    return sites[site, PRESENT]


# ---------------------------------------------------------------------- shares


def opens_share(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `SplitSite`."""
    sites[site, LEFT] = even_share(whole[LIMIT], len(sites), site)


# ---------------------------------------------------------------------- weights

NOW, SHARED, HEARD = range(OWN_WHOLE, OWN_WHOLE + 3)
"""The present window, the last one whose shares were sent, and the loads heard in this one."""
OFFERED, REPORTED, NEXT_SHARE, HAS_SHARE = range(OWN, OWN + 4)
"""The load that is not reported, and the one of the last report; the share of the next window, and whether it came."""
LOAD, NEXT = range(2)


def offers_weight(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Count the load of `WeightedSite`."""
    sites[site, OFFERED] += price


def closes_weights(whole: Whole, sites: Whole) -> None:
    """Begin a window of `WeightedServer`: shares that are late are sent now, before any site begins."""
    whole[NOW] += 1
    whole[HEARD] = 0
    whole[DECIDES] = whole[NOW] > 0
    if whole[SHARED] < whole[NOW]:
        sends_shares(whole, sites)


def opens_weights(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `WeightedSite`, and report the load of the one before."""
    share = sites[site, NEXT_SHARE] * sites[site, HAS_SHARE]
    sites[site, LEFT] = share if whole[NOW] >= 2 else even_share(whole[LIMIT], len(sites), site)
    sites[site, HAS_SHARE] = 0
    if not whole[NOW]:
        return
    sends_up(whole, sites, site, LOAD, 1)
    sites[site, REPORTED], sites[site, OFFERED] = sites[site, OFFERED], 0
    whole[HEARD] += 1
    if whole[HEARD] == len(sites) and whole[SHARED] == whole[NOW]:
        sends_shares(whole, sites)


def sends_shares(whole: Whole, sites: Whole) -> None:
    """Send the shares of the next window; they are decided before it begins."""
    whole[SHARED] += 1
    for site in range(len(sites)):
        sites[site, HAS_SHARE] = sends_down(whole, sites, site, NEXT, 1)


def joins_weights(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Come without a share."""
    sites[site, HAS_SHARE] = 0


# ---------------------------------------------------------------------- what the server knows to be spent

SPENT, BEFORE_SLOT, PART_OF_TOKEN, FILLED, UNIT, RESTS, SLOT = range(OWN_WHOLE, OWN_WHOLE + 7)
"""What is spent, and was when the slot began; of a bucket the part of a token that has come, what a slot fills in and a
token in the same unit; of a sliding limit the slots for which a cost counts; the slot."""
CHARGES = OWN_WHOLE + 13
"""Of a sliding limit, the costs of the last slots, in turn."""


def spends(whole: Whole, cost: Number) -> None:
    """Count a cost, as `QuotaServer.spend` and `Meter.add` do."""
    whole[SPENT] += cost
    if whole[RESTS]:
        whole[CHARGES + whole[SLOT] % whole[RESTS]] += cost


def closes_slot(whole: Whole, sites: Whole) -> None:
    """Begin a slot of the server, as `Meter.turn` does."""
    whole[SLOT] += 1
    if whole[RESTS]:
        place = CHARGES + whole[SLOT] % whole[RESTS]
        whole[SPENT] -= whole[place]
        whole[place] = 0
    else:
        tokens, part = drained(whole[PART_OF_TOKEN], whole[BEFORE_SLOT], whole[FILLED], whole[UNIT])
        whole[PART_OF_TOKEN] = part
        whole[SPENT] -= tokens
    whole[BEFORE_SLOT] = whole[SPENT]


# ---------------------------------------------------------------------- leases

UPFRONT, ASKED, PART, OF, LOW, LOW_OF = range(OWN_WHOLE + 7, OWN_WHOLE + 13)
"""What each site begins with, the sites that have asked, and fractions."""
MARK, REFUSED, HAS_ASKED = range(OWN, OWN + 3)
ASK, GRANT, RETURN = range(3)


def opens_lease(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `LeaseSite`."""
    sites[site, LEFT] = whole[UPFRONT]
    sites[site, MARK] = part_of(whole[UPFRONT], whole[LOW], whole[LOW_OF], 1)
    sites[site, REFUSED] = 0


def closes_leases(whole: Whole, sites: Whole) -> None:
    """Begin a window of `LeaseServer`."""
    whole[SPENT] = whole[UPFRONT] * len(sites)
    whole[ASKED] = 0
    sites[:, HAS_ASKED] = 0


def mute_lease(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request, however cheap."""
    return 0 < sites[site, REFUSED] <= whole[LEAST]


def asks_lease(whole: Whole, sites: Whole, site: Number, price: Number) -> Any:
    """Ask about a request that waits; return whether it is admitted."""
    if sites[site, REFUSED] and price >= sites[site, REFUSED]:
        return 0
    lease = leased(whole, sites, site, price)
    if lease and price <= sites[site, LEFT]:
        sites[site, LEFT] -= price
        return 1
    return 0


def asks_in_slot(whole: Whole, sites: Whole, site: Number, price: Number) -> Any:
    """Ask, and keep nothing of a lease: the server has counted it, and may forget it before it is used."""
    admitted = asks_lease(whole, sites, site, price)
    keeps_nothing(whole, sites, site)
    return admitted


def keeps_nothing(whole: Whole, sites: Whole, site: Number) -> None:
    """Keep no more than debts."""
    sites[site, LEFT] = min(0, sites[site, LEFT])


def slots_lease(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a slot of `LeaseSite`."""
    sites[site, REFUSED] = 0


def leased(whole: Whole, sites: Whole, site: Number, price: Number) -> Any:
    """Ask for a lease and take it; return it, 0 for none."""
    sends_up(whole, sites, site, ASK, 1)
    asking = whole[ASKED] if sites[site, HAS_ASKED] else len(sites)
    lease = granted_of(whole[LIMIT] - whole[SPENT], whole[PART], whole[OF], asking, price)
    whole[ASKED] += 1 - sites[site, HAS_ASKED]
    sites[site, HAS_ASKED] = 1
    spends(whole, lease)
    sends_down(whole, sites, site, GRANT, 1)
    refused = sites[site, REFUSED]
    if not lease:
        sites[site, REFUSED] = min(price, refused) if refused else price
    elif price >= refused:
        sites[site, REFUSED] = 0
    sites[site, LEFT] += lease
    sites[site, MARK] = part_of(lease, whole[LOW], whole[LOW_OF], 1)
    return lease


def charged_lease(whole: Whole, sites: Whole, queue: Whole, site: Number, price: Number) -> None:
    """Ask for the next lease below the low-water mark; the price is that of the next request."""
    if not sites[site, REFUSED] and sites[site, LEFT] < sites[site, MARK]:
        leased(whole, sites, site, price)


def leaves_lease(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Return what is left."""
    if sites[site, LEFT]:
        sends_up(whole, sites, site, RETURN, 1)
        spends(whole, -sites[site, LEFT])


def joins_lease(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Come with nothing."""
    sites[site, MARK] = sites[site, REFUSED] = 0


# ---------------------------------------------------------------------- totals

REPORT, TOTAL = range(2)


def opens_limit(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `PeriodicSite`."""
    sites[site, LEFT] = whole[LIMIT]


def closes_total(whole: Whole, sites: Whole) -> None:
    """Begin a window of `TotalServer`."""
    whole[SPENT] = 0


def flushes_total(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Report what was admitted, and hear the total."""
    sends_up(whole, sites, site, REPORT, 1)
    spends(whole, sites[site, HELD])
    sites[site, HELD] = 0
    if sends_down(whole, sites, site, TOTAL, 1):
        sites[site, LEFT] = whole[LIMIT] - whole[SPENT]


# ---------------------------------------------------------------------- reports

SIZE_NOW, SIZE_OVER, STOPPED, SMALLEST, SHRINKS = range(OWN_WHOLE + 7, OWN_WHOLE + 12)
"""The present size, what is spent when it is over, whether all are stopped, the smallest size, and how sizes shrink."""
SIZE = OWN
JOIN, STATE, STOP, NEW_SIZE = range(2, 6)


def closes_reports(whole: Whole, sites: Whole) -> None:
    """Begin a window of `StopServer`."""
    whole[SPENT] = whole[STOPPED] = 0
    size = whole[SIZE_NOW] = shrunk(whole[LIMIT], whole[SHRINKS], whole[SMALLEST])
    whole[SIZE_OVER] = len(sites) * size


def opens_reports(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `ReportSite`."""
    sites[site, LEFT] = whole[LIMIT]
    sites[site, SIZE] = shrunk(whole[LIMIT], whole[SHRINKS], whole[SMALLEST])


def charged_report(whole: Whole, sites: Whole, queue: Whole, site: Number, price: Number) -> None:
    """Report once enough is held, and deliver all that follows, first in, first out."""
    if sites[site, HELD] >= sites[site, SIZE]:
        sends_report(whole, sites, queue, site)


def leaves_report(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Report what is held."""
    if sites[site, HELD]:
        sends_report(whole, sites, queue, site)


def sends_report(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Deliver a report and all that follows, first in, first out.

    A site reports at most once, since it holds nothing then. The queue has the site and cost of each report, and what
    all hear: -1 and the size, 0 for a stop.
    """
    queue[0, 0], queue[0, 1] = site, reported(whole, sites, site)
    first, last = 0, 1
    while first < last:
        sender, value = queue[first, 0], queue[first, 1]
        first += 1
        if sender >= 0:
            if hears_report(whole, sites, value):
                queue[last, 0], queue[last, 1] = -1, tells_all(whole, sites)
                last += 1
            continue
        for one in range(len(sites)):
            if not sites[one, PRESENT]:
                whole[LOST] += 1
            elif not value:
                sites[one, LEFT] = 0
            else:
                sites[one, SIZE] = value
                if sites[one, HELD] >= value:
                    queue[last, 0], queue[last, 1] = one, reported(whole, sites, one)
                    last += 1


def reported(whole: Whole, sites: Whole, site: Number) -> Any:
    """Send a report; return its cost."""
    sends_up(whole, sites, site, REPORT, 1)
    cost = sites[site, HELD]
    sites[site, HELD] = 0
    return cost


def tells_all(whole: Whole, sites: Whole) -> Any:
    """Count a message to all sites; return the size that it tells, 0 for a stop."""
    k = len(sites)
    for site in range(k):
        sites[site, DOWN] += 1
    whole[BROADCASTS] += 1
    whole[SENT_OF + (STOP if whole[STOPPED] else NEW_SIZE)] += k
    whole[MESSAGES] += k
    whole[WORDS] += k
    return 0 if whole[STOPPED] else whole[SIZE_NOW]


def hears_report(whole: Whole, sites: Whole, cost: Number) -> Any:
    """Add a report; return whether the server has something to say to all."""
    whole[SPENT] += cost
    if whole[STOPPED]:
        return False
    if whole[SPENT] >= whole[LIMIT]:
        whole[STOPPED] = 1
        return True
    if whole[SPENT] < whole[SIZE_OVER] or whole[SIZE_NOW] == whole[SMALLEST]:
        return False
    size = whole[SIZE_NOW] = shrunk(whole[LIMIT] - whole[SPENT], whole[SHRINKS], whole[SMALLEST])
    whole[SIZE_OVER] = whole[SPENT] + len(sites) * size
    return True


def joins_report(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Ask for the state, and hear it."""
    sends_up(whole, sites, site, JOIN, 1)
    sends_down(whole, sites, site, STATE, 1)
    sites[site, LEFT] = 0 if whole[STOPPED] else whole[LIMIT] - whole[SPENT]
    sites[site, SIZE] = whole[SIZE_NOW]


# ---------------------------------------------------------------------- gossip

DISTANCES = OWN_WHOLE
FLUSHED, COUNTS = OWN, OWN + 1
GOSSIP, PASSED_ON = range(2)


def opens_gossip(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window of `GossipSite`."""
    sites[site, LEFT] = whole[LIMIT]
    sites[site, COUNTS : COUNTS + len(sites)] = 0


def joins_gossip(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Come with no counts."""
    sites[site, COUNTS : COUNTS + len(sites)] = 0


def flushes_gossip(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Send the counts to the next of the other sites."""
    k = len(sites)
    sites[site, COUNTS + site] += sites[site, HELD]
    sites[site, HELD] = 0
    if k == 1:
        return
    other = (site + (1 << (sites[site, FLUSHED] % whole[DISTANCES]))) % k
    sites[site, FLUSHED] += 1
    sends_up(whole, sites, site, GOSSIP, k)
    if not sends_down(whole, sites, other, PASSED_ON, k):
        return
    sites[other, COUNTS + other] += sites[other, HELD]
    sites[other, HELD] = 0
    known = 0
    for one in range(COUNTS, COUNTS + k):
        sites[other, one] = max(sites[other, one], sites[site, one])
        known += sites[other, one]
    sites[other, LEFT] = whole[LIMIT] - known
