"""The task `threshold-queries`: the number of points of a fixed data set that are at most q, for many queries q.

The domain has `values` values, the data set has `points` points drawn from it at random, and there are `queries`
queries: the site named by an adversary is the value of its query.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms import QUERY_SOLVERS
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.outputs import distance
from disttrack.simulator.game.streams import streams
from disttrack.simulator.points.point import Point
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.continual.stream import Mover
from disttrack.simulator.tasks.sizes import Size

BASE: tuple[type[Any], ...] = tuple(QUERY_SOLVERS.values())
ROLES = ("data", "mechanism", "adversary", "challenge")
"""Random streams: the data set, the solver's noise, the adversary's moves, and the coin tossed at a challenge."""


@dataclass(frozen=True)
class QueriesGame:
    """One game of threshold queries.

    Attributes
    ----------
    items
        Number of queries.
    max_abs_error, rms_error
        Over all answers, in points.
    bound
        The solver's bound on its largest error, exceeded with probability 0.05 at most.
    paid
        Fresh noisy answers, for solvers that count them.
    first_failure
        The first query with an error above the bound.
    """

    items: int
    max_abs_error: float
    rms_error: float
    bound: float
    paid: int | None
    first_failure: int | None
    output_changes: int
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether all answers stayed within the bound."""
        return self.max_abs_error <= self.bound and self.max_abs_error < inf


def play_queries(
    solver: Any, adversary: Adversary, *, values: int, points: int, queries: int, seed: int = 0
) -> QueriesGame:
    """Play one game of threshold queries and return its outcome.

    Parameters
    ----------
    solver
        Answers the queries.
    adversary
        Asks the queries: naming site i asks for the number of points with values up to i. It sees the answers. It is
        copied.
    values
        Values 0 ... values - 1 of the domain.
    points
        Points of the data set, drawn uniformly.
    queries
        Maximum number of queries; a skipped step has none.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries import RoundRobin
    >>> from disttrack.mechanisms import SortedQueries
    >>> play_queries(SortedQueries(1.0), RoundRobin(), values=500, points=300, queries=500).ok
    True
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    data = rngs["data"].integers(0, values, points)
    below = np.searchsorted(np.sort(data), np.arange(values), side="right").tolist()
    run = solver.start(data, rngs["mechanism"])
    view = clocked_points.ContinualView(
        sites=values, items=queries, start=points, known=clocked_points.known(solver), rng=rngs["adversary"]
    )
    mover = Mover(copy.deepcopy(adversary), view, rngs["challenge"])
    bound = solver.largest_error(points, queries, clocked_points.DELTA)
    errors, failure = [], None
    for step in range(1, queries + 1):
        value = mover.move()
        if value is None:
            continue
        answer = _answered(run, value, f"adversary {adversary.kind}: step {step}")
        mover.observe(answer)
        errors.append(distance(answer, below[value]))
        if failure is None and (errors[-1] > bound or errors[-1] == inf):
            failure = step
    asked, squares = len(errors), sum(error**2 for error in errors)
    return QueriesGame(
        asked,
        max(errors, default=0.0),
        (squares / max(1, asked)) ** 0.5,
        bound,
        getattr(run, "paid", None),
        failure,
        view.changes,
        time.perf_counter() - begun,
    )


def _answered(run: Any, value: int, where: str) -> Any:
    """Return the solver's answer; an invalid query is reported as the adversary's error, with its place."""
    try:
        return run.answer(value)
    except ValueError as error:
        raise MoveError(f"{where}: {error}") from error


class ThresholdQueries(Task):
    """Threshold queries on a fixed data set."""

    kind: ClassVar[str] = "threshold-queries"
    rules: ClassVar[int] = 3
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
        Answer("bound", "what the largest error of a game exceeds with probability 0.05 at most", "bound", rank=0),
        Answer("paid", "fresh noisy answers, of solvers that count them", "paid", rank=2),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        adversary_of(point)
        self._solver(point)

    def _solver(self, point: Point) -> Any:
        return clocked_points.mechanism_of(point, BASE, points=point.start, queries=clocked_points.steps_of(point))

    def play(self, point: Point, seed: int) -> Record:
        assert point.sites is not None
        game = play_queries(
            self._solver(point),
            adversary_of(point),
            values=point.sites,
            points=point.start,
            queries=clocked_points.steps_of(point),
            seed=seed,
        )
        own = ("items", "first_failure", "output_changes", "seconds", *self.columns[1:])
        row = {name: getattr(game, name) for name in own}
        row |= {"points": point.start, "engine": "step", "ok": game.ok}
        return Record(row={**row, "verdict": "ok" if game.ok else "failed"}, engine_reason="a query at a time")

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=clocked_points.steps_of(point) / 170_000)
