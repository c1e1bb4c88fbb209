"""What quotas do with the state of a game as arrays of whole numbers: shares and gossip.

The functions are plain Python, written to be compiled. They hold the order of events; the arithmetic of the rules is in
the files of the kinds. Each group of functions is that of a family of kinds; those of leases, totals and reports are in
`lease_kernel`, `total_kernel` and `report_kernel`. `disttrack.fleet.quotas.forms` says which one takes which place in
the loop of `disttrack.fleet.kernel`.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.amounts import drained, even_share, weighed
from disttrack.fleet.quotas.mail import OF, TEXT, posts
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.protocols.letters import FROM, VALUE, copies

LONGERS, LONGER = state.OWN_WHOLE + 19, state.OWN_WHOLE + 24
"""The number of further limits; of each, the limit, how many windows its window has, and what is spent in that."""
MOST, TIMES, SPENT_OF = range(3)
RESTS_OF = state.OWN
"""What a `SplitSite` has left of each."""

# ---------------------------------------------------------------------- shares


def opens_share(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window with an even share."""
    sites[site, state.LEFT] = even_share(whole[state.LIMIT], len(sites), site)


def ends_shares(whole: Whole, sites: Whole, site: Number) -> None:
    """Take what was admitted in a window from what a `SplitSite` has left of further limits."""
    for number in range(whole[LONGERS]):
        sites[site, RESTS_OF + number] -= sites[site, state.HELD]


def opens_shares(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `SplitSite`."""
    opens_share(whole, sites, mail, site)
    for number in range(whole[LONGERS]):
        longer = LONGER + 3 * number
        if sites[site, state.TURNS] % whole[longer + TIMES] == 0:
            sites[site, RESTS_OF + number] = even_share(whole[longer + MOST], len(sites), site)
        sites[site, state.LEFT] = min(sites[site, state.LEFT], sites[site, RESTS_OF + number])


def joins_shares(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come without a share of any window that has begun."""
    for number in range(whole[LONGERS]):
        sites[site, RESTS_OF + number] = 0


# ---------------------------------------------------------------------- weights

SHARED, LOADS, NEXT_SPENT = range(state.OWN_WHOLE + 20, state.OWN_WHOLE + 23)
"""The last window whose shares are decided, the loads heard in this one, and the sum of the shares of the next one."""
OFFERED, MISSING, NEXT_SHARE, HEARD_LOAD, EARLY = range(state.OWN + 6, state.OWN + 11)
"""The load that is not reported, and whether a share is to come; the share that the server has decided, and the load
that it has heard of since; of the shares that came early, those of an even and of an odd window, the window and the
share: a clock that is late may have two to come."""
LOAD, SHARE = range(3, 5)


def offers_weight(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Count the load of `WeightedSite`."""
    sites[site, OFFERED] += price


def closes_weights(whole: Whole, sites: Whole) -> None:
    """Begin a window of `WeightedServer`: shares that are late are sent now, before any site begins."""
    whole[LOADS] = 0
    whole[state.DECIDES] = whole[SHARED] < whole[state.NOW]


def opens_weights(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `WeightedSite`."""
    opens_share(whole, sites, mail, site)
    awaits_share(whole, sites, mail, site)


def awaits_share(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `LoadSite`, and report the load of the one before."""
    window = sites[site, state.TURNS]
    sites[site, MISSING] = window >= 2
    if window >= 2:
        sites[site, state.LEFT] = 0
    if window:
        mail[state.LETTERS][posts(whole, sites, mail, site, 1, LOAD, 1), VALUE] = sites[site, OFFERED]
        sites[site, OFFERED] = 0
    early = EARLY + 2 * (window % 2)
    if sites[site, early] == window:
        takes_share(sites, site, sites[site, early + 1])


def takes_share(sites: Whole, site: Number, share: Number) -> None:
    """Take a share, once."""
    if sites[site, MISSING]:
        sites[site, state.LEFT] += share
        sites[site, MISSING] = 0


def hears_share(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `WeightedSite` take a share."""
    takes_share(sites, letter[FROM], letter[VALUE])


def keeps_share(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Keep a share for a window that has not begun."""
    early = EARLY + 2 * (letter[OF] % 2)
    sites[letter[FROM], early], sites[letter[FROM], early + 1] = letter[OF], letter[VALUE]


def hears_load(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `WeightedServer` take a load, which is a weight from now on."""
    mail[state.WEIGHTS][letter[FROM]] += letter[VALUE]
    counts_load(whole, sites)


def counts_load(whole: Whole, sites: Whole) -> None:
    """Count a load; the shares of the next window are decided with the last one."""
    whole[LOADS] += 1
    whole[state.DECIDES] = whole[LOADS] == len(sites) and whole[SHARED] == whole[state.NOW]


def sends_shares(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Send the shares that are decided."""
    whole[SHARED] += 1
    for site in range(len(sites)):
        letter = mail[state.LETTERS][posts(whole, sites, mail, site, 0, SHARE, 1)]
        letter[OF], letter[VALUE] = whole[SHARED], sites[site, NEXT_SHARE]


def joins_weights(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come without shares that came early."""
    sites[site, EARLY] = sites[site, EARLY + 2] = 0


# ---------------------------------------------------------------------- what the server knows to be spent

SPENT, BEFORE_SLOT, PART_OF_TOKEN, FILLED, UNIT, RESTS, REST_SLOTS = range(state.OWN_WHOLE, state.OWN_WHOLE + 7)
"""What is spent, and was when the slot began; of a bucket the part of a token that has come, what a slot fills in and a
token in the same unit; of a sliding limit the slots for which a cost counts; those after which a site gives up waiting.
"""
LATE_SPENT, NOBODYS, BY_CLIENT = range(state.OWN_WHOLE + 7, state.OWN_WHOLE + 10)
"""Where clocks of clients number windows: what is spent of the window before, and of earlier ones; whether they do."""
PREVIOUS, WEIGHED, COUNTED = BEFORE_SLOT, PART_OF_TOKEN, FILLED
"""Of weighted windows the count of the one before, what that weighs now, and the slots of one."""
CHARGES = state.OWN_WHOLE + 24
"""Of a sliding limit, the costs of the last slots, in turn; of several limits, what is known of the further ones."""


def is_past(whole: Whole, letter: Whole) -> Any:
    """Return whether a letter is of a window that is over, as `QuotaServer.is_past` does."""
    return not whole[state.SLOTTED] and not whole[BY_CLIENT] and letter[OF] < whole[state.NOW]


def account_of(whole: Whole, letter: Whole) -> Any:
    """Return the place of what is spent in the window of a letter.

    No site takes an answer about a window before the last one: no clock is late by a window.
    """
    if whole[state.SLOTTED] or letter[OF] == whole[state.NOW]:
        return SPENT
    return LATE_SPENT if letter[OF] == whole[state.NOW] - 1 else NOBODYS


def spends(whole: Whole, place: Number, cost: Number) -> None:
    """Count a cost, as `QuotaServer.spend` and `Meter.add` do."""
    whole[place] += cost
    if whole[RESTS]:
        whole[CHARGES + whole[state.NOW] % whole[RESTS]] += cost


def closes_slot(whole: Whole, sites: Whole) -> None:
    """Begin a slot of the server, as `Meter.turn` does."""
    if whole[RESTS]:
        place = CHARGES + whole[state.NOW] % whole[RESTS]
        whole[SPENT] -= whole[place]
        whole[place] = 0
    else:
        tokens, part = drained(whole[PART_OF_TOKEN], whole[BEFORE_SLOT], whole[FILLED], whole[UNIT])
        whole[PART_OF_TOKEN] = part
        whole[SPENT] -= tokens
    whole[BEFORE_SLOT] = whole[SPENT]


def closes_weighted(whole: Whole, sites: Whole) -> None:
    """Begin a slot of the server, as `WeightedMeter.turn` does."""
    left, current = whole[COUNTED] - whole[state.NOW] % whole[COUNTED], whole[SPENT] - whole[WEIGHED]
    if left == whole[COUNTED]:
        whole[PREVIOUS], current = current, 0
    whole[WEIGHED] = weighed(whole[PREVIOUS], left, whole[COUNTED])
    whole[SPENT] = current + whole[WEIGHED]


# ---------------------------------------------------------------------- gossip

DISTANCES = state.OWN_WHOLE
FLUSHED, COUNTS = state.OWN, state.OWN + 1
"""The flushes of a site, and the counts that it knows; then, of those that came early, their window and the counts."""
GOSSIP, PASSED_ON = range(2)


def opens_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window of `GossipSite`, with the counts that came early."""
    early = COUNTS + len(sites)
    came = sites[site, early] == sites[site, state.TURNS]
    sites[site, state.LEFT] = whole[state.LIMIT]
    for one in range(len(sites)):
        sites[site, COUNTS + one] = sites[site, early + 1 + one] if came else 0
        sites[site, state.LEFT] -= sites[site, COUNTS + one]


def joins_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Come with no counts, also of the next window."""
    sites[site, COUNTS : COUNTS + len(sites) + 1] = 0


def counts_own(sites: Whole, site: Number) -> None:
    """Count what was admitted since the last time."""
    sites[site, COUNTS + site] += sites[site, state.HELD]
    sites[site, state.HELD] = 0


def flushes_gossip(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send the counts to the next of the other sites."""
    k = len(sites)
    counts_own(sites, site)
    if k == 1:
        return
    letter = mail[state.LETTERS][posts(whole, sites, mail, site, 1, GOSSIP, k)]
    letter[VALUE] = (site + (1 << (sites[site, FLUSHED] % whole[DISTANCES]))) % k
    sites[site, FLUSHED] += 1
    for one in range(k):
        letter[TEXT + one] = sites[site, COUNTS + one]


def passes_on(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have the `Relay` pass counts on."""
    k = len(sites)
    other = mail[state.LETTERS][posts(whole, sites, mail, letter[VALUE], 0, PASSED_ON, k)]
    other[OF] = letter[OF]
    copies(letter, other, TEXT, TEXT + k)


def hears_gossip(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a `GossipSite` take counts."""
    site, known = letter[FROM], 0
    counts_own(sites, site)
    for one in range(len(sites)):
        sites[site, COUNTS + one] = max(sites[site, COUNTS + one], letter[TEXT + one])
        known += sites[site, COUNTS + one]
    sites[site, state.LEFT] = whole[state.LIMIT] - known


def keeps_gossip(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Keep counts for the next window, with those that came before."""
    site, early = letter[FROM], COUNTS + len(sites)
    if sites[site, early] != letter[OF]:
        sites[site, early] = letter[OF]
        sites[site, early + 1 :] = 0
    for one in range(len(sites)):
        sites[site, early + 1 + one] = max(sites[site, early + 1 + one], letter[TEXT + one])
