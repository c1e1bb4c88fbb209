"""The task `continual-count`: a private counter against a stream, its additive error over all steps."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import ArrayLike

from disttrack.adversaries.base import Adversary, View
from disttrack.mechanisms import Counter
from disttrack.mechanisms.shortcuts import stated
from disttrack.privacy.tasks.planned import Planned, items
from disttrack.simulator.game.tasks.adversary import adversary_of
from disttrack.simulator.game.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.game.tasks.base import COST, OF_ERROR, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import DELTA, STEPS, Duel, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Sides, kept
from disttrack.simulator.game.timeline import checkpoints
from disttrack.simulator.kinds.point import Point


class MemoryView(View):
    """The view of an adversary of a counter: granted the state, it may look at it and guess at a challenge.

    Attributes
    ----------
    looks
        Number of looks at the state.
    guessed
        The answer to the challenge: True if the item is thought to be present; None if none was given.
    """

    _shown = ("guessed", "look", "looks")
    __slots__ = ("_guessed", "_look", "_looks", "_state")

    guessed: bool | None
    look: Callable[[], Mapping[str, object]] | None
    looks: int

    def __init__(self, *, state: Callable[[], Mapping[str, object]] | None, **given: Any) -> None:
        super().__init__(**given)
        self._looks = 0
        self._guessed: bool | None = None
        self._state = state
        self._look = None if state is None else self._state_now

    def _state_now(self) -> Mapping[str, object]:
        """Return the mechanism's inner state between two steps."""
        assert self._state is not None
        self._looks += 1
        return self._state()

    def guess(self, there: bool) -> None:
        """Answer whether the item of the challenge was present."""
        self._guessed = bool(there)


class CountReferee(Referee[ArrayLike, ArrayLike]):
    """Compares estimates with the truth at every step, many steps at a time.

    An estimate that is no finite number is infinitely wrong.
    """

    block = 1 << 18

    def __init__(self, counter: Counter, steps: int) -> None:
        self._counter, self._steps = counter, steps
        late = counter.error_follows_items  # its bound is known after the items have been counted
        self._bound = None if late else bound_of(counter, steps)
        self._items = self._at = self._changes = 0
        self._largest = self._squares = self._last = 0.0
        self._failure: int | None = None
        self._marks = np.array(checkpoints(0, steps, down=True))
        self.series = {"step": [], "items": [], "output": [], "rel_error": []}

    def judge(self, moves: ArrayLike, answers: ArrayLike) -> None:
        """Take the items and estimates of the next steps."""
        items, estimates = np.asarray(moves), np.asarray(answers)
        truth = self._items + np.cumsum(items)
        comparable = np.where(np.isfinite(estimates), estimates, math.inf)
        errors = comparable - truth
        sizes = np.abs(errors)
        wrong = (sizes > (math.inf if self._bound is None else self._bound)) | (sizes == math.inf)
        if self._failure is None and wrong.any():
            self._failure = self._at + int(wrong.argmax()) + 1
        self._largest = max(self._largest, float(sizes.max()))
        self._squares += float(np.square(errors).sum())  # a BLAS product would differ between processors
        self._changes += int(np.count_nonzero(comparable[1:] != comparable[:-1])) + bool(comparable[0] != self._last)
        self._last = float(comparable[-1])
        due = self._marks[(self._marks > self._at) & (self._marks <= self._at + len(items))] - self._at - 1
        shown, counts = estimates[due].astype(float).tolist(), [int(count) for count in truth[due]]
        self.series["step"] += (due + self._at + 1).tolist()
        self.series["items"] += counts
        self.series["output"] += shown
        self.series["rel_error"] += [(out - n) / n if n else None for n, out in zip(counts, shown, strict=True)]
        self._items = int(truth[-1])
        self._at += len(items)

    def row(self) -> Row:
        """Return the columns, with the errors over the variance that the counter states for each step."""
        if self._counter.error_follows_items:
            self._bound = stated(self._counter.error_bound_throughout, self._steps, DELTA, self._items)
        variances = [self._counter.variance(step) for step in self.series["step"]]
        squares = np.square(np.subtract(self.series["output"], self.series["items"]))
        return {
            "sent": self._items,
            "max_abs_error": self._largest,
            "rms_error": math.sqrt(self._squares / max(1, self._at)),
            "final_error": self._last - self._items,
            "square_over_variance": float(np.mean(squares / np.array(variances))) if all(variances) else None,
            "bound": self._bound,
            "first_failure": self._failure,
            "output_changes": self._changes,
            "verdict": kept(None if self._bound is None else self._largest <= self._bound and self._largest < math.inf),
        }


@lru_cache(maxsize=4096)
def bound_of(counter: Counter, steps: int) -> float | None:
    """Return the counter's bound on its largest error, exceeded with probability 0.05 at most; None without one."""
    return stated(counter.error_bound_throughout, steps, DELTA)


class ContinualCount(Duel[Counter, Adversary]):
    """A private counter under continual observation.

    Columns: `sent` items in the steps of the game, `log_items` the logarithm of the steps; `max_abs_error` and
    `rms_error` over all steps, `final_error` at the end; `square_over_variance`, the mean over the checkpoints of the
    squared error over the variance that the counter states for the step: 1 on average. `bound` is the counter's bound
    on its largest error, exceeded with probability 0.05 at most. `looks` is the number of the adversary's looks at the
    state, and `guessed` whether its guess at the challenge was right.
    """

    kind: ClassVar[str] = "continual-count"
    empty: ClassVar = (*COST, *OF_ERROR, "kinds.csv")
    labels: ClassVar = {"final_error": "error of the last answer", "guessed": "share of guesses that are right"}
    axes: ClassVar = {
        "adversary_looks": "looks at the state",
        "participations": "participations of a user",
    }
    rules: ClassVar[int] = 4
    roles: ClassVar[Sequence[str]] = ("", "mechanism", "adversary", "challenge")
    takes: ClassVar[tuple[type[object], ...]] = (Counter,)
    sizes: ClassVar[Sequence[Size]] = (STEPS,)
    columns: ClassVar[Sequence[str]] = (
        *("sent", "log_items", "max_abs_error", "rms_error", "final_error", "square_over_variance"),
        *("bound", "looks", "guessed"),
    )
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which the error stayed within the bound at every step"),
        LARGEST,
        RMS,
        Answer("bound", "value that the largest error exceeds with probability at most 0.05", "bound", rank=0),
        Answer("guessed", "games in which the adversary guessed the challenge right", "guessed", "share"),
        Answer("memory", "numbers that the counter keeps, as it declares", "memory", "fact", rank=3),
    )

    def fits(self, mechanism: Counter, adversary: Adversary, sizes: Sizes) -> None:
        self.fits_horizon(mechanism, sizes["steps"])

    def begin(self, mechanism: Counter, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        steps = sizes["steps"]
        run = mechanism.start(rngs["mechanism"])
        state = run.state if adversary.sees == "state" else None
        view = MemoryView(sites=1, items=steps, known=known(mechanism), rng=rngs["adversary"], state=state)
        opponent = Planned(adversary, view, rngs["challenge"], items)
        return Sides(run, opponent, CountReferee(mechanism, steps), view, steps)

    def match(self, mechanism: Counter, adversary: Adversary, sizes: Sizes, *, seed: int, arrays: bool) -> Sides:
        sides = super().match(mechanism, adversary, sizes, seed=seed, arrays=arrays)
        if not adversary.oblivious:
            sides.opponent.move(sides.view)  # asked once more: it may react to the last step's output
        return sides

    def finish(self, sides: Sides) -> Row:
        view, challenged = sides.view, cast(Planned, sides.opponent).challenged
        guessed = None if challenged is None or view.guessed is None else view.guessed == challenged
        row = {"looks": view.looks, "guessed": guessed, "log_items": math.log2(view.items)}
        return {**sides.referee.row(), **row, "sites": 1}

    def demand(self, point: Point) -> Demand:
        """Return the memory of the blocks of steps, or of the whole stream if it is played step by step."""
        steps = float(self.sizes_of(point)["steps"])
        whole = point.protocol.maker().remembers_steps or not adversary_of(point).oblivious
        return Demand(
            seconds=steps * getattr(point.protocol.maker(), "slowness", 1.0) / 1e7,
            memory=8e7 + (100 * steps if whole else 0.0),
        )
