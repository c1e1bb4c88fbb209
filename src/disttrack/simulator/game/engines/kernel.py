"""The game of the engine `compiled`: plain functions on the arrays of `protocols.kernel`, written to be compiled."""

from __future__ import annotations

from typing import Any

from disttrack.adversaries.schedules import NEVER
from disttrack.protocols.kernel import (
    ASK,
    BEGUN,
    CHANGES,
    COIN,
    COINS,
    COUNT,
    DENOMINATOR,
    END,
    FULL,
    LAST,
    LOGGED,
    MACHINE,
    MESSAGES,
    MOST,
    NEXT,
    NUMERATOR,
    OPEN,
    OUTPUT,
    OVER,
    PERIOD,
    PLAN,
    REACTS,
    REFILL,
    ROW,
    ROWS,
    RUN,
    SINCE,
    SITE,
    SPOKE,
    STANDING,
    START,
    STEP,
    TOSSES,
    Number,
    Real,
    Whole,
)

Plan = Any
"""An array of whole numbers, or of real ones for a machine."""

BURST, LABELS, COUNTDOWN, RUNS, ROTATION, MEETING = range(6)
"""Forms of a plan. The array `plan` has the labels, or site and last step of each run, or the tree of a rotation.

A countdown has, before the labels, the items of each site up to its next message, close together: rows of sites are
apart, and many of them do not fit the processor's cache. A meeting is the next message of a plan that is not compiled:
its step is the end, with the site that will send it.
"""


def play_on(whole: Whole, real: Real, sites: Whole, log: Real, plan: Plan) -> int:
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    log
        The first rows are those of the timeline: the step, known before, then output and messages. The others are
        changes of the output: step and output.
    plan
        The lists of the plan, or the adversary's machine.
    """
    while True:
        if whole[OPEN]:
            whole[OPEN] = 0
            step = whole[STEP]
            changed = real[OUTPUT] != real[STANDING]
            if changed:
                place = whole[LOGGED]
                log[place, 0], log[place, 1] = step, real[OUTPUT]
                whole[LOGGED] = place + 1
                whole[CHANGES] += 1
                real[STANDING] = real[OUTPUT]
            if step >= whole[LAST]:
                return OVER
            if step >= whole[END] or (changed and whole[REACTS]):
                if not whole[MACHINE]:
                    return ASK
                site, length = move(plan, len(sites), step, whole[START] + step, whole[CHANGES], shown(real))
                whole[SITE], whole[BEGUN], whole[END] = site, step, step + length
        if whole[LOGGED] == len(log):
            return FULL
        if whole[COIN] + whole[TOSSES] > whole[COINS]:
            return REFILL
        site = advance(whole, sites, plan)
        whole[OPEN] = 1
        while whole[ROW] < whole[ROWS] and log[whole[ROW], 0] < whole[STEP]:
            log[whole[ROW], 1], log[whole[ROW], 2] = real[OUTPUT], whole[MESSAGES]
            whole[ROW] += 1
        if site >= 0:
            event = turn(whole, real, sites, site)
            if event:
                return event


def shown(real: Any) -> Any:
    """Return the present output as the adversary sees it."""
    return real[OUTPUT] * real[NUMERATOR] / real[DENOMINATOR]


def turn(whole: Whole, real: Real, sites: Whole, site: Number) -> int:
    """Let a site send its messages, and the server hear them. Stands for `KernelForm.turn`."""
    raise NotImplementedError


def move(machine: Real, sites: int, steps: Number, items: Number, changes: Number, output: float) -> tuple[int, int]:
    """Return the site and the length of the adversary's next burst. Stands for `Machine.rule`."""
    return 0, NEVER


def advance(whole: Whole, sites: Whole, plan: Plan) -> Any:
    """Go to the next step in which a site sends messages, and return the site; or to the end of the plan, and -1."""
    form, step, until = whole[PLAN], whole[STEP], min(whole[END], whole[LAST])
    if form == BURST:
        return advance_burst(whole, sites, plan)
    if form == RUNS:
        while step < until:
            run = whole[RUN]
            end = whole[BEGUN] + int(plan[2 * run + 1])
            if step >= end:
                whole[RUN] = run + 1
                continue
            site = fed(whole, sites, int(plan[2 * run]), min(end, until))
            if site >= 0:
                return site
            step = whole[STEP]
        return -1
    if form == LABELS:
        begun = whole[BEGUN]
        while step < until:
            site = int(plan[step - begun])
            step += 1
            sites[site, COUNT] += 1
            if sites[site, COUNT] == sites[site, NEXT]:
                whole[STEP] = step
                return site
        whole[STEP] = until
        return -1
    if form == COUNTDOWN:
        return counted_down(whole, sites, plan, until)
    if form == MEETING:
        whole[STEP], site = until, whole[SITE]
        if site < 0 or whole[END] > until:
            return -1
        sites[site, COUNT] = sites[site, NEXT]
        return site
    return rotated(whole, sites, plan, until)


def advance_burst(whole: Whole, sites: Whole, plan: Plan) -> Any:
    """Go on as `advance` does, where every plan is a burst."""
    return fed(whole, sites, whole[SITE], min(whole[END], whole[LAST]))


def fed(whole: Whole, sites: Whole, site: Number, until: Number) -> Any:
    """Feed one site until it sends a message, and return it; or to a step, and return -1."""
    step = whole[STEP] + sites[site, NEXT] - sites[site, COUNT]
    if step > until:
        sites[site, COUNT] += until - whole[STEP]
        whole[STEP] = until
        return -1
    sites[site, COUNT] = sites[site, NEXT]
    whole[STEP] = step
    return site


def counted_down(whole: Whole, sites: Whole, plan: Plan, until: Number) -> Any:
    """Go on in a list of labels that is a countdown."""
    step, spoke, before = whole[STEP], whole[SPOKE], len(sites) - whole[BEGUN]
    if spoke >= 0:
        plan[spoke] = min(sites[spoke, NEXT] - sites[spoke, COUNT], MOST)
    while step < until:
        site = int(plan[before + step])
        step += 1
        plan[site] -= 1
        if plan[site] == 0:
            sites[site, COUNT] = sites[site, NEXT]
            whole[STEP] = step
            whole[SPOKE] = site
            return site
    whole[STEP], whole[SPOKE] = until, -1
    return -1


def rotated(whole: Whole, sites: Whole, tree: Plan, until: Number) -> Any:
    """Go on in a rotation; `tree` has the least of the next steps in place 1, and the sites' own in its second half."""
    period, site = whole[PERIOD], whole[SPOKE]
    if site >= 0:
        place = len(tree) // 2 + site
        tree[place] = next_turn(sites, site, period)
        while place > 1:
            place //= 2
            tree[place] = min(tree[2 * place], tree[2 * place + 1])
    if tree[1] > until:
        whole[STEP], whole[SPOKE] = until, -1
        return -1
    step = whole[STEP] = int(tree[1])
    site = whole[SPOKE] = (whole[SITE] + step - whole[BEGUN] - 1) % period
    sites[site, COUNT], sites[site, SINCE] = sites[site, NEXT], step
    return site


def next_turn(sites: Whole, site: Number, period: Number) -> Any:
    """Return the step in which a site of a rotation sends its next message."""
    items = sites[site, NEXT] - sites[site, COUNT]
    return NEVER if items > NEVER // period else sites[site, SINCE] + items * period
