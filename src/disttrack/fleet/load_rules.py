"""Loads that react as rules on numbers: the scripts of `disttrack.fleet.loads`, for the engine `compiled`.

A rule is asked where the script would be resumed, and says what its next plan is.
"""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.schedules import NEVER
from disttrack.fleet.quotas import state
from disttrack.fleet.quotas.state import Number, Whole

REST, BURST, LABELS, RUNS, LEAVE, DIE, JOIN = range(7)
"""Forms of a plan; the labels of runs are the site of each, or -1, and its last step, of those of the last three the
sites that go or come, if no one site is named."""
NO_RULE, GREEDY, PROBING, CHURN, STARVING = range(5)
RULE, PHASE, AT, UNTIL, REFUSED, STAY, DIES, PAUSE, REQUESTS, NUMBERS = range(10)
"""Of a load: its rule, where its script waits, the site, the step or window up to which it stays there, the sites that
have refused in turn; how long it stays, whether sites die, the windows in which it spares a site, and the requests of
the game."""
STAYS, LAST_SITE, LEFT_SITE, JOINED = range(1, 5)
"""Where a script waits: at a site, at the last one until the window ends, and after a site has gone, or come."""


def moves(load: Whole, whole: Whole, sites: Whole) -> None:
    """Put the next plan of a load into force."""
    if load[RULE] == GREEDY:
        moves_greedy(load, whole, sites)
    elif load[RULE] == CHURN:
        moves_churn(load, whole, sites)
    elif load[RULE] == STARVING:
        moves_starving(load, whole, sites)
    else:
        moves_probing(load, whole, sites)


def plans(load: Whole, whole: Whole, form: Number, site: Number, length: Number) -> None:
    """Put a plan of this length into force after the present step."""
    step = whole[state.STEP]
    whole[state.PLAN], whole[state.SITE], whole[state.BEGUN], whole[state.END] = form, site, step, step + length
    whole[state.AWAY] |= form in (LEAVE, DIE)
    left = load[REQUESTS] - whole[state.SENT]
    whole[state.LAST] = step + left if form == BURST and left <= length else NEVER


def window_left(whole: Whole) -> Any:
    """Return the steps up to the end of the present window."""
    return whole[state.WINDOW] - whole[state.STEP] % whole[state.WINDOW]


def stays(load: Whole, whole: Whole, sites: Whole) -> Any:
    """Stay at the present site while it admits, and the time is not over; return whether it does."""
    if sites[load[AT], state.ANSWER] == 0 or whole[state.STEP] >= load[UNTIL]:
        return False
    plans(load, whole, BURST, load[AT], load[UNTIL] - whole[state.STEP])
    return True


def comes(load: Whole, whole: Whole) -> None:
    """Send the first request to a site at which it is to stay."""
    load[PHASE], load[UNTIL] = STAYS, whole[state.STEP] + load[STAY]
    plans(load, whole, BURST, load[AT], 1)


def moves_greedy(load: Whole, whole: Whole, sites: Whole) -> None:
    """Go on as `Greedy` does."""
    if load[PHASE] == STAYS:
        if stays(load, whole, sites):
            return
        load[REFUSED] = load[REFUSED] + 1 if sites[load[AT], state.ANSWER] == 0 else 0
        if load[REFUSED] == len(sites):
            load[PHASE], load[REFUSED] = LAST_SITE, 0
            plans(load, whole, BURST, load[AT], window_left(whole))
            return
        load[AT] = (load[AT] + 1) % len(sites)
    comes(load, whole)


def moves_churn(load: Whole, whole: Whole, sites: Whole) -> None:
    """Go on as `ChurnOfSites` does."""
    if load[PHASE] == STAYS:
        if not stays(load, whole, sites):
            load[PHASE] = LEFT_SITE
            plans(load, whole, DIE if load[DIES] else LEAVE, load[AT], 1)
        return
    if load[PHASE] == LEFT_SITE:
        load[PHASE] = JOINED
        plans(load, whole, JOIN, load[AT], 1)
        return
    if load[PHASE] == JOINED:
        load[AT] = (load[AT] + 1) % len(sites)
    comes(load, whole)


def moves_probing(load: Whole, whole: Whole, sites: Whole) -> None:
    """Go on as `Probing` does; `STAY` counts the sites of its two rounds that were probed."""
    window, k = whole[state.STEP] // whole[state.WINDOW], len(sites)
    if load[PHASE] != STAYS:
        load[PHASE], load[UNTIL], load[STAY] = STAYS, window, 0
    elif load[STAY] > k and sites[load[AT], state.ANSWER] != 0 and window == load[UNTIL]:
        plans(load, whole, BURST, load[AT], window_left(whole))
        return
    if load[STAY] == 2 * k:
        if window == load[UNTIL]:
            load[PHASE] = LAST_SITE
            plans(load, whole, BURST, k - 1, window_left(whole))
            return
        load[UNTIL], load[STAY] = window, 0
    load[AT] = load[STAY] % k
    load[STAY] += 1
    plans(load, whole, BURST, load[AT], 1)


def late_part(limit: Number, sites: Number, window: Number, number: Number, pause: Number) -> Any:
    """Return the last steps of a window of this number that `Starving` leaves to its site, 0 for none.

    Examples
    --------
    >>> late_part(100, 8, 60, 3, 0), late_part(100, 8, 60, 3, 1), late_part(100, 1, 60, 3, 1)
    (13, 0, 60)
    """
    if sites == 1:
        return window
    return 0 if number % (pause + 1) else -(-limit // sites)


def moves_starving(load: Whole, whole: Whole, sites: Whole) -> None:
    """Go on as `Starving` does."""
    last, number, refuses = len(sites) - 1, whole[state.STEP] // whole[state.WINDOW], sites[load[AT], state.ANSWER] == 0
    left = window_left(whole) - late_part(whole[state.RATE], len(sites), whole[state.WINDOW], number, load[PAUSE])
    if left <= 0:
        load[PHASE], load[REFUSED] = 0, 0
        plans(load, whole, BURST, last, window_left(whole))
        return
    if load[PHASE] == STAYS and refuses:
        load[AT], load[PHASE], load[REFUSED] = (load[AT] + 1) % last, 0, load[REFUSED] + 1
    elif load[PHASE] == STAYS:
        load[REFUSED] = 0
    stays_there = load[PHASE] == STAYS or load[REFUSED] >= last
    load[PHASE] = STAYS if load[REFUSED] < last else 0
    plans(load, whole, BURST, load[AT], left if stays_there else 1)
