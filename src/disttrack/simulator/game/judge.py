"""The verdict of the reference engine, and on networks: the error of the output at the end of each step.

While messages are in transit, the lag-aware error of a step is the least relative error of the output to any number
from the items before the oldest open chain of messages (`simulator.game.network.mail`) up to the present number.
Without messages in transit only the present number counts, and the lag-aware error is the relative error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from math import inf, isfinite
from typing import Any, Final

import numpy as np

from disttrack.protocols.base import Number
from disttrack.simulator.game.judging import nearest_truth
from disttrack.simulator.game.network.mail import Origin
from disttrack.simulator.game.outputs import exact_parts, measured, plain
from disttrack.simulator.game.verdict import Judgement, promised

_NEVER_CHANGING: Final = (int, float)
"""Types of outputs of which the same object is the same output."""


class Judge(Judgement):
    """Judges one step after another.

    Parameters
    ----------
    alpha
        The promised relative error; None if nothing is promised.
    output
        The output before the first step.
    warm_up
        Initial steps that are not judged.
    start
        Items counted before the first step.

    Attributes
    ----------
    output, value, step, changes
        The present output, exactly and as a plain number; the step of its last change, and the number of changes.
    failing_steps, first_failure, first_failing_step
        Steps whose error exceeded alpha, the items at the first of them, and that step.
    max_lag
        The largest age of the oldest open chain of messages, in steps.
    """

    def __init__(self, alpha: float | None, output: object, warm_up: int = 0, start: int = 0) -> None:
        self.alpha = promised(alpha)
        self._allowed, self._of = (1, 0) if self.alpha is None else self.alpha.as_integer_ratio()
        self._take(output)
        self.warm_up, self.start = warm_up, start
        self._compared = False
        self.step = self.changes = self.failing_steps = self.max_lag = 0
        self.first_failure: int | None = None
        self.first_failing_step: int | None = None
        self._least, self._most = inf, -inf
        self._lowest_rank, self._highest_rank = inf, -inf

    def hear(self, step: int, output: object) -> bool:
        """Take the output at the end of a step; return whether it is new."""
        if output is self._heard and type(output) in _NEVER_CHANGING:
            return False
        before = self.output
        self._take(output)
        if self.output is before or self.output == before:
            return False
        self.step, self.changes = step, self.changes + 1
        return True

    def _take(self, output: object) -> None:
        self._heard = output
        self.output, self.value = measured(output)
        self._parts = exact_parts(self.output) if isfinite(self.value) else None

    def judge(self, step: int, items: int, oldest: Origin | None = None) -> None:
        """Judge the output at the end of a step, with this number of items and oldest open chain."""
        if step > self.warm_up:
            error, failing = self.error(items, oldest)
            self.widen(error, 0 if oldest is None else step - oldest.step + 1, self.rank(error, items))
            self.compare(oldest)
            if failing:
                self.fail(step, items, 1)

    def error(self, items: int, oldest: Origin | None = None) -> tuple[float, bool]:
        """Return the signed relative error, and whether it exceeds alpha.

        With an open chain of messages, it is the least one to any number from those before the chain up to `items`.
        """
        if self._parts is None:
            return (-inf if self.value == -inf else inf), self.alpha is not None
        output, whole = self._parts  # from here on, all in units of 1 / whole
        truth = nearest_truth(output, whole * (items if oldest is None else oldest.before), whole * items)
        error = (output - truth) / truth if truth else self.value * inf if output else 0.0
        return error, abs(output - truth) * self._of > self._allowed * truth

    def rank(self, error: float, items: int) -> float:
        """Return the number that is compared to find the extreme errors."""
        return error

    def widen(self, error: float, lag: int, rank: float) -> None:
        """Take an error, which has this rank, and a lag into the extremes."""
        if rank < self._lowest_rank:
            self._lowest_rank, self._least = rank, error
        if rank > self._highest_rank:
            self._highest_rank, self._most = rank, error
        self.max_lag = max(self.max_lag, lag)

    def compare(self, oldest: Origin | None) -> None:
        """Record that a step with this oldest open chain was compared with the truth."""
        self._compared = self._compared or oldest is None or oldest.before > self.start

    def fail(self, step: int, items: int, steps: int) -> None:
        """Count failing steps, the first of them with these items."""
        self._compared = True
        self.failing_steps += steps
        if self.first_failure is None:
            self.first_failure, self.first_failing_step = items, step

    @property
    def judged(self) -> bool:
        """Whether any step was judged.

        If the first messages of the game are still in transit, a step is not unless it fails: every output from `start`
        to the present number of items is right.
        """
        return self._compared

    @property
    def highest(self) -> float:
        """The largest signed error, 0 if there is no finite one and none that is too high."""
        return self._most if self._most > -inf else 0.0

    @property
    def lowest(self) -> float:
        """The smallest signed error, 0 if there is no finite one and none that is too low."""
        return self._least if self._least < inf else 0.0


class PresentJudge(Judge):
    """Compares outputs with the present number of items.

    Extremes are those of output / items, as `verdict.IntervalJudge` finds them: of errors that are one float there, the
    first is reported, so that both verdicts have the same last digit.
    """

    def judge(self, step: int, items: int, oldest: Origin | None = None) -> None:
        """Judge the output at the end of a step; nothing changes if it is right and no new extreme."""
        if self._parts is not None and items and self._lowest_rank <= self.value / items <= self._highest_rank:
            output, whole = self._parts
            if abs(output - whole * items) * self._of <= self._allowed * whole * items:
                return
        super().judge(step, items, oldest)

    def rank(self, error: float, items: int) -> float:
        if self._parts is None:
            return error
        return self.value / items if items else self.value * inf if self.value else 1.0


class LagJudge(Judge):
    """Judges all steps after the warm-up, those between two notes at once."""

    def __init__(self, alpha: float | None, output: Number, warm_up: int = 0, start: int = 0) -> None:
        super().__init__(alpha, output, warm_up, start)
        self._since = 1
        self._oldest: Origin | None = None

    def note(self, step: int, output: Number, oldest: Origin | None, items_at: Callable[[int], int]) -> None:
        """Record the state from `step` on: the output, and the origin of the oldest open chain.

        Parameters
        ----------
        items_at
            The number of items at the end of a step since the last note.
        """
        if oldest == self._oldest and measured(output)[0] == self.output:
            return
        self.close(step - 1, items_at)
        self.hear(step, output)
        self._since, self._oldest = step, oldest

    def close(self, last: int, items_at: Callable[[int], int]) -> None:
        """Judge the steps since the last note up to `last`.

        The number of items only grows, so the error is extreme at the first step and the last one, and the failing
        steps are a head at which the output is too high, and a tail at which it is too low.
        """
        first, oldest = max(self._since, self.warm_up + 1), self._oldest
        if last < first:
            return
        self.compare(oldest)
        fails = False
        for step in (first, last):
            error, failing = self.error(items_at(step), oldest)
            self.widen(error, 0 if oldest is None else last - oldest.step + 1, error)
            fails = fails or failing
        if fails:
            self._count_failing(range(first, last + 1), items_at)

    def close_log(
        self, log: Any, last: int, offset: int, scale: tuple[int, int], whole: bool, lags: Callable[..., int]
    ) -> None:
        """Judge the steps of a log without skipped ones, up to that of its row `last`, by a form of `judging.lags`.

        For the other parameters see `IntervalJudge.change_log`. What `lags` cannot judge, `close` does.
        """
        alpha, place = inf if self.alpha is None else float(self.alpha), 0
        while True:
            begun = -1 if self.first_failing_step is None else self.first_failing_step
            state = np.array([
                self._least, self._most, self.max_lag, self.failing_steps, begun, self._compared, self.warm_up, alpha
            ], float)  # fmt: skip
            place = lags(log, place, last, offset, *scale, state)
            self._least, self._most = state[:2].tolist()
            self._lowest_rank, self._highest_rank = self._least, self._most
            self.max_lag, self.failing_steps, begun = map(int, state[2:5].tolist())
            self._compared = bool(state[5])
            if begun >= 0 and self.first_failure is None:
                self.first_failing_step, self.first_failure = begun, begun + offset
            if place == last:
                return
            step, output, oldest, before = log[place].tolist()
            self._take(plain(int(output) if whole else output, *scale))
            self._since, self._oldest = int(step), Origin(int(oldest), int(before)) if oldest else None
            self.close(int(log[place + 1, 0]) - 1, lambda step: step + offset)
            place += 1

    def _count_failing(self, steps: range, items_at: Callable[[int], int]) -> None:
        """Add the failing steps among these."""

        def side(step: int) -> int:
            """Return 1 if the output is too high, -1 if it is too low, else 0."""
            error, failing = self.error(items_at(step), self._oldest)
            return (1 if error > 0 else -1) if failing else 0

        head = bisect_left(steps, True, key=lambda step: side(step) < 1)
        tail = bisect_left(steps, True, key=lambda step: side(step) < 0)
        begin = steps[0] if head else steps[tail]
        self.fail(begin, items_at(begin), head + len(steps) - tail)
