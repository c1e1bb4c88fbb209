"""The load of a simulated site: its clients, which send items, or requests that they commit or not, and retry."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

import sim_promises as promises
from sim_clients import Admission, Items, ask
from sim_schedule import DEAR, SITES, STEP

AMOUNTS: Final = 1, 3, 50, 700
PAUSES: Final = (0.02, 0.1), (0.02, 0.1, 0.3, 1.0), ()
"""Seconds between items or requests that a site draws from for a while: it is busy, as on average, or rests."""
TURNS: Final = None, None, 0.5, 1.0, 2.0
"""Seconds in which one site alone is busy, then the next one; in some schedules each has a load of its own."""
PHASE: Final = 6.0
"""Most seconds of such a while; a window has 4."""
STATED: Final = 10.0
"""Seconds in which a site answers, as its interface states."""


async def load(fleet: Any, number: int, machine: Any, until: float, noted: Items) -> None:
    """Send items or requests to a site until this time, and note the items; the same ones, whatever the faults are."""
    rng = random.Random(f"{fleet.schedule.seed} load {machine.name}")
    requests: set[asyncio.Task[None]] = set()
    turn = random.Random(f"{fleet.schedule.seed} turns").choice(TURNS)
    hurry = 4.0 if fleet.quota and fleet.made.limit >= DEAR else 1.0
    changes, pauses = 0.0, PAUSES[1]
    while fleet.world.time < until:
        if fleet.world.time >= changes:
            changes, pauses = _phase(fleet.world.time, turn, number, rng)
        await asyncio.sleep(rng.choice(pauses) / hurry if pauses else changes - fleet.world.time + 0.001)
        if machine.name in fleet.leaving:
            continue
        burst, fleet.bursts[number] = fleet.bursts[number], 0
        if not fleet.quota:
            await _items(fleet, noted, machine, 100 * burst or rng.choice(AMOUNTS))
            continue
        for _ in range(min(burst, 60) or 1):
            task = asyncio.create_task(_request(fleet, number, machine, random.Random(rng.random())))
            requests.add(task)
            task.add_done_callback(requests.discard)


def _phase(now: float, turn: float | None, number: int, rng: random.Random) -> tuple[float, tuple[float, ...]]:
    """Return until when a site has which load."""
    if turn is None:
        return now + rng.uniform(0.5, PHASE), rng.choice(PAUSES)
    turns = int(now / turn)
    return (turns + 1) * turn, PAUSES[0] if turns % SITES == number else ()


async def _items(fleet: Any, noted: Items, machine: Any, items: int) -> None:
    noted.unsure += items
    began = fleet.world.time
    try:
        answer = await ask(machine.name, "/items", {"items": items})
    except (OSError, EOFError, TimeoutError):
        return
    fleet.noted.waited(answer, STATED + fleet.stood(machine, began), "POST /items")
    taken = answer.body.get("taken")
    if taken is not None:
        noted.unsure -= items
        noted.acknowledged += taken


async def _request(fleet: Any, number: int, machine: Any, rng: random.Random) -> None:
    made, noted = fleet.made, fleet.noted
    cost = rng.choice(made.cycle)
    asked = 1 if made.reserve else cost
    for _ in range(2):
        await asyncio.sleep(fleet.next_step())  # what is promised supposes one request a step
        began = fleet.world.time
        try:
            answer = await ask(machine.name, "/admit", {"cost": asked})
        except (OSError, EOFError, TimeoutError):
            return
        noted.waited(answer, STATED + fleet.stood(machine, began), "POST /admit")
        if answer.status == 200:
            spent, behind = 0 if made.reserve else cost, fleet.behind(number, machine)
            admission = Admission(fleet.world.time, fleet.age(), fleet.lives, spent, behind)
            if not fleet.stood(machine, began, from_then=True):  # else it may have been admitted much earlier
                noted.admissions.append(admission)
            if made.reserve and fleet.committing[number]:
                least = 0.9 if fleet.commits_late else 0.0  # of the time after which it may have lapsed
                await asyncio.sleep(rng.uniform(least, 0.95) * made.settle * STEP)
                await _commit(machine, answer.body["id"], cost, admission)
            return
        wait = float(answer.headers.get("retry-after", 1.0))
        if made.shape == "window" and wait > promises.longest_wait(made, fleet.schedule):
            noted.wrong.append(f"long wait: Retry-After {wait:g} s, where the next window begins sooner")
        if rng.random() < 0.5:
            return
        await asyncio.sleep(wait)


async def _commit(machine: Any, reservation: str, cost: int, admission: Admission) -> None:
    for _ in range(2):  # a client that has no answer asks again
        try:
            answer = await ask(machine.name, "/commit", {"id": reservation, "cost": cost})
        except (OSError, EOFError, TimeoutError):
            await asyncio.sleep(0.1)
            continue
        if answer.status == 200:
            admission.cost = answer.body["committed"]
        return
