"""The game of the engine `compiled` where messages take time: plain functions on arrays, written to be compiled.

The order within a step is that of `leap`: the item, the arrivals in the order of sending, the end of the step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import FULL, GO_ON, MORE, REFILL, Number, Real, Whole
from disttrack.protocols.letters import (
    ARRIVALS,
    BEGAN,
    CHAIN,
    CHAINS,
    DUE,
    FIRST_CHAIN,
    FLYING,
    FROM,
    HEARD,
    HEARD_CHAIN,
    ITEMS_BEFORE,
    LETTERS,
    NEXT_CHAIN,
    SENT_BEFORE,
    UPWARDS,
    Mail,
    arrives,
    arrives_now,
    ends_letter,
    lacks_letters,
)
from disttrack.simulator.game.engines.kernel import LABELS, ROTATION, Plan, advance, next_turn, stand


def play_by_mail(whole: Whole, real: Real, sites: Whole, log: Real, plan: Plan, lags: Real, mail: Mail) -> Any:
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    log, plan
        As for `play_on`.
    lags
        Changes of the output or of the oldest chain: step, output, the step since when the chain is open, 0 for none,
        and the items before it.
    mail
        What is on its way, of `disttrack.protocols.letters`.
    """
    while True:
        if lacks_letters(whole, mail):
            return MORE
        if whole[slot.COIN] + whole[slot.TOSSES] > whole[slot.COINS]:
            return REFILL
        if not whole[slot.OPEN]:
            if whole[slot.LOGGED] >= len(log) - 1 or whole[slot.NOTED] >= len(lags) - 1:
                return FULL
            begin_step(whole, real, sites, log, plan, mail)
        elif whole[slot.SPEAKING] >= 0 or whole[HEARD] or arrives_now(whole, mail):
            event = carry_on(whole, real, sites, plan, mail)
            if event:
                return event
        else:
            event = end_step(whole, real, sites, log, plan, lags, mail)
            if event:
                return event


def begin_step(whole: Whole, real: Real, sites: Whole, log: Real, plan: Plan, mail: Mail) -> None:
    """Go to the next step in which a message is sent or arrives, or to the end of the plan."""
    until = min(whole[slot.END], whole[slot.STOP])
    if whole[FLYING]:
        until = min(until, mail[ARRIVALS][0, DUE])
    site = advance(whole, sites, plan, until)
    whole[slot.OPEN], whole[SENT_BEFORE] = 1, whole[slot.START] + whole[slot.STEP] - 1
    if site >= 0:
        sites[site, slot.COUNT] = sites[site, slot.NEXT]
        speaks(whole, real, sites, mail, site)
        replant(whole, sites, plan, site)


def carry_on(whole: Whole, real: Real, sites: Whole, plan: Plan, mail: Mail) -> Any:
    """Let a site go on with what it sends, or end a letter, or deliver the next; return what is not compiled."""
    site = whole[slot.SPEAKING]
    if site >= 0:
        event = goes_on(whole, real, sites, mail, site)
        replant(whole, sites, plan, site)
        return event
    if whole[HEARD]:
        ends_letter(whole, mail)
        return GO_ON
    letter = mail[LETTERS][arrives(whole, mail)]
    if letter[UPWARDS]:
        return server_hears(whole, real, sites, mail, letter)
    site = letter[FROM]
    sync(whole, sites, plan, site)
    whole[HEARD_CHAIN] = letter[CHAIN]
    site_hears(whole, real, sites, mail, letter)
    replant(whole, sites, plan, site)
    return GO_ON


def end_step(whole: Whole, real: Real, sites: Whole, log: Real, plan: Plan, lags: Real, mail: Mail) -> Any:
    """End a step: note what has changed for the judge, and let its output stand."""
    step, changed = whole[slot.STEP], real[slot.OUTPUT] != real[slot.STANDING]
    whole[slot.OPEN] = oldest = before = 0
    if whole[FIRST_CHAIN] < whole[NEXT_CHAIN]:
        chain = mail[CHAINS][whole[FIRST_CHAIN] % len(mail[CHAINS])]
        oldest, before = chain[BEGAN], chain[ITEMS_BEFORE]
    if changed or oldest != whole[slot.OLDEST]:
        whole[slot.OLDEST], place = oldest, whole[slot.NOTED]
        lags[place, 0], lags[place, 1], lags[place, 2], lags[place, 3] = step, real[slot.OUTPUT], oldest, before
        whole[slot.NOTED] = place + 1
    return stand(whole, real, log, plan, len(sites))


def speaks(whole: Whole, real: Real, sites: Whole, mail: Mail, site: Number) -> Any:
    """Let a site send its messages. Stands for `KernelForm.speaks`, and the next three for those of their names."""
    raise NotImplementedError


def goes_on(whole: Whole, real: Real, sites: Whole, mail: Mail, site: Number) -> Any:
    """Let a site send what waits for room or coins."""
    raise NotImplementedError


def server_hears(whole: Whole, real: Real, sites: Whole, mail: Mail, letter: Whole) -> Any:
    """Let the server take a letter."""
    raise NotImplementedError


def site_hears(whole: Whole, real: Real, sites: Whole, mail: Mail, letter: Whole) -> Any:
    """Let a site take a letter."""
    raise NotImplementedError


# ---------------------------------------------------------------------- the items of a site between its messages


def sync(whole: Whole, sites: Whole, plan: Plan, site: Number) -> None:
    """Give a site its items up to the present step, which a burst and a list of runs have given."""
    if whole[slot.PLAN] == LABELS:
        sites[site, slot.COUNT] = sites[site, slot.NEXT] - plan[: len(sites)].view(np.int64)[site]
    elif whole[slot.PLAN] == ROTATION and site < whole[slot.PERIOD]:
        laps = (whole[slot.STEP] - sites[site, slot.SINCE]) // whole[slot.PERIOD]
        sites[site, slot.COUNT] += laps
        sites[site, slot.SINCE] += laps * whole[slot.PERIOD]


def replant(whole: Whole, sites: Whole, plan: Plan, site: Number) -> None:
    """Note when a site is due whose items are given: as `Compiled._plant` does for all of them."""
    whole[slot.SPOKE] = -1
    if whole[slot.PLAN] == LABELS:
        plan[: len(sites)].view(np.int64)[site] = sites[site, slot.NEXT] - sites[site, slot.COUNT]
    elif whole[slot.PLAN] == ROTATION and site < whole[slot.PERIOD]:
        place = len(plan) // 2 + (site - whole[slot.SITE]) % whole[slot.PERIOD]
        plan[place] = next_turn(sites, site, whole[slot.PERIOD])
        while place > 1:
            place //= 2
            plan[place] = min(plan[2 * place], plan[2 * place + 1])


def turned_on(whole: Whole, sites: Whole, tree: Plan, until: Number) -> Any:
    """Go on in a rotation as `rotated` does, by a tree in which any site may be due at another step at any time."""
    half, place = len(tree) // 2, 1
    if tree[1] > until:
        whole[slot.STEP] = until
        return -1
    while place < half:
        place *= 2
        if tree[place] > tree[place + 1]:
            place += 1
    whole[slot.STEP], site = int(tree[place]), (place - half + whole[slot.SITE]) % whole[slot.PERIOD]
    sites[site, slot.SINCE] = whole[slot.STEP]
    return site
