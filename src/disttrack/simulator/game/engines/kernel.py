"""The game of the engine `compiled`: plain functions on the arrays of `protocols.kernel`, written to be compiled."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.adversaries.schedules import NEVER
from disttrack.protocols import kernel as slot
from disttrack.protocols.kernel import ASK, FULL, GO_ON, OVER, REFILL, SERVE, Number, Real, Whole, unserved

Plan = Any
"""An array of whole numbers, or of real ones for a machine."""

BURST, LABELS, RUNS, ROTATION, MEETING = range(5)
"""Forms of a plan. The array `plan` has, besides 64 bits for each site, the labels of 32 bits; or site and last step of
each run; or the tree of a rotation. A meeting is the next message of a plan that is not compiled: its step is the end,
with the site that will send it."""


def play_on(whole: Whole, real: Real, sites: Whole, log: Real, plan: Plan) -> int:
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    log
        The first rows are those of the timeline: the step, known before, then output, messages and words. The others
        are changes of the output: step, output, whether changes before it were left out, and words.
    plan
        The lists of the plan, or the adversary's machine.
    """
    while True:
        if whole[slot.OPEN]:
            whole[slot.OPEN] = 0
            event = stand(whole, real, log, plan, len(sites))
            if event:
                return event
        if whole[slot.LOGGED] >= len(log) - 1:  # a change may be logged with the one before it
            return FULL
        if whole[slot.COIN] + whole[slot.TOSSES] > whole[slot.COINS]:
            return REFILL
        site = advance(whole, sites, plan, min(whole[slot.END], whole[slot.STOP]))
        whole[slot.OPEN] = 1
        if site >= 0:
            sites[site, slot.COUNT] = sites[site, slot.NEXT]
            event = turn(whole, real, sites, site)
            if event == SERVE and whole[slot.PLAN] == BURST:  # no list or tree notes when sites are due
                event = served(whole, real, sites)
            if event:
                return event


def stand(whole: Any, real: Any, log: Any, plan: Any, k: Any) -> int:
    """Let the output of a step stand: log it if it has changed, and ask the adversary if it is due.

    The judge need not see an output that was no extreme at its first step nor at its last one: it is logged only when
    the next one comes, if it was one at its last step.
    """
    step, changed = whole[slot.STEP], real[slot.OUTPUT] != real[slot.STANDING]
    if changed:
        items = whole[slot.START] + step
        dull = whole[slot.DULL] != 0 and real[slot.STANDING] >= real[slot.LEAST] * (items - 1)
        low = real[slot.OUTPUT] / items <= real[slot.HIGHEST]
        if dull and low:
            whole[slot.DULL], whole[slot.DULL_AT] = 2, step
        else:
            if not dull and whole[slot.DULL] == 2:
                note_change(whole, log, whole[slot.DULL_AT], real[slot.STANDING], 1)
            note_change(whole, log, step, real[slot.OUTPUT], dull)
            whole[slot.DULL] = low
        whole[slot.CHANGES] += 1
        real[slot.STANDING] = real[slot.OUTPUT]
    if step >= whole[slot.STOP]:
        pass_rows(whole, real, log)
        if step >= whole[slot.LAST]:
            return OVER
    if step >= whole[slot.END] or (changed and whole[slot.REACTS]):
        if not whole[slot.MACHINE]:
            return ASK
        site, length = move(plan, k, step, whole[slot.START] + step, whole[slot.CHANGES], shown(real))
        whole[slot.SITE], whole[slot.END] = site, step + length
    return GO_ON


def note_change(whole: Any, log: Any, step: Any, output: Any, jumped: Any) -> None:
    """Log a change of the output."""
    place = whole[slot.LOGGED]
    log[place, 0], log[place, 1], log[place, 2] = step, output, jumped
    log[place, 3] = whole[slot.MESSAGES] + whole[slot.FURTHER]
    whole[slot.LOGGED] = place + 1


def pass_rows(whole: Any, real: Any, log: Any) -> Any:
    """Write the rows of the timeline up to the present step, and note the step at which to stop next."""
    whole[slot.STOP] = whole[slot.LAST]
    while whole[slot.ROW] < whole[slot.ROWS]:
        row = whole[slot.ROW]
        if log[row, 0] > whole[slot.STEP]:
            whole[slot.STOP] = min(whole[slot.STOP], int(log[row, 0]))
            break
        note_row(whole, real, log, row)
        whole[slot.ROW] = row + 1


def note_row(whole: Any, real: Any, log: Any, place: Any) -> Any:
    """Write the present output, messages and words into a row of the log."""
    messages = whole[slot.MESSAGES]
    log[place, 1], log[place, 2], log[place, 3] = real[slot.OUTPUT], messages, messages + whole[slot.FURTHER]


def shown(real: Any) -> Any:
    """Return the present output as the adversary sees it."""
    output = real[slot.OUTPUT] * real[slot.NUMERATOR]
    return output if real[slot.DENOMINATOR] == 1 else output / real[slot.DENOMINATOR]


def turn(whole: Whole, real: Real, sites: Whole, site: Number) -> int:
    """Let a site send its messages, and the server hear them. Stands for `KernelForm.turn`."""
    raise NotImplementedError


served = unserved
"""Stands for `KernelForm.served`."""


def move(machine: Real, sites: int, steps: Number, items: Number, changes: Number, output: float) -> tuple[int, int]:
    """Return the site and the length of the adversary's next burst. Stands for `Machine.rule`."""
    return 0, NEVER


def advance(whole: Whole, sites: Whole, plan: Plan, until: Number) -> Any:
    """Go to the next step in which a site sends messages, and return the site; or to a step, and -1.

    The caller gives the site its items: a function that stores COUNT in both cases has no branches, and then what
    follows waits for the step.
    """
    form, step = whole[slot.PLAN], whole[slot.STEP]
    if form == BURST:
        return advance_burst(whole, sites, plan, until)
    if form == RUNS:
        while step < until:
            run = whole[slot.RUN]
            end = whole[slot.BEGUN] + int(plan[2 * run + 1])
            if step >= end:
                whole[slot.RUN] = run + 1
                continue
            site = fed(whole, sites, int(plan[2 * run]), min(end, until))
            if site >= 0:
                return site
            step = whole[slot.STEP]
        return -1
    if form == LABELS:
        left, labels = plan[: len(sites)].view(np.int64), plan[len(sites) :].view(np.uint32)
        return labelled(whole, sites, left, labels, until)
    if form == MEETING:
        whole[slot.STEP], site = until, whole[slot.SITE]
        if site < 0 or whole[slot.END] > until:
            return -1
        return site
    return rotated(whole, sites, plan, until)


def labelled(whole: Whole, sites: Whole, left: Any, labels: Any, until: Number) -> Any:
    """Go on in a list; `left` has the items of each site up to its next message, which stand there instead of COUNT."""
    step, begun, site = whole[slot.STEP], whole[slot.BEGUN], whole[slot.SPOKE]
    if site >= 0:
        left[site], whole[slot.SPOKE] = sites[site, slot.NEXT] - sites[site, slot.COUNT], -1
    while step < until:
        site = labels[step - begun]
        step += 1
        left[site] -= 1
        if left[site] == 0:
            whole[slot.STEP], whole[slot.SPOKE] = step, site
            return int(site)
    whole[slot.STEP] = until
    return -1


def advance_burst(whole: Whole, sites: Whole, plan: Plan, until: Number) -> Any:
    """Go on as `advance` does, where every plan is a burst."""
    return fed(whole, sites, whole[slot.SITE], until)


def fed(whole: Whole, sites: Whole, site: Number, until: Number) -> Any:
    """Feed one site until it sends a message, and return it; or to a step, and return -1."""
    step = whole[slot.STEP] + sites[site, slot.NEXT] - sites[site, slot.COUNT]
    if step > until:
        sites[site, slot.COUNT] += until - whole[slot.STEP]
        whole[slot.STEP] = until
        return -1
    whole[slot.STEP] = step
    return site


def rotated(whole: Whole, sites: Whole, tree: Plan, until: Number) -> Any:
    """Go on in a rotation; `tree` has the least of the next steps in place 1, and the sites' own in its second half.

    The sites stand there in the order of their turns: those that are due in one lap are met from left to right, and a
    node is computed anew once a lap, after all turns below it.
    """
    half, place, lap = len(tree) // 2, 1, whole[slot.LAP]
    if whole[slot.SPOKE] >= 0:
        place = half + whole[slot.SPOKE]
        tree[place] = next_turn(sites, turned(whole), whole[slot.PERIOD])
        while place > 1 and (place % 2 == 1 or tree[place + 1] > lap):
            place //= 2
            tree[place] = min(tree[2 * place], tree[2 * place + 1])
    place = place + 1 if place > 1 else 1
    if tree[place] > until:
        while place > 1:
            place //= 2
            tree[place] = min(tree[2 * place], tree[2 * place + 1])
        whole[slot.STEP], whole[slot.SPOKE] = until, -1
        return -1
    if place == 1:
        laps = (int(tree[1]) - whole[slot.BEGUN] - 1) // whole[slot.PERIOD] + 1
        lap = whole[slot.LAP] = whole[slot.BEGUN] + laps * whole[slot.PERIOD]
    while place < half:
        place *= 2
        if tree[place] > lap:
            place += 1
    whole[slot.STEP], whole[slot.SPOKE] = int(tree[place]), place - half
    site = turned(whole)
    sites[site, slot.SINCE] = whole[slot.STEP]
    return site


def turned(whole: Whole) -> Any:
    """Return the site whose turn was the last one with messages."""
    site = whole[slot.SITE] + whole[slot.SPOKE]
    return site if site < whole[slot.PERIOD] else site - whole[slot.PERIOD]


def next_turn(sites: Whole, site: Number, period: Number) -> Any:
    """Return the step in which a site of a rotation sends its next message."""
    items = float(sites[site, slot.NEXT] - sites[site, slot.COUNT])
    return min(NEVER, sites[site, slot.SINCE] + items * period)
