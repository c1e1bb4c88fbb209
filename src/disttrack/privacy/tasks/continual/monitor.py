"""The task `threshold-monitor`: answer top between k / 2 and k ones, and then halt.

A monitor's output does not change before it halts, and then the game is over: so no adversary can react, and the game
is no duel of many moves.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from math import log2
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from disttrack.adversaries.base import Adversary, View
from disttrack.privacy.adversaries.streams import HardInstance
from disttrack.privacy.mechanisms import MONITORS, CounterMonitor, ExactMonitor
from disttrack.privacy.mechanisms.monitors import verdict
from disttrack.privacy.tasks.planned import plans
from disttrack.simulator.game.engine_choice import ARRAYS
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import STEPS, MechanismGame, Sizes, known
from disttrack.simulator.game.tasks.loop import kept
from disttrack.simulator.kinds.point import Point, PointError

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.game.tasks.answers import Numbers


def first_ones(adversary: Adversary, view: View, number: int) -> list[int]:
    """Return the steps of the first items of an adversary, up to this number."""
    ones: list[int] = []
    for plan, length in plans(adversary, view):
        count = min(int(plan.count(0, length)), number - len(ones))
        ones += (view.steps + plan.nth(0, np.arange(1, count + 1))).tolist() if count else []
        if len(ones) == number:
            break
    return ones


def _is(result: str) -> Callable[[pd.DataFrame], Numbers]:
    """Return the function that marks the games with this result."""
    return lambda games: games["result"] == result


def _delay(games: pd.DataFrame) -> Numbers:
    """Return the delay of the monitor in ones, from the first one at which top would have been right."""
    return games["items_at_halt"].astype(float) - games["threshold"].astype(float) / 2


class ThresholdMonitor(MechanismGame[object, Adversary]):
    """A private threshold monitor.

    Columns: `halted_at`, the step at which it answered top, empty if it did not up to the k-th one; `items_at_halt`,
    the ones up to that step; `sent`, the ones up to the halt, at most `threshold`; `result` is right, early (below
    k / 2) or late (not at k).
    """

    kind: ClassVar[str] = "threshold-monitor"
    labels: ClassVar = {"items_at_halt": "items at the halt", "threshold": "threshold k"}
    rules: ClassVar[int] = 2
    takes: ClassVar[tuple[type[object], ...]] = tuple(MONITORS.values())
    engines: ClassVar[Sequence[str]] = (ARRAYS,)
    single: ClassVar[bool] = True
    reason: ClassVar[str] = "a monitor's output does not change before it halts"
    sizes: ClassVar[Sequence[Size]] = (STEPS,)
    columns: ClassVar[Sequence[str]] = ("sent", "threshold", "halted_at", "items_at_halt", "result")
    answers: ClassVar[Sequence[Answer]] = (
        held("games with top neither before threshold / 2 ones nor after threshold of them", "right"),
        Answer("early", "games with top before threshold / 2 ones", _is("early"), "share", equal="result == 'early'"),
        Answer("missed", "games without top at threshold ones", _is("late"), "share", equal="result == 'late'"),
        Answer("ones at top", "ones up to the step of top", "items_at_halt"),
        Answer(
            "delay",
            "ones from threshold / 2, where top becomes right, to the step of top",
            _delay,
            rank=0,
            equal="items_at_halt - threshold / 2",
        ),
    )

    def fits(self, mechanism: Any, adversary: Adversary, sizes: Sizes) -> None:
        if isinstance(mechanism, CounterMonitor | ExactMonitor):  # that of others is for a cut or a rate
            self.fits_horizon(mechanism, sizes["steps"])
        if isinstance(adversary, HardInstance):
            k = mechanism.k if adversary.k is None else adversary.k
            if sizes["steps"] < (least := 2 ** (k + 1) - 2):
                reason = f"must be at least 2^(k + 1) - 2 = {least:,} for hard-instance with k = {k}"
                raise PointError(("items",), f"{reason}; got {sizes['steps']:,}")

    def result(
        self, mechanism: Any, adversary: Adversary, sizes: Sizes, *, seed: int, arrays: bool
    ) -> tuple[Row, Columns]:
        steps, k, rngs = sizes["steps"], mechanism.k, streams(seed, self.roles)
        view = View(sites=1, items=steps, known=known(mechanism), rng=rngs["adversary"])
        ones = tuple(first_ones(copy.deepcopy(adversary), view, k))
        # a monitor that does not answer top at the k-th one has failed, whatever follows
        halt = mechanism.halt(ones, ones[-1] if len(ones) == k else steps, rngs["mechanism"])
        by_then = None if halt is None else int(np.searchsorted(ones, halt, side="right"))
        result = verdict(ones, k, halt)
        row = {"halted_at": halt, "items_at_halt": by_then, "sent": len(ones) if by_then is None else by_then}
        return {**row, "sites": 1, "threshold": k, "result": result, "verdict": kept(result == "right")}, {}

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=1.2e-4 * log2(1 + self.sizes_of(point)["steps"]))
