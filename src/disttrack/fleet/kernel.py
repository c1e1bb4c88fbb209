"""A game of a quota whose messages take no time, on arrays: the order of events, written to be compiled.

In a step there are, in this order: a request, a turn of the clocks at the server and then at each site, settling of
costs, flushes, sites that come and go, and a look. What a kind does at these is in `disttrack.fleet.quotas.kernel`.
"""

from __future__ import annotations

from typing import Any

from disttrack.fleet.load_rules import BURST, DIE, JOIN, LABELS, LEAVE, REST, RULE, moves
from disttrack.fleet.quotas.amounts import first_flush, refund_of, upto
from disttrack.fleet.quotas.kernel import (
    ADMISSIONS,
    ADMITTED,
    ADMITTED_COST,
    ANSWER,
    AWAY,
    BEFORE,
    BEGUN,
    BROKEN,
    CHANGED_AT,
    CHANGES,
    CLOCK_AT,
    DECIDES,
    DIED,
    END,
    EVERY,
    FLUSH_AT,
    FLUSHES,
    HELD,
    KNOWN,
    KNOWN_COST,
    LAST,
    LEAST,
    LEFT,
    LOOK,
    LOOK_AT,
    LOOKS,
    MESSAGES,
    MOST_NOTES,
    NOTES,
    OFFERED_COST,
    PERIOD,
    PLACE,
    PLAN,
    PRESENT,
    REACTS,
    REJECTED,
    RESERVE,
    ROW,
    SENT,
    SETTLE,
    SETTLE_AT,
    SETTLED,
    SETTLED_COST,
    SINCE,
    SITE,
    SITE_COST,
    SLOTTED,
    STEP,
    TURN_AT,
    WAITED,
    WINDOW,
    WORDS,
    Number,
    Whole,
)

OVER, ASK, MORE, DECIDE = range(4)
"""What ends a run of the loop: the game is over, the adversary is due, there is no more room or label, or the server is
to decide something."""


def play_on(  # noqa: C901
    whole: Whole, sites: Whole, costs: Whole, labels: Whole, rows: Whole, looks: Whole, notes: Whole, log: Whole,
    died: Whole, queue: Whole, load: Whole,
) -> int:  # fmt: skip
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    costs
        The sums of the costs that come in turn, from 0.
    labels
        The sites of the next steps of the plan.
    rows
        The timeline: requests, known before, then step, changes of answers, messages and words.
    looks
        The rows of `Fleet.looks`, without names.
    notes
        Steps and costs of admissions, or of all requests where these are measured, and whether they are admitted.
    log
        Of each change of an answer, the request, the site and the answer.
    died
        The steps of deaths.
    queue
        Scratch space for messages.
    load
        The rule of the load, of `disttrack.fleet.load_rules`.
    """
    while True:
        if whole[DECIDES]:
            return DECIDE
        step = whole[STEP] + 1
        if whole[CHANGES] >= len(log) or whole[LOOKS] >= len(looks) or len(notes) <= whole[NOTES] < whole[MOST_NOTES]:
            return MORE
        if whole[DIED] >= len(died):
            return MORE
        form, site = whole[PLAN], -1
        until = min(whole[END], whole[LAST], whole[CLOCK_AT])
        if form == BURST:
            site = whole[SITE]
            waits = step < until and not whole[SLOTTED] and sites[site, ANSWER] == 0
            if waits and rejects_all(whole, sites, site):
                skips_rejected(whole, sites, costs, rows, site, until - step)
                step = until
        elif form == LABELS:
            place = step - whole[BEGUN] - 1 - whole[BEFORE]
            if place == len(labels):
                return MORE
            site = labels[place]
        elif form == REST and step < until:
            step = until
        whole[STEP] = step
        changes = whole[CHANGES]
        if site >= 0:
            whole[SENT] += 1
            takes(whole, sites, costs, notes, log, queue, site)
        if step == whole[CLOCK_AT]:
            rings(whole, sites, costs, queue)
        if form >= LEAVE:
            goes(whole, sites, labels, died, queue, form)
        if step == whole[LOOK_AT]:
            looks_at(whole, sites, looks)
        if step == whole[CLOCK_AT]:
            whole[CLOCK_AT] = min(whole[TURN_AT], whole[SETTLE_AT], whole[FLUSH_AT], whole[LOOK_AT])
        if whole[ROW] < len(rows) and rows[whole[ROW], 0] <= whole[SENT]:
            writes_row(whole, rows, step)
        if step >= whole[LAST] or whole[BROKEN]:
            return OVER
        if step >= whole[END] or (changes != whole[CHANGES] and whole[REACTS]):
            if not load[RULE]:
                return ASK
            moves(load, whole, sites)


# ---------------------------------------------------------------------- what a kind puts in place of these


def opens(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a window at a site."""


def slots(whole: Whole, sites: Whole, site: Number) -> None:
    """Begin a slot at a site."""


def settled(whole: Whole, sites: Whole, site: Number) -> None:
    """Take notice of a settling at a site."""


def closes(whole: Whole, sites: Whole) -> None:
    """Begin a window at the server."""


def offers(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Note what requests would take that come to a site."""


def asks(whole: Whole, sites: Whole, site: Number, price: Number) -> Any:
    """Ask about a request that the site does not admit by itself; return whether it is admitted."""
    return 0


def mute(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request, however cheap."""
    return True


def charged(whole: Whole, sites: Whole, queue: Whole, site: Number, price: Number) -> None:
    """Send what a site sends after admissions; the price is that of its next request."""


def flushes(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Send what a site sends each `every` steps."""


def leaves(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Send the last message of a site that is not there any more."""


def joins(whole: Whole, sites: Whole, queue: Whole, site: Number) -> None:
    """Send the first message of a site."""


# ---------------------------------------------------------------------- requests


def price_of(whole: Whole, sites: Whole, costs: Whole, site: Number) -> Any:
    """Return what the next request of a site takes."""
    return whole[RESERVE] or costs[sites[site, PLACE] + 1] - costs[sites[site, PLACE]]


def takes(whole: Whole, sites: Whole, costs: Whole, notes: Whole, log: Whole, queue: Whole, site: Number) -> None:
    """Answer a request."""
    place = sites[site, PLACE]
    cost, price = costs[place + 1] - costs[place], price_of(whole, sites, costs, site)
    sites[site, PLACE] = (place + 1) % (len(costs) - 1)
    whole[OFFERED_COST] += cost
    offers(whole, sites, site, price)
    fits = sites[site, PRESENT] and price <= sites[site, LEFT]
    admitted = 1 if fits else asks(whole, sites, site, price) if sites[site, PRESENT] else 0
    if admitted:
        sites[site, ADMITTED] += 1
        sites[site, SITE_COST] += cost
        whole[ADMITTED_COST] += cost
        whole[ADMISSIONS] += 1
        if whole[SINCE]:
            whole[WAITED] += whole[STEP] - whole[SINCE]
    else:
        whole[REJECTED] += 1
    if (admitted or whole[SLOTTED]) and whole[NOTES] < len(notes):
        row = notes[whole[NOTES]]
        row[0], row[1], row[2] = whole[STEP], cost, admitted
        whole[NOTES] += 1
    if sites[site, ANSWER] != admitted:
        sites[site, ANSWER] = admitted
        log[whole[CHANGES], 0], log[whole[CHANGES], 1], log[whole[CHANGES], 2] = whole[SENT], site, admitted
        whole[CHANGES] += 1
        whole[CHANGED_AT] = whole[STEP]
    if fits:
        sites[site, LEFT] -= price
        sites[site, HELD] += price
        charged(whole, sites, queue, site, price_of(whole, sites, costs, site))


def rejects_all(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site rejects each request, up to what happens by the clock."""
    return not sites[site, PRESENT] or (sites[site, LEFT] < whole[LEAST] and mute(whole, sites, site))


def skips_rejected(whole: Whole, sites: Whole, costs: Whole, rows: Whole, site: Number, requests: Number) -> None:
    """Reject the next requests at a site that rejects all."""
    place = sites[site, PLACE]
    cost = upto(costs, place + requests) - upto(costs, place)
    whole[OFFERED_COST] += cost
    offers(whole, sites, site, requests * whole[RESERVE] or cost)
    sites[site, PLACE] = (place + requests) % (len(costs) - 1)
    whole[REJECTED] += requests
    whole[SENT] += requests
    last = whole[STEP] + requests
    while whole[ROW] < len(rows) and rows[whole[ROW], 0] <= whole[SENT]:
        writes_row(whole, rows, last - (whole[SENT] - rows[whole[ROW], 0]))


def writes_row(whole: Whole, rows: Whole, step: Number) -> None:
    """Write the next row of the timeline."""
    row = whole[ROW]
    rows[row, 1], rows[row, 2], rows[row, 3], rows[row, 4] = step, whole[CHANGES], whole[MESSAGES], whole[WORDS]
    whole[ROW] = row + 1


# ---------------------------------------------------------------------- time


def rings(whole: Whole, sites: Whole, costs: Whole, queue: Whole) -> None:
    """Do what is due by the clocks."""
    step, k = whole[STEP], len(sites)
    if step == whole[TURN_AT]:
        whole[TURN_AT] += whole[PERIOD]
        closes(whole, sites)
        for site in range(k):
            if not whole[SLOTTED]:
                begins(sites, site)
                if sites[site, PRESENT]:
                    opens(whole, sites, site)
            elif sites[site, PRESENT]:
                slots(whole, sites, site)
    if step == whole[SETTLE_AT]:
        whole[SETTLE_AT] += whole[SETTLE]
        for site in range(k):
            settles(whole, sites, site, sites[site, KNOWN], sites[site, KNOWN_COST])
            sites[site, KNOWN], sites[site, KNOWN_COST] = sites[site, ADMITTED], sites[site, SITE_COST]
            if sites[site, PRESENT]:
                charged(whole, sites, queue, site, price_of(whole, sites, costs, site))
    while step == whole[FLUSH_AT]:
        site = whole[FLUSHES] % k
        if sites[site, PRESENT]:
            flushes(whole, sites, queue, site)
        whole[FLUSHES] += 1
        rounds, site = whole[FLUSHES] // k, whole[FLUSHES] % k
        whole[FLUSH_AT] = rounds * whole[EVERY] + first_flush(site, k, whole[EVERY])


def begins(sites: Whole, site: Number) -> None:
    """Forget what belongs to the window before, or to a life."""
    sites[site, LEFT] = sites[site, HELD] = 0
    sites[site, KNOWN] = sites[site, SETTLED] = sites[site, ADMITTED]
    sites[site, KNOWN_COST] = sites[site, SETTLED_COST] = sites[site, SITE_COST]


def settles(whole: Whole, sites: Whole, site: Number, requests: Number, cost: Number) -> None:
    """Replace reserves by costs, up to this number of admissions and their cost."""
    more, their = requests - sites[site, SETTLED], cost - sites[site, SETTLED_COST]
    refund = refund_of(more, whole[RESERVE], their)
    sites[site, SETTLED], sites[site, SETTLED_COST] = requests, cost
    sites[site, LEFT] += refund
    sites[site, HELD] -= refund
    settled(whole, sites, site)


def goes(whole: Whole, sites: Whole, changed: Whole, died: Whole, queue: Whole, form: Number) -> None:
    """Have a site, or several, come or go; one that is there already, or not there, is refused by the plain engine."""
    one = whole[SITE]
    for place in range(len(changed) if one < 0 else 1):
        site = changed[place] if one < 0 else one
        if (form == JOIN) == sites[site, PRESENT]:
            whole[BROKEN] = 1
            return
        if form == JOIN:
            sites[site, PRESENT] = 1
            joins(whole, sites, queue, site)
            continue
        if form == DIE:
            died[whole[DIED]] = whole[STEP]
            whole[DIED] += 1
        if form == LEAVE and whole[RESERVE]:
            settles(whole, sites, site, sites[site, ADMITTED], sites[site, SITE_COST])
        sites[site, PRESENT] = 0
        if form == LEAVE:
            leaves(whole, sites, queue, site)
        begins(sites, site)


# ---------------------------------------------------------------------- looks


def next_look(step: Number, spacing: Number, window: Number) -> Any:
    """Return the next step after one that is a multiple of the spacing, or the end of a window."""
    within = step % window
    return step + min(spacing - within % spacing, window - within)


def looks_at(whole: Whole, sites: Whole, looks: Whole) -> None:
    """Write the row of a look at the end of the present step."""
    row, k = looks[whole[LOOKS]], len(sites)
    row[0], row[1], row[2], row[3] = whole[STEP], whole[SENT], whole[OFFERED_COST], whole[ADMITTED_COST]
    row[4], row[5], row[6], row[7] = whole[REJECTED], whole[MESSAGES], whole[WORDS], whole[DIED]
    row[8] = whole[AWAY]
    for site in range(k if len(row) > 9 else 0):
        row[9 + site], row[9 + k + site] = sites[site, SITE_COST], sites[site, LEFT]
    whole[LOOKS] += 1
    whole[LOOK_AT] = next_look(whole[STEP], whole[LOOK], whole[WINDOW])
