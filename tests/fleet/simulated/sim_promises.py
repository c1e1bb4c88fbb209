"""What every schedule is held against: items, estimates, limits, waits and ends.

Each promise returns its breaches as lines, which begin with its name and a colon: a list of faults that is made
shorter must break the same promise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from typing import Any, Final

from sim_clients import Admission
from sim_faults import CUTS, KINDS, LAST, LENGTHS, SERVER, WRITES, Fault
from sim_schedule import SITES, STEP, Schedule

from disttrack.fleet.live.link import GREETING, LATE
from disttrack.fleet.quotas import Quota

UNHEARD: Final = ("latency", *CUTS)
"""Faults in which a site is there, and the server may not hear it."""
RECONNECTS: Final = 3.0
"""Seconds after the end of a fault until a connection that was closed is made anew."""
GROSS: Final = 5.0
"""A randomised estimate may miss its promise with probability delta; by this factor it does not."""
LOSSES: Final = "lose", "rollback", "clone", "twin"
"""Faults after which somebody may not know of items or requests that were acknowledged."""
TOKENS: Final = "bucket-lease", "sliding-lease"
"""Protocols whose sites admit by tokens, which may be at other sites."""
DEATHS: Final = "kill", "kill-write", "lose", "rollback", "disk", "twin"
"""Faults after which a site may begin anew, while what it has admitted counts."""
SURE: Final = 1000
"""Items from which on that holds."""


# ---------------------------------------------------------------------- trackers


def overcount(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """At any time: nothing is counted that was not sent; a server that promises so is not above its promise."""
    sent, made = fleet.noted.sent, fleet.made
    if estimate["estimate_low"] > sent:
        yield f"overcount: estimate_low {estimate['estimate_low']:,} of {sent:,} items sent"
    promises = made.guarantee == "always" and made.accuracy is not None and not made.plays
    if promises and estimate["value"] > (1 + made.accuracy) * sent + 1e-9:
        yield f"overcount: value {estimate['value']:,.0f} of {sent:,} items sent"


def settled(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """After all faults have ended and no item comes: what is lost is stated, and the estimate is right."""
    noted, made = fleet.noted, fleet.made
    low, high, value = estimate["estimate_low"], estimate["estimate_high"], estimate["value"]
    if high is not None and noted.acknowledged > high and not both_lost(fleet.schedule):
        unknown = estimate["unknown"]
        yield f"lost items: estimate_high {high:,} of {noted.acknowledged:,} items acknowledged, unknown {unknown}"
    if estimate["begins_anew"]:
        yield "stuck: the sites are still asked for their counts"
    if estimate["unknown"] or _away(fleet, estimate) or both_lost(fleet.schedule):
        return
    if estimate["unacknowledged"]:
        yield f"stuck: {estimate['unacknowledged']} messages are not acknowledged"
    always = made.guarantee == "always"
    if made.accuracy is None or made.plays or not (always or noted.acknowledged >= SURE):
        return
    error = made.accuracy * (1.0 if always else GROSS)
    if not (1 - error) * noted.acknowledged - 1e-9 <= value <= (1 + error) * noted.sent + 1e-9:
        yield f"wrong estimate: value {value:,.0f} of {noted.acknowledged:,} to {noted.sent:,} items, low {low:,}"


def left(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """After all sites have left in order: the server knows each item."""
    noted = fleet.noted
    low, high = estimate["estimate_low"], estimate["estimate_high"]
    if estimate["unknown"] or estimate["away"] != list(range(SITES)) or both_lost(fleet.schedule):
        return
    if not noted.acknowledged <= low == high <= noted.sent:
        yield f"wrong count: {low:,} to {high:,} of {noted.acknowledged:,} to {noted.sent:,} items after all have left"


def both_lost(schedule: Schedule) -> bool:
    """Return whether the server and a site lose what they knew, or a copy knows it: nobody may know of an item then."""
    losses = {fault.place == SERVER for fault in schedule.faults if fault.kind in LOSSES}
    return len(losses) == 2


# ---------------------------------------------------------------------- connections


def _away(fleet: Any, estimate: dict[str, Any]) -> list[int]:
    """Return the sites that are away, and have not left at the end of their files."""
    return [site for site in estimate["away"] if not fleet.sites[site].finished]


def recovery(fault: Fault) -> float:
    """Return the seconds after a fault until connections and clocks are as before, but for the latency of the messages.

    A connection that is open or begins while no byte passes is given up after some seconds. A process that is killed at
    a write may live on for some seconds.
    """
    return 8.0 if fault.kind in UNHEARD else RECONNECTS + _late(fault)


def excused(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """A loss is stated, and a site refused, only if a journal was lost, is old or a copy.

    A server that has lost its own cannot know whether a site without a state ever had one; one to which a site comes
    back with the journal of a life before cannot know whether it has lost its own.
    """
    struck = Counter(fault.place for fault in fleet.schedule.faults if fault.kind in LOSSES)
    for site, machine in enumerate(fleet.sites):
        if str(site) in struck:
            continue
        late = max([fleet.schedule.latency, *(_latency(fleet.schedule, fault) for fault in fleet.schedule.faults)])
        if late < LATE and machine.ended and "refused by the server" in machine.ended[-1][1]:
            yield f"refused for nothing: {machine.ended[-1][1]}"
        if SERVER not in struck and str(site) in estimate["unknown"] and machine.connected:
            yield f"unknown for nothing: {estimate['unknown']} of site {site}, whose journal is whole"
    twins = any(fault.kind == "twin" for fault in fleet.schedule.faults)
    if SERVER not in struck and not twins and max(struck.values(), default=0) < 2 and (doubts := _doubts(estimate)):
        yield f"doubt for nothing: {doubts} windows or slots, where the server's journal is whole"


def _doubts(estimate: dict[str, Any]) -> int:
    """Return the number of windows in doubt, of a quota in another shape that of slots."""
    return int(estimate.get("windows_in_doubt") or estimate.get("slots_in_doubt") or 0)


def connected(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """After all faults have ended: each site is connected, or its process has ended with the server's reason."""
    now = fleet.world.time
    for site, machine in enumerate(fleet.sites):
        refused = machine.ended and now - machine.ended[-1][0] < 3.0
        if not refused and not machine.finished and not (machine.connected and site not in estimate["away"]):
            yield f"stuck: site {site} is neither connected nor refused; server says away {estimate['away']}"
    if fleet.server.ended and now - fleet.server.ended[-1][0] < 3.0:
        yield f"stuck: the server ends: {fleet.server.ended[-1][1]}"


# ---------------------------------------------------------------------- quotas


def limited(fleet: Any, estimate: dict[str, Any]) -> Iterator[str]:
    """No window has more than its stated bound under the delays that came; a loss that the server states adds one."""
    made: Quota = fleet.made
    faults = fleet.schedule.faults
    if not _doubts(estimate):
        faults = tuple(replace(one, kind="kill") if one.kind == "rollback" else one for one in faults)
    kept = _by_window if made.shape == "window" else _any_interval
    yield from kept(made, replace(fleet.schedule, faults=faults), fleet.noted.admissions)


def _by_window(made: Quota, schedule: Schedule, admissions: list[Admission]) -> Iterator[str]:
    width = made.window * STEP
    windows: dict[tuple[int, int], list[Admission]] = defaultdict(list)
    for one in admissions:
        windows[one.life, int(one.age / width)].append(one)
    for (_, window), some in windows.items():
        end = some[-1].at
        behind = [one.behind for one in admissions if one.at <= end]
        late, early = max(0.0, *behind), max(0.0, *(-one for one in behind))
        whole = [one for one in some if late <= one.age % width < width - early]  # of this window by all clocks
        for own, skew in (some, max(late, early)), (whole, 0.0):
            spent, bound = sum(one.cost for one in own), stated(made, schedule, some[0].at - width, end, skew)
            if spent > bound:
                yield f"over the limit: {spent} admitted in window {window}, where {bound:g} are stated"
                break


def _any_interval(made: Quota, schedule: Schedule, admissions: list[Admission]) -> Iterator[str]:
    rates = sorted(abs(fault.amount) for fault in schedule.faults if fault.kind == "rate")[-2:]
    off = gained(schedule, LAST + max(LENGTHS))
    # by a clock that runs faster, or is set right later, the same time is longer
    width, worst = (made.window - 1) * STEP * (1 - sum(rates)) - off, ""
    late = 0.0
    if made.shape == "sliding":
        first = spent = 0
        for place, one in enumerate(admissions):
            spent, late = spent + one.cost, max(late, abs(one.behind))
            while first < place and admissions[first].at <= one.at - width:
                spent -= admissions[first].cost
                first += 1
            begin = admissions[first].at - made.window * STEP
            bound = stated(made, schedule, begin, one.at, late)
            if spent > bound:
                worst = f"over the limit: {spent} admitted in {made.window} steps, where {bound:g} are stated"
    else:
        rate = made.limit / (made.window * STEP) * (1 + sum(rates))
        for place, begin in enumerate(admissions):
            late = max(late, abs(begin.behind))
            spent, skew = 0, late
            for one in admissions[place:]:
                spent, skew = spent + one.cost, max(skew, abs(one.behind))
                steps = ceil((one.at - begin.at) / STEP) + 2
                most = stated(made, schedule, begin.at - 2 * width, one.at, skew)
                most += made.depth - made.limit
                if spent > most + (steps * STEP + off) * rate + 1e-9:
                    worst = f"over the limit: {spent} admitted in {steps} steps, where {most:g} and the rate are stated"
    if worst:
        yield worst


def stated(made: Quota, schedule: Schedule, begin: float, end: float, late: float) -> float:
    """Return the cost that may be admitted in an interval, with the delays and deaths that reach into it.

    Parameters
    ----------
    late
        Seconds by which clocks differ at most.
    """
    delay, deaths, losses = schedule.latency, 0, 0
    for fault in schedule.faults:
        if fault.at <= end and begin <= fault.end + recovery(fault) + 2 * _latency(schedule, fault):
            delay = max(delay, _delay(schedule, fault))
            deaths += fault.place != SERVER and fault.kind in DEATHS
            losses += _is_second(made, schedule, fault)
            losses += fault.place == SERVER and fault.kind in ("lose", "rollback")
            losses += _reboots(schedule) and fault.kind == "jump"  # by the wall clock, another window has begun
    steps = ceil(delay / STEP) + 1
    skewed = replace(made, skew=min(made.window - 1, ceil(late / STEP) + 1)) if late else made
    bound = skewed.worst(SITES, up=steps, down=steps, deaths=deaths, away=True, varies=steps)
    return bound + losses * made.pool


def _is_second(made: Quota, schedule: Schedule, fault: Fault) -> bool:
    """Return whether a second process is taken for the site, which goes on without the server; tokens go by terms."""
    if fault.kind != "clone" and (fault.kind != "twin" or made.kind in TOKENS):
        return False
    cuts = [one for one in schedule.faults if one.kind in UNHEARD and one.place == fault.place]
    cuts += [one for one in schedule.faults if one.place == SERVER and KINDS[one.kind].lasts]
    return any(one.at <= fault.end and fault.at <= one.end + RECONNECTS + _late(one) for one in cuts)


def _late(fault: Fault) -> float:
    """Return the seconds after its time at which a process that is killed at a write is, at most."""
    return WRITES * (fault.kind == "kill-write")


def _reboots(schedule: Schedule) -> bool:
    return any(fault.kind == "reboot" for fault in schedule.faults)


def longest_wait(made: Quota, schedule: Schedule) -> float:
    """Return the most seconds that a site may state as a wait, if its limit comes back with each window.

    After a start of the server's machine at which the wall clock is behind, windows stand still for as long as the
    server was down.
    """
    downs = [fault for fault in schedule.faults if fault.place == SERVER and KINDS[fault.kind].lasts]
    return made.window * STEP + 1 + _reboots(schedule) * sum(fault.length + RECONNECTS for fault in downs)


def gained(schedule: Schedule, now: float) -> float:
    """Return the most seconds by which the clock of any site has gone off so far."""
    off = [0.0] * SITES
    for fault in schedule.faults:
        if fault.kind == "rate":
            off[int(fault.place)] += abs(fault.amount) * min(max(0.0, now - fault.at), fault.length)
    return max(off)


def _latency(schedule: Schedule, fault: Fault) -> float:
    """Return the seconds that a greeting takes at most in a fault: a site that has no answer for longer greets anew."""
    took = fault.amount if fault.kind == "latency" else fault.length if fault.kind == "pause" else 0.0
    return max(schedule.latency, min(took, GREETING))


def _delay(schedule: Schedule, fault: Fault) -> float:
    """Return the seconds that a message takes at most in a fault."""
    if fault.kind == "latency":
        return fault.amount
    if fault.kind in ("burst", "jump", "duplicate", "uncommitted", "rate", "stranger"):
        return schedule.latency
    return fault.length + recovery(fault)
