"""The tasks `threshold-monitor` and `threshold-queries`: halt between k / 2 and k ones; count the points at most q.

A monitor's output does not change before it halts, and then the game is over: so no adversary can react, and the game
is no duel of many moves.

Of threshold queries the domain has `values` values, the data set has `points` points drawn from it at random, and there
are `queries` queries: the site named by an adversary is the value of its query. It sees the answers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf, log2, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.random import default_rng

from disttrack.adversaries.base import Adversary, View, output_in
from disttrack.privacy.adversaries.streams import HardInstance
from disttrack.privacy.mechanisms import MONITORS, QUERY_SOLVERS, CounterMonitor, ExactMonitor, SparseVectorQueries
from disttrack.privacy.mechanisms.monitors import verdict
from disttrack.privacy.tasks.planned import SKIP, Planned, plans
from disttrack.simulator.game.engine_choice import ARRAYS
from disttrack.simulator.game.outputs import distance
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import DELTA, STEPS, Duel, MechanismGame, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Run, Sides, kept
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


class Solver(Run):
    """A run of a solver; in a skipped step its last answer stands."""

    def __init__(self, run: Any, answer: object) -> None:
        self._run, self._answer = run, answer

    def step(self, value: int) -> object:
        """Return the answer to a query."""
        if value != SKIP:
            self._answer = self._run.answer(value)
        return self._answer


class QueriesReferee(Referee[Sequence[int], Sequence[object]]):
    """Compares the answers with the number of points up to each query.

    Parameters
    ----------
    run, view
        The solver at work, and what the adversary sees.
    below
        That number, for each value of the domain.
    bound
        The error that counts as a failure.
    """

    def __init__(self, run: object, view: View, below: list[int], bound: float) -> None:
        self._run, self._view, self._below, self._bound = run, view, below, bound
        self._step = 0
        self._errors: list[float] = []
        self._failure: int | None = None

    def judge(self, moves: Sequence[int], answers: Sequence[object]) -> None:
        """Take queries and their answers."""
        for value, answer in zip(moves, answers, strict=True):
            self._step += 1
            if value == SKIP:
                continue
            error = distance(answer, self._below[value])
            self._errors.append(error)
            if self._failure is None and (error > self._bound or error == inf):
                self._failure = self._step

    def row(self) -> Row:
        """Return the columns."""
        squares = sum(error**2 for error in self._errors)
        self.judged = bool(self._errors)  # a skipped step has no answer
        return {
            "items": len(self._errors),
            "max_abs_error": max(self._errors, default=0.0),
            "rms_error": sqrt(squares / max(1, len(self._errors))),
            "bound": self._bound,
            "first_failure": self._failure,
            "output_changes": output_in(self._view)[1],
            "paid": getattr(self._run, "paid", None),
            "verdict": kept(self._failure is None),
        }


class ThresholdQueries(Duel[object, Adversary]):
    """Threshold queries on a fixed data set.

    Columns: `max_abs_error` and `rms_error` over all answers, in points; `bound`, the solver's bound on its largest
    error, exceeded with probability 0.05 at most; `paid`, the fresh noisy answers of solvers that count them. `items`
    is the number of queries, without skipped steps.
    """

    kind: ClassVar[str] = "threshold-queries"
    axes: ClassVar = {"queries": "number of queries, k"}
    rules: ClassVar[int] = 3
    roles: ClassVar[Sequence[str]] = ("data", "mechanism", "adversary", "challenge")
    takes: ClassVar[tuple[type[object], ...]] = tuple(QUERY_SOLVERS.values())
    engines: ClassVar[Sequence[str]] = ("step",)
    reason: ClassVar[str] = "a query at a time"
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    sizes: ClassVar[Sequence[Size]] = (
        Size("values", "sites", "Values that a point may have, 0 to values - 1.", needed=True),
        Size("points", "start", "Points of the data set.", needed=True),
        Size("queries", "items", "Queries at most.", needed=True),
    )
    columns: ClassVar[Sequence[str]] = ("points", "max_abs_error", "rms_error", "bound", "paid")
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which all answers stayed within the bound"),
        replace(LARGEST, says="largest error of an answer, in points"),
        replace(RMS, says="root mean squared error over all answers"),
        Answer("bound", "value that the largest error exceeds with probability at most 0.05", "bound", rank=0),
        Answer("paid", "fresh noisy answers, of solvers that count them", "paid", rank=2),
    )

    def fits(self, mechanism: Any, adversary: Adversary, sizes: Sizes) -> None:
        if not isinstance(mechanism, SparseVectorQueries):
            return
        points, queries = sizes["points"], sizes["queries"]
        if mechanism.points != points:
            raise PointError(("protocol", "points"), f"must be the {points:,} of the game; got {mechanism.points:,}")
        if mechanism.queries < queries:
            reason = f"must be at least the {queries:,} of the game; got {mechanism.queries:,}"
            raise PointError(("protocol", "queries"), reason)

    def begin(self, mechanism: Any, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        values, points, queries = sizes["values"], sizes["points"], sizes["queries"]
        data = rngs["data"].integers(0, values, points)
        below = np.searchsorted(np.sort(data), np.arange(values), side="right").tolist()
        run = mechanism.start(data, rngs["mechanism"])
        view = View(sites=values, items=queries, start=points, known=known(mechanism), rng=rngs["adversary"])
        referee = QueriesReferee(run, view, below, mechanism.largest_error(points, queries, DELTA))
        return Sides(Solver(run, points), Planned(adversary, view, rngs["challenge"]), referee, view, queries)

    def check(self, point: Point) -> None:
        super().check(point)
        mechanism, adversary = self.sides(point)
        sizes = self.sizes_of(point)
        if getattr(mechanism, "increasing", False) and adversary.oblivious:
            view = View(sites=sizes["values"], items=sizes["queries"], known=known(mechanism), rng=default_rng(0))
            queries = np.concatenate([*Planned(copy.deepcopy(adversary), view).stretches(view), []])
            queries = queries[queries != SKIP]
            if falls := np.flatnonzero(np.diff(queries) < 0).tolist():
                first, second = queries[falls[0] : falls[0] + 2].astype(int)
                asked = f"{point.adversary.label} asks for {second} after {first}"
                order = f"{point.protocol.label} takes queries in increasing order only"
                raise PointError(("adversary", "kind"), f"{asked}, and {order}")

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=self.sizes_of(point)["queries"] / 170_000)
