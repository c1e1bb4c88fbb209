"""The clocks of a quota: when its first window began, and when a site's windows turn, and it flushes and settles."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from disttrack.fleet.live.site_state import Event, SiteState

BOOT: Final = Path("/proc/sys/kernel/random/boot_id")
"""File with a name that a machine draws whenever it starts; Linux has it."""


def moment() -> dict[str, object]:
    """Return the present moment, as a journal keeps it: by the wall clock, and by the one that never jumps."""
    return {"began": time.time(), "ticks": time.monotonic(), "boot": _boot()}


def since(facts: Mapping[str, Any]) -> float:
    """Return when a kept moment was, by the clock of this process that never jumps.

    All processes of a machine share that clock; once the machine has started again, or on a system that does not say
    so, the wall clock decides.
    """
    now = time.monotonic()
    if facts.get("boot") and facts["boot"] == _boot():
        return float(facts["ticks"])
    return now - max(0.0, time.time() - float(facts.get("began", 0.0)))


def _boot() -> str:
    """Return the name of the time since the machine started; empty if it is not known."""
    try:
        return BOOT.read_text("ascii").strip()
    except OSError:
        return ""


def upcoming(first: int, period: int, now: int) -> int:
    """Return the next one after this step of the steps from a first one on, with this period."""
    return first + max(0, (now - first) // period + 1) * period


async def tick(part: SiteState, do: Callable[[Event], object], age: float, step: float, joins: bool) -> None:
    """Have a site act at each of its moments, as the simulator's fleet does, by the server's clock as of now.

    Parameters
    ----------
    part, do
        The site, and what carries out an event.
    age
        Seconds since the server's first window began.
    step
        Seconds of a step.
    joins
        Whether it comes into the fleet; one that has left before, or has missed a window, comes anew.
    """
    loop = asyncio.get_running_loop()
    rule, began = part.protocol, loop.time() - age
    window = int(age / (rule.period * step))
    if joins or not part.site.present or window > part.site.window + 1:
        do(("act", "leave", True))
        do(("join", window))
    if part.reservations is not None:
        do(("settle", int(age / step) // rule.settle))
    moments = rule.moments(part.number, part.k)
    due = {name: upcoming(first, period, int(age / step)) for name, (first, period) in moments.items()}
    due["turn"] = (part.site.window + 1) * rule.period
    while True:
        name = min(due, key=lambda one: due[one])
        await asyncio.sleep(max(0.0, began + due[name] * step - loop.time()))
        settles = name == "learn_costs" and part.reservations is not None
        do(("settle", due[name] // rule.settle) if settles else ("act", name))
        due[name] += moments[name][1]
