"""The problems of items in order: a representative sample, and the rank of every item."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.protocols.contents.base import Name
from disttrack.simulator.game.contents.problem import Problem


class Representative(Problem):
    """Items have an order; the error is the largest difference between their distribution in sample and stream.

    Every item changes it, so that a game costs its items: they are listed, and judged step by step after the end.
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

    def news(self, step: int, items: Iterable[Name]) -> bool:
        changes = self.output_changes
        for item in sorted(set(items)):
            copies = self.server.estimates[item]
            if change := copies - self._shown.get(item, 0):
                self.moves.append((step, item, change))
                self._shown[item] = copies
                self.output_changes += 1
        return self.output_changes > changes

    def leave(self, step: int) -> None:
        turns: Any = self.turns
        for place in range(len(self.items) + 1 - turns.begun, step + 1 - turns.begun):
            self.items.append(turns.plan.items.at(place))

    def error(self, step: int) -> float:
        return 0.0  # known after the end only: see `fill`

    @cached_property
    def errors(self) -> list[float]:
        """The error at the end of each step, for a game that is over."""
        names = sorted(set(self.items))
        rank = {name: place for place, name in enumerate(names)}
        stream, sample = np.zeros(len(names)), np.zeros(len(names))
        errors, moves = [], iter([*self.moves, (len(self.items) + 1, 0, 0)])
        at, moved, change = next(moves)
        for step, item in enumerate(self.items, start=1):
            stream[rank[item] :] += 1
            while at == step:
                sample[rank[moved] :] += change
                at, moved, change = next(moves)
            errors.append(float(np.abs(self.shares(sample, step) - stream / step).max()))
        return errors

    def shares(self, sums: NDArray[np.float64], step: int) -> NDArray[np.float64]:
        """Return the shares of the items up to each one, from the sums of the server's numbers."""
        shares: NDArray[np.float64] = sums / sums[-1]
        return shares

    def fill(self, series: dict[str, list[Any]]) -> None:
        """Write the errors into the rows of the checkpoints."""
        series["rel_error"] = [self.errors[step - 1] for step in series["step"]]

    def row(self) -> dict[str, Any]:
        for step, (error, item) in enumerate(zip(self.errors, self.items, strict=True), start=1):
            self.note(error, step, item)
        return super().row()


class Rank(Representative):
    """The rank of every item, the number of items up to it; the estimates up to it add up to its estimate."""

    name: ClassVar[str] = "item-rank"
    numeric: ClassVar[bool] = True

    def shares(self, sums: NDArray[np.float64], step: int) -> NDArray[np.float64]:
        return sums / step
