"""A game of a quota on arrays: the order of events, written to be compiled.

In a step there are, in this order: a request, arrivals, a turn of the clocks at the server and then at each site,
settling of costs, flushes, sites that come and go, and a look. Letters that take no time arrive before the next of
these. What a kind does at them is in `disttrack.fleet.quotas.kernel`.
"""

from __future__ import annotations

from math import inf
from typing import Any

from disttrack.adversaries.schedules import NEVER
from disttrack.fleet.load_rules import BURST, DIE, JOIN, LABELS, LEAVE, REST, RULE, RUNS, moves
from disttrack.fleet.quotas.amounts import fair_share, first_flush, level_of, refund_of, upto
from disttrack.fleet.quotas.mail import (
    BEGAN,
    DUE,
    HIGHEST,
    LOWEST,
    REQUESTS_BEFORE,
    admits,
    delivers,
    ends_letter,
    gives,
    notes,
    rejects_waiting,
    waits,
)
from disttrack.fleet.quotas.state import (
    ACT,
    ADMITTED,
    ADMITTED_COST,
    ANSWER,
    ARRIVALS,
    AT,
    AWAY,
    BEFORE,
    BEGUN,
    BROKEN,
    CHAINS,
    CHANCES,
    CHANGED_AT,
    CHANGES,
    CLOCK_AT,
    DECIDES,
    DIED,
    DRAWN,
    DRAWS,
    END,
    EVERY,
    FAIR,
    FIRST_CHAIN,
    FIRST_ITEMS,
    FLUSH_AT,
    FLUSHES,
    FLYING,
    FREE_WAIT,
    HELD,
    HIGH,
    HIGH_ITEMS,
    IN_FIRST,
    JUDGE_AT,
    KNOWN,
    KNOWN_COST,
    LAG_BEFORE,
    LAG_ITEMS,
    LAG_OLDEST,
    LAG_OUTPUT,
    LAG_SINCE,
    LAST,
    LEAST,
    LEFT,
    LETTERS,
    LOOK,
    LOOK_AT,
    LOOKS,
    LOW,
    LOW_ITEMS,
    MESSAGES,
    MOST_DRAWN,
    MOST_LAG,
    NEXT_CHAIN,
    NOTED,
    NOTES,
    NOW,
    OFFERED_COST,
    OUTPUT,
    OUTPUTS,
    PERIOD,
    PHASE,
    PLACE,
    PLAN,
    PRESENT,
    RATE,
    REACTS,
    REJECTED,
    RESERVE,
    ROW,
    SENT,
    SENT_BEFORE,
    SETTLE,
    SETTLE_AT,
    SETTLED,
    SETTLED_COST,
    SINCE,
    SITE,
    SITE_COST,
    SITES_TURN_AT,
    SLOTTED,
    STEP,
    TURN_AT,
    TURNS,
    TURNS_AT,
    WANTED,
    WARM_UP,
    WINDOW,
    WIRES,
    WORDS,
    Mail,
    Number,
    Whole,
)
from disttrack.mechanisms.compiler import large
from disttrack.simulator.game.judging import nearest_truth

OVER, ASK, MORE, DECIDE = range(4)
"""What ends a run of the loop: the game is over, the adversary is due, there is no more room or label, or the server is
to decide something."""
BETWEEN, CLOCKS, ENDS = range(3)
"""Where in a step a game is: before it, at what is due after its arrivals, and at its end."""
SERVER_TURNS, SITES_TURN, SETTLES, FLUSH, CHANGES_SITES, LOOKS_ON, NOTHING = range(7)
"""What is due after the arrivals of a step, in this order; letters that it sends may arrive before the next act."""


def play_on(
    whole: Whole, sites: Whole, costs: Whole, labels: Whole, rows: Whole, looks: Whole, died: Whole, load: Whole,
    mail: Mail,
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
    died
        The steps of deaths.
    load
        The rule of the load, of `disttrack.fleet.load_rules`.
    mail
        What is on its way, of `disttrack.fleet.quotas.state`.
    """
    while True:
        if whole[DECIDES] == 1:
            return DECIDE
        if lacks_room(whole, mail, len(looks), len(died)):
            return MORE
        if whole[DECIDES]:
            sends_decided(whole, sites, mail)
            ends_letter(whole, mail)
            whole[DECIDES] = 0
        elif whole[PHASE] != BETWEEN and whole[FLYING] and mail[ARRIVALS][0, DUE] == whole[STEP]:
            delivers(whole, sites, mail)
        elif whole[PHASE] == BETWEEN:
            if begins_step(whole, sites, costs, labels, rows, mail):
                return MORE
        elif whole[PHASE] == CLOCKS:
            acts(whole, sites, costs, labels, looks, died, mail)
        else:
            changed = ends_step(whole, rows, mail)
            whole[PHASE] = BETWEEN
            step = whole[STEP]
            if step >= whole[LAST] or whole[BROKEN]:
                return OVER
            if step >= whole[END] or (changed and whole[REACTS]):
                if not load[RULE]:
                    return ASK
                moves(load, whole, sites)


def lacks_room(whole: Whole, mail: Mail, looks: Number, died: Number) -> Any:
    """Return whether an array is full, so that it may not hold what comes of one act."""
    chains = whole[NEXT_CHAIN] - whole[FIRST_CHAIN] >= len(mail[CHAINS])
    letters = len(mail[LETTERS]) - 2 - whole[FLYING] <= len(mail[WIRES]) // 2
    notes_full = whole[NOTES] >= len(mail[NOTED])
    undrawn = whole[DRAWN] + whole[MOST_DRAWN] > len(mail[DRAWS])
    own = chains or letters or notes_full or undrawn or whole[FREE_WAIT] < 0
    return own or whole[LOOKS] >= looks or whole[DIED] >= died


def begins_step(whole: Whole, sites: Whole, costs: Whole, labels: Whole, rows: Whole, mail: Mail) -> Any:
    """Go to the next step in which more happens than a request, and take the requests up to it.

    Return whether there is no label for one.
    """
    form, until = whole[PLAN], min(whole[END], whole[LAST], whole[CLOCK_AT])
    if whole[FLYING]:
        until = min(until, mail[ARRIVALS][0, DUE])
    due = rows[whole[ROW], 0] if whole[ROW] < len(rows) else NEVER
    quiet = True
    while quiet:
        step, site = whole[STEP] + 1, -1
        if form == BURST:
            site = whole[SITE]
            waits_not = step < until and not whole[SLOTTED] and sites[site, ANSWER] == 0
            if waits_not and rejects_all(whole, sites, site):
                skips_rejected(whole, sites, costs, rows, site, until - step)
                step = until
        elif form == RUNS:
            site, step = follows_runs(whole, labels, step, until)
        elif form == LABELS:
            place = step - whole[BEGUN] - 1 - whole[BEFORE]
            if place == len(labels):
                return True
            site = labels[place]
        elif form == REST and step < until:
            step = until
        messages = whole[MESSAGES]
        whole[STEP], whole[SENT_BEFORE] = step, whole[SENT]
        if site >= 0:
            whole[SENT] += 1
            whole[IN_FIRST] |= step == 1
            takes(whole, sites, costs, mail, site)
        quiet = step < until and whole[MESSAGES] == messages and whole[CHANGES] == whole[OUTPUT]
        quiet = quiet and whole[SENT] < due and whole[NOTES] < len(mail[NOTED])
    whole[PHASE], whole[ACT], whole[AT] = ENDS, 0, 0
    if step == whole[CLOCK_AT] or form >= LEAVE:
        whole[PHASE] = CLOCKS
    return False


def follows_runs(whole: Whole, labels: Whole, step: Number, until: Number) -> Any:
    """Return the site of a step of consecutive runs, -1 for none, and the step: of a rest the last one that is due."""
    while labels[2 * whole[BEFORE] + 1] < step:
        whole[BEFORE] += 1
    site, last = labels[2 * whole[BEFORE]], labels[2 * whole[BEFORE] + 1]
    return site, max(step, min(until, last)) if site < 0 else step


@large
def ends_step(whole: Whole, rows: Whole, mail: Mail) -> Any:
    """Judge the output at the end of a step; return whether it has changed."""
    step, changed = whole[STEP], whole[CHANGES] != whole[OUTPUT]
    if step == whole[JUDGE_AT]:
        whole[FIRST_ITEMS], whole[JUDGE_AT] = whole[SENT], NEVER
        whole[CLOCK_AT] = next_clock(whole)
    notes_lag(whole, mail)
    if changed:
        changes_output(whole)
    if whole[ROW] < len(rows) and rows[whole[ROW], 0] <= whole[SENT]:
        writes_row(whole, rows, step)
    return changed


def next_clock(whole: Whole) -> Any:
    """Return the next step in which something is due by the clocks."""
    turns = min(whole[TURN_AT], whole[SITES_TURN_AT])
    return min(turns, whole[SETTLE_AT], whole[FLUSH_AT], whole[LOOK_AT], whole[JUDGE_AT])


# ---------------------------------------------------------------------- what a kind puts in place of these


def opens(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a window at a site."""


def ends(whole: Whole, sites: Whole, site: Number) -> None:
    """End a window at a site, or a life."""


def slots(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin a slot at a site."""


def settled(whole: Whole, sites: Whole, site: Number) -> None:
    """Take notice of a settling at a site."""


def closes(whole: Whole, sites: Whole) -> None:
    """Begin a window at the server."""


def offers(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Note what requests would take that come to a site."""


def refused(whole: Whole, sites: Whole, site: Number, price: Number) -> None:
    """Note what requests would have taken that a site refuses at once."""


def asks(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> Any:
    """Ask about a request that the site does not admit by itself, which waits; return whether the site does."""
    return False


def mute(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site asks about no request, however cheap."""
    return True


def charged(whole: Whole, sites: Whole, mail: Mail, site: Number, price: Number) -> None:
    """Send what a site sends after admissions; the price is that of its next request."""


def flushes(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send what a site sends each `every` steps."""


def leaves(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send the last message of a site that is not there any more."""


def joins(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Send the first message of a site."""


def sends_decided(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Send what the server has decided."""


# ---------------------------------------------------------------------- requests


def price_of(whole: Whole, sites: Whole, costs: Whole, site: Number) -> Any:
    """Return what the next request of a site takes."""
    return whole[RESERVE] or costs[sites[site, PLACE] + 1] - costs[sites[site, PLACE]]


def takes(whole: Whole, sites: Whole, costs: Whole, mail: Mail, site: Number) -> None:
    """Answer a request, or have it wait for an answer."""
    place = sites[site, PLACE]
    cost, price = costs[place + 1] - costs[place], price_of(whole, sites, costs, site)
    sites[site, PLACE] = (place + 1) % (len(costs) - 1)
    whole[OFFERED_COST] += cost
    sites[site, WANTED] += cost
    offers(whole, sites, site, price)
    fits = sites[site, PRESENT] and price <= sites[site, LEFT]
    notes(whole, mail, cost, whole[SLOTTED], 1 if fits else 0)
    if fits:
        sites[site, LEFT] -= price
        sites[site, HELD] += price
        admits(whole, sites, mail, site, cost, whole[SINCE] or whole[STEP])
        charged(whole, sites, mail, site, price_of(whole, sites, costs, site))
    elif sites[site, PRESENT] and asks(whole, sites, mail, site, price):
        waits(whole, sites, mail, site, cost)
    else:
        refused(whole, sites, site, price)
        whole[REJECTED] += 1
        gives(whole, sites, mail, site, 0)


def rejects_all(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site rejects each request, up to what happens by the clock or arrives."""
    return not sites[site, PRESENT] or (sites[site, LEFT] < whole[LEAST] and mute(whole, sites, site))


def skips_rejected(whole: Whole, sites: Whole, costs: Whole, rows: Whole, site: Number, requests: Number) -> None:
    """Reject the next requests at a site that rejects all."""
    place = sites[site, PLACE]
    cost = upto(costs, place + requests) - upto(costs, place)
    whole[OFFERED_COST] += cost
    sites[site, WANTED] += cost
    offers(whole, sites, site, requests * whole[RESERVE] or cost)
    refused(whole, sites, site, requests * whole[RESERVE] or cost)
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


def acts(
    whole: Whole, sites: Whole, costs: Whole, labels: Whole, looks: Whole, died: Whole, mail: Mail
) -> None:
    """Do one thing of those that are due after the arrivals of a step."""
    step, act, at = whole[STEP], whole[ACT], whole[AT]
    whole[AT] += 1
    goes_on = False
    if act == SERVER_TURNS and step == whole[TURN_AT]:
        whole[TURN_AT] += whole[PERIOD]
        whole[NOW] += 1
        closes(whole, sites)
    elif act == SITES_TURN and step == whole[SITES_TURN_AT]:
        turns(whole, sites, mail, at)
        goes_on = at + 1 < len(sites)
        whole[SITES_TURN_AT] = step if goes_on else next_turn(sites)
    elif act == SETTLES and step == whole[SETTLE_AT]:
        learns_costs(whole, sites, costs, mail, at)
        goes_on = at + 1 < len(sites)
        whole[SETTLE_AT] += 0 if goes_on else whole[SETTLE]
    elif act == FLUSH and step == whole[FLUSH_AT]:
        flushes_next(whole, sites, mail)
        goes_on = step == whole[FLUSH_AT]
    elif act == CHANGES_SITES and whole[PLAN] >= LEAVE and at < (len(labels) if whole[SITE] < 0 else 1):
        goes(whole, sites, mail, died, labels[at] if whole[SITE] < 0 else whole[SITE])
        goes_on = True
    elif act == LOOKS_ON and step == whole[LOOK_AT]:
        looks_at(whole, sites, looks)
        if step % whole[WINDOW] == 0:
            closes_window(whole, sites, mail[FAIR])
    if goes_on:
        return
    whole[ACT], whole[AT] = act + 1, 0
    if act == LOOKS_ON:
        whole[PHASE], whole[CLOCK_AT] = ENDS, next_clock(whole)


def next_turn(sites: Whole) -> Any:
    """Return the first step in which a site's clock turns."""
    step = NEVER
    for site in range(len(sites)):
        step = min(step, sites[site, TURNS_AT])
    return step


def turns(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin the next window of a site, or its next slot, if that is due by its clock."""
    if sites[site, TURNS_AT] != whole[STEP]:
        return
    sites[site, TURNS_AT] += whole[PERIOD]
    sites[site, TURNS] += 1
    if not whole[SLOTTED]:
        begins(whole, sites, mail, site)
        if sites[site, PRESENT]:
            opens(whole, sites, mail, site)
    elif sites[site, PRESENT]:
        slots(whole, sites, mail, site)


def learns_costs(whole: Whole, sites: Whole, costs: Whole, mail: Mail, site: Number) -> None:
    """Replace reserves by costs, for the requests that were admitted up to the settling before."""
    settles(whole, sites, site, sites[site, KNOWN], sites[site, KNOWN_COST])
    sites[site, KNOWN], sites[site, KNOWN_COST] = sites[site, ADMITTED], sites[site, SITE_COST]
    if sites[site, PRESENT]:
        charged(whole, sites, mail, site, price_of(whole, sites, costs, site))


def flushes_next(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Have the next site flush."""
    k = len(sites)
    site = whole[FLUSHES] % k
    if sites[site, PRESENT]:
        flushes(whole, sites, mail, site)
    whole[FLUSHES] += 1
    rounds, site = whole[FLUSHES] // k, whole[FLUSHES] % k
    whole[FLUSH_AT] = rounds * whole[EVERY] + first_flush(site, k, whole[EVERY])


def begins(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Forget what belongs to the window before, or to a life."""
    ends(whole, sites, site)
    sites[site, LEFT] = sites[site, HELD] = 0
    sites[site, KNOWN] = sites[site, SETTLED] = sites[site, ADMITTED]
    sites[site, KNOWN_COST] = sites[site, SETTLED_COST] = sites[site, SITE_COST]
    rejects_waiting(whole, sites, mail, site)


def settles(whole: Whole, sites: Whole, site: Number, requests: Number, cost: Number) -> None:
    """Replace reserves by costs, up to this number of admissions and their cost."""
    more, their = requests - sites[site, SETTLED], cost - sites[site, SETTLED_COST]
    refund = refund_of(more, whole[RESERVE], their)
    sites[site, SETTLED], sites[site, SETTLED_COST] = requests, cost
    sites[site, LEFT] += refund
    sites[site, HELD] -= refund
    settled(whole, sites, site)


def goes(whole: Whole, sites: Whole, mail: Mail, died: Whole, site: Number) -> None:
    """Have a site come or go; one that is there already, or not there, is refused by the plain engine."""
    form = whole[PLAN]
    if (form == JOIN) == sites[site, PRESENT]:
        whole[BROKEN] = 1
        return
    if form == JOIN:
        sites[site, PRESENT] = 1
        joins(whole, sites, mail, site)
        return
    if form == DIE:
        died[whole[DIED]] = whole[STEP]
        whole[DIED] += 1
    elif whole[RESERVE]:
        settles(whole, sites, site, sites[site, ADMITTED], sites[site, SITE_COST])
    sites[site, PRESENT] = 0
    if form == LEAVE:
        leaves(whole, sites, mail, site)
    begins(whole, sites, mail, site)


# ---------------------------------------------------------------------- judging


def changes_output(whole: Whole) -> None:
    """Take the output at the end of the present step, as `IntervalJudge.change` does."""
    closes_output(whole, whole[STEP] - 1, whole[SENT_BEFORE])
    whole[OUTPUTS] += 1
    whole[OUTPUT], whole[CHANGED_AT] = whole[CHANGES], whole[STEP]
    extends(whole, whole[OUTPUT], whole[SENT])


def closes_output(whole: Whole, last: Number, items: Number) -> None:
    """Judge the present output up to step `last`, by whose end `items` requests have come."""
    if not whole[CHANGED_AT] and last:  # the first output: without a request it is right
        extends(whole, 1 - whole[IN_FIRST], 1)
    if items and last:
        extends(whole, whole[OUTPUT], items)


def extends(whole: Whole, output: Number, items: Number) -> None:
    """Widen the extremes by the error of an output after `items` requests."""
    if not whole[LOW_ITEMS] or output / items < whole[LOW] / whole[LOW_ITEMS]:
        whole[LOW], whole[LOW_ITEMS] = output, items
    if not whole[HIGH_ITEMS] or output / items > whole[HIGH] / whole[HIGH_ITEMS]:
        whole[HIGH], whole[HIGH_ITEMS] = output, items


def notes_lag(whole: Whole, mail: Mail) -> None:
    """Judge the steps before the present one by `LagJudge.note`, if the output or the oldest chain is another now."""
    chains, oldest, before = mail[CHAINS], 0, 0
    if whole[FIRST_CHAIN] < whole[NEXT_CHAIN]:
        first = whole[FIRST_CHAIN] % len(chains)
        oldest, before = chains[first, BEGAN], chains[first, REQUESTS_BEFORE]
    if oldest == whole[LAG_OLDEST] and whole[CHANGES] == whole[LAG_OUTPUT]:
        return
    closes_lag(whole, mail[CHANCES], whole[STEP] - 1, whole[SENT_BEFORE])
    whole[LAG_OUTPUT], whole[LAG_OLDEST], whole[LAG_BEFORE] = whole[CHANGES], oldest, before
    whole[LAG_SINCE], whole[LAG_ITEMS] = whole[STEP], whole[SENT]


@large
def closes_lag(whole: Whole, chances: Whole, last: Number, items: Number) -> None:
    """Judge the steps up to `last`, by whose end `items` requests have come, as `LagJudge.close` does."""
    if last < max(whole[LAG_SINCE], whole[WARM_UP] + 1):
        return
    oldest, output = whole[LAG_OLDEST], whole[LAG_OUTPUT]
    first_items = whole[LAG_ITEMS] if whole[LAG_SINCE] > whole[WARM_UP] + 1 else whole[FIRST_ITEMS]
    if oldest:
        whole[MOST_LAG] = max(whole[MOST_LAG], last - oldest + 1)
    for most in (first_items, items):
        truth = nearest_truth(output, whole[LAG_BEFORE] if oldest else most, most)
        error = (output - truth) / truth if truth else inf if output else 0.0
        chances[LOWEST], chances[HIGHEST] = min(chances[LOWEST], error), max(chances[HIGHEST], error)


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


@large
def closes_window(whole: Whole, sites: Whole, fair: Any) -> None:
    """Add the fair shares of the window that ends to those of the windows before, as the fleet does."""
    rest, sharing = level_of(sites[:, WANTED], whole[RATE])
    for site in range(len(sites)):
        fair[site] += fair_share(sites[site, WANTED], rest, sharing)
        sites[site, WANTED] = 0
