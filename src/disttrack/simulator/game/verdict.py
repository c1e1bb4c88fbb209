"""The verdict over all steps, from outputs and truth alone.

While the output is constant the number of items only grows, so the signed relative error
(output - N) / N only falls, or only rises if the output is negative: its extremes are at the ends of the
interval, and the failing steps are a head and a tail of it. So a change of the output costs O(1).
An output that is no finite number fails at every step of its interval, and its error is infinite.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import repeat
from math import inf, isfinite
from typing import Any

import numpy as np

from disttrack.protocols.base import Number
from disttrack.simulator.game.columns import FAILED, OK, UNDECIDED, Verdict
from disttrack.simulator.game.judging import EXACT
from disttrack.simulator.game.outputs import NO_NUMBER, exact_parts, measured, plain, relative_error, scaled


class Judgement:
    """What a judge has found.

    Attributes
    ----------
    alpha
        The promised relative error; None if nothing is promised.
    failing_steps
        Number of steps whose error exceeded it.
    highest, lowest
        The largest signed relative error (the output was too high if positive), and the smallest one.
    """

    __slots__ = ()
    alpha: Fraction | None
    failing_steps: int
    highest: Any
    lowest: Any

    @property
    @abstractmethod
    def judged(self) -> bool:
        """Whether any step was judged."""

    @property
    def max_rel_error(self) -> float:
        """The largest relative error over all steps so far judged."""
        largest: float = max(self.highest, -self.lowest, 0.0)
        return largest

    def verdict(self) -> Verdict:
        """Return ok, failed, or undecided if nothing is promised or no step was judged."""
        if self.alpha is None or not self.judged:
            return UNDECIDED
        return FAILED if self.failing_steps else OK


@lru_cache(maxsize=32)
def promised(alpha: float | None) -> Fraction | None:
    """Return a promised relative error as the decimal number that it is written as."""
    return None if alpha is None else Fraction(str(alpha))


_FEW = 50
"""Number of changes up to which judging them one by one is faster."""
_LARGEST = 2**62
_SLACK = 1e-12  # far above the rounding of one division; nearer to the border the exact test decides


class IntervalJudge(Judgement):
    """Judges a running game.

    Parameters
    ----------
    alpha
        The promised relative error; None if nothing is promised (the verdict is then undecided).
    start
        Items counted before the first step.
    output
        The output before the first step; it is judged from that step on, unless it has changed by then.

    Attributes
    ----------
    changes
        Number of changes of the output.
    failing_steps
        Number of steps at whose end the relative error exceeded alpha, up to the last `close`.
    first_failure, first_failing_step
        Number of items at the first of them, and that step; None if there is none.
    output, value
        The present output, and the same as a plain number; NaN for both if it is no number.
    later
        Steps and outputs of changes that `catch_up` will judge; until then the other attributes do not include them.
    """

    __slots__ = (
        "_high", "_high_at", "_high_border", "_low", "_low_at", "_low_border", "_quotient",
        "alpha", "changes", "failing_steps", "first_failing_step", "first_failure", "items", "later", "output",
        "step", "value",
    )  # fmt: skip

    def __init__(self, alpha: float | None, start: int, output: Number) -> None:
        self.alpha = promised(alpha)
        slack = _SLACK if alpha else 0.0  # a quotient of exactly 1 is computed exactly
        self._high_border = inf if alpha is None else 1 + alpha - slack
        self._low_border = -inf if alpha is None else 1 - alpha + slack
        self.changes = 0
        self.failing_steps = 0
        self.first_failure: int | None = None
        self.first_failing_step: int | None = None
        # extremes of output / items so far, and where they were reached
        self._high, self._low = -inf, inf
        self._high_at: tuple[Number, int] = (0, 1)
        self._low_at: tuple[Number, int] = (0, 1)
        self.step, self.items = 0, start
        self.output, self.value = measured(output)
        self._quotient = 1.0
        self.later: tuple[list[int], list[Number]] = ([], [])

    def change(
        self, step: int, items: int, before: int, output: Number, step_of: Callable[[int], int] | None = None
    ) -> bool:
        """Record a new output from `step` on, at the end of which there are `items` items.

        Return whether it differs from the last one; two outputs that are no numbers do not differ. For whole numbers
        the caller knows that it does.

        Parameters
        ----------
        before
            Items at the end of the step before.
        step_of
            The step of the n-th item; only needed if steps were skipped.
        """
        value: int | float
        if type(output) is int and -_LARGEST < output < _LARGEST:
            value = output
        else:
            output, value = measured(output)
            if (value == self.value and output == self.output) or output is NO_NUMBER is self.output:
                return False
        self.close(step - 1, before, step_of)
        self._begin(step, items, output, value)
        self.changes += 1
        return True

    def _stood(self, last: int, step_of: Callable[[int], int] | None) -> bool:
        """Return whether the first output held at the end of any step up to `last`; if so, it counts from step 1."""
        if last:
            fed = step_of is None or step_of(self.items + 1) == 1
            self._begin(1, self.items + fed, self.output, self.value)
        return last > 0

    def _begin(self, step: int, items: int, output: Number, value: int | float) -> None:
        self.step, self.items, self.output, self.value = step, items, output, value
        quotient = self._quotient = value / items if items else (value * inf if value else 1.0)
        if not quotient <= self._high:
            self._new_high(quotient)
        if quotient < self._low:
            self._low, self._low_at = quotient, (output, items)

    def _new_high(self, quotient: float) -> None:
        """Record that the present output is the highest so far, or no number: then its quotient counts as infinite."""
        self._quotient = self._high = quotient if quotient == quotient else inf
        self._high_at = self.output, self.items

    def close(self, step: int, items: int, step_of: Callable[[int], int] | None = None) -> None:
        """Judge the present output over its steps so far, up to `step`, with `items` items by then."""
        if not (self.step or self._stood(step, step_of)):
            return
        quotient = self.value / items if items else self._quotient
        if quotient < self._low:
            self._low, self._low_at = quotient, (self.output, items)
        if quotient > self._high:
            self._high, self._high_at = quotient, (self.output, items)
        if quotient < self._low_border or self._quotient > self._high_border:
            self._count_failing(step, items, step_of)

    def catch_up(self, offset: int) -> None:
        """Judge the postponed changes in `later`, without skipped steps: the items are steps plus `offset`."""
        steps, outputs = self.later
        if not steps:
            return
        kinds = set(map(type, outputs)) if len(steps) > _FEW else set()
        if kinds == {float} or (kinds == {int} and max(outputs) < 2**62):  # type: ignore[operator]
            self.change_many(np.array(steps), offset, np.array(outputs))
        else:
            self._change_each(steps, offset, outputs)
        steps.clear()
        outputs.clear()

    def change_many(
        self, steps: Any, offset: int, outputs: Any, scale: tuple[int, int] = (1, 1), jumps: Any = False
    ) -> None:
        """Record changes at these steps, in order, without skipped steps: the items are steps plus `offset`.

        Parameters
        ----------
        outputs
            The outputs from these steps on, each to be multiplied by the fraction `scale`. An output equal to
            the one before is no change.
        jumps
            Whether others came between an output and the one before, of which the last one need not be judged.
        """
        finite = outputs.dtype.kind in "iu" or (outputs.dtype.kind == "f" and bool(np.isfinite(outputs).all()))
        if not finite or self.value < 0 or (len(outputs) and outputs.min() < 0):
            jumped = np.broadcast_to(jumps, len(steps)).tolist()
            self._change_each(steps.tolist(), offset, [plain(output, *scale) for output in outputs], jumped)
            return
        values = outputs if scale == (1, 1) else scaled(outputs, *scale)
        before = np.concatenate((values[:1], values[:-1]))
        moved = values != before
        moved[0] = plain(outputs[0], *scale) != self.output
        moved |= jumps
        jumps = np.broadcast_to(jumps, len(steps))
        if not moved.all():
            steps, outputs, values, jumps = steps[moved], outputs[moved], values[moved], jumps[moved]
        if not len(steps):
            return
        items = steps + offset
        standing = np.concatenate(([self.value], values[:-1]))
        high = values / items
        low = standing / np.maximum(items - 1, 1)
        if items[0] == 1:
            low[0] = self._quotient  # no item had come: right if the output was 0
        if not (self.step or self._stood(int(steps[0]) - 1, None)):
            low[0], self._quotient = inf, -inf  # there was no output before
        if low[0] != low[0]:
            low[0] = inf  # the output before was no number, and counts as too high
        low[jumps] = inf
        self._extremes(low, high, steps, items, outputs, scale)
        self._quotient, self.value = float(high[-1]), values[-1].item()
        self.step, self.items = int(steps[-1]), int(items[-1])
        self.output = plain(outputs[-1], *scale)
        self.changes += len(steps)

    def change_log(
        self, log: Any, first: int, offset: int, scale: tuple[int, int], whole: bool, extremes: Callable[..., bool]
    ) -> None:
        """Record changes as `change_many` does, by a compiled form of `judging.extremes` where that can judge them.

        Parameters
        ----------
        log, first
            Rows of steps, outputs and jumps; the changes are those from this row on.
        whole
            Whether the outputs, before they are multiplied, are whole numbers.
        """
        kind, rows = int if whole else float, len(log)
        stood = self.step > 0 or self._stood(int(log[first, 0]) - 1, None)
        state = np.array([
            self.value, self._quotient, self._low, self._high, self._low_border, self._high_border, -1.0, -1.0, stood
        ])  # fmt: skip
        if not 0 <= self.value < EXACT or not extremes(log, first, rows, offset, *scale, state):
            steps, outputs, jumps = log[first:, :3].T
            kind_of = np.int64 if whole else float
            self.change_many(steps.astype(np.int64), offset, outputs.astype(kind_of), scale, jumps != 0)
            return
        value, self._quotient, self._low, self._high, _, _, low_at, high_at, _ = state.tolist()
        if low_at >= 0:
            before = self.output if low_at == first else plain(kind(log[int(low_at) - 1, 1]), *scale)
            self._low_at = before, int(log[int(low_at), 0]) + offset - 1
        if high_at >= 0:
            self._high_at = plain(kind(log[int(high_at), 1]), *scale), int(log[int(high_at), 0]) + offset
        self.step = int(log[rows - 1, 0])
        self.items, self.output = self.step + offset, plain(kind(log[rows - 1, 1]), *scale)
        self.value = kind(value) if scale == (1, 1) else value
        self.changes += rows - first

    def _change_each(self, steps: list[int], offset: int, outputs: list[Number], jumps: Iterable[bool] = ()) -> None:
        """Record changes one by one, as `change_many` does; an output may be no number."""
        for step, output, jumped in zip(steps, outputs, jumps or repeat(False), strict=False):
            if jumped:
                self._begin(step, step + offset, *measured(output))
                self.changes += 1
            elif not (type(output) is int and output == self.output):
                self.change(step, step + offset, step + offset - 1, output)

    def _extremes(self, low: Any, high: Any, steps: Any, items: Any, outputs: Any, scale: tuple[int, int]) -> None:
        """Update extremes and failing steps for the intervals that end before each of many changes."""
        standing = self.step, self.items, self.output

        def interval(place: int) -> tuple[int, int, Number]:
            if not place:
                return standing
            return int(steps[place - 1]), int(items[place - 1]), plain(outputs[place - 1], *scale)

        least, most = int(low.argmin()), int(high.argmax())
        if low[least] < self._low:
            self._low, self._low_at = float(low[least]), (interval(least)[2], int(items[least]) - 1)
        if high[most] > self._high:
            self._high, self._high_at = float(high[most]), (interval(most + 1)[2], int(items[most]))
        begun = np.concatenate(([self._quotient], high[:-1]))
        failing = np.flatnonzero((low < self._low_border) | (begun > self._high_border))
        if len(failing) and self._fits(outputs, scale):  # the first that fails is judged alone, and the others together
            later = failing[failing > 0]
            numbers = self._failing_in(later, items, outputs, scale)
            self.failing_steps += int(numbers[numbers > 0][1:].sum())
            failing = np.append(failing[failing == 0], later[numbers > 0][:1])
        for place in failing.tolist():
            self.step, self.items, self.output = interval(place)
            self._count_failing(int(steps[place]) - 1, int(items[place]) - 1, None)

    def _fits(self, outputs: Any, scale: tuple[int, int]) -> bool:
        """Return whether the borders of these outputs can be computed in integers of 64 bits."""
        assert self.alpha is not None
        most = int(outputs.max()) if outputs.dtype.kind == "i" else _LARGEST
        return most * scale[0] * self.alpha.denominator < _LARGEST

    def _failing_in(self, places: Any, items: Any, outputs: Any, scale: tuple[int, int]) -> Any:
        """Return the failing steps of each interval that ends before these changes, as `_count_failing` counts them."""
        assert self.alpha is not None
        (part, whole), (numerator, denominator) = self.alpha.as_integer_ratio(), scale
        begin, end = items[places - 1], items[places] - 1
        right = outputs[places - 1] * (numerator * whole)
        least = -(-right // (denominator * (whole + part)))
        most = right // (denominator * (whole - part))
        length = end - begin + 1
        return np.clip(least - begin, 0, length) + np.clip(end - most, 0, length)

    def _count_failing(self, last: int, items: int, step_of: Callable[[int], int] | None) -> None:
        """Add the failing steps of the present interval, in exact arithmetic."""
        alpha = self.alpha
        assert alpha is not None
        first = self.step
        if type(self.output) is float and not isfinite(self.output):  # `value` is not that of many changes at once
            least = most = items + 1  # right for no number of items
        else:
            # right for all N with (1 - alpha) N <= output <= (1 + alpha) N; in whole numbers, since a failing tracker
            # fails at most of its changes
            (part, whole), (numerator, denominator) = alpha.as_integer_ratio(), exact_parts(self.output)
            least = -(-numerator * whole // (denominator * (whole + part)))
            most = numerator * whole // (denominator * (whole - part))

        def reached(n: int) -> int:
            if n <= self.items:
                return first
            return max(first, step_of(n) if step_of else self.step + n - self.items)

        head_end = last if least > items else reached(least) - 1
        tail_begin = last + 1 if most >= items else reached(most + 1)
        for begin, end in ((first, head_end), (tail_begin, last)):
            if begin > end:
                continue
            self.failing_steps += end - begin + 1
            if self.first_failure is None:
                self.first_failing_step = begin
                self.first_failure = max(self.items, most + 1) if begin == tail_begin else self.items

    @property
    def extremes(self) -> tuple[float, float]:
        """The least and the largest output over items of which the verdict need not know, the former by a margin."""
        return max(self._low, self._low_border, 0.0) * (1 + _SLACK), min(self._high, self._high_border)

    @property
    def highest(self) -> float:
        """The largest signed relative error (the output was too high if positive)."""
        return relative_error(*self._high_at) if self._high > -inf else 0.0

    @property
    def lowest(self) -> float:
        """The smallest signed relative error (the output was too low if negative)."""
        return relative_error(*self._low_at) if self._low < inf else 0.0

    @property
    def judged(self) -> bool:
        """Whether any step was judged, up to the last `close`."""
        return self.step > 0
