"""Actions of learners in many games, as plain functions on arrays that are written to be compiled.

The n-th row of each array belongs to the n-th game. The numbers are those of `LeapGame`, which plays one game.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from disttrack.attack.adversaries.learned import COMMON, LARGEST
from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import GO_ON, HIDDEN, OVER, REFILL, SERVE, SHOWN, Number, Real, Whole, unserved
from disttrack.simulator.game.engines.kernel import fed, turn

Seen = npt.NDArray[np.float32]
Moves = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

served = unserved
"""Stands for `KernelForm.served`."""

# ---- whole numbers of a game: steps, skipped ones too; changes of the output, and those before the action; steps at
# the last change, and before the action; items before the action, and when it ends; actions; what the action waits for;
# what the state shows, as `KernelForm.due`
STEPS, CHANGES, CHANGES_BEFORE, CHANGED_AT, STEPS_BEFORE, ITEMS_BEFORE, UNTIL, ACTIONS, WAITS, DUE, FACTS = range(11)

# ---- real numbers of a game: the largest relative error, that of this action, and the reward
LARGEST_ERROR, ERROR, REWARD, ERRORS = range(4)

# ---- what all games share: items of an action, of the game and before it, whether messages and the state are seen, and
# the fraction by which outputs are multiplied; actions after which a game is cut off
BURST, ITEMS, START, TRAFFIC, STATE, NUM, DEN, MOST_ACTIONS = range(8)

# ---- rows of `counts`, then of `values`
SENT_ITEMS, SENT_MESSAGES, COUNTS = range(3)
SHOWN_OUTPUT, WORST, GAINED, VALUES = range(4)

LOOK: Final = -1
"""What a new game waits for: what the learner observes is written, and nothing is played."""
UNPLAYABLE: Final = -1
"""An action is none, or its game is over."""


def act_all(
    whole: Whole, real: Real, sites: Whole, facts: Whole, errors: Real, given: Real, spoke: Whole, seen: Seen,
    counts: Whole, values: Real, moves: Moves, actions: Whole, playing: Flags, over: Flags, cut: Flags, shared: Whole,
    logs: Seen, before: Whole, waiting: Whole,
) -> int:  # fmt: skip
    """Play an action in each of the games that are played.

    Parameters
    ----------
    whole, real, sites
        The arrays of the trackers, as in `protocols.kernel`.
    given, spoke
        Items that each site was given, and the step of its last message, minus the items of the game if it has sent
        none.
    seen
        What the learners observe.
    counts, values
        Facts and rewards of all games: a row per fact, a column per game.
    over, cut
        Take whether the action has ended the game, or is the last one before it is cut off.
    logs
        log(1 + s) / log(1 + items) for s from 0 to items.
    before
        Room for a number per site.
    waiting
        Takes the games in which something is to be done that is not compiled, as their `WAITS` says: they are to be
        played again.

    Returns
    -------
    number
        Of these games; or UNPLAYABLE, and none was played.
    """
    number = 0
    for game in range(len(actions)):
        begins = playing[game] and facts[game, WAITS] == GO_ON
        if begins and (whole[game, slot.STEP] >= shared[ITEMS] or not 0 <= actions[game] <= len(given[game])):
            return UNPLAYABLE
    for game in range(len(actions)):
        if playing[game]:
            numbers, reals, rows, fact, error = whole[game], real[game], sites[game], facts[game], errors[game]
            items, last, site = given[game], spoke[game], actions[game]
            if fact[WAITS] == LOOK:
                fact[WAITS] = GO_ON
            else:
                if take(numbers, reals, rows, fact, error, items, last, site, before, shared) != GO_ON:
                    waiting[number] = game
                    number += 1
                    continue
                moves[fact[ACTIONS] - 1, game] = site
                over[game] = numbers[slot.STEP] >= shared[ITEMS]
                cut[game] = not over[game] and fact[ACTIONS] >= shared[MOST_ACTIONS]
            observe(numbers, reals, rows, fact, items, last, seen[game], shared, logs)
            counts[SENT_ITEMS, game], counts[SENT_MESSAGES, game] = numbers[slot.STEP], numbers[slot.MESSAGES]
            values[SHOWN_OUTPUT, game] = reals[slot.STANDING] * shared[NUM] / shared[DEN]
            values[WORST, game], values[GAINED, game] = error[LARGEST_ERROR], error[REWARD]
    return number


def take(
    whole: Whole, real: Real, sites: Whole, facts: Whole, errors: Real, given: Real, spoke: Whole, site: Number,
    before: Whole, shared: Whole,
) -> int:  # fmt: skip
    """Play an action of one game, or what is left of it; return GO_ON when it is done, or what it waits for."""
    waited = facts[WAITS]
    if waited == GO_ON:
        begin(whole, facts, errors, site == len(given), shared)
    facts[WAITS] = GO_ON
    done = waited == SERVE and judge(whole, real, facts, errors, shared)
    while not done:
        event = feed(whole, sites, facts, spoke, site)
        if event == GO_ON:
            event = turn(whole, real, sites, site)
        if event == SERVE:
            event = serve(whole, real, sites, spoke, before, facts[STEPS])
        if event == OVER:
            break
        if event != GO_ON:
            facts[WAITS] = event
            return event
        done = judge(whole, real, facts, errors, shared)
    finish(whole, real, facts, errors, given, site, shared)
    return GO_ON


def begin(whole: Whole, facts: Whole, errors: Real, skips: bool, shared: Whole) -> None:
    """Begin an action of one game."""
    facts[STEPS_BEFORE], facts[CHANGES_BEFORE], facts[ITEMS_BEFORE] = facts[STEPS], facts[CHANGES], whole[slot.STEP]
    facts[UNTIL] = whole[slot.STEP] if skips else min(whole[slot.STEP] + shared[BURST], shared[ITEMS])
    facts[STEPS] += skips
    errors[ERROR] = 0.0


def feed(whole: Whole, sites: Whole, facts: Whole, spoke: Whole, site: Number) -> int:
    """Feed a site until it sends messages, and return GO_ON; or to the end of the action, and return OVER."""
    if whole[slot.STEP] >= facts[UNTIL]:
        return OVER
    if whole[slot.COIN] + whole[slot.TOSSES] > whole[slot.COINS]:
        return REFILL
    before = whole[slot.STEP]
    speaks = fed(whole, sites, site, facts[UNTIL]) >= 0
    facts[STEPS] += whole[slot.STEP] - before
    if not speaks:
        return OVER
    spoke[site], sites[site, slot.COUNT] = facts[STEPS], sites[site, slot.NEXT]
    return GO_ON


def serve(whole: Whole, real: Real, sites: Whole, spoke: Whole, before: Whole, now: Number) -> int:
    """Let the server act after a turn, and all sites answer; return SERVE where that takes more than arrays."""
    for site in range(len(sites)):
        before[site] = sites[site, slot.SENT]
    event: int = served(whole, real, sites)
    for site in range(len(sites)):
        if sites[site, slot.SENT] > before[site]:
            spoke[site] = now
    return event


def judge(whole: Whole, real: Real, facts: Whole, errors: Real, shared: Whole) -> bool:
    """Judge the output after a message; return whether the learner sees something new."""
    if real[slot.OUTPUT] == real[slot.STANDING]:
        return bool(shared[TRAFFIC])
    if facts[STEPS] > 1:
        errors[ERROR] = max(errors[ERROR], abs(error_at(real[slot.STANDING], whole[slot.STEP] - 1, shared)))
    real[slot.STANDING] = real[slot.OUTPUT]
    facts[CHANGES] += 1
    facts[CHANGED_AT] = facts[STEPS]
    return True


def finish(whole: Whole, real: Real, facts: Whole, errors: Real, given: Real, site: Number, shared: Whole) -> None:
    """Count an action, and compute its reward."""
    if site < len(given):
        given[site] += whole[slot.STEP] - facts[ITEMS_BEFORE]
    facts[ACTIONS] += 1
    largest = max(errors[LARGEST_ERROR], errors[ERROR], abs(error_at(real[slot.STANDING], whole[slot.STEP], shared)))
    errors[REWARD], errors[LARGEST_ERROR] = largest - errors[LARGEST_ERROR], largest


def error_at(output: float, step: Number, shared: Whole) -> float:
    """Return the relative error of an output at the end of a step, with its sign."""
    count = shared[START] + step
    return (output * shared[NUM] / shared[DEN] - count) / count if count else 0.0


def observe(
    whole: Whole, real: Real, sites: Whole, facts: Whole, given: Real, spoke: Whole, seen: Seen, shared: Whole,
    logs: Seen,
) -> None:  # fmt: skip
    """Write what a learner observes into `seen`."""
    sent, steps, k, items = whole[slot.STEP], facts[STEPS], len(given), shared[ITEMS]
    seen[0] = sent / items
    seen[1] = min(LARGEST, max(-1.0, error_at(real[slot.STANDING], sent, shared)))
    seen[2] = logs[min(items, steps - facts[CHANGED_AT])]
    seen[3] = facts[CHANGES] != facts[CHANGES_BEFORE]
    shares, whole_sent = seen[COMMON : COMMON + k], np.float32(max(1, sent))
    for site in range(k):  # whole numbers below 2^24, so that a division of short floats rounds as one of long floats
        shares[site] = np.float32(given[site]) / whole_sent
    if shared[TRAFFIC]:
        ago, now, before = seen[COMMON + k : COMMON + 2 * k], seen[COMMON + 2 * k : COMMON + 3 * k], facts[STEPS_BEFORE]
        for site in range(k):
            ago[site] = logs[np.uint64(min(items, steps - spoke[site]))]  # without a sign it is found in less time
        for site in range(k):
            now[site] = np.float32(spoke[site] > before)
    if shared[STATE]:
        until = seen[COMMON + 3 * k : COMMON + 4 * k]
        if facts[DUE] == SHOWN:
            for site in range(k):
                until[site] = min(LARGEST, max(0.0, (sites[site, slot.NEXT] - sites[site, slot.COUNT]) / items))
        else:
            until[:] = -1.0 if facts[DUE] == HIDDEN else LARGEST
