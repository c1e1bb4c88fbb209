"""The verdict on a network with delays: outputs against the numbers of items that they can depend on.

While messages are in transit, the lag-aware error of a step is the least relative error of the output to any number
from the items before the oldest open chain of messages (`simulator.game.network.voyages`) up to the present number.
Without messages in transit only the present number counts, and the lag-aware error is the relative error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable

from disttrack.protocols.base import Number
from disttrack.simulator.game.judge import Judge
from disttrack.simulator.game.network.voyages import Origin
from disttrack.simulator.game.outputs import measured


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
