"""Whether the rule fails in a schedule, or the deployment: games with the same faults must keep the same promise."""

from __future__ import annotations

from math import ceil
from typing import Any, Final

from sim_promises import GROSS
from sim_run import END, Outcome
from sim_schedule import SITES, STEP, Schedule

from disttrack.fleet.quotas import Quota
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.network.deployed import FaultList
from disttrack.simulator.game.tasks.fault_lists import Suffering, with_faults
from disttrack.simulator.kinds.entries import entry_of
from disttrack.simulator.kinds.point import Point

GAMES: Final = 5
ITEM: Final = 0.001
"""Seconds from one item to the next, in a game of a tracker."""
CALM: Final = 20.0
"""Seconds of a game after the last fault."""


def classed(outcome: Outcome) -> str:
    """Return the class of a schedule that breaks a promise: the first of its promises that games have too decides."""
    schedule = outcome.schedule
    names = [name for name in map(_promise, outcome.breaches) if name]
    if not names:
        return f"the deployment fails: no game promises it ({', '.join(sorted(outcome.names))})"
    quota = isinstance(schedule.made(), Quota)
    faults = FaultList(schedule.faults, (), schedule.protocol, schedule.seed, schedule.latency)
    done = with_faults(_point(schedule, quota), faults, STEP if quota else ITEM)
    rows = [_row(done, names[0], seed) for seed in range(GAMES)]
    broken = sum(_breaks(row, names[0], done) for row in rows)
    if broken:
        return f"the rule fails: {names[0]} in {broken} of {GAMES} games"
    if done.left_out:
        return f"the game cannot have: {'; '.join(f'{fault} ({reason})' for fault, reason in done.left_out)}"
    if all(row.get("verdict") == "undecided" for row in rows):
        return "the game cannot have: a promise on such a network"
    return f"the deployment fails: no {names[0]} in {GAMES} games"


def _promise(breach: str) -> str:
    """Return the name of the promise that a breach is of; empty if only processes make it."""
    name, _, numbers = breach.partition(": ")
    of_games = name in ("wrong estimate", "over the limit") or (name == "overcount" and numbers.startswith("value"))
    return name if of_games else ""


def _point(schedule: Schedule, quota: bool) -> Point:
    """Return the games: as many sites, and a request or an item in each step, at a site that is drawn."""
    last = max([END, *(fault.end for fault in schedule.faults)]) + CALM
    task: dict[str, Any] = {"task": "quota", "requests": ceil(last / STEP)}
    if not quota:
        task = {"task": "count", "items": ceil(last / ITEM)}
    return load(
        {"name": "class", "protocol": entry_of(schedule.protocol), "adversary": "uniform", "sites": SITES, **task}
    ).points[0]


def _row(done: Suffering, name: str, seed: int) -> dict[str, Any]:
    """Play a game; an estimate must be right after the faults."""
    point = done.afterwards if name == "wrong estimate" else done.point
    assert point is not None
    task = point.task.make()
    return {"highest": task.game(point, seed=seed).highest} if name == "overcount" else dict(task.play(point, seed).row)


def _breaks(row: dict[str, Any], name: str, done: Suffering) -> bool:
    """Return whether a game breaks the promise; a randomised estimate only by a factor, as in the deployment."""
    made = done.point.protocol.make()
    if name == "overcount":
        return bool(row["highest"] > made.accuracy)
    if name == "wrong estimate" and made.guarantee != "always":
        return bool(row["max_lag_error"] > GROSS * made.accuracy)
    return bool(row["verdict"] == "failed")
