"""What each kind of quota does with the state of a game as arrays of whole numbers.

The functions are plain Python, written to be compiled. They hold the order of events; the arithmetic of the rules is in
the files of the kinds. Each group of functions is that of a family of kinds; `disttrack.fleet.quotas.forms` says which
one takes which place in the loop of `disttrack.fleet.kernel`.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas.amounts import drained, even_share, granted_of, part_of, shrunk, weighed
from disttrack.fleet.quotas.mail import (
    COST,
    FROM,
    KIND,
    NUMBER,
    OF,
    TEXT,
    VALUE,
    WAIT_COST,
    answers,
    copies,
    posts,
    rejects_waiting,
)
from disttrack.fleet.quotas.state import (
    BROADCASTS,
    DECIDES,
    FIRST_WAIT,
    HELD,
    LEAST,
    LEFT,
    LETTERS,
    LIMIT,
    NOW,
    OWN,
    OWN_WHOLE,
    PRESENT,
    RESERVE,
    SLOTTED,
    TURNS,
    WAITING,
    WAITS,
    WEIGHTS,
    Mail,
    Number,
    Whole,
)

# ---------------------------------------------------------------------- shares


def opens_share(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `SplitSite`."""
    sites[site, LEFT] = even_share(whole[LIMIT], len(sites), site)


# ---------------------------------------------------------------------- weights

SHARED, LOADS, NEXT_SPENT = range(OWN_WHOLE + 14, OWN_WHOLE + 17)
"""The last window whose shares are decided, the loads heard in this one, and the sum of the shares of the next one."""
OFFERED, MISSING, EARLY, EARLY_SHARE, NEXT_SHARE, HEARD_LOAD = range(OWN + 6, OWN + 12)
"""The load that is not reported, and whether a share is to come; the window of a share that came early, and the share;
the share that the server has decided, and the load that it has heard of since."""
COLUMNS = 12
"""Columns of sites with leases and shares by load."""
LOAD, SHARE = range(3, 5)


def offers_weight(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Count the load of `WeightedSite`."""
    sites[site, OFFERED] += price


def closes_weights(whole: Whole, sites: Whole) -> None:
    """Begin a window of `WeightedServer`: shares that are late are sent now, before any site begins."""
    whole[LOADS] = 0
    whole[DECIDES] = whole[SHARED] < whole[NOW]


def opens_weights(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `WeightedSite`."""
    opens_share(whole, sites, mail, site)
    awaits_share(whole, sites, mail, site)


def awaits_share(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `LoadSite`, and report the load of the one before."""
    window = sites[site, TURNS]
    sites[site, MISSING] = window >= 2
    if window >= 2:
        sites[site, LEFT] = 0
    if window:
        mail[LETTERS][posts(whole, sites, mail, site, 1, LOAD, 1), VALUE] = sites[site, OFFERED]
        sites[site, OFFERED] = 0
    if sites[site, EARLY] == window:
        takes_share(sites, site, sites[site, EARLY_SHARE])


def takes_share(sites: Whole, site: Number, share: Number) -> None:
    """Take a share, once."""
    if sites[site, MISSING]:
        sites[site, LEFT] += share
        sites[site, MISSING] = 0


def hears_share(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `WeightedSite` take a share."""
    takes_share(sites, letter[FROM], letter[VALUE])


def keeps_share(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Keep a share for the next window."""
    sites[letter[FROM], EARLY], sites[letter[FROM], EARLY_SHARE] = letter[OF], letter[VALUE]


def hears_load(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `WeightedServer` take a load, which is a weight from now on."""
    mail[WEIGHTS][letter[FROM]] += letter[VALUE]
    counts_load(whole, sites)


def counts_load(whole: Whole, sites: Whole) -> None:
    """Count a load; the shares of the next window are decided with the last one."""
    whole[LOADS] += 1
    whole[DECIDES] = whole[LOADS] == len(sites) and whole[SHARED] == whole[NOW]


def sends_shares(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Send the shares that are decided."""
    whole[SHARED] += 1
    for site in range(len(sites)):
        letter = mail[LETTERS][posts(whole, sites, mail, site, 0, SHARE, 1)]
        letter[OF], letter[VALUE] = whole[SHARED], sites[site, NEXT_SHARE]


def joins_weights(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come without a share that came early."""
    sites[site, EARLY] = 0


# ---------------------------------------------------------------------- what the server knows to be spent

SPENT, BEFORE_SLOT, PART_OF_TOKEN, FILLED, UNIT, RESTS, REST_SLOTS = range(OWN_WHOLE, OWN_WHOLE + 7)
"""What is spent, and was when the slot began; of a bucket the part of a token that has come, what a slot fills in and a
token in the same unit; of a sliding limit the slots for which a cost counts; those after which a site gives up waiting.
"""
PREVIOUS, WEIGHED, COUNTED = BEFORE_SLOT, PART_OF_TOKEN, FILLED
"""Of weighted windows the count of the one before, what that weighs now, and the slots of one."""
CHARGES = OWN_WHOLE + 17
"""Of a sliding limit, the costs of the last slots, in turn."""


def spends(whole: Whole, cost: Number) -> None:
    """Count a cost, as `QuotaServer.spend` and `Meter.add` do."""
    whole[SPENT] += cost
    if whole[RESTS]:
        whole[CHARGES + whole[NOW] % whole[RESTS]] += cost


def closes_slot(whole: Whole, sites: Whole) -> None:
    """Begin a slot of the server, as `Meter.turn` does."""
    if whole[RESTS]:
        place = CHARGES + whole[NOW] % whole[RESTS]
        whole[SPENT] -= whole[place]
        whole[place] = 0
    else:
        tokens, part = drained(whole[PART_OF_TOKEN], whole[BEFORE_SLOT], whole[FILLED], whole[UNIT])
        whole[PART_OF_TOKEN] = part
        whole[SPENT] -= tokens
    whole[BEFORE_SLOT] = whole[SPENT]


def closes_weighted(whole: Whole, sites: Whole) -> None:
    """Begin a slot of the server, as `WeightedMeter.turn` does."""
    left, current = whole[COUNTED] - whole[NOW] % whole[COUNTED], whole[SPENT] - whole[WEIGHED]
    if left == whole[COUNTED]:
        whole[PREVIOUS], current = current, 0
    whole[WEIGHED] = weighed(whole[PREVIOUS], left, whole[COUNTED])
    whole[SPENT] = current + whole[WEIGHED]


# ---------------------------------------------------------------------- leases

UPFRONT, ASKED, PART, OF_PART, LOW_PART, OF_LOW, ALL = range(OWN_WHOLE + 7, OWN_WHOLE + 14)
"""What each site begins with, the sites that have asked, fractions, and whether what is refused is charged."""
MARK, REFUSED, HAS_ASKED, QUESTION, FIRST_QUESTION, UNANSWERED = range(OWN, OWN + 6)
"""Of a site its low-water mark, the cheapest price refused, whether it has asked in this window, its last question, the
last one of those that were given up, and the questions after it without an answer."""
ASK, GRANT, RETURN = range(3)


def opens_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `LeaseSite`."""
    sites[site, LEFT] = whole[UPFRONT]
    sites[site, MARK] = part_of(whole[UPFRONT], whole[LOW_PART], whole[OF_LOW], 1)
    starts_lease(sites, site)


def starts_lease(sites: Whole, site: Number) -> None:
    """Begin without refusals and questions."""
    sites[site, REFUSED] = 0
    gives_up(sites, site)


def gives_up(sites: Whole, site: Number) -> None:
    """Take no answers to earlier questions."""
    sites[site, UNANSWERED], sites[site, FIRST_QUESTION] = 0, sites[site, QUESTION]


def closes_leases(whole: Whole, sites: Whole) -> None:
    """Begin a window of `LeaseServer`."""
    whole[SPENT] = whole[UPFRONT] * len(sites)
    whole[ASKED] = 0
    sites[:, HAS_ASKED] = 0


def mute_lease(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request, however cheap."""
    return 0 < sites[site, REFUSED] <= whole[LEAST]


def asks_lease(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> Any:
    """Ask about a request, which waits; return whether the site does."""
    if sites[site, REFUSED] and price >= sites[site, REFUSED]:
        return False
    asks_for(whole, sites, mail, site, price)
    return True


def mute_once(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return the same of a site that asks one question at a time."""
    return sites[site, UNANSWERED] > 0 or mute_lease(whole, sites, site)


def asks_once(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> Any:
    """Ask, if no question is without an answer."""
    return not sites[site, UNANSWERED] and asks_lease(whole, sites, mail, site, price)


def keeps_nothing(whole: Whole, sites: Whole, site: Number) -> None:
    """Keep no more than debts: the server has counted what is left, and may forget it before it is used."""
    sites[site, LEFT] = min(0, sites[site, LEFT])


def slots_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot of `LeaseSite`; answers may be lost."""
    sites[site, REFUSED] = 0
    if sites[site, TURNS] % whole[REST_SLOTS] == 0:
        gives_up(sites, site)
        rejects_waiting(whole, sites, mail, site)


def asks_for(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Ask for a lease."""
    sites[site, QUESTION] += 1
    sites[site, UNANSWERED] += 1
    letter = mail[LETTERS][posts(whole, sites, mail, site, 1, ASK, 1)]
    letter[VALUE], letter[NUMBER] = price, sites[site, QUESTION]


def hears_question(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `LeaseServer` take a question, or what a site returns."""
    if not whole[SLOTTED] and letter[OF] < whole[NOW]:
        return
    if letter[KIND] == RETURN:
        spends(whole, -letter[VALUE])
        return
    site, price = letter[FROM], letter[VALUE]
    asking = whole[ASKED] if sites[site, HAS_ASKED] else len(sites)
    lease = granted_of(whole[LIMIT] - whole[SPENT], whole[PART], whole[OF_PART], asking, price)
    whole[ASKED] += 1 - sites[site, HAS_ASKED]
    sites[site, HAS_ASKED] = 1
    spends(whole, price if whole[ALL] and not lease else lease)
    grant = mail[LETTERS][posts(whole, sites, mail, site, 0, GRANT, 1)]
    grant[VALUE], grant[NUMBER], grant[COST] = lease, letter[NUMBER], price


def hears_grant(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `LeaseSite` take a lease, and answer the request that waits longest."""
    site, lease, price = letter[FROM], letter[VALUE], letter[COST]
    if letter[NUMBER] <= sites[site, FIRST_QUESTION]:
        return
    sites[site, UNANSWERED] -= 1
    refused = sites[site, REFUSED]
    if not lease and not whole[ALL]:
        sites[site, REFUSED] = min(price, refused) if refused else price
    elif price >= refused:
        sites[site, REFUSED] = 0
    sites[site, LEFT] += lease
    sites[site, MARK] = part_of(lease, whole[LOW_PART], whole[OF_LOW], 1)
    if sites[site, WAITING]:
        price = whole[RESERVE] or mail[WAITS][sites[site, FIRST_WAIT], WAIT_COST]
        fits = 1 if lease and price <= sites[site, LEFT] else 0
        sites[site, LEFT] -= price * fits
        answers(whole, sites, mail, site, fits)
    if whole[SLOTTED]:
        keeps_nothing(whole, sites, site)


def charged_lease(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Ask for the next lease below the low-water mark; the price is that of the next request."""
    if not sites[site, REFUSED] and not sites[site, UNANSWERED] and sites[site, LEFT] < sites[site, MARK]:
        asks_for(whole, sites, mail, site, price)


def leaves_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Return what is left."""
    sites[site, QUESTION] += 1
    if sites[site, LEFT]:
        mail[LETTERS][posts(whole, sites, mail, site, 1, RETURN, 1), VALUE] = sites[site, LEFT]


def joins_lease(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come with nothing."""
    sites[site, MARK] = 0
    starts_lease(sites, site)


# ---------------------------------------------------------------------- fair leases


def opens_fair(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `FairSite`."""
    opens_lease(whole, sites, mail, site)
    awaits_share(whole, sites, mail, site)


def closes_fair(whole: Whole, sites: Whole) -> None:
    """Begin a window of `FairServer`: shares that are late are sent now."""
    closes_leases(whole, sites)
    closes_weights(whole, sites)
    if whole[NOW] >= 2:
        whole[SPENT] = whole[NEXT_SPENT]
    whole[NEXT_SPENT] = 0


def joins_fair(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come without a lease, and without a share that came early."""
    joins_lease(whole, sites, mail, site)
    joins_weights(whole, sites, mail, site)


def sends_fair_shares(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Send the shares that are decided; what they are of the limit is not leased."""
    sends_shares(whole, sites, mail)
    place = SPENT if whole[SHARED] == whole[NOW] else NEXT_SPENT
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


# ---------------------------------------------------------------------- totals

REPORT, TOTAL = range(2)
REPORTS, FIRST_REPORT, CHARGED, ANSWERED = range(OWN, OWN + 4)
"""Of a site its last report, the last one whose answer is not awaited any more, and the cost of the reports since then
and of those that are answered."""


def opens_limit(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `PeriodicSite`."""
    sites[site, LEFT] = whole[LIMIT]
    awaits_none(sites, site)


def awaits_none(sites: Whole, site: Number) -> None:
    """Await no answer to a report."""
    sites[site, FIRST_REPORT] = sites[site, REPORTS]
    sites[site, CHARGED] = sites[site, ANSWERED] = 0


def closes_total(whole: Whole, sites: Whole) -> None:
    """Begin a window of `TotalServer`."""
    whole[SPENT] = 0


def flushes_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Report what was admitted; the letter also has the cost of all reports by then."""
    sites[site, REPORTS] += 1
    cost, sites[site, HELD] = sites[site, HELD], 0
    sites[site, CHARGED] += cost
    letter = mail[LETTERS][posts(whole, sites, mail, site, 1, REPORT, 1)]
    letter[VALUE], letter[NUMBER], letter[COST] = cost, sites[site, REPORTS], sites[site, CHARGED]


def charges_refused(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Charge a `PeriodicSite` what it refuses."""
    if sites[site, PRESENT]:
        sites[site, LEFT] -= price
        sites[site, HELD] += price


def joins_total(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come, and ask for the total by an empty report."""
    awaits_none(sites, site)
    flushes_total(whole, sites, mail, site)


def hears_charge(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `TotalServer` take a report, and answer with the total."""
    if not whole[SLOTTED] and letter[OF] < whole[NOW]:
        return
    spends(whole, letter[VALUE])
    total = mail[LETTERS][posts(whole, sites, mail, letter[FROM], 0, TOTAL, 1)]
    total[VALUE], total[NUMBER] = whole[SPENT], letter[NUMBER]
    total[COST] = letter[COST] if whole[SLOTTED] else letter[VALUE]


def hears_total(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `PeriodicSite` take a total; where no window ends, no answer to an earlier report is awaited after it."""
    site = letter[FROM]
    if letter[NUMBER] <= sites[site, FIRST_REPORT]:
        return
    if whole[SLOTTED]:
        sites[site, FIRST_REPORT], sites[site, ANSWERED] = letter[NUMBER], letter[COST]
    else:
        sites[site, ANSWERED] += letter[COST]
    awaited = sites[site, CHARGED] - sites[site, ANSWERED]
    sites[site, LEFT] = whole[LIMIT] - letter[VALUE] - sites[site, HELD] - awaited


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


def opens_reports(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `ReportSite`."""
    sites[site, LEFT] = whole[LIMIT]
    sites[site, SIZE] = shrunk(whole[LIMIT], whole[SHRINKS], whole[SMALLEST])


def charged_report(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Report once enough is held."""
    if sites[site, HELD] >= sites[site, SIZE]:
        reports(whole, sites, mail, site)


def leaves_report(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Report what is held."""
    if sites[site, HELD]:
        reports(whole, sites, mail, site)


def reports(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send a report."""
    mail[LETTERS][posts(whole, sites, mail, site, 1, REPORT, 1), VALUE] = sites[site, HELD]
    sites[site, HELD] = 0


def joins_report(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Ask for the state."""
    mail[LETTERS][posts(whole, sites, mail, site, 1, JOIN, 1), VALUE] = 0


def hears_report(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `StopServer` take a report, or the question of a site that comes."""
    if letter[OF] < whole[NOW]:
        return
    whole[SPENT] += letter[VALUE]
    if letter[KIND] == JOIN:
        state = mail[LETTERS][posts(whole, sites, mail, letter[FROM], 0, STATE, 1)]
        state[VALUE] = 0 if whole[STOPPED] else whole[LIMIT] - whole[SPENT]
        state[NUMBER] = whole[SIZE_NOW]
        return
    if whole[STOPPED]:
        return
    if whole[SPENT] >= whole[LIMIT]:
        whole[STOPPED] = 1
        tells_all(whole, sites, mail, STOP, 0)
    elif whole[SPENT] >= whole[SIZE_OVER] and whole[SIZE_NOW] != whole[SMALLEST]:
        size = whole[SIZE_NOW] = shrunk(whole[LIMIT] - whole[SPENT], whole[SHRINKS], whole[SMALLEST])
        whole[SIZE_OVER] = whole[SPENT] + len(sites) * size
        tells_all(whole, sites, mail, NEW_SIZE, size)


def tells_all(whole: Whole, sites: Whole, mail: Mail, kind: Number, value: Number) -> None:
    """Send a message to all sites."""
    whole[BROADCASTS] += 1
    for site in range(len(sites)):
        mail[LETTERS][posts(whole, sites, mail, site, 0, kind, 1), VALUE] = value


def hears_size(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `ReportSite` take a size, a stop or the state."""
    site = letter[FROM]
    if letter[KIND] == STOP:
        sites[site, LEFT] = 0
    elif letter[KIND] == NEW_SIZE:
        sites[site, SIZE] = letter[VALUE]
        charged_report(whole, sites, mail, site, 0)
    else:
        sites[site, LEFT], sites[site, SIZE] = letter[VALUE], letter[NUMBER]


# ---------------------------------------------------------------------- gossip

DISTANCES = OWN_WHOLE
FLUSHED, COUNTS = OWN, OWN + 1
GOSSIP, PASSED_ON = range(2)


def opens_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `GossipSite`."""
    sites[site, LEFT] = whole[LIMIT]
    joins_gossip(whole, sites, mail, site)


def joins_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come with no counts."""
    sites[site, COUNTS : COUNTS + len(sites)] = 0


def counts_own(sites: Whole, site: Number) -> None:
    """Count what was admitted since the last time."""
    sites[site, COUNTS + site] += sites[site, HELD]
    sites[site, HELD] = 0


def flushes_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send the counts to the next of the other sites."""
    k = len(sites)
    counts_own(sites, site)
    if k == 1:
        return
    letter = mail[LETTERS][posts(whole, sites, mail, site, 1, GOSSIP, k)]
    letter[VALUE] = (site + (1 << (sites[site, FLUSHED] % whole[DISTANCES]))) % k
    sites[site, FLUSHED] += 1
    for one in range(k):
        letter[TEXT + one] = sites[site, COUNTS + one]


def passes_on(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have the `Relay` pass counts on."""
    k = len(sites)
    other = mail[LETTERS][posts(whole, sites, mail, letter[VALUE], 0, PASSED_ON, k)]
    other[OF] = letter[OF]
    copies(letter, other, TEXT, TEXT + k)


def hears_gossip(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `GossipSite` take counts."""
    site, known = letter[FROM], 0
    counts_own(sites, site)
    for one in range(len(sites)):
        sites[site, COUNTS + one] = max(sites[site, COUNTS + one], letter[TEXT + one])
        known += sites[site, COUNTS + one]
    sites[site, LEFT] = whole[LIMIT] - known
