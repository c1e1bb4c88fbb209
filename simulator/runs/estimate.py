"""How much a scenario asks for: games, messages, time, memory. Known before anything runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from simulator.errors import ScenarioError
from simulator.game.pace import speeds
from simulator.points.point import Point
from simulator.points.source import guarded
from simulator.results.formats import in_bytes
from simulator.runs.pilot import Kind, paces
from simulator.scenario.load import Scenario
from simulator.tasks.base import Task

BYTES_A_WORKER: Final = 150e6
"""Memory of a worker before it plays: Python, numpy, pandas."""
BYTES_A_GAME: Final = 30e3
"""Tables and journal, most of it the timeline of 200 checkpoints."""
SURELY_QUICK: Final = 2e7
"""Messages that no machine takes an hour for: then no short games are played to find out."""
ITEMS_A_MESSAGE: Final = 10.0
"""Items that are looked at in the time of a message, roughly."""
BYTES_A_KEY: Final = 500.0
"""What is kept of a game that waits to be played: its key, its seed, its place."""
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


@guarded()
def estimate(scenario: Scenario, workers: int) -> Work:
    """Return how much a scenario asks for on so many workers; takes some seconds, for it plays short games."""
    there = asked(scenario)
    games = scenario.games + scenario.control_games
    hands = max(1, min(workers, games))
    seconds = together(told_of(scenario, there), [trials for _, trials in there], hands) / hands
    messages = sum(max(1.0, scenario.task.messages(point)) * trials for point, trials in there)
    needed, _ = memory_needed(scenario, workers)
    return Work(messages, seconds, needed, memory_there(), games * BYTES_A_GAME)


@dataclass(frozen=True)
class Told:
    """What is told for the games of a point.

    Attributes
    ----------
    variant
        What it has in common with points whose games find what its first one computes.
    first
        Seconds that the first game of its variant takes more than others.
    each
        Seconds of a game.
    """

    variant: Kind
    first: float
    each: float


def told_of(scenario: Scenario, there: Sequence[tuple[Point, int]]) -> list[Told]:
    """Return what is told for the games of each of these points; plays short ones."""
    rough = [_rough(scenario.task, point) * trials for point, trials in there]
    measured = speeds(sorted({scenario.task.pace(point) for point, _ in there}))

    def told(point: Point) -> float:
        task, speed = scenario.task, measured[scenario.task.pace(point)]
        own = max(1.0, task.messages(point)) / speed.messages + task.items_looked_at(point) / speed.items
        return own + SECONDS_A_GAME

    costly = sorted(range(len(there)), key=lambda place: -rough[place])
    points = [there[place][0] for place in costly]
    entries = {
        place: Told(variant, growth.first, growth.seconds(told(point)))
        for place, point, (variant, growth) in zip(costly, points, paces(points, told), strict=True)
    }
    return [entries[place] for place in range(len(there))]


def together(told: Sequence[Told], trials: Sequence[int], workers: int = 1) -> float:
    """Return how many seconds of one worker all these games are; each of several computes what its first ones need."""
    games: dict[Kind, int] = {}
    for one, number in zip(told, trials, strict=True):
        games[one.variant] = games.get(one.variant, 0) + number
    first = {one.variant: one.first * min(workers, games[one.variant]) for one in told}
    return sum(first.values()) + sum(one.each * number for one, number in zip(told, trials, strict=True))


def asked(scenario: Scenario) -> list[tuple[Point, int]]:
    """Return all points, those of the controls too, and how many games each is to have."""
    return [*((point, scenario.head.trials) for point in scenario.points), *scenario.broken]


@guarded()
def hours(scenario: Scenario, workers: int) -> float:
    """Return how many hours a scenario takes; 0 if it surely takes less than one."""
    if sum(_rough(scenario.task, point) * trials for point, trials in asked(scenario)) < SURELY_QUICK:
        return 0.0
    return estimate(scenario, workers).seconds / 3600


def refuse_too_long(scenario: Scenario, workers: int, most: float) -> str:
    """Refuse a scenario that takes longer than asked for; return one line if it takes more than an hour.

    Parameters
    ----------
    most
        Hours that it may take.

    Raises
    ------
    ScenarioError
        It takes longer; the message says how long.
    """
    needed = hours(scenario, workers)
    if needed <= 1:
        return ""
    said = f"{scenario.name}: about {needed:,.1f} hours with {workers} workers"
    if needed > most:
        raise ScenarioError(f"{said}, more than {most:g}; take smaller sizes or fewer trials, --most HOURS, or --yes")
    return f"{said}; what is finished is kept, and the same command goes on after an interruption"


def _rough(task: Task, point: Point) -> float:
    """Return about what a game costs, in messages, before anything is measured."""
    return max(1.0, task.messages(point)) + task.items_looked_at(point) / ITEMS_A_MESSAGE


@guarded()
def memory_needed(scenario: Scenario, workers: int) -> tuple[float, int]:
    """Return the bytes that the largest games need on so many workers, and the place in `asked` of the largest."""
    needs = [(scenario.task.memory(point), place, trials) for place, (point, trials) in enumerate(asked(scenario))]
    workers = min(workers, sum(trials for _, _, trials in needs))
    place = max(needs)[1]
    # at worst, the largest games are played all at once
    largest = sorted((need for need, _, trials in needs for _ in range(min(workers, trials))), reverse=True)
    waiting = sum(trials for _, _, trials in needs) * BYTES_A_KEY
    return sum(largest[:workers]) + workers * BYTES_A_WORKER + waiting, place


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
