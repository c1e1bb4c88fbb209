"""The mail of a game of quotas on arrays: letters that take time and may be lost, as `Mail` and `Wires` carry them.

The functions are plain Python, written to be compiled. Where messages take no time, a letter arrives in the step in
which it was sent, before anything else happens in it.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Final

from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.state import Mail, Number, Whole
from disttrack.mechanisms.compiler import large
from disttrack.simulator.game.network.latency import LONGEST

# ---- a letter: its site, whether it goes to the server, its kind, its window, what it says, and its chain
FROM, UPWARDS, KIND, OF, VALUE, NUMBER, COST, CHAIN, TEXT = range(9)
NEXT_FREE = FROM
"""Of a place without a letter, the next one. The letter at place 0 is one that is lost when it is sent."""
# ---- an arrival
DUE, TURN_IN_STEP, LETTER = range(3)
# ---- a wire: the last arrival, its delay or -1 if that is drawn, whether it can be cut off
LAST_ARRIVAL, DELAY, CUT = range(3)
# ---- a chain: the step in which it began, the requests before that, its letters on their way
BEGAN, REQUESTS_BEFORE, OPEN = range(3)
# ---- a request that waits: the next one, its cost, and the step in which it was first tried
NEXT_WAIT, WAIT_COST, WAIT_SINCE = range(3)
# ---- chances: the lowest and highest error with allowance for messages on their way; the shares of messages that are
# lost and overtaken; then of each wire the least delay, and what it is longer times the draw
LOWEST, HIGHEST, LOSS, REORDERING, SPANS = range(5)

MOST_DRAWS: Final = 4
"""Draws of a letter: whether it is lost or overtaken, and two delays."""


# ---------------------------------------------------------------------- sending


@large
def posts(whole: Whole, sites: Whole, mail: Mail, site: Number, up: Number, kind: Number, words: Number) -> Any:
    """Send a message to the server, or to a site; return the place of its letter, for what it says."""
    sites[site, state.UP if up else state.DOWN] += 1
    whole[state.SENT_OF + kind] += 1
    whole[state.MESSAGES] += 1
    whole[state.WORDS] += words
    letters = mail[state.LETTERS]
    arrival = arrival_of(whole, mail, 2 * site + up)
    if arrival < 0:
        whole[state.LOST] += 1
        return 0
    place = whole[state.FREE_LETTER]
    letter = letters[place]
    whole[state.FREE_LETTER] = letter[NEXT_FREE]
    letter[FROM], letter[UPWARDS], letter[KIND] = site, up, kind
    letter[OF] = sites[site, state.TURNS] if up else whole[state.NOW]
    chain = letter[CHAIN] = chain_of(whole, mail[state.CHAINS], up)
    mail[state.CHAINS][chain, OPEN] += 1
    whole[state.LETTERS_SENT] += 1
    expects(mail[state.ARRIVALS], whole[state.FLYING], arrival, whole[state.LETTERS_SENT], place)
    whole[state.FLYING] += 1
    return place


@large
def arrival_of(whole: Whole, mail: Mail, wire: Number) -> Any:
    """Return the step in which a message sent now arrives, -1 if it is lost, as `Wires.arrivals` does."""
    now, wires, chances = whole[state.STEP], mail[state.WIRES], mail[state.CHANCES]
    if wires[wire, CUT] and whole[state.CUT_FROM] <= now <= whole[state.CUT_TO]:
        return -1
    overtaken = False
    if whole[state.CHANCY]:
        if chances[LOSS] and draws(whole, mail) < chances[LOSS]:
            return -1
        overtaken = chances[REORDERING] > 0 and draws(whole, mail) < chances[REORDERING]
    takes = delays(whole, mail, wire)
    if overtaken:  # later messages do not wait for it
        return now + takes + 1 + delays(whole, mail, wire)
    arrival = wires[wire, LAST_ARRIVAL] = max(now + takes, wires[wire, LAST_ARRIVAL])
    return arrival


def delays(whole: Whole, mail: Mail, wire: Number) -> Any:
    """Return the delay of a message, as the samplers of `Latency` do."""
    delay = mail[state.WIRES][wire, DELAY]
    if delay >= 0:
        return delay
    place = SPANS + 2 * wire
    return ceil(min(mail[state.CHANCES][place] + mail[state.CHANCES][place + 1] * draws(whole, mail), LONGEST))


def draws(whole: Whole, mail: Mail) -> Any:
    """Return the next draw."""
    whole[state.DRAWN] += 1
    return mail[state.DRAWS][whole[state.DRAWN] - 1]


def chain_of(whole: Whole, chains: Whole, up: Number) -> Any:
    """Return the chain of a message, as `Voyages` has them: that of the letter that a site answers; the oldest."""
    if up and whole[state.HEARD_CHAIN] >= 0:
        return whole[state.HEARD_CHAIN]
    first, next_one = whole[state.FIRST_CHAIN], whole[state.NEXT_CHAIN]
    if first < next_one and not up:
        return first % len(chains)
    last = (next_one - 1) % len(chains)
    if first < next_one and chains[last, BEGAN] == whole[state.STEP]:
        return last
    chain = next_one % len(chains)
    chains[chain, BEGAN], chains[chain, REQUESTS_BEFORE] = whole[state.STEP], whole[state.SENT_BEFORE]
    chains[chain, OPEN] = 0
    whole[state.NEXT_CHAIN] += 1
    return chain


def expects(arrivals: Whole, size: Number, step: Number, turn: Number, letter: Number) -> None:
    """Add an arrival to the heap."""
    place = size
    while place:
        parent = (place - 1) // 2
        if arrivals[parent, DUE] < step or (arrivals[parent, DUE] == step and arrivals[parent, TURN_IN_STEP] < turn):
            break
        copies(arrivals[parent], arrivals[place], 0, 3)
        place = parent
    arrivals[place, DUE], arrivals[place, TURN_IN_STEP], arrivals[place, LETTER] = step, turn, letter


def copies(numbers: Whole, to: Whole, first: Number, last: Number) -> None:
    """Copy numbers from a place on, up to one before another; slices would need memory of their own."""
    for place in range(first, last):
        to[place] = numbers[place]


def first_arrival(arrivals: Whole, size: Number) -> Any:
    """Take the first arrival from the heap; return its letter."""
    letter, size = arrivals[0, LETTER], size - 1
    step, turn = arrivals[size, DUE], arrivals[size, TURN_IN_STEP]
    place, child = 0, 1
    while child < size:
        other = child + 1
        if other < size and (
            arrivals[other, DUE] < arrivals[child, DUE]
            or (
                arrivals[other, DUE] == arrivals[child, DUE]
                and arrivals[other, TURN_IN_STEP] < arrivals[child, TURN_IN_STEP]
            )
        ):
            child = other
        if step < arrivals[child, DUE] or (step == arrivals[child, DUE] and turn < arrivals[child, TURN_IN_STEP]):
            break
        copies(arrivals[child], arrivals[place], 0, 3)
        place, child = child, 2 * child + 1
    copies(arrivals[size], arrivals[place], 0, 3)
    return letter


# ---------------------------------------------------------------------- arriving


def server_hears(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have the server take a letter; a kind puts its own in place of this."""


def site_hears(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site take a letter for its present window; a kind puts its own in place of this."""


def site_keeps(whole: Whole, sites: Whole, mail: Mail, letter: Whole) -> None:
    """Have a site keep a letter for a window that has not begun."""


def delivers(whole: Whole, sites: Whole, mail: Mail) -> None:
    """Deliver the first letter."""
    place = whole[state.HEARD] = first_arrival(mail[state.ARRIVALS], whole[state.FLYING])
    whole[state.FLYING] -= 1
    letter = mail[state.LETTERS][place]
    site = letter[FROM]
    if letter[UPWARDS]:
        server_hears(whole, sites, mail, letter)
    elif not sites[site, state.PRESENT]:
        whole[state.LOST] += 1
    elif whole[state.ANY_WINDOW] or letter[OF] == sites[site, state.TURNS]:
        whole[state.HEARD_CHAIN] = letter[CHAIN]
        site_hears(whole, sites, mail, letter)
        whole[state.HEARD_CHAIN] = -1
    elif letter[OF] > sites[site, state.TURNS]:
        site_keeps(whole, sites, mail, letter)
    if not whole[state.DECIDES]:
        ends_letter(whole, mail)


def ends_letter(whole: Whole, mail: Mail) -> None:
    """Forget the letter that is heard, if one is; the server has sent all that follows."""
    place, chains = whole[state.HEARD], mail[state.CHAINS]
    if not place:
        return
    letter = mail[state.LETTERS][place]
    chains[letter[CHAIN], OPEN] -= 1
    letter[NEXT_FREE] = whole[state.FREE_LETTER]
    whole[state.FREE_LETTER], whole[state.HEARD] = place, 0
    first = whole[state.FIRST_CHAIN]
    while first < whole[state.NEXT_CHAIN] and not chains[first % len(chains), OPEN]:
        first += 1
    whole[state.FIRST_CHAIN] = first


# ---------------------------------------------------------------------- answers


def gives(whole: Whole, sites: Whole, mail: Mail, site: Number, admitted: Number) -> None:
    """Note the answer of a site to a request, as `Answers.give` does."""
    if sites[site, state.ANSWER] == admitted:
        return
    sites[site, state.ANSWER] = admitted
    whole[state.CHANGES] += 1
    if whole[state.UNSEEN] < len(mail[state.CHANGED]):
        mail[state.CHANGED][whole[state.UNSEEN]] = site
    whole[state.UNSEEN] += 1


def notes(whole: Whole, mail: Mail, cost: Number, offered: Number, admitted: Number) -> None:
    """Note a request that comes or is admitted, as the `Book` does."""
    offered = offered and whole[state.NOTED_OFFERS] < whole[state.MOST_NOTES]
    admitted = admitted and whole[state.NOTED_ADMISSIONS] < whole[state.MOST_NOTES]
    if offered or admitted:
        row = mail[state.NOTED][whole[state.NOTES]]
        row[0], row[1], row[2] = whole[state.STEP], cost, 2 * offered + admitted
        whole[state.NOTES] += 1
        whole[state.NOTED_OFFERS] += offered
        whole[state.NOTED_ADMISSIONS] += admitted


def admits(whole: Whole, sites: Whole, mail: Mail, site: Number, cost: Number, since: Number) -> None:
    """Admit a request, tried since a step."""
    sites[site, state.ADMITTED] += 1
    sites[site, state.SITE_COST] += cost
    whole[state.ADMITTED_COST] += cost
    whole[state.ADMISSIONS] += 1
    whole[state.WAITED] += whole[state.STEP] - since
    gives(whole, sites, mail, site, 1)


def waits(whole: Whole, sites: Whole, mail: Mail, site: Number, cost: Number) -> None:
    """Have a request wait for an answer."""
    place, kept = whole[state.FREE_WAIT], mail[state.WAITS]
    whole[state.FREE_WAIT] = kept[place, NEXT_WAIT]
    kept[place, WAIT_COST], kept[place, WAIT_SINCE] = cost, whole[state.SINCE] or whole[state.STEP]
    if sites[site, state.WAITING]:
        kept[sites[site, state.LAST_WAIT], NEXT_WAIT] = place
    else:
        sites[site, state.FIRST_WAIT] = place
    sites[site, state.LAST_WAIT] = place
    sites[site, state.WAITING] += 1


@large
def answers(whole: Whole, sites: Whole, mail: Mail, site: Number, admitted: Number) -> None:
    """Answer the request that waits longest."""
    place, kept = sites[site, state.FIRST_WAIT], mail[state.WAITS]
    cost, since = kept[place, WAIT_COST], kept[place, WAIT_SINCE]
    sites[site, state.FIRST_WAIT] = kept[place, NEXT_WAIT]
    sites[site, state.WAITING] -= 1
    kept[place, NEXT_WAIT] = whole[state.FREE_WAIT]
    whole[state.FREE_WAIT] = place
    if admitted:
        notes(whole, mail, cost, 0, 1)
        admits(whole, sites, mail, site, cost, since)
    else:
        whole[state.REJECTED] += 1
        gives(whole, sites, mail, site, 0)


def rejects_waiting(whole: Whole, sites: Whole, mail: Mail, site: Number) -> None:
    """Reject all requests that wait at a site."""
    while sites[site, state.WAITING]:
        answers(whole, sites, mail, site, 0)
