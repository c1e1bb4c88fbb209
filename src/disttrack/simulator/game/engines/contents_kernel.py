"""The game of items as `ContentCompiled` plays it: plain functions on arrays, written to be compiled.

The arrays of the tracker are those of `protocols.contents.kernel`. Every item is played by itself, and judged at once,
or listed where the problem judges games that are over.
"""

from __future__ import annotations

from typing import Any, Final

from disttrack.protocols import kernel as slot
from disttrack.protocols.contents import kernel as contents
from disttrack.protocols.contents.kernel import is_listed, lacks_coins, look_ahead, turn
from disttrack.protocols.kernel import ASK, FULL, OVER, REFILL, SERVE
from disttrack.simulator.game.contents.heavy_hitters import excess_of, missed
from disttrack.simulator.game.contents.problem import worsens

TAKE_ROW = OVER + 1
"""A turn ends with the step of a checkpoint."""
SHOWN = contents.OWN_ROW
LISTED, IS_LISTED, SINCE, BEST_STEP, BEST_COPIES = range(contents.OWN_ROW, contents.OWN_ROW + 5)
"""Rows of the items: of frequencies, the estimate that was judged last; of heavy hitters, the n-th item that is listed,
whether an item is, the step of its last change, and the step and the copies with the largest error since, or since the
plan began."""
(
    CHANGED, ALL_CHANGES, STEPS_CHANGED, CHANGED_AT, WORST_STEP, WORST_ITEM, PLACE, FED, NUMBER, BEGUN, ON_LIST,
    LOGGED, ROOM, READ,
) = range(14)  # fmt: skip
"""Of the problem and the plan: whether an answer has changed in the present step, the changes, the steps with one, the
last of them, and where the error was largest; the place in the plan, the site of a machine, the number of items; the
step before the present plan, and the items that are listed; the changes in the log, and its room; what was
read ahead."""
AHEAD = 64
"""Steps whose cells are read together."""
HIGHEST, LOWEST, ALPHA, PHI, LEAST = range(5)
"""The extreme errors, and the parameters of heavy hitters."""
BELOW: Final = 1 - 2.0**-50
"""Part of the product of an error and a step that is below the copies with that error, however these are rounded."""


def play_items(
    whole: Any, real: Any, sites: Any, items: Any, cells: Any, seen: Any, extremes: Any,
    log: Any, came: Any, fed: Any, named: Any, state: Any,
) -> int:  # fmt: skip
    """Play until something is to be done that is not compiled; return what.

    Parameters
    ----------
    seen, extremes
        What the problem knows.
    log, came
        The step, the item and the change of each change, and the item of each step: for problems that list them.
    fed, named
        The site and the item of each step of a lap; of a machine, the items.
    state
        The adversary's machine.
    """
    while True:
        step = whole[slot.STEP]
        if whole[slot.OPEN]:
            if seen[LOGGED] + whole[contents.MOVED] >= seen[ROOM]:
                return FULL
            whole[slot.OPEN] = 0
            judge(whole, items, seen, extremes, log, came, step, whole[slot.SITE])
            if seen[CHANGED]:
                seen[STEPS_CHANGED] += 1
                seen[CHANGED_AT] = step
        if step == whole[slot.ROW]:
            return TAKE_ROW
        if step >= whole[slot.LAST]:
            return OVER
        if step >= whole[slot.END] or (seen[CHANGED] and whole[slot.REACTS]):
            if not whole[slot.MACHINE]:
                return ASK
            leave(items, seen, extremes, step, named, seen[PLACE], seen[PLACE] + 1)
            site, place, length = move(state, len(sites), step, seen[STEPS_CHANGED])
            seen[FED], seen[PLACE], whole[slot.END] = site, place, step + length
            seen[CHANGED] = 0
        place = seen[PLACE]
        item, site = named[place], seen[FED] if whole[slot.MACHINE] else fed[place]
        if lacks(whole, real, sites, site):
            return REFILL
        pass_by(whole, sites, cells, seen, fed, named)
        whole[slot.STEP], whole[slot.SITE], whole[slot.OPEN] = step + 1, item, 1
        whole[contents.MOVED] = seen[CHANGED] = 0
        reports, sent, due = turn(whole, real, sites, items, cells, site, item)
        whole[slot.SPOKE] = sent + reports
        whole[slot.MESSAGES] += sent
        if due:
            return SERVE


def pass_by(whole: Any, sites: Any, cells: Any, seen: Any, fed: Any, named: Any) -> Any:
    """Pass by a pair of a plan."""
    if whole[slot.MACHINE]:
        return
    place = seen[PLACE]
    if place % AHEAD == 0 and len(fed) >= AHEAD:
        seen[READ] = look_ahead(whole, sites, cells, fed[place : place + AHEAD], named[place : place + AHEAD])
    seen[PLACE] = place + 1 if place + 1 < len(fed) else 0


def move(state: Any, sites: Any, step: Any, changes: Any) -> Any:
    """Return the adversary's next burst. Stands for `ItemMachine.rule`."""
    return 0, 0, 1


lacks = lacks_coins
"""Stands for `ItemForm.lacks`."""


def judge(whole: Any, items: Any, seen: Any, extremes: Any, log: Any, came: Any, step: Any, item: Any) -> Any:
    """Judge the present step, in which this item came. Stands for the function of the problem."""
    raise NotImplementedError


def leave(items: Any, seen: Any, extremes: Any, step: Any, named: Any, first: Any, end: Any) -> Any:
    """Judge what waits for the end of a plan, whose items are at these places. Stands for that of the problem."""
    raise NotImplementedError


def note(seen: Any, extremes: Any, error: Any, step: Any, item: Any) -> Any:
    """Take a signed error into the extremes, as `Problem.note`."""
    if worsens(error, step, max(extremes[HIGHEST], -extremes[LOWEST]), seen[WORST_STEP]):
        seen[WORST_STEP], seen[WORST_ITEM] = step, item
    extremes[HIGHEST], extremes[LOWEST] = max(extremes[HIGHEST], error), min(extremes[LOWEST], error)


# ---------------------------------------------------------------------- frequencies


def judge_frequency(whole: Any, items: Any, seen: Any, extremes: Any, log: Any, came: Any, step: Any, item: Any) -> Any:
    """Judge the estimates as `Frequency` does."""
    stands = whole[slot.SPOKE] < 2 or not renew(items, seen, item)
    if not stands:
        note_lack(items, seen, extremes, step, item)
    for place in range(whole[contents.MOVED]):
        moved = items[contents.MOVES, place]
        if renew(items, seen, moved):
            note_lack(items, seen, extremes, step, moved)
    if stands:  # as answers that stand are judged later
        note_lack(items, seen, extremes, step, item)


def note_lack(items: Any, seen: Any, extremes: Any, step: Any, item: Any) -> Any:
    """Note the error of an item; divide only where a product, which is faster, may be an extreme."""
    lack = items[contents.LACK, item]
    if lack < 0 or lack >= -extremes[LOWEST] * step * BELOW:
        note(seen, extremes, -(lack / step), step, item)


def renew(items: Any, seen: Any, item: Any) -> Any:
    """Show an estimate; return whether it is new."""
    if items[contents.ESTIMATE, item] == items[SHOWN, item]:
        return False
    items[SHOWN, item] = items[contents.ESTIMATE, item]
    seen[CHANGED] = 1
    seen[ALL_CHANGES] += 1
    return True


def leave_nothing(items: Any, seen: Any, extremes: Any, step: Any, named: Any, first: Any, end: Any) -> Any:
    """Do nothing: no step waits for the end of a plan."""


def largest_frequency(items: Any, seen: Any, extremes: Any, step: Any) -> Any:
    """Return the largest error of any item after a step."""
    most = 0
    for item in range(seen[NUMBER]):
        most = max(most, abs(items[contents.LACK, item]))
    return most / step


# ---------------------------------------------------------------------- items in order


def list_changes(whole: Any, items: Any, seen: Any, extremes: Any, log: Any, came: Any, step: Any, item: Any) -> Any:
    """List the item and the changes of a step, as `Representative` does."""
    came[step - 1] = item
    if whole[slot.SPOKE]:
        list_change(items, seen, log, step, item)
    for place in range(whole[contents.MOVED]):
        list_change(items, seen, log, step, items[contents.MOVES, place])


def list_change(items: Any, seen: Any, log: Any, step: Any, item: Any) -> Any:
    """List the change of the estimate of an item, if it has one."""
    change, place = items[contents.ESTIMATE, item] - items[SHOWN, item], seen[LOGGED]
    if renew(items, seen, item):
        log[place, 0], log[place, 1], log[place, 2] = step, item, change
        seen[LOGGED] = place + 1


def largest_later(items: Any, seen: Any, extremes: Any, step: Any) -> Any:
    """Return 0: errors are known after the end only."""
    return 0.0


# ---------------------------------------------------------------------- heavy hitters


def judge_heavy(whole: Any, items: Any, seen: Any, extremes: Any, log: Any, came: Any, step: Any, item: Any) -> Any:
    """Judge the list as `HeavyItems` does: errors of answers that stand are noted when the answer or the plan ends."""
    if whole[slot.SPOKE]:
        reported = whole[slot.SPOKE] > 1
        seen[CHANGED] = reported or whole[contents.MOVED] > 0
        if reported:
            decide(whole, items, seen, extremes, step, item, item)
        for place in range(whole[contents.MOVED]):
            decide(whole, items, seen, extremes, step, items[contents.MOVES, place], item)
        place = 0
        while place < seen[ON_LIST]:
            listed = items[LISTED, place]
            decide(whole, items, seen, extremes, step, listed, item)
            place += items[IS_LISTED, listed]
    if items[SINCE, item] < step:
        if items[IS_LISTED, item]:
            keep(items, seen, extremes, step - 1, item, items[contents.LACK, item] + items[contents.ESTIMATE, item] - 1)
        else:
            keep(items, seen, extremes, step, item, items[contents.LACK, item] + items[contents.ESTIMATE, item])


def decide(whole: Any, items: Any, seen: Any, extremes: Any, step: Any, item: Any, came: Any) -> Any:
    """Judge whether an item is listed from this step on, in which another, or this one, came."""
    listed = is_listed(items[contents.ESTIMATE, item], whole[contents.TOTAL], extremes[LEAST])
    if listed == items[IS_LISTED, item]:
        return
    copies = items[contents.LACK, item] + items[contents.ESTIMATE, item]
    if not listed:
        keep(items, seen, extremes, step - 1, item, copies - (item == came))
    settle(items, seen, extremes, item)
    items[SINCE, item], items[IS_LISTED, item] = step, listed
    if listed:
        items[LISTED, seen[ON_LIST]] = item
        seen[ON_LIST] += 1
    else:
        place = 0
        while items[LISTED, place] != item:
            place += 1
        for later in range(place + 1, seen[ON_LIST]):
            items[LISTED, later - 1] = items[LISTED, later]
        seen[ON_LIST] -= 1
    seen[ALL_CHANGES] += 1
    note(seen, extremes, error_of(items, extremes, item, copies, step), step, item)


def error_of(items: Any, extremes: Any, item: Any, copies: Any, step: Any) -> Any:
    """Return the error of the present answer to an item."""
    if items[IS_LISTED, item]:
        return max(0.0, excess_of(extremes[PHI], copies, step))
    return max(0.0, missed(extremes[ALPHA], extremes[PHI], copies, step))


def keep(items: Any, seen: Any, extremes: Any, step: Any, item: Any, copies: Any) -> Any:
    """Keep the largest error of an answer that stands since an earlier step, and of the present plan."""
    if step <= max(items[SINCE, item], seen[BEGUN]):
        return
    best = items[BEST_STEP, item]
    error = error_of(items, extremes, item, copies, step)
    if not best or error > error_of(items, extremes, item, items[BEST_COPIES, item], best):
        items[BEST_STEP, item], items[BEST_COPIES, item] = step, copies


def settle(items: Any, seen: Any, extremes: Any, item: Any) -> Any:
    """Note the largest error of an answer that has stood."""
    best = items[BEST_STEP, item]
    if best:
        note(seen, extremes, error_of(items, extremes, item, items[BEST_COPIES, item], best), best, item)
        items[BEST_STEP, item] = 0


def leave_heavy(items: Any, seen: Any, extremes: Any, step: Any, named: Any, first: Any, end: Any) -> Any:
    """Judge the answers up to the end of a plan: first of the items that are listed, then of all others."""
    for place in range(seen[ON_LIST]):
        item = items[LISTED, place]
        keep(items, seen, extremes, step, item, items[contents.LACK, item] + items[contents.ESTIMATE, item])
        settle(items, seen, extremes, item)
    for place in range(first, end):
        settle(items, seen, extremes, named[place])
    seen[BEGUN] = step


def largest_heavy(items: Any, seen: Any, extremes: Any, step: Any) -> Any:
    """Return the largest error of any item after a step."""
    most = 0.0
    for item in range(seen[NUMBER]):
        copies = items[contents.LACK, item] + items[contents.ESTIMATE, item]
        if copies > 0 or items[IS_LISTED, item]:
            most = max(most, error_of(items, extremes, item, copies, step))
    return most
