"""How much a scenario asks for: games, messages, time, memory. Known before anything runs."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simulator.errors import ScenarioError
from simulator.game.pace import calibrate
from simulator.points.point import Point
from simulator.results.formats import in_bytes
from simulator.scenario.load import Scenario

BYTES_A_WORKER: Final = 150e6
"""Memory of a worker before it plays: Python, numpy, pandas."""
BYTES_A_GAME: Final = 30e3
"""Tables and journal, most of it the timeline of 200 checkpoints."""
SURELY_QUICK: Final = 2e7
"""Messages that no machine takes an hour for: then no half-second is spent on finding out."""
SECONDS_A_GAME: Final = 0.003
"""What a game costs beside its messages: making the parts, handing over, keeping."""


@dataclass(frozen=True)
class Work:
    """How much a scenario asks for.

    Attributes
    ----------
    messages
        Expected messages of all games together.
    seconds
        Expected time on this machine.
    memory, free
        Bytes that it needs at a time, and that there are (None: unknown).
    disk
        Bytes that its tables and its journal will take.
    """

    messages: float
    seconds: float
    memory: float
    free: float | None
    disk: float


def estimate(scenario: Scenario, workers: int) -> Work:
    """Return how much a scenario asks for on so many workers; takes half a second to calibrate."""
    by_pace: dict[str, float] = {}
    for point, trials in asked(scenario):
        pace = scenario.task.pace(point)
        messages = max(1.0, scenario.task.messages(point)) * trials
        by_pace[pace] = by_pace.get(pace, 0.0) + messages
    games = scenario.games + scenario.control_games
    hands = max(1, min(workers, games))
    speeds = calibrate(list(by_pace))
    seconds = sum(messages / speeds[pace] for pace, messages in by_pace.items())
    seconds += games * SECONDS_A_GAME
    needed, _ = memory_needed(scenario, workers)
    return Work(sum(by_pace.values()), seconds / hands, needed, memory_there(), games * BYTES_A_GAME)


def asked(scenario: Scenario) -> list[tuple[Point, int]]:
    """Return all points, those of the controls too, and how many games each is to have."""
    return [*((point, scenario.head.most_trials) for point in scenario.points), *scenario.broken]


def warning(scenario: Scenario, workers: int) -> str:
    """Return one line if a scenario would take more than an hour, nothing if not."""
    messages = sum(max(1.0, scenario.task.messages(point)) * trials for point, trials in asked(scenario))
    if messages < SURELY_QUICK:
        return ""
    hours = estimate(scenario, workers).seconds / 3600
    if hours <= 1:
        return ""
    return (
        f"{scenario.name}: about {hours:,.1f} hours with {workers} workers; what is finished is kept, "
        "and the same command goes on after an interruption"
    )


def memory_needed(scenario: Scenario, workers: int) -> tuple[float, int]:
    """Return the bytes that the largest games need on so many workers, and the place in `asked` of the largest."""
    needs = [(scenario.task.memory(point), place, trials) for place, (point, trials) in enumerate(asked(scenario))]
    workers = min(workers, sum(trials for _, _, trials in needs))
    place = max(needs)[1]
    # at worst, the largest games are played all at once
    largest = sorted((need for need, _, trials in needs for _ in range(min(workers, trials))), reverse=True)
    return sum(largest[:workers]) + workers * BYTES_A_WORKER, place


def memory_there() -> float | None:
    """Return the bytes of memory that are free on this machine (or in its container); None if unknown."""
    found: list[float] = []
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                found.append(float(line.split()[1]) * 1024)
    except OSError:
        if "SC_AVPHYS_PAGES" in os.sysconf_names:
            found.append(float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")))
    for limit, used in (("memory.max", "memory.current"),):
        try:
            allowed = Path("/sys/fs/cgroup", limit).read_text(encoding="ascii").strip()
            taken = Path("/sys/fs/cgroup", used).read_text(encoding="ascii").strip()
            if allowed != "max":
                found.append(float(allowed) - float(taken))
        except (OSError, ValueError):
            continue
    return min(found) if found else None


def refuse_too_large(scenario: Scenario, workers: int) -> None:
    """Refuse a scenario that would need more memory than there is.

    Raises
    ------
    ScenarioError
        It would; the message says how much, and what asks for it.
    """
    there = memory_there()
    needed, number = memory_needed(scenario, workers)
    if there is not None and needed > there:
        point, _ = asked(scenario)[number]
        hands = f"{workers} games at a time" if workers > 1 else "one game at a time"
        raise ScenarioError(
            f"{scenario.file}: would need about {in_bytes(needed)} of memory ({hands}; the largest: "
            f"{point.describe()}), and {in_bytes(there)} are free; take fewer sites or --workers 1"
        )
