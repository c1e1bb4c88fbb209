"""One schedule, played in a simulated world; and a failing one made shorter."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import logging
import random
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import sim_promises as promises
import simloom
from aiohttp import web_app
from sim_clients import OPEN, ask
from sim_clocks import Clock, own_clocks
from sim_disk import Disks
from sim_faults import KINDS, SERVER, Fault
from sim_fleet import Fleet
from sim_load import load
from sim_schedule import STEP, Schedule
from simloom import _loop

from disttrack.fleet.live.estimate import estimate

END: Final = 25.0
"""Seconds in which items and requests come."""
SETTLE: Final = 30.0
"""Seconds after the last fault and item until all must be right."""
LOOK: Final = 0.5
OVER: Final = "over"
"""In place of a breach: the schedule has been played to its end."""
IDLE: Final = 1.2, 3.0
"""Seconds after which an idle fleet knows what all sites have admitted; some reservations have lapsed by then."""
BEGUN: Final = 0.1
"""Seconds after which a window has begun by all clocks."""
HELD: Final = 3
"""Requests of a site that are to be reported."""
SOON: Final = 0.3
"""Seconds after which it does if sites do not report at times only."""
GARBAGE: Final = 20_000
"""Steps of the loop from one collection of garbage to the next: each takes some milliseconds."""


@dataclass(frozen=True)
class Outcome:
    """What a schedule has broken: the names of the promises, and lines with the values."""

    schedule: Schedule
    breaches: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The names of the broken promises."""
        return frozenset(line.partition(":")[0] for line in self.breaches)


def play(schedule: Schedule) -> Outcome:
    """Play a schedule: the same one has the same outcome."""
    _hurry()
    shelf = "/dev/shm" if Path("/dev/shm").is_dir() else None
    disks = Disks(Path(tempfile.mkdtemp(dir=shelf)).resolve())
    breaches: list[str] = []
    logger = logging.getLogger("disttrack.fleet.live")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        clocks = {site: Clock(faults) for site, faults in schedule.rates().items()}
        with disks.mounted(), own_clocks(clocks), contextlib.redirect_stdout(io.StringIO()):
            result = simloom.run(
                _main(schedule, disks, breaches), seed=schedule.seed, virtual_time=True, seed_randomness=True,
                raise_on_error=False, on_unhandled="record", gc_interval=GARBAGE,
            )  # fmt: skip
    finally:
        OPEN.clear()
        logger.setLevel(level)
        for one in vars(web_app).values():  # its caches would keep all that was ever played
            if hasattr(one, "cache_clear"):
                one.cache_clear()
    over = breaches and breaches[-1] == OVER and breaches.pop()  # what killed processes do after it is of no account
    if result.error is not None and not (over and isinstance(result.error, simloom.SimDeadlockError)):
        breaches.append(f"error: {type(result.error).__name__}: {str(result.error)[:300]}")
    return Outcome(schedule, tuple(breaches))


@cache
def _hurry() -> None:
    """Do without what would take longer than the schedule: looks at what is loaded, for garbage, and at each callback.

    A callback that is a coroutine function raises an error on any real loop.
    """
    _loop._check_callback = lambda callback, method: None
    gc.collect()
    gc.freeze()


def _main(
    schedule: Schedule, disks: Disks, breaches: list[str]
) -> Callable[[simloom.World], Coroutine[Any, Any, None]]:
    async def main(world: simloom.World) -> None:
        fleet = Fleet(world, schedule, disks)
        with fleet.outside():
            await _play(fleet, breaches)
        breaches.append(OVER)

    return main


async def _play(fleet: Fleet, breaches: list[str]) -> None:
    work = [asyncio.create_task(machine.supervise()) for machine in (fleet.server, *fleet.sites)]
    work += [
        asyncio.create_task(load(fleet, site, machine, END, fleet.noted.items[site]))
        for site, machine in enumerate(fleet.sites)
        if not machine.fed
    ]
    work.append(asyncio.create_task(_look(fleet, breaches)))
    await fleet.strike()
    await asyncio.sleep(max(0.0, END - fleet.world.time) + SETTLE)
    breaches += dict.fromkeys(fleet.noted.wrong)
    facts = await _estimate(fleet)
    if facts is None:
        breaches.append("stuck: the server does not answer")
        return
    breaches += promises.connected(fleet, facts)
    breaches += promises.excused(fleet, facts)
    if fleet.quota:
        breaches += promises.limited(fleet, facts)
        breaches += await _wait_as_stated(fleet)
        breaches += await _report_as_stated(fleet)
        return
    breaches += promises.settled(fleet, facts)
    present = [machine.part for machine in fleet.sites if machine.connected]
    leaving = [asyncio.create_task(site.leave()) for site in present]
    if leaving:
        await asyncio.wait(leaving, timeout=10.0)
    facts = await _estimate(fleet)
    if facts is not None:
        breaches += promises.left(fleet, facts)


async def _look(fleet: Fleet, breaches: list[str]) -> None:
    """Look at the estimate again and again."""
    while not fleet.quota and not breaches:
        await asyncio.sleep(LOOK)
        server = fleet.server.part
        if server is not None:
            breaches += promises.overcount(fleet, estimate(server))


async def _estimate(fleet: Fleet) -> dict[str, Any] | None:
    try:
        answer = await ask(SERVER, "/estimate")
        return answer.body if answer.status == 200 else None
    except (OSError, EOFError, TimeoutError):
        return None


async def _wait_as_stated(fleet: Fleet) -> list[str]:
    """Use up what a site may admit on an idle fleet; after the wait that it states, it admits."""
    fleet.hurry()  # a wait is shorter or longer by the latency
    rng = random.Random(fleet.schedule.seed)
    machine = fleet.sites[rng.randrange(len(fleet.sites))]
    cost = {"cost": fleet.made.dearest}
    try:
        if fleet.made.reserve:  # a reservation that may be of the window before
            await ask(machine.name, "/admit", cost)
            await asyncio.sleep(rng.uniform(0.0, rng.choice((1.5, fleet.made.window * STEP))))
        for _ in range(3 * fleet.made.pool):
            answer = await ask(machine.name, "/admit", cost)
            if answer.status != 200:
                break
        await asyncio.sleep(rng.choice(IDLE if fleet.made.every else (SOON, *IDLE)))
        answer = await ask(machine.name, "/admit", cost)
        wait = answer.headers.get("retry-after")
        if answer.status != 429 or wait is None:
            return []
        late = 0.0 if fleet.made.shape == "window" else fleet.made.period * STEP  # slots of clocks that differ
        late += len(fleet.sites) * promises.gained(fleet.schedule, fleet.world.time)
        late += max(0.0, *(fleet.behind(site, one) for site, one in enumerate(fleet.sites)))
        await asyncio.sleep(float(wait) + late)
        again = await ask(machine.name, "/admit", cost)
    except (OSError, EOFError, TimeoutError):
        return []
    dear = fleet.made.dearest * len(fleet.sites) > fleet.made.pool
    known = fleet.made.kind not in ("weighted-split", "fair-lease")  # their shares depend on the loads of all sites
    known = known and not (dear and fleet.made.kind in promises.TOKENS)
    return [f"wrong wait: status 429 after the stated wait of {wait} s"] if known and again.status == 429 else []


async def _report_as_stated(fleet: Fleet) -> list[str]:
    """Admit some requests at the beginning of a window; once their costs are known, a site holds less than a report."""
    made, window = fleet.made, fleet.made.window * STEP
    known = 2 * made.settle * STEP + max(IDLE)
    if made.kind != "batch-quota" or not made.reserve or known > window:
        return []
    machine = fleet.sites[0]
    if abs(fleet.behind(0, machine)) > BEGUN / 2:  # its windows begin at other times
        return []
    await asyncio.sleep(window - fleet.age() % window + BEGUN)
    began, spent = fleet.age(), 0
    try:
        for _ in range(HELD):
            answer = await ask(machine.name, "/admit", {"cost": 1})
            if answer.status == 200:
                answer = await ask(machine.name, "/commit", {"id": answer.body["id"], "cost": made.dearest})
                spent += answer.body["committed"]
        await asyncio.sleep(known - 2 * BEGUN)
    except (OSError, EOFError, TimeoutError):
        return []
    facts = await _estimate(fleet)
    if facts is None or 0 in facts["away"] or int(fleet.age() / window) != int(began / window):
        return []
    least = spent - made.size + 1
    return [f"late report: {facts['counted']} counted of {spent} admitted"] if facts["counted"] < least else []


def shorten(outcome: Outcome, most: int = 150) -> Outcome:
    """Return an outcome with fewer and simpler faults that breaks one of the same promises."""
    names, tries = outcome.names, 0

    def still(faults: list[Fault], latency: float) -> bool:
        nonlocal outcome, tries
        tries += 1
        found = play(replace(outcome.schedule, faults=tuple(faults), latency=latency))
        if tries > most or not found.names & names:
            return False
        outcome = found
        return True

    size = len(outcome.schedule.faults)
    while size:
        place = 0
        while place < len(outcome.schedule.faults) and tries < most:
            faults = list(outcome.schedule.faults)
            if not still(faults[:place] + faults[place + size :], outcome.schedule.latency):
                place += size
        size //= 2
    for place, fault in enumerate(outcome.schedule.faults):
        for simpler in _simpler(fault):
            faults = list(outcome.schedule.faults)
            faults[place] = simpler
            if tries < most and still(faults, outcome.schedule.latency):
                break
    still(list(outcome.schedule.faults), 0.002)
    return outcome


def _simpler(fault: Fault) -> list[Fault]:
    """Return simpler forms of a fault, the simplest one first."""
    amounts = KINDS[fault.kind].amounts[:1] or (0.0,)
    lengths = [0.3, 1.0] if KINDS[fault.kind].lasts else [0.0]
    forms = [replace(fault, length=length, amount=float(amounts[0])) for length in lengths]
    forms += [replace(fault, length=length) for length in lengths]
    return [form for form in forms if form != fault]
