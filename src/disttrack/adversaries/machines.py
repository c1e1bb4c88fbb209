"""Adversaries as machines of a few numbers: the same rules as their scripts, for the engine `compiled`.

A machine is a function, and a vector of real numbers: parameters and state. It is asked where the adversary would be
asked for a plan. The functions are written so that they can be compiled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.schedules import NEVER

# the unit c sqrt(k) / alpha, and the changes of the output when it was asked last
EARLY, SEEN = range(2)
# of laps: sites in a lap, growth of the output from one to the next, target, place in the lap; parameters of `policy`
LENGTH, GROWTH, TARGET, PLACE, STAY, PATIENCE = range(2, 8)
# of `drain`: the site, changes after which it is left and those left
DRAINED, TRIES, TRIES_LEFT = range(2, 5)
# of `bounded-memory`: state; then the next states of each, after a change and after a wait
STATE, STATES = 2, 8
# of `phase`: parameters, smoothed length of a phase, its first step, the site fed in its second part, sites caught;
# then these sites, and for each site whether it is among them
NEAR, BELOW, MEAN, BEGAN, AIM, CAUGHT, LIST = *range(2, 8), 8
NOT_ASKED: Final = -1.0
STORES: Final = 4
"""Maximum number of sites that get the items of the quiet time of `phase` in turn."""


Numbers = npt.NDArray[np.float64]
SiteAndLength = tuple[int, int]
"""A burst in compiled code, which has no classes."""


class Machine(NamedTuple):
    """An adversary as numbers.

    Attributes
    ----------
    rule
        Returns the site and the length of the next burst. It takes the state, the number of sites, the steps so far,
        the items with those before the game, the changes of the output so far, and the output.
    state
        Parameters and state, which the rule changes.
    """

    rule: Callable[..., SiteAndLength]
    state: Numbers


def asked(state: Numbers, changes: int) -> tuple[bool, bool]:
    """Return whether it is asked for the first time, and whether the output has changed since it was asked."""
    seen = state[SEEN]
    state[SEEN] = changes
    return seen == NOT_ASKED, seen != changes


def wait_of(state: Numbers, output: float) -> int:
    """Return the items of a wait of `drain` or `bounded-memory`."""
    wait: int = max(1, ceil(state[PATIENCE] * output / state[EARLY]))
    return wait


def next_of_laps(state: Numbers, output: float) -> int:
    """Return the next site of `laps`, -1 for None."""
    state[PLACE] += 1
    if state[PLACE] >= state[LENGTH]:
        state[PLACE] = state[LENGTH]
        if output < state[TARGET]:
            return -1
        state[TARGET] = output * state[GROWTH] if state[GROWTH] > 1 else 0.0
        state[PLACE] = 0
    return int(state[PLACE])


def freeze_burst(state: Numbers, sites: int, steps: int, items: int, changes: int, output: float) -> SiteAndLength:
    """Return the next burst of `freeze`."""
    place = next_of_laps(state, output)
    return sites - 1 if place < 0 else place, NEVER


def policy_burst(state: Numbers, sites: int, steps: int, items: int, changes: int, output: float) -> SiteAndLength:
    """Return the next burst of `policy`."""
    first, changed = asked(state, changes)
    place, unit = int(state[PLACE]), max(0.0, output) / state[EARLY]
    if not first and changed and place < state[LENGTH]:
        stay = floor(state[STAY] * unit)
        if stay:
            return place, stay
    place = next_of_laps(state, output)
    if place < 0:
        return sites - 1, NEVER
    return place, max(1, ceil(state[PATIENCE] * unit))


def drain_burst(state: Numbers, sites: int, steps: int, items: int, changes: int, output: float) -> SiteAndLength:
    """Return the next burst of `drain`."""
    first, changed = asked(state, changes)
    state[TRIES_LEFT] -= 1
    if first or not changed or state[TRIES_LEFT] == 0:
        state[DRAINED] = 0 if first else (state[DRAINED] + 1) % sites
        state[TRIES_LEFT] = state[TRIES]
    return int(state[DRAINED]), wait_of(state, output)


def memory_burst(state: Numbers, sites: int, steps: int, items: int, changes: int, output: float) -> SiteAndLength:
    """Return the next burst of `bounded-memory`."""
    first, changed = asked(state, changes)
    if not first:
        state[STATE] = state[STATES + 2 * int(state[STATE]) + (0 if changed else 1)]
    present = int(state[STATE])
    return present % sites, NEVER if state[STATES + 2 * present + 1] == present else wait_of(state, output)


def phase_burst(state: Numbers, sites: int, steps: int, items: int, changes: int, output: float) -> SiteAndLength:
    """Return the next burst of `phase`."""
    first, changed = asked(state, changes)
    caught = int(state[CAUGHT])
    if changed and not first:
        passed = steps - state[BEGAN]
        state[MEAN] = passed if state[MEAN] == 0 else 0.7 * state[MEAN] + 0.3 * passed
        aim = int(state[AIM])
        if output == items:
            state[CAUGHT] = caught = 0
            for place in range(sites):
                state[LIST + sites + place] = 0
        elif aim >= 0 and state[LIST + sites + aim] == 0:
            state[LIST + caught] = aim
            state[LIST + sites + aim] = 1
            caught += 1
            state[CAUGHT] = caught
    if changed or first:
        state[BEGAN], state[AIM] = steps, -1
    quiet = int(state[NEAR] * state[MEAN]) - (steps - int(state[BEGAN]))
    if quiet > 0:
        return sites - 1 - changes % min(STORES, sites), quiet
    if state[BELOW] and caught:
        aim = int(state[LIST + changes % caught])
    else:
        aim = changes % sites if state[BELOW] else caught % sites
    state[AIM] = aim
    return aim, NEVER


def machine(rule: Callable[..., SiteAndLength], numbers: Mapping[int, float], more: Sequence[float] = ()) -> Machine:
    """Return a machine that has not been asked yet: numbers by their places, and then more."""
    state = np.zeros(STATES + len(more))
    state[SEEN] = NOT_ASKED
    state[list(numbers)] = list(numbers.values())
    state[STATES:] = more
    return Machine(rule, state)
