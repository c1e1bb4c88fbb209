"""The problems of items in order: a representative sample, and the rank of every item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np

from disttrack.adversaries.schedules import Integers
from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.contents.problem import Problem

ROUNDING: Final = 1 - 1e-8
"""Part of the largest error that is no longer below it by rounding."""

UNKNOWN: Final = 2**35
"""Bound on the growth of the error times the number of items where there is none."""

CLOSE: Final = 2.0**-49
"""Part of the largest error, and of the share of all items, that a product may be too small by: products, quotients and
their differences are rounded by 2^-53 each, and the shares of a sample are at most that error above those of all items.
"""


class Listed(NamedTuple):
    """The items of a game that is over, by their places in order.

    Attributes
    ----------
    names
        The different items in order.
    stream
        The place of the item of each step.
    moves
        Rows of the step, the place of the item, and the change, of all changes of the server's numbers, in this order.
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
    ranked: ClassVar[bool] = False
    """Whether the server's numbers are shares of all items, and not of their own sum."""

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
        return Listed(names, stream, np.array(sorted(moves), dtype=np.int64).reshape(-1, 3))

    @cached_property
    def swept(self) -> tuple[float, int, Any]:
        """The largest error, its first step, 0 for none, and the errors at the rows, of a game that is over."""
        return self.sweep_by(sweep)

    def sweep_by(self, sweep: Callable[..., tuple[float, int]]) -> tuple[float, int, Any]:
        """Return `swept` by a form of `sweep`."""
        names, items, moves = self.listed
        rows = np.array(self.rows(), dtype=np.int64)
        errors, (stream, sample) = np.zeros(len(rows)), np.zeros((2, len(names)), dtype=np.int64)
        worst, step = sweep(items, moves, stream, sample, rows, errors, self.ranked, self._least < 0)
        return float(worst), step, errors

    def fill(self, series: dict[str, list[Any]]) -> None:
        """Write the errors into the rows of the checkpoints."""
        series["rel_error"] = self.swept[2].tolist()

    def row(self) -> dict[str, Any]:
        worst, step, _ = self.swept
        if step:
            self.note(worst, step, self.listed.names[self.listed.stream[step - 1]])
        return super().row()


class Rank(Representative):
    """The rank of every item, the number of items up to it; the estimates up to it add up to its estimate."""

    name: ClassVar[str] = "item-rank"
    numeric: ClassVar[bool] = True
    ranked: ClassVar[bool] = True


def sweep(items: Any, moves: Any, stream: Any, sample: Any, rows: Any, errors: Any, ranked: Any, unbounded: Any) -> Any:
    """Return the largest error and its first step, 0 for none, and write the errors at the steps `rows` into `errors`.

    All items are looked at in these steps only, and in those whose error can be the largest one by the bound on its
    growth. The distributions in stream and sample, at first empty, end with the game.
    """
    worst, worst_step, product, size, move, row = 0.0, 0, 0.0, 0, 0, 0
    for place in range(len(items)):
        step, item, before = place + 1, items[place], size
        net = most = of_both = of_sample = 0
        waits = True
        while move < len(moves) and moves[move, 0] == step:
            moved, change = moves[move, 1], moves[move, 2]
            if waits and item <= moved:
                of_both, waits = of_both - 1, False
                if item < moved:
                    net = max(net, abs(of_both))
            of_both, of_sample = of_both + change, of_sample + change
            net, most = max(net, abs(of_both)), max(most, abs(of_sample))
            sample[moved] += change
            move += 1
        if waits:
            net = max(net, abs(of_both - 1))
        stream[item] += 1
        size = before + of_sample
        product += net if ranked else UNKNOWN if unbounded else growth_of(step, before, size, net, most)
        listed = row < len(rows) and rows[row] == step
        if listed or product > worst * ROUNDING * step:
            error = error_of(stream, sample, step, step if ranked else size)
            product = error * step if error >= 0 else UNKNOWN
            if error > worst:
                worst, worst_step = error, step
            if listed:
                errors[row] = error
                row += 1
    return worst, worst_step


def growth_of(step: Any, before: Any, size: Any, net: Any, changes: Any) -> Any:
    """Return by how much the error times the number of items grows in a step at most.

    Parameters
    ----------
    step
        The number of items after it.
    before, size
        The sizes of the sample before and after it.
    net, changes
        The largest sum of the changes of the sample up to any item: less those of the stream, and of the sample alone.

    While the sample is as large as the stream, the product grows by `net`. Else the share of the stream up to an item
    changes it by one at most, and that of the sample by the step times the change of that share: by `changes`, and by
    that of the size.
    """
    if size == step and before == step - 1:
        return net
    if size <= 0 or before <= 0:
        return UNKNOWN
    return 1 + step * (abs(size - before) + changes) / size


def error_of(stream: Any, sample: Any, step: Any, size: Any) -> Any:
    """Return the largest difference of the shares up to any item."""
    return np.abs(sample.cumsum() / size - stream.cumsum() / step).max()


def error_by_loop(stream: Any, sample: Any, step: Any, size: Any) -> Any:
    """Return `error_of`, as it is compiled: it divides only where a product, which is faster, may be the largest."""
    of_stream = of_sample = limit = 0
    error = 0.0
    for place in range(len(stream)):
        of_stream += stream[place]
        of_sample += sample[place]
        if abs(of_sample * step - of_stream * size) >= limit:
            error = max(error, abs(of_sample / size - of_stream / step))
            limit = int(abs(size) * step * (error - CLOSE * (error + 1)))
    return error if size else np.nan
