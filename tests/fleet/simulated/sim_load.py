"""The load of a simulated site: its clients, which send items, or requests that they commit or not, and retry."""

from __future__ import annotations

import asyncio
import random
from typing import Any, Final

import sim_promises as promises
from sim_clients import Admission, Items, ask
from sim_schedule import STEP

AMOUNTS: Final = 1, 3, 50, 700
PAUSES: Final = (0.02, 0.1), (0.02, 0.1, 0.3, 1.0), ()
"""Seconds between items or requests that a site draws from for a while: it is busy, as on average, or rests."""
PHASE: Final = 6.0
"""Most seconds of such a while; a window has 4."""
STATED: Final = 10.0
"""Seconds in which a site answers, as its interface states."""


async def load(fleet: Any, number: int, machine: Any, until: float, noted: Items) -> None:
    """Send items or requests to a site until this time, and note the items; the same ones, whatever the faults are."""
    rng = random.Random(f"{fleet.schedule.seed} load {machine.name}")
    requests: set[asyncio.Task[None]] = set()
    changes, pauses = 0.0, PAUSES[1]
    while fleet.world.time < until:
        if fleet.world.time >= changes:
            changes, pauses = fleet.world.time + rng.uniform(0.5, PHASE), rng.choice(PAUSES)
        await asyncio.sleep(rng.choice(pauses) if pauses else changes - fleet.world.time)
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


async def _items(fleet: Any, noted: Items, machine: Any, items: int) -> None:
    noted.unsure += items
    try:
        answer = await ask(machine.name, "/items", {"items": items})
    except (OSError, EOFError, TimeoutError):
        return
    fleet.noted.waited(answer, STATED, "POST /items")
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
        try:
            answer = await ask(machine.name, "/admit", {"cost": asked})
        except (OSError, EOFError, TimeoutError):
            return
        noted.waited(answer, STATED, "POST /admit")
        if answer.status == 200:
            admission = Admission(fleet.world.time, fleet.age(), fleet.lives, 0 if made.reserve else cost)
            noted.admissions.append(admission)
            if made.reserve and fleet.committing[number]:
                await asyncio.sleep(rng.uniform(0.0, 0.9 * made.settle * STEP))
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
