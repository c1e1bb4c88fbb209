"""The task `threshold-monitor`: answer top between k / 2 and k ones, and then halt."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms import MONITORS
from disttrack.mechanisms.monitors import verdict
from disttrack.simulator.game.streams import streams
from disttrack.simulator.points.point import Point
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.continual.stream import plans
from disttrack.simulator.tasks.sizes import Size

if TYPE_CHECKING:
    import pandas as pd

BASE: tuple[type[Any], ...] = tuple(MONITORS.values())
ROLES = ("", "mechanism", "adversary")
"""Random streams: the monitor's noise, and the adversary's moves."""


@dataclass(frozen=True)
class MonitorGame:
    """One game of a threshold monitor.

    Attributes
    ----------
    steps, items
        Steps of the clock, and ones up to the halt (k at most).
    halted_at
        The step at which it answered top, None if it did not up to the k-th one.
    items_at_halt
        Ones up to that step.
    result
        right, early (below k / 2) or late (not at k).
    """

    steps: int
    items: int
    halted_at: int | None
    items_at_halt: int | None
    result: Literal["right", "early", "late"]
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the monitor was right."""
        return self.result == "right"


def ones_of(adversary: Adversary, view: clocked_points.ContinualView, steps: int, most: int) -> tuple[int, ...]:
    """Return the first `most` steps at which the adversary sends an item.

    A monitor's output does not change before it halts, and then the game is over: so no adversary can react.
    """
    ones: list[int] = []
    for plan, length in plans(adversary, view, steps):
        count = min(int(plan.count(0, length)), most - len(ones))
        ones += (view.steps + plan.nth(0, np.arange(1, count + 1))).tolist() if count else []
        if len(ones) == most:
            break
    return tuple(ones)


def play_monitor(monitor: Any, adversary: Adversary, *, steps: int, seed: int = 0) -> MonitorGame:
    """Play one game of a threshold monitor and return its outcome.

    Parameters
    ----------
    monitor
        The monitor.
    adversary
        Sends the items, to site 0. It is copied.
    steps
        Steps of the clock.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries import RoundRobin
    >>> from disttrack.mechanisms import SparseVectorMonitor
    >>> play_monitor(SparseVectorMonitor(k=800, epsilon=1.0), RoundRobin(), steps=1000).result
    'right'
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    view = clocked_points.ContinualView(
        sites=1, items=steps, known=clocked_points.known(monitor), rng=rngs["adversary"]
    )
    view.output = 0
    ones = ones_of(copy.deepcopy(adversary), view, steps, monitor.k)
    # a monitor that does not answer top at the k-th one has failed, whatever follows
    end = ones[-1] if len(ones) == monitor.k else steps
    halt = monitor.halt(ones, end, rngs["mechanism"])
    by_then = None if halt is None else int(np.searchsorted(ones, halt, side="right"))
    result = verdict(ones, monitor.k, halt)
    items = len(ones) if by_then is None else by_then
    return MonitorGame(steps, items, halt, by_then, result, time.perf_counter() - begun)


def _is(result: str) -> Callable[[pd.DataFrame], Any]:
    """Return the function that marks the games with this result."""
    return lambda games: games["result"] == result


def _delay(games: pd.DataFrame) -> Any:
    """Return the delay of the monitor in ones, from the first one at which top would have been right."""
    return games["items_at_halt"].astype(float) - games["threshold"].astype(float) / 2


class ThresholdMonitor(Task):
    """A private threshold monitor."""

    kind: ClassVar[str] = "threshold-monitor"
    rules: ClassVar[int] = 2
    sizes: ClassVar[Sequence[Size]] = (clocked_points.STEPS,)
    columns: ClassVar[Sequence[str]] = ("sent", "threshold", "halted_at", "items_at_halt", "result")
    answers: ClassVar[Sequence[Answer]] = (
        held("games with top neither before threshold / 2 ones nor after threshold of them", "right"),
        Answer("early", "games with top before threshold / 2 ones", _is("early"), "share"),
        Answer("missed", "games without top at threshold ones", _is("late"), "share"),
        Answer("ones at top", "ones up to the step of top", "items_at_halt"),
        Answer("delay", "ones from threshold / 2, where top becomes right, to the step of top", _delay, rank=0),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        clocked_points.mechanism_of(point, BASE, horizon=clocked_points.steps_of(point))
        adversary_of(point)

    def play(self, point: Point, seed: int) -> Record:
        steps = clocked_points.steps_of(point)
        monitor = clocked_points.mechanism_of(point, BASE, horizon=steps)
        game = play_monitor(monitor, adversary_of(point), steps=steps, seed=seed)
        own = ("seconds", "halted_at", "items_at_halt", "result")
        row = {name: getattr(game, name) for name in own}
        row |= {"items": steps, "sent": game.items, "sites": 1, "engine": "bulk", "threshold": monitor.k}
        row |= {"ok": game.ok, "verdict": "ok" if game.ok else "failed"}
        return Record(row=row, engine_reason="a monitor's output does not change before it halts")

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.011)
