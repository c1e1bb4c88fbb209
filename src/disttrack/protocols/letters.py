"""Messages on their way on arrays, as `Mail`, `Wires` and `Voyages` of the simulator carry them.

The functions are plain Python, written to be compiled. `whole` is the array of numbers of a game, which begins with
those named here, and `mail` a tuple of arrays, of which these are the first.
"""

from __future__ import annotations

from math import ceil
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from disttrack.mechanisms.compiler import large

# ---- whole numbers
(
    # the present step, and the items by the end of the step before
    STEP, SENT_BEFORE,
    # letters on their way, the number of the next one, the first place that is free, the letter that is heard and its
    # chain; the first open chain, and the next one
    FLYING, LETTERS_SENT, FREE_LETTER, HEARD, HEARD_CHAIN, FIRST_CHAIN, NEXT_CHAIN,
    # draws so far, and the most of an act; whether messages may be lost, overtaken or copied, and the steps in which
    # some are cut off; messages that did not arrive
    DRAWN, MOST_DRAWN, CHANCY, CUT_FROM, CUT_TO, LOST,
    OF_GAME,
) = range(16)  # fmt: skip

# ---- mail: letters, arrivals in their order, wires, open chains, chances, draws; then the game's own
LETTERS, ARRIVALS, WIRES, CHAINS, CHANCES, DRAWS, OF_GAMES_MAIL = range(7)

# ---- a letter: its site, whether it goes to the server, its kind, its chain or -1, the step and the number of the
# arrival of its copy, 0 without one, and what it says; then the game's own
FROM, UPWARDS, KIND, CHAIN, AGAIN, AGAIN_TURN, VALUE, OF_LETTER = range(8)
NEXT_FREE = FROM
"""Of a place without a letter, the next one. The letter at place 0 is one that is lost when it is sent."""
# ---- an arrival
DUE, TURN_IN_STEP, LETTER = range(3)
# ---- a wire: the last arrival, its delay or -1 if that is drawn, whether it can be cut off
LAST_ARRIVAL, DELAY, CUT = range(3)
# ---- a chain: the step in which it began, the items before that, its letters on their way
BEGAN, ITEMS_BEFORE, OPEN = range(3)
# ---- chances: the shares of messages that are lost, overtaken and copied; then of each wire the least delay, and what
# it is longer times the draw
LOSS, REORDERING, DUPLICATION, SPANS = range(4)

MOST_DRAWS: Final = 6
"""Draws of a letter: whether it is lost, overtaken or copied, and three delays."""
LONGEST: Final = 2**40
"""Largest delay, in steps: distributions have tails, and clocks 64 bits."""

Whole = npt.NDArray[np.int64]
Number = Any
Mail = Any
"""The arrays of the mail, in the order of their places."""


# ---------------------------------------------------------------------- sending


@large
def sends(whole: Whole, mail: Mail, site: Number, up: Number, kind: Number) -> Any:
    """Send a message to the server, or to a site; return the place of its letter, for what it says."""
    letters, wire = mail[LETTERS], 2 * site + up
    arrival = arrival_of(whole, mail, wire)
    if arrival < 0:
        whole[LOST] += 1
        return 0
    place = whole[FREE_LETTER]
    letter = letters[place]
    whole[FREE_LETTER] = letter[NEXT_FREE]
    letter[FROM], letter[UPWARDS], letter[KIND] = site, up, kind
    chain = letter[CHAIN] = chain_of(whole, mail[CHAINS], up)
    mail[CHAINS][chain, OPEN] += 1
    whole[LETTERS_SENT] += 1
    expects(whole, mail, arrival, whole[LETTERS_SENT], place)
    letter[AGAIN] = letter[AGAIN_TURN] = 0
    chances = mail[CHANCES]
    if chances[DUPLICATION] and draws(whole, mail) < chances[DUPLICATION]:
        whole[LETTERS_SENT] += 1
        letter[AGAIN_TURN] = whole[LETTERS_SENT]
        letter[AGAIN] = max(arrival, whole[STEP] + delays(whole, mail, wire))
    return place


@large
def arrival_of(whole: Whole, mail: Mail, wire: Number) -> Any:
    """Return the step in which a message sent now arrives, -1 if it is lost, as `Wires.arrivals` does."""
    now, wires, chances = whole[STEP], mail[WIRES], mail[CHANCES]
    if wires[wire, CUT] and whole[CUT_FROM] <= now <= whole[CUT_TO]:
        return -1
    overtaken = False
    if whole[CHANCY]:
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
    delay = mail[WIRES][wire, DELAY]
    if delay >= 0:
        return delay
    place = SPANS + 2 * wire
    return ceil(min(mail[CHANCES][place] + mail[CHANCES][place + 1] * draws(whole, mail), LONGEST))


def draws(whole: Whole, mail: Mail) -> Any:
    """Return the next draw."""
    whole[DRAWN] += 1
    return mail[DRAWS][whole[DRAWN] - 1]


def chain_of(whole: Whole, chains: Whole, up: Number) -> Any:
    """Return the chain of a message, as `Voyages` has them: that of the letter that a site answers; the oldest."""
    if up and whole[HEARD_CHAIN] >= 0:
        return whole[HEARD_CHAIN]
    if whole[FIRST_CHAIN] < whole[NEXT_CHAIN] and not up:
        return whole[FIRST_CHAIN] % len(chains)
    return chain_of_step(whole, chains)


def chain_of_step(whole: Whole, chains: Whole) -> Any:
    """Return the chain that begins in the present step."""
    first, next_one = whole[FIRST_CHAIN], whole[NEXT_CHAIN]
    last = (next_one - 1) % len(chains)
    if first < next_one and chains[last, BEGAN] == whole[STEP]:
        return last
    chain = next_one % len(chains)
    chains[chain, BEGAN], chains[chain, ITEMS_BEFORE], chains[chain, OPEN] = whole[STEP], whole[SENT_BEFORE], 0
    whole[NEXT_CHAIN] += 1
    return chain


def expects(whole: Whole, mail: Mail, step: Number, turn: Number, letter: Number) -> None:
    """Add an arrival to the heap."""
    arrivals, place = mail[ARRIVALS], whole[FLYING]
    whole[FLYING] += 1
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


def lacks_letters(whole: Whole, mail: Mail) -> Any:
    """Return whether an array is full, so that it may not hold a letter to each site and one to the server."""
    chains = whole[NEXT_CHAIN] - whole[FIRST_CHAIN] >= len(mail[CHAINS])
    letters = len(mail[LETTERS]) - 3 - whole[FLYING] <= len(mail[WIRES]) // 2
    return chains or letters or whole[DRAWN] + whole[MOST_DRAWN] > len(mail[DRAWS])


# ---------------------------------------------------------------------- arriving


def arrives_now(whole: Whole, mail: Mail) -> Any:
    """Return whether a letter arrives in the present step."""
    return whole[FLYING] and mail[ARRIVALS][0, DUE] == whole[STEP]


def arrives(whole: Whole, mail: Mail) -> Any:
    """Take the first letter that is on its way; return its place. A copy begins a chain as it arrives."""
    place = whole[HEARD] = first_arrival(whole, mail[ARRIVALS])
    letter, chains = mail[LETTERS][place], mail[CHAINS]
    if letter[AGAIN]:
        again = whole[FREE_LETTER]
        whole[FREE_LETTER] = mail[LETTERS][again, NEXT_FREE]
        copies(letter, mail[LETTERS][again], 0, len(letter))
        mail[LETTERS][again, CHAIN], mail[LETTERS][again, AGAIN] = -1, 0
        expects(whole, mail, letter[AGAIN], letter[AGAIN_TURN], again)
    if letter[CHAIN] < 0:
        chain = letter[CHAIN] = chain_of_step(whole, chains)
        chains[chain, OPEN] += 1
    return place


def first_arrival(whole: Whole, arrivals: Whole) -> Any:
    """Take the first arrival from the heap; return its letter."""
    size = whole[FLYING] = whole[FLYING] - 1
    letter, step, turn = arrivals[0, LETTER], arrivals[size, DUE], arrivals[size, TURN_IN_STEP]
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


def ends_letter(whole: Whole, mail: Mail) -> None:
    """Forget the letter that is heard, if one is; its receiver has sent all that follows."""
    place, chains = whole[HEARD], mail[CHAINS]
    if not place:
        return
    letter = mail[LETTERS][place]
    chains[letter[CHAIN], OPEN] -= 1
    letter[NEXT_FREE] = whole[FREE_LETTER]
    whole[FREE_LETTER], whole[HEARD], whole[HEARD_CHAIN] = place, 0, -1
    first = whole[FIRST_CHAIN]
    while first < whole[NEXT_CHAIN] and not chains[first % len(chains), OPEN]:
        first += 1
    whole[FIRST_CHAIN] = first
