"""The problems of items in order: a representative sample, and the rank of every item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from disttrack.adversaries.schedules import Integers
from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.contents.problem import Problem

WINDOW: Final = 64
"""Steps in which the next one that can be the worst is looked for first; then in four times as many, and so on."""
ROUNDING: Final = 1 - 1e-9
"""Part of the largest error that is no longer below it by rounding."""

UNKNOWN: Final = 2**35
"""Bound on the growth where there is none: that of a game of the largest errors and of 2^28 items fits a number."""


class Listed(NamedTuple):
    """The items of a game that is over, by their places in order.

    Attributes
    ----------
    names
        The different items in order.
    stream
        The place of the item of each step.
    moves
        Rows of the step, the place of the item, and the change, of all changes of the server's numbers, by step.
    """

    names: Sequence[Any]
    stream: Integers
    moves: Integers


class Representative(Problem):
    """Items have an order; the error is the largest difference between their distribution in sample and stream.

    Every item changes it, so that a game costs its items: they are listed, and judged after the end. The error times
    the number of items grows in a step by at most `growth`; all items are looked at only in steps whose error can be
    the largest one by that bound.
    """

    name: ClassVar[str] = "item-sampling"
    ordered: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    def __init__(self, *sides: Any) -> None:
        super().__init__(*sides)
        self.items: list[Any] = []
        """The items by now."""
        self.moves: list[tuple[int, Any, int]] = []
        """Step, item and change of each change of the sample."""
        self._shown: dict[Name, int] = {}
        self._least = 0
        """The least number of the server's, of any item at any time, or 0."""

    def news(self, step: int, items: Iterable[Name]) -> bool:
        changes = self.output_changes
        for item in dict.fromkeys(items):
            copies = self.server.estimates[item]
            if change := copies - self._shown.get(item, 0):
                self.moves.append((step, item, change))
                self._shown[item] = copies
                self._least = min(self._least, copies)
                self.output_changes += 1
        return self.output_changes > changes

    def leave(self, step: int) -> None:
        turns: Any = self.turns
        first, end = len(self.items) + 1 - turns.begun, step + 1 - turns.begun
        if first < end:
            self.items += turns.plan.items.at(np.arange(first, end)).tolist()

    def error(self, step: int) -> float:
        return 0.0  # known after the end only: see `fill`

    @cached_property
    def listed(self) -> Listed:
        """The items of the game."""
        names = sorted({*self.items, *(item for _, item, _ in self.moves)})
        places = {name: place for place, name in enumerate(names)}
        stream = np.array([places[item] for item in self.items], dtype=np.int64)
        moves = [(step, places[item], change) for step, item, change in self.moves]
        return Listed(names, stream, np.array(moves, dtype=np.int64).reshape(-1, 3))

    def shares(self, sums: Any, step: Any) -> Any:
        """Return the shares of the items up to each one, from the sums of the server's numbers."""
        return sums / sums[-1]

    def growth(self) -> Integers:
        """Return, for each step, a bound on the growth of the error times the number of items.

        While the sample is the stream, as far as numbers go, that is the largest sum of its changes less those of the
        stream. Else the share of the stream up to an item changes the product by one at most, and that of a sample of s
        items by t / s times the changes: of the sample up to the item, and of s.
        """
        names, items, moves = self.listed
        steps = np.arange(1, len(items) + 1)
        size = np.bincount(moves[:, 0], moves[:, 2], minlength=len(steps) + 1).cumsum()
        before, after = size[:-1], np.maximum(size[1:], 1)
        each = steps * (np.abs(after - before) + _largest_sums(len(steps), moves)) / after
        whole = (size[1:] == steps) & (before == steps - 1)
        known = (size[1:] > 0) & (before > 0) & (self._least >= 0)
        bounds = np.where(whole, self.net_growth(), np.where(known, np.ceil(each) + 1, UNKNOWN)).astype(np.int64)
        return bounds * (len(names) > 1)  # the shares up to the last item are 1

    def net_growth(self) -> Integers:
        """Return, for each step, the largest change of the sum of the numbers less the copies, up to any item."""
        _, items, moves = self.listed
        steps = np.arange(1, len(items) + 1)
        return _largest_sums(len(steps), np.concatenate((np.column_stack((steps, items, -np.ones_like(steps))), moves)))

    @cached_property
    def worst_by_steps(self) -> tuple[float, int]:
        """The largest error, and its first step, 0 for none, of a game that is over."""
        growth, sweep = self.growth(), Sweep(self)
        grown, steps = np.append(0, growth.cumsum()), len(growth)
        worst = error = 0.0
        step = worst_step = begun = 0
        size = WINDOW
        while begun < steps:
            at = np.arange(begun + 1, min(begun + size, steps) + 1)
            reached = error * step + (grown[at] - grown[step]) > worst * ROUNDING * at
            if not reached.any():
                begun, size = begun + size, 4 * size
                continue
            step = begun = int(at[reached.argmax()])
            size, error = WINDOW, sweep.error(step)
            if error > worst:
                worst, worst_step = error, step
            elif error != error:  # of no sample at all
                error = UNKNOWN
        return worst, worst_step

    def fill(self, series: dict[str, list[Any]]) -> None:
        """Write the errors into the rows of the checkpoints."""
        sweep = Sweep(self)
        series["rel_error"] = [sweep.error(step) for step in series["step"]]

    def row(self) -> dict[str, Any]:
        worst, step = self.worst_by_steps
        if step:
            self.note(worst, step, self.listed.names[self.listed.stream[step - 1]])
        return super().row()


class Sweep:
    """The distributions in sample and stream of a problem, which move on from step to step."""

    def __init__(self, problem: Representative) -> None:
        self._problem = problem
        self._stream, self._sample = np.zeros((2, len(problem.listed.names)))
        self._step = self._moved = 0

    def error(self, step: int) -> float:
        """Move on to a step, and return the error at its end."""
        (names, items, moves), stream, sample = self._problem.listed, self._stream, self._sample
        until = int(moves[:, 0].searchsorted(step, "right"))
        stream += np.bincount(items[self._step : step], minlength=len(names))
        np.add.at(sample, moves[self._moved : until, 1], moves[self._moved : until, 2])
        self._step, self._moved = step, until
        return float(np.abs(self._problem.shares(sample.cumsum(), step) - stream.cumsum() / step).max())


def _largest_sums(steps: int, moves: Integers) -> Integers:
    """Return, for each step, the largest absolute sum of its changes up to any place; of rows as in `Listed`."""
    moves = moves[np.lexsort((moves[:, 1], moves[:, 0]))]
    sums = np.append(0, moves[:, 2].cumsum())
    first = moves[:, 0].searchsorted(np.arange(1, steps + 2))
    within = np.abs(sums[1:] - sums[first[moves[:, 0] - 1]])
    last = np.append(moves[1:, :2] != moves[:-1, :2], np.ones((1, 2), dtype=bool), axis=0).any(axis=1)
    largest = np.zeros(steps + 1, dtype=np.int64)
    np.maximum.at(largest, moves[last, 0], within[last])
    return largest[1:]


class Rank(Representative):
    """The rank of every item, the number of items up to it; the estimates up to it add up to its estimate."""

    name: ClassVar[str] = "item-rank"
    numeric: ClassVar[bool] = True

    def shares(self, sums: Any, step: Any) -> Any:
        return sums / step

    def growth(self) -> Integers:
        return self.net_growth()
