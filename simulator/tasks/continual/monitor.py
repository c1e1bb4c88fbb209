"""The task `threshold-monitor`: answer top between k / 2 and k ones, and then halt.

A monitor's output does not change before it halts, and then the game is over: so no adversary can react, and the whole
stream is one move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from disttrack.mechanisms import MONITORS
from disttrack.mechanisms.monitors import verdict
from disttrack.simulator.points.point import Point
from disttrack.simulator.tasks.answers import Answer, held
from disttrack.simulator.tasks.base import Demand
from disttrack.simulator.tasks.duel import STEPS, Duel, Rngs, Sizes, known
from disttrack.simulator.tasks.loop import Referee, Sides, kept
from disttrack.simulator.tasks.planned import ClockView, Planned, plans
from disttrack.simulator.tasks.sizes import Size

if TYPE_CHECKING:
    import pandas as pd


class Ones(Planned):
    """An adversary whose one move is the steps of its first k items."""

    def __init__(self, adversary: Any, view: ClockView, k: int) -> None:
        super().__init__(adversary, view)
        self._k = k

    def stretches(self, view: ClockView, steps: int) -> Iterator[tuple[int, ...]]:
        """Yield the steps of the items, all at once."""
        ones: list[int] = []
        for plan, length in plans(self.adversary, view, steps):
            count = min(int(plan.count(0, length)), self._k - len(ones))
            ones += (view.steps + plan.nth(0, np.arange(1, count + 1))).tolist() if count else []
            if len(ones) == self._k:
                break
        yield tuple(ones)


class MonitorRun:
    """A monitor on a stream of some steps."""

    def __init__(self, monitor: Any, steps: int, rng: np.random.Generator) -> None:
        self._monitor, self._steps, self._rng = monitor, steps, rng

    def release(self, ones: tuple[int, ...]) -> int | None:
        """Return the step at which it answers top; None for never."""
        # a monitor that does not answer top at the k-th one has failed, whatever follows
        end = ones[-1] if len(ones) == self._monitor.k else self._steps
        halt: int | None = self._monitor.halt(ones, end, self._rng)
        return halt

    step = release


class MonitorReferee(Referee):
    """Compares the halting step with those at which the monitor may halt."""

    def __init__(self, k: int) -> None:
        self._k = k

    def judge(self, moves: tuple[int, ...], answers: int | None) -> None:
        """Take the steps of the ones, and the halting step."""
        by_then = None if answers is None else int(np.searchsorted(moves, answers, side="right"))
        self._result = verdict(moves, self._k, answers)
        self._row = {"halted_at": answers, "items_at_halt": by_then, "sent": len(moves) if by_then is None else by_then}

    def row(self) -> dict[str, Any]:
        """Return the columns."""
        return {**self._row, "threshold": self._k, "result": self._result, "verdict": kept(self._result == "right")}


def _is(result: str) -> Callable[[pd.DataFrame], Any]:
    """Return the function that marks the games with this result."""
    return lambda games: games["result"] == result


def _delay(games: pd.DataFrame) -> Any:
    """Return the delay of the monitor in ones, from the first one at which top would have been right."""
    return games["items_at_halt"].astype(float) - games["threshold"].astype(float) / 2


class ThresholdMonitor(Duel):
    """A private threshold monitor.

    Columns: `halted_at`, the step at which it answered top, empty if it did not up to the k-th one; `items_at_halt`,
    the ones up to that step; `sent`, the ones up to the halt, at most `threshold`; `result` is right, early (below
    k / 2) or late (not at k).
    """

    kind: ClassVar[str] = "threshold-monitor"
    rules: ClassVar[int] = 2
    takes: ClassVar[tuple[type[Any], ...]] = tuple(MONITORS.values())
    engines: ClassVar[Sequence[str]] = ("bulk",)
    reason: ClassVar[str] = "a monitor's output does not change before it halts"
    sizes: ClassVar[Sequence[Size]] = (STEPS,)
    columns: ClassVar[Sequence[str]] = ("sent", "threshold", "halted_at", "items_at_halt", "result")
    answers: ClassVar[Sequence[Answer]] = (
        held("games with top neither before threshold / 2 ones nor after threshold of them", "right"),
        Answer("early", "games with top before threshold / 2 ones", _is("early"), "share"),
        Answer("missed", "games without top at threshold ones", _is("late"), "share"),
        Answer("ones at top", "ones up to the step of top", "items_at_halt"),
        Answer("delay", "ones from threshold / 2, where top becomes right, to the step of top", _delay, rank=0),
    )

    def begin(self, mechanism: Any, adversary: Any, sizes: Sizes, rngs: Rngs) -> Sides:
        steps = sizes["steps"]
        view = ClockView(sites=1, items=steps, known=known(mechanism), rng=rngs["adversary"])
        view.output = 0
        run = MonitorRun(mechanism, steps, rngs["mechanism"])
        return Sides(run, Ones(adversary, view, mechanism.k), MonitorReferee(mechanism.k), view, steps)

    def finish(self, sides: Sides) -> dict[str, Any]:
        return {**sides.referee.row(), "items": sides.steps, "sites": 1}

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.011)
