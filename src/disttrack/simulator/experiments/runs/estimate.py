"""The resources that a scenario needs: games, messages, time, memory. Computed before anything runs."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from disttrack.simulator.errors import KEPT, ScenarioError
from disttrack.simulator.experiments.results.formats import duration, in_bytes
from disttrack.simulator.experiments.scenario.load import Scenario
from disttrack.simulator.game.tasks.base import Demand
from disttrack.simulator.kinds.names import count
from disttrack.simulator.kinds.point import Point
from disttrack.simulator.kinds.source import guarded

BYTES_A_WORKER: Final = 150e6
"""Memory of a worker before it plays: Python, numpy, pandas."""
BYTES_A_GAME: Final = 30e3
"""Tables and journal, most of it the timeline of 200 checkpoints."""
BYTES_A_KEY: Final = 500.0
"""Memory of a game that waits to be played: its key, its seed, its place."""
SECONDS_A_GAME: Final = 0.0008
"""Overhead of a game beside its messages: making the parts, handing over, keeping."""
SECONDS_TO_START: Final = 2.0
"""Time until the first game: libraries, workers, comparisons of engines."""
SECONDS_OF_ROWS: Final = 0.001
"""Time of this process per game: journal and tables."""
SECONDS_A_FIGURE: Final = 1.0
"""Time of a figure, and of the page."""
CGROUP: Final = Path("/sys/fs/cgroup")


@dataclass(frozen=True)
class Work:
    """How much a scenario needs.

    Attributes
    ----------
    scenario, workers
        The scenario, and how many games are played at a time.
    messages
        Messages of all games together, at most on average, by the cost bounds of the protocols.
    unbounded
        The protocols that state no cost bound, whose messages are one an item.
    without_rests
        Whether some are of games without their rests, in which messages may be sent too.
    seconds
        Rough time: where the bounds are far above what is sent, it is too long.
    memory, free
        Bytes that it needs at a time, and that there are (None: unknown).
    disk
        Bytes that its tables and its journal will take.
    largest
        The point whose games need most memory.
    saved
        Seconds that compiled functions would save, where there is no compiler.
    beside
        Seconds beside play: the start, tables, figures and the page.
    """

    scenario: Scenario
    workers: int
    messages: float
    unbounded: tuple[str, ...]
    without_rests: bool
    seconds: float
    memory: float
    free: float | None
    disk: float
    largest: Point
    saved: float = 0.0
    beside: float = 0.0

    @property
    def no_bound(self) -> str:
        """Which protocols state no cost bound, behind a semicolon; empty if all do."""
        return f"; no cost_bound in {', '.join(self.unbounded)}: a message an item" if self.unbounded else ""

    def refuse_too_large(self) -> None:
        """Raise ScenarioError if more memory is needed than is free; the message names the largest games."""
        if self.free is not None and self.memory > self.free:
            games = f"{count(self.workers, 'game')} at a time; largest: {self.largest.describe()}"
            needs = f"needs about {in_bytes(self.memory)} of memory, {in_bytes(self.free)} are free ({games})"
            raise ScenarioError(f"{self.scenario.file}: {needs}; take fewer sites or --workers 1")

    def refuse_too_long(self, most: float, remedy: str = "take fewer games, or run --yes") -> str:
        """Return one line if it takes more than an hour; raise ScenarioError beyond `most` hours, with a remedy."""
        hours = self.seconds / 3600
        if hours <= 1:
            return ""
        about = "at most" if self.unbounded else "roughly"
        length = f"{self.scenario.name}: {about} {hours:,.1f} hours with {count(self.workers, 'worker')}"
        if hours > most:
            raise ScenarioError(f"{length}, more than {count(int(most), 'hour')}; {remedy}{self.no_bound}")
        return f"{length}; {KEPT}{self.no_bound}"


@guarded()
def estimate(scenario: Scenario, workers: int) -> Work:
    """Return how much a scenario and its controls need with `workers` workers."""
    demands = [(scenario.task.demand(point), trials, point) for point, trials in scenario.played + scenario.broken]
    games = sum(trials for _, trials, _ in demands)
    workers = max(1, min(workers, games))
    # at worst, the largest games are played all at once
    by_memory = sorted(demands, key=lambda one: -one[0].memory)
    together = [demand.memory for demand, trials, _ in by_memory for _ in range(min(workers, trials))][:workers]
    return Work(
        scenario,
        workers,
        messages=sum(demand.messages * trials for demand, trials, _ in demands),
        unbounded=tuple(dict.fromkeys(point.protocol.label for demand, _, point in demands if demand.unbounded)),
        without_rests=any(demand.without_rests for demand, _, _ in demands),
        seconds=sum(seconds_of(demand) * trials for demand, trials, _ in demands) / workers,
        memory=sum(together) + workers * BYTES_A_WORKER + games * BYTES_A_KEY,
        free=free_memory(),
        disk=games * BYTES_A_GAME,
        largest=by_memory[0][2],
        saved=sum(demand.saved * trials for demand, trials, _ in demands) / workers,
        beside=SECONDS_TO_START + games * SECONDS_OF_ROWS + (1 + len(scenario.plots)) * SECONDS_A_FIGURE,
    )


def without_compiler(work: Work | Demand) -> str:
    """Return one line if compiled functions would save more than it takes to compile them, and there is no compiler."""
    if not work.saved:
        return ""
    from disttrack.simulator.game.engine_choice import NO_NUMBA
    from disttrack.simulator.game.engines.compiled import COMPILING

    if work.saved <= COMPILING:
        return ""
    return f"{NO_NUMBA}: roughly {duration(work.seconds)} of play, and {duration(work.seconds - work.saved)} with it"


def seconds_of(demand: Demand) -> float:
    """Return the seconds that a game is expected to take, with what it costs beside its messages."""
    return demand.seconds + SECONDS_A_GAME


def cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_memory() -> float | None:
    """Return the bytes of memory that are free on this machine (or in its container); None if unknown."""
    amounts: list[float] = []
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                amounts.append(float(line.split()[1]) * 1024)
    with suppress(OSError, ValueError):  # "max", without a limit, is no number
        allowed, taken = ((CGROUP / name).read_text(encoding="ascii") for name in ("memory.max", "memory.current"))
        amounts.append(float(allowed) - float(taken))
    return min(amounts, default=None)
