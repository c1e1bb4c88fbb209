"""The referee of games on data sets: the exact answers, and the largest error over the family, at every step.

Between two releases the answers are constant while the data change, so the errors in between are one running sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.adversaries.updates.base import Live
from disttrack.privacy.mechanisms.queries import Family
from disttrack.simulator.game.tasks.base import Row
from disttrack.simulator.game.tasks.loop import Referee

BLOCK = 1 << 21
"""Numbers of a running sum processed at a time."""
LATE = 0.9
"""Share of the steps after which errors count as late."""
MARKS = 200
"""Checkpoints of a game."""


class DataReferee(Referee[Sequence[int], Sequence[Floats | None]]):
    """Keeps the data set that the updates make.

    Attributes
    ----------
    live
        The items at present.
    ignored
        Updates that named no live item.
    """

    block = 1  # an adversary that reacts sees the data and the exact answers of the last step

    def __init__(self, family: Family) -> None:
        self._family = family
        self._truth: Floats = np.zeros(family.number)
        self.live = Live()
        self.ignored = self._step = 0

    def judge(self, moves: Sequence[int], answers: Sequence[Floats | None]) -> None:
        """Take the codes of the next steps, as `DynamicRun.step` does; there are no answers yet."""
        for code in moves:
            self.take(code)

    def take(self, code: int) -> tuple[int, int]:
        """Take the code of the next step; return the item, and 1 if it was inserted, -1 if deleted, 0 if neither."""
        self._step += 1
        if code > 0:
            self.live.insert(self._step, code - 1)
            return code - 1, 1
        item = self.live.delete(-code) if code else None
        self.ignored += bool(code) and item is None
        return (0, 0) if item is None else (item, -1)

    def truth(self) -> Floats:
        """Return the exact answers that an adversary sees when answers are new."""
        return self._truth


class QueryReferee(DataReferee):
    """Compares answers with the truth at every step.

    Parameters
    ----------
    family
        The queries.
    steps
        Steps of the game.

    Attributes
    ----------
    peak
        Largest number of items.
    max_abs_error
        Largest error over the family and all steps so far.
    late_error, late_zero
        The largest over the last tenth of the steps, and the same for answers of 0.
    series
        Step, items, and largest error over the family relative to the items, at the checkpoints.
    """

    def __init__(self, family: Family, steps: int) -> None:
        super().__init__(family)
        self._steps = steps
        self.peak = 0
        self.max_abs_error = self.late_error = self.late_zero = 0.0
        self.series = {"step": [], "items": [], "rel_error": []}
        self._answers: Floats = np.zeros(family.number)
        self._changes: list[tuple[int, int, int]] = []
        self._settled = self._settled_size = 0
        self._squares = self._mark = 0.0
        self._late = math.floor(LATE * steps)

    def judge(self, moves: Sequence[int], answers: Sequence[Floats | None]) -> None:
        """Take codes of updates, and the answers after each, None where they stay."""
        for code, answer in zip(moves, answers, strict=True):
            item, sign = self.take(code)
            if sign:
                self._changes.append((self._step, item, sign))
                self.peak = max(self.peak, len(self.live))
            if answer is not None:
                self._settle(self._step - 1)
                self._answers = answer

    def row(self) -> Row:
        """Return the columns of the finished game."""
        self._settle(self._steps)
        return {
            "size": len(self.live),
            "peak": self.peak,
            "max_abs_error": self.max_abs_error,
            "rms_error": math.sqrt(self._squares / max(1, self._steps)),
            "late_error": self.late_error,
            "late_zero": self.late_zero,
        }

    def truth(self) -> Floats:
        """Return the present exact answers."""
        if not self._changes:
            return self._truth
        _, items, signs = np.array(self._changes).T
        now: Floats = self._truth + self._family.values(items).T @ signs
        return now

    def _settle(self, until: int) -> None:
        """Judge the steps after the last judged one up to `until`, by the answers in force."""
        if until <= self._settled:
            return
        if not self._changes or self._changes[0][0] > until:
            self._judge_still(until)
            return
        ripe = sum(1 for step, _, _ in self._changes if step <= until)
        changes, self._changes = self._changes[:ripe], self._changes[ripe:]
        block = max(1, BLOCK // self._family.number)
        begins = self._settled + 1
        for first in range(0, len(changes) or 1, block):
            rows = np.array(changes[first : first + block], dtype=np.int64).reshape(-1, 3)
            moved = np.cumsum(self._family.values(rows[:, 1]) * rows[:, 2:], axis=0)
            truths = np.vstack((self._truth, self._truth + moved))
            following = changes[first + block][0] if first + block < len(changes) else until + 1
            starts = np.append(begins, rows[:, 0])
            self._judge(truths, starts, np.append(rows[:, 0], following) - starts)
            self._truth, begins = truths[-1], following
            self._settled_size += int(rows[:, 2].sum())
        self._settled = until
        self._checkpoint()

    def _judge_still(self, until: int) -> None:
        """Judge steps without changes: as `_judge` does, for a single row."""
        error = float(np.abs(self._truth - self._answers).max())
        if not error <= self.max_abs_error:
            self.max_abs_error = error if error == error else math.inf
        self._squares += error * error * (until - self._settled)
        if until > self._late:
            self.late_error = max(self.late_error, error)
            self.late_zero = max(self.late_zero, float(self._truth.max()))
        self._settled = until
        self._checkpoint()

    def _judge(self, truths: Floats, starts: NDArray[np.int64], durations: NDArray[np.int64]) -> None:
        """Judge exact answers that held from these steps for these durations; a duration of 0 does not count."""
        stood = durations > 0
        errors = np.abs(truths - self._answers).max(axis=1)[stood]
        if not len(errors):
            return
        largest = float(errors.max())
        self.max_abs_error = max(self.max_abs_error, largest if largest == largest else math.inf)
        self._squares += float((errors**2) @ durations[stood])
        late = starts[stood] + durations[stood] - 1 > self._late
        if late.any():
            self.late_error = max(self.late_error, float(errors[late].max()))
            self.late_zero = max(self.late_zero, float(truths[stood][late].max()))

    def _checkpoint(self) -> None:
        if self._settled < self._mark and self._settled < self._steps:
            return
        self._mark = self._settled + self._steps / MARKS
        self.series["step"].append(self._settled)
        self.series["items"].append(self._settled_size)
        error = float(np.abs(self._truth - self._answers).max())
        self.series["rel_error"].append(error / max(1, self._settled_size))
