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
from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.amounts import fair_share, first_flush, level_of, refund_of, upto
from disttrack.fleet.quotas.mail import HIGHEST, LOWEST, admits, delivers, gives, notes, rejects_waiting, waits
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.mechanisms.compiler import large
from disttrack.protocols.letters import BEGAN, DUE, ITEMS_BEFORE, arrives_now, ends_letter, lacks_letters
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
        if whole[state.DECIDES] == 1:
            return DECIDE
        if lacks_room(whole, mail, len(looks), len(died)):
            return MORE
        if whole[state.DECIDES]:
            sends_decided(whole, sites, mail)
            ends_letter(whole, mail)
            whole[state.DECIDES] = 0
        elif whole[state.PHASE] != BETWEEN and arrives_now(whole, mail):
            delivers(whole, sites, mail)
        elif whole[state.PHASE] == BETWEEN:
            if begins_step(whole, sites, costs, labels, rows, mail):
                return MORE
        elif whole[state.PHASE] == CLOCKS:
            acts(whole, sites, costs, labels, looks, died, mail)
        else:
            changed = ends_step(whole, rows, mail)
            whole[state.PHASE] = BETWEEN
            step = whole[state.STEP]
            if step >= whole[state.LAST] or whole[state.BROKEN]:
                return OVER
            if step >= whole[state.END] or (changed and whole[state.REACTS]):
                if not load[RULE]:
                    return ASK
                moves(load, whole, sites)


def lacks_room(whole: Whole, mail: Mail, looks: Number, died: Number) -> Any:
    """Return whether an array is full, so that it may not hold what comes of one act."""
    notes_full = whole[state.NOTES] >= len(mail[state.NOTED])
    own = lacks_letters(whole, mail) or notes_full or whole[state.FREE_WAIT] < 0
    return own or whole[state.LOOKS] >= looks or whole[state.DIED] >= died


def begins_step(whole: Whole, sites: Whole, costs: Whole, labels: Whole, rows: Whole, mail: Mail) -> Any:
    """Go to the next step in which more happens than a request, and take the requests up to it.

    Return whether there is no label for one.
    """
    form, until = whole[state.PLAN], min(whole[state.END], whole[state.LAST], whole[state.CLOCK_AT])
    if whole[state.FLYING]:
        until = min(until, mail[state.ARRIVALS][0, DUE])
    due = rows[whole[state.ROW], 0] if whole[state.ROW] < len(rows) else NEVER
    quiet = True
    while quiet:
        step, site = whole[state.STEP] + 1, -1
        if form == BURST:
            site = whole[state.SITE]
            waits_not = step < until and not whole[state.SLOTTED] and sites[site, state.ANSWER] == 0
            if waits_not and rejects_all(whole, sites, site):
                skips_rejected(whole, sites, costs, rows, site, until - step)
                step = until
        elif form == RUNS:
            site, step = follows_runs(whole, labels, step, until)
        elif form == LABELS:
            place = step - whole[state.BEGUN] - 1 - whole[state.BEFORE]
            if place == len(labels):
                return True
            site = labels[place]
        elif form == REST and step < until:
            step = until
        messages = whole[state.MESSAGES]
        whole[state.STEP], whole[state.SENT_BEFORE] = step, whole[state.SENT]
        if site >= 0:
            whole[state.SENT] += 1
            whole[state.IN_FIRST] |= step == 1
            takes(whole, sites, costs, mail, site)
        quiet = step < until and whole[state.MESSAGES] == messages and whole[state.CHANGES] == whole[state.OUTPUT]
        quiet = quiet and whole[state.SENT] < due and whole[state.NOTES] < len(mail[state.NOTED])
    whole[state.PHASE], whole[state.ACT], whole[state.AT] = ENDS, 0, 0
    if step == whole[state.CLOCK_AT] or form >= LEAVE:
        whole[state.PHASE] = CLOCKS
    return False


def follows_runs(whole: Whole, labels: Whole, step: Number, until: Number) -> Any:
    """Return the site of a step of consecutive runs, -1 for none, and the step: of a rest the last one that is due."""
    while labels[2 * whole[state.BEFORE] + 1] < step:
        whole[state.BEFORE] += 1
    site, last = labels[2 * whole[state.BEFORE]], labels[2 * whole[state.BEFORE] + 1]
    return site, max(step, min(until, last)) if site < 0 else step


@large
def ends_step(whole: Whole, rows: Whole, mail: Mail) -> Any:
    """Judge the output at the end of a step; return whether it has changed."""
    step, changed = whole[state.STEP], whole[state.CHANGES] != whole[state.OUTPUT]
    if step == whole[state.JUDGE_AT]:
        whole[state.FIRST_ITEMS], whole[state.JUDGE_AT] = whole[state.SENT], NEVER
        whole[state.CLOCK_AT] = next_clock(whole)
    notes_lag(whole, mail)
    if changed:
        changes_output(whole)
    if whole[state.ROW] < len(rows) and rows[whole[state.ROW], 0] <= whole[state.SENT]:
        writes_row(whole, rows, step)
    return changed


def next_clock(whole: Whole) -> Any:
    """Return the next step in which something is due by the clocks."""
    turns = min(whole[state.TURN_AT], whole[state.SITES_TURN_AT])
    return min(turns, whole[state.SETTLE_AT], whole[state.FLUSH_AT], whole[state.LOOK_AT], whole[state.JUDGE_AT])


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
    return whole[state.RESERVE] or costs[sites[site, state.PLACE] + 1] - costs[sites[site, state.PLACE]]


def takes(whole: Whole, sites: Whole, costs: Whole, mail: Mail, site: Number) -> None:
    """Answer a request, or have it wait for an answer."""
    place = sites[site, state.PLACE]
    cost, price = costs[place + 1] - costs[place], price_of(whole, sites, costs, site)
    sites[site, state.PLACE] = (place + 1) % (len(costs) - 1)
    whole[state.OFFERED_COST] += cost
    sites[site, state.WANTED] += cost
    offers(whole, sites, site, price)
    fits = sites[site, state.PRESENT] and price <= sites[site, state.LEFT]
    notes(whole, mail, cost, whole[state.SLOTTED], 1 if fits else 0)
    if fits:
        sites[site, state.LEFT] -= price
        sites[site, state.HELD] += price
        admits(whole, sites, mail, site, cost, whole[state.SINCE] or whole[state.STEP])
        charged(whole, sites, mail, site, price_of(whole, sites, costs, site))
    elif sites[site, state.PRESENT] and asks(whole, sites, mail, site, price):
        waits(whole, sites, mail, site, cost)
    else:
        refused(whole, sites, site, price)
        whole[state.REJECTED] += 1
        gives(whole, sites, mail, site, 0)


def rejects_all(whole: Whole, sites: Whole, site: Number) -> Any:
    """Return whether a site rejects each request, up to what happens by the clock or arrives."""
    return not sites[site, state.PRESENT] or (sites[site, state.LEFT] < whole[state.LEAST] and mute(whole, sites, site))


def skips_rejected(whole: Whole, sites: Whole, costs: Whole, rows: Whole, site: Number, requests: Number) -> None:
    """Reject the next requests at a site that rejects all."""
    place = sites[site, state.PLACE]
    cost = upto(costs, place + requests) - upto(costs, place)
    whole[state.OFFERED_COST] += cost
    sites[site, state.WANTED] += cost
    offers(whole, sites, site, requests * whole[state.RESERVE] or cost)
    refused(whole, sites, site, requests * whole[state.RESERVE] or cost)
    sites[site, state.PLACE] = (place + requests) % (len(costs) - 1)
    whole[state.REJECTED] += requests
    whole[state.SENT] += requests
    last = whole[state.STEP] + requests
    while whole[state.ROW] < len(rows) and rows[whole[state.ROW], 0] <= whole[state.SENT]:
        writes_row(whole, rows, last - (whole[state.SENT] - rows[whole[state.ROW], 0]))


def writes_row(whole: Whole, rows: Whole, step: Number) -> None:
    """Write the next row of the timeline."""
    row = whole[state.ROW]
    rows[row, 1], rows[row, 2] = step, whole[state.CHANGES]
    rows[row, 3], rows[row, 4] = whole[state.MESSAGES], whole[state.WORDS]
    whole[state.ROW] = row + 1


# ---------------------------------------------------------------------- time


def acts(whole: Whole, sites: Whole, costs: Whole, labels: Whole, looks: Whole, died: Whole, mail: Mail) -> None:
    """Do one thing of those that are due after the arrivals of a step."""
    step, act, at = whole[state.STEP], whole[state.ACT], whole[state.AT]
    whole[state.AT] += 1
    goes_on = False
    if act == SERVER_TURNS and step == whole[state.TURN_AT]:
        whole[state.TURN_AT] += whole[state.PERIOD]
        whole[state.NOW] += 1
        closes(whole, sites)
    elif act == SITES_TURN and step == whole[state.SITES_TURN_AT]:
        turns(whole, sites, mail, at)
        goes_on = at + 1 < len(sites)
        whole[state.SITES_TURN_AT] = step if goes_on else next_turn(sites)
    elif act == SETTLES and step == whole[state.SETTLE_AT]:
        learns_costs(whole, sites, costs, mail, at)
        goes_on = at + 1 < len(sites)
        whole[state.SETTLE_AT] += 0 if goes_on else whole[state.SETTLE]
    elif act == FLUSH and step == whole[state.FLUSH_AT]:
        flushes_next(whole, sites, mail)
        goes_on = step == whole[state.FLUSH_AT]
    elif act == CHANGES_SITES and whole[state.PLAN] >= LEAVE and at < (len(labels) if whole[state.SITE] < 0 else 1):
        goes(whole, sites, mail, died, labels[at] if whole[state.SITE] < 0 else whole[state.SITE])
        goes_on = True
    elif act == LOOKS_ON and step == whole[state.LOOK_AT]:
        looks_at(whole, sites, looks)
        if step % whole[state.WINDOW] == 0:
            closes_window(whole, sites, mail[state.FAIR])
    if goes_on:
        return
    whole[state.ACT], whole[state.AT] = act + 1, 0
    if act == LOOKS_ON:
        whole[state.PHASE], whole[state.CLOCK_AT] = ENDS, next_clock(whole)


def next_turn(sites: Whole) -> Any:
    """Return the first step in which a site's clock turns."""
    step = NEVER
    for site in range(len(sites)):
        step = min(step, sites[site, state.TURNS_AT])
    return step


def turns(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Begin the next window of a site, or its next slot, if that is due by its clock."""
    if sites[site, state.TURNS_AT] != whole[state.STEP]:
        return
    sites[site, state.TURNS_AT] += whole[state.PERIOD]
    sites[site, state.TURNS] += 1
    if not whole[state.SLOTTED]:
        begins(whole, sites, mail, site)
        if sites[site, state.PRESENT]:
            opens(whole, sites, mail, site)
    elif sites[site, state.PRESENT]:
        slots(whole, sites, mail, site)


def learns_costs(whole: Whole, sites: Whole, costs: Whole, mail: Mail, site: Number) -> None:
    """Replace reserves by costs, for the requests that were admitted up to the settling before."""
    settles(whole, sites, site, sites[site, state.KNOWN], sites[site, state.KNOWN_COST])
    sites[site, state.KNOWN], sites[site, state.KNOWN_COST] = sites[site, state.ADMITTED], sites[site, state.SITE_COST]
    if sites[site, state.PRESENT]:
        charged(whole, sites, mail, site, price_of(whole, sites, costs, site))


def flushes_next(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Have the next site flush."""
    k = len(sites)
    site = whole[state.FLUSHES] % k
    if sites[site, state.PRESENT]:
        flushes(whole, sites, mail, site)
    whole[state.FLUSHES] += 1
    rounds, site = whole[state.FLUSHES] // k, whole[state.FLUSHES] % k
    whole[state.FLUSH_AT] = rounds * whole[state.EVERY] + first_flush(site, k, whole[state.EVERY])


def begins(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Forget what belongs to the window before, or to a life."""
    ends(whole, sites, site)
    sites[site, state.LEFT] = sites[site, state.HELD] = 0
    sites[site, state.KNOWN] = sites[site, state.SETTLED] = sites[site, state.ADMITTED]
    sites[site, state.KNOWN_COST] = sites[site, state.SETTLED_COST] = sites[site, state.SITE_COST]
    rejects_waiting(whole, sites, mail, site)


def settles(whole: Whole, sites: Whole, site: Number, requests: Number, cost: Number) -> None:
    """Replace reserves by costs, up to this number of admissions and their cost."""
    more, their = requests - sites[site, state.SETTLED], cost - sites[site, state.SETTLED_COST]
    refund = refund_of(more, whole[state.RESERVE], their)
    sites[site, state.SETTLED], sites[site, state.SETTLED_COST] = requests, cost
    sites[site, state.LEFT] += refund
    sites[site, state.HELD] -= refund
    settled(whole, sites, site)


def goes(whole: Whole, sites: Whole, mail: Mail, died: Whole, site: Number) -> None:
    """Have a site come or go; one that is there already, or not there, is refused by the plain engine."""
    form = whole[state.PLAN]
    if (form == JOIN) == sites[site, state.PRESENT]:
        whole[state.BROKEN] = 1
        return
    if form == JOIN:
        sites[site, state.PRESENT] = 1
        joins(whole, sites, mail, site)
        return
    if form == DIE:
        died[whole[state.DIED]] = whole[state.STEP]
        whole[state.DIED] += 1
    elif whole[state.RESERVE]:
        settles(whole, sites, site, sites[site, state.ADMITTED], sites[site, state.SITE_COST])
    sites[site, state.PRESENT] = 0
    if form == LEAVE:
        leaves(whole, sites, mail, site)
    begins(whole, sites, mail, site)


# ---------------------------------------------------------------------- judging


def changes_output(whole: Whole) -> None:
    """Take the output at the end of the present step, as `IntervalJudge.change` does."""
    closes_output(whole, whole[state.STEP] - 1, whole[state.SENT_BEFORE])
    whole[state.OUTPUTS] += 1
    whole[state.OUTPUT], whole[state.CHANGED_AT] = whole[state.CHANGES], whole[state.STEP]
    extends(whole, whole[state.OUTPUT], whole[state.SENT])


def closes_output(whole: Whole, last: Number, items: Number) -> None:
    """Judge the present output up to step `last`, by whose end `items` requests have come."""
    if not whole[state.CHANGED_AT] and last:  # the first output: without a request it is right
        extends(whole, 1 - whole[state.IN_FIRST], 1)
    if items and last:
        extends(whole, whole[state.OUTPUT], items)


def extends(whole: Whole, output: Number, items: Number) -> None:
    """Widen the extremes by the error of an output after `items` requests."""
    if not whole[state.LOW_ITEMS] or output / items < whole[state.LOW] / whole[state.LOW_ITEMS]:
        whole[state.LOW], whole[state.LOW_ITEMS] = output, items
    if not whole[state.HIGH_ITEMS] or output / items > whole[state.HIGH] / whole[state.HIGH_ITEMS]:
        whole[state.HIGH], whole[state.HIGH_ITEMS] = output, items


def notes_lag(whole: Whole, mail: Mail) -> None:
    """Judge the steps before the present one by `LagJudge.note`, if the output or the oldest chain is another now."""
    chains, oldest, before = mail[state.CHAINS], 0, 0
    if whole[state.FIRST_CHAIN] < whole[state.NEXT_CHAIN]:
        first = whole[state.FIRST_CHAIN] % len(chains)
        oldest, before = chains[first, BEGAN], chains[first, ITEMS_BEFORE]
    if oldest == whole[state.LAG_OLDEST] and whole[state.CHANGES] == whole[state.LAG_OUTPUT]:
        return
    closes_lag(whole, mail[state.EXTREMES], whole[state.STEP] - 1, whole[state.SENT_BEFORE])
    whole[state.LAG_OUTPUT], whole[state.LAG_OLDEST], whole[state.LAG_BEFORE] = whole[state.CHANGES], oldest, before
    whole[state.LAG_SINCE], whole[state.LAG_ITEMS] = whole[state.STEP], whole[state.SENT]


@large
def closes_lag(whole: Whole, extremes: Any, last: Number, items: Number) -> None:
    """Judge the steps up to `last`, by whose end `items` requests have come, as `LagJudge.close` does."""
    if last < max(whole[state.LAG_SINCE], whole[state.WARM_UP] + 1):
        return
    oldest, output = whole[state.LAG_OLDEST], whole[state.LAG_OUTPUT]
    warm = whole[state.LAG_SINCE] > whole[state.WARM_UP] + 1
    first_items = whole[state.LAG_ITEMS] if warm else whole[state.FIRST_ITEMS]
    if oldest:
        whole[state.MOST_LAG] = max(whole[state.MOST_LAG], last - oldest + 1)
    for most in (first_items, items):
        truth = nearest_truth(output, whole[state.LAG_BEFORE] if oldest else most, most)
        error = (output - truth) / truth if truth else inf if output else 0.0
        extremes[LOWEST], extremes[HIGHEST] = min(extremes[LOWEST], error), max(extremes[HIGHEST], error)


# ---------------------------------------------------------------------- looks


def next_look(step: Number, spacing: Number, window: Number) -> Any:
    """Return the next step after one that is a multiple of the spacing, or the end of a window."""
    within = step % window
    return step + min(spacing - within % spacing, window - within)


def looks_at(whole: Whole, sites: Whole, looks: Whole) -> None:
    """Write the row of a look at the end of the present step."""
    row, k = looks[whole[state.LOOKS]], len(sites)
    row[0], row[1] = whole[state.STEP], whole[state.SENT]
    row[2], row[3] = whole[state.OFFERED_COST], whole[state.ADMITTED_COST]
    row[4], row[5], row[6], row[7] = whole[state.REJECTED], whole[state.MESSAGES], whole[state.WORDS], whole[state.DIED]
    row[8] = whole[state.AWAY]
    for site in range(k if len(row) > 9 else 0):
        row[9 + site], row[9 + k + site] = sites[site, state.SITE_COST], sites[site, state.LEFT]
    whole[state.LOOKS] += 1
    whole[state.LOOK_AT] = next_look(whole[state.STEP], whole[state.LOOK], whole[state.WINDOW])


@large
def closes_window(whole: Whole, sites: Whole, fair: Any) -> None:
    """Add the fair shares of the window that ends to those of the windows before, as the fleet does."""
    rest, sharing = level_of(sites[:, state.WANTED], whole[state.RATE])
    for site in range(len(sites)):
        fair[site] += fair_share(sites[site, state.WANTED], rest, sharing)
        sites[site, state.WANTED] = 0
