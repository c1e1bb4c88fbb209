"""The task `continual-count`: a private counter against a stream, its additive error over all steps."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms import Counter, Run
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.timeline import checkpoints
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.continual.stream import Mover, stretches
from disttrack.simulator.tasks.sizes import Size

if TYPE_CHECKING:
    import pandas as pd

ROLES = ("", "mechanism", "adversary", "challenge")
"""Random streams: the counter's noise, the adversary's moves, and the coin tossed at a challenge."""


@dataclass
class CounterGame:
    """One game of a private counter.

    Attributes
    ----------
    steps, items
        Steps played, and items among them.
    max_abs_error, rms_error, final_error
        Largest and root mean squared error over all steps, and the error at the end, in items.
    square_over_variance
        Mean, over the checkpoints, of the squared error over the variance that the counter states for the step: 1 on
        average. None if the counter states no variance.
    bound
        The counter's bound on its largest error, exceeded with probability 0.05 at most.
    first_failure
        The first step whose error exceeds the bound, None if there is none.
    output_changes
        Number of changes of the estimate.
    looks
        Number of the adversary's looks at the state.
    guessed
        Whether its guess at the challenge was right; None if there was none.
    series
        Step, items, output and relative error at some 200 checkpoints.
    """

    steps: int
    engine: str = "step"
    engine_reason: str = ""
    items: int = 0
    max_abs_error: float = 0.0
    rms_error: float = 0.0
    final_error: float = 0.0
    square_over_variance: float | None = None
    bound: float = math.inf
    first_failure: int | None = None
    output_changes: int = 0
    looks: int = 0
    guessed: bool | None = None
    seconds: float = 0.0
    series: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the error stayed within the bound at all steps."""
        return self.max_abs_error <= self.bound and self.max_abs_error < math.inf


class CountReferee:
    """Compares estimates with the truth at every step, many steps at a time.

    An estimate that is no finite number is infinitely wrong.
    """

    def __init__(self, steps: int, bound: float) -> None:
        self.game = CounterGame(steps, bound=bound)
        self._squares = 0.0
        self._last = 0.0
        self._at = 0
        self._marks = np.array(checkpoints(0, steps, down=True))
        self._rows: list[tuple[int, int, float]] = []

    def judge(self, items: np.ndarray, estimates: np.ndarray) -> None:
        """Take the items and estimates of the next steps."""
        game = self.game
        truth = game.items + np.cumsum(items)
        errors = estimates - truth
        sizes = np.abs(errors)
        largest = float(sizes.max())
        told_apart = estimates
        if not largest < math.inf:
            finite = np.isfinite(estimates)
            told_apart, errors = np.where(finite, estimates, math.inf), np.where(finite, errors, math.inf)
            sizes, largest = np.abs(errors), math.inf
        if game.first_failure is None and (largest > game.bound or largest == math.inf):
            game.first_failure = self._at + int(((sizes > game.bound) | (sizes == math.inf)).argmax()) + 1
        game.max_abs_error = max(game.max_abs_error, largest)
        game.final_error = float(errors[-1])
        self._squares += float(np.square(errors).sum())  # a BLAS product would differ between processors
        game.output_changes += int(np.count_nonzero(told_apart[1:] != told_apart[:-1]))
        game.output_changes += bool(told_apart[0] != self._last)
        self._last = float(told_apart[-1])
        due = self._marks[(self._marks > self._at) & (self._marks <= self._at + len(items))] - self._at - 1
        self._rows += [(self._at + int(i) + 1, int(truth[i]), float(estimates[i])) for i in due]
        game.items = int(truth[-1])
        self._at += len(items)

    def close(self, variance: Callable[[int], float | None]) -> CounterGame:
        """Return the finished game, with its errors relative to the stated variance of each step."""
        game = self.game
        game.rms_error = math.sqrt(self._squares / max(1, self._at))
        steps, items, outputs = (list(column) for column in zip(*self._rows, strict=True))
        relative = [(out - n) / n if n else None for n, out in zip(items, outputs, strict=True)]
        stated = [variance(step) for step in steps]
        if all(stated):
            game.square_over_variance = float(np.mean(np.square(np.subtract(outputs, items)) / np.array(stated)))
        game.series = {"step": steps, "items": items, "output": outputs, "rel_error": relative}
        return game


def play_counter(
    counter: Counter, adversary: Adversary, *, steps: int, seed: int = 0, engine: str = "auto"
) -> CounterGame:
    """Play one game of a private counter and return its outcome.

    Parameters
    ----------
    counter
        The counter; a missing horizon is not filled in here.
    adversary
        Sends the items, all to site 0, the only one. It is copied.
    steps
        Steps of the clock.
    seed
        Root of all random streams of the game.
    engine
        auto, step, or bulk: bulk releases many steps at once, for adversaries that do not react.

    Raises
    ------
    ValueError
        If `engine` cannot play against the adversary.

    Examples
    --------
    >>> from disttrack.adversaries import RoundRobin
    >>> from disttrack.mechanisms import Binary
    >>> game = play_counter(Binary(epsilon=1.0, horizon=1000), RoundRobin(), steps=1000)
    >>> game.items, game.ok
    (1000, True)
    """
    begun = time.perf_counter()
    chosen, reason = clocked_points.engine_of(engine, adversary)
    adversary = copy.deepcopy(adversary)
    rngs = streams(seed, ROLES)
    run = counter.start(rngs["mechanism"])
    view = clocked_points.ContinualView(
        sites=1,
        items=steps,
        known=clocked_points.known(counter),
        rng=rngs["adversary"],
        state=run.state if adversary.sees == "state" else None,
    )
    late = counter.error_follows_items  # its bound is known after the items have been counted
    referee = CountReferee(steps, math.inf if late else bound_of(counter, steps))
    if chosen == "bulk":
        for items in stretches(adversary, view, steps):
            referee.judge(items, run.release(items))
    else:
        _by_steps(run, Mover(adversary, view, rngs["challenge"]), view, referee)
    game = referee.close(counter.variance)
    if late:
        game.bound = counter.error_bound_of_stream(steps, game.items, clocked_points.DELTA)
    game.engine, game.engine_reason = chosen, reason
    game.seconds = time.perf_counter() - begun
    return game


def _by_steps(run: Run, mover: Mover, view: clocked_points.ContinualView, referee: CountReferee) -> None:
    """Release an estimate at each step, and show it to the adversary before its next move."""
    game = referee.game
    items, estimates = np.empty(game.steps), np.empty(game.steps)
    for t in range(game.steps):
        items[t] = x = 0 if mover.move() is None else 1
        estimates[t] = output = run.step(x)
        mover.observe(output)
    mover.move()  # it is asked once more: it may react to the last step's output
    referee.judge(items, estimates)
    game.looks = view.looks
    if mover.challenged is not None and view.guessed is not None:
        game.guessed = view.guessed == mover.challenged


@lru_cache(maxsize=4096)
def bound_of(counter: Counter, steps: int) -> float:
    """Return the counter's bound on its largest error, exceeded with probability 0.05 at most."""
    return counter.error_bound_throughout(steps, clocked_points.DELTA)


def _guessed(games: pd.DataFrame) -> Any:
    """Return whether the challenge was guessed right, for the games with a challenge."""
    return games["guessed"].dropna()


class ContinualCount(Task):
    """A private counter under continual observation."""

    kind: ClassVar[str] = "continual-count"
    rules: ClassVar[int] = 4
    sizes: ClassVar[Sequence[Size]] = (clocked_points.STEPS,)
    columns: ClassVar[Sequence[str]] = (
        "sent",
        "log_items",
        "max_abs_error",
        "rms_error",
        "final_error",
        "square_over_variance",
        "bound",
        "looks",
        "guessed",
    )
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which the error stayed within the bound at every step"),
        LARGEST,
        RMS,
        Answer("bound", "what the largest error of a game exceeds with probability 0.05 at most", "bound", rank=0),
        Answer("guessed", "games in which the adversary guessed the challenge right", _guessed, "share"),
        Answer("memory", "numbers that the counter keeps, as it declares", "memory", "fact", rank=3),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        steps = clocked_points.steps_of(point)
        counter = clocked_points.mechanism_of(point, Counter, horizon=steps)
        if counter.horizon is not None and counter.horizon < steps:
            raise PointError(("protocol", "horizon"), f"must be at least the {steps:,} steps of the game")
        clocked_points.check_engine(point, adversary_of(point))

    def play(self, point: Point, seed: int) -> Record:
        steps = clocked_points.steps_of(point)
        game = play_counter(
            clocked_points.mechanism_of(point, Counter, horizon=steps),
            adversary_of(point),
            steps=steps,
            seed=seed,
            engine=point.engine,
        )
        own = ("engine", "first_failure", "output_changes", "seconds", *self.columns[2:])
        row = {name: getattr(game, name) for name in own}
        row |= {"items": steps, "sent": game.items, "log_items": math.log2(steps), "sites": 1}
        row |= {"ok": game.ok, "verdict": "ok" if game.ok else "failed"}
        return Record(row=row, series=game.series, engine_reason=game.engine_reason)

    def demand(self, point: Point) -> Demand:
        """Return the memory of the blocks of steps, or of the whole stream if it is played step by step."""
        steps = float(clocked_points.steps_of(point))
        whole = point.protocol.maker().remembers_steps or not adversary_of(point).oblivious
        return Demand(seconds=steps / 7e6, memory=8e7 + (100 * steps if whole else 0.0))
