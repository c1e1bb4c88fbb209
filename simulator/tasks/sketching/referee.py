"""Compares the estimates of a sketch with the truth, at every update, and computes the columns of the tables."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from disttrack.simulator.game.timeline import checkpoints

FLUSH = 4096
"""Updates compared at once."""
SPACED, EVENLY = 80, 120
"""Checkpoints that are evenly spaced in the logarithm of the updates, and in the updates: attacks win at the end."""


class UpdateReferee:
    """Compares at every update.

    Parameters
    ----------
    alpha
        Error, over the scale, that counts as a failure.
    updates
        Maximum number of updates of the game, over which the checkpoints are spread.

    Attributes
    ----------
    steps
        Updates compared.
    largest
        Largest error over the scale.
    failure
        The first update after which the error was above alpha; None if there was none.
    failing
        Number of updates with such an error.
    half
        The first update after which the estimate was below half of the truth.
    least, most, last
        Ratios of the estimate to the truth, where that is above 0; None if it never was.
    changes
        Number of changes of the estimate.
    """

    def __init__(self, alpha: float, updates: int) -> None:
        self.alpha = alpha
        self.steps = self.failing = self.changes = 0
        self.largest = 0.0
        self.failure: int | None = None
        self.half: int | None = None
        self.least: float | None = None
        self.most: float | None = None
        self.last: float | None = None
        self.series: dict[str, list[Any]] = {"step": [], "items": [], "output": [], "rel_error": []}
        evenly = np.linspace(1, updates, EVENLY).astype(np.int64).tolist()
        self._checkpoints = np.array(sorted({*checkpoints(0, updates, SPACED), *evenly}), dtype=np.int64)
        self._shown = 0.0
        self._outputs: list[float] = []
        self._values: list[float] = []
        self._scales: list[float] = []

    def note(self, output: float, value: float, scale: float) -> None:
        """Record one update."""
        self._outputs.append(output)
        self._values.append(value)
        self._scales.append(scale)
        if len(self._outputs) >= FLUSH:
            self.close()

    def close(self) -> None:
        """Compare the recorded updates."""
        if self._outputs:
            self.compare(np.array(self._outputs), np.array(self._values), np.array(self._scales))
            self._outputs, self._values, self._scales = [], [], []

    def compare(self, outputs: Any, values: Any, scales: Any) -> None:
        """Compare many updates at once."""
        begun, number = self.steps, len(outputs)
        self.steps += number
        off = outputs - values
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = np.where(off == 0, 0.0, np.abs(off) / scales)
            ratios = np.where(values > 0, outputs / values, np.nan)
        wrong = errors > self.alpha * (1 + 1e-12)
        self.largest = max(self.largest, float(errors.max(initial=0.0)))
        self.failing += int(np.count_nonzero(wrong))
        self.failure = _first(self.failure, wrong, begun)
        self.half = _first(self.half, (values > 0) & (2 * outputs < values), begun)
        known = ratios[~np.isnan(ratios)]
        if len(known):
            self.least = min(inf if self.least is None else self.least, float(known.min()))
            self.most = max(-inf if self.most is None else self.most, float(known.max()))
            self.last = float(known[-1])
        self.changes += int(np.count_nonzero(np.diff(outputs, prepend=self._shown)))
        self._shown = float(outputs[-1])
        due = self._checkpoints[(self._checkpoints > begun) & (self._checkpoints <= self.steps)]
        places = due - begun - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            signed = np.where(off == 0, 0.0, off / scales)
        self.series["step"] += due.tolist()
        self.series["items"] += due.tolist()
        self.series["output"] += outputs[places].tolist()
        self.series["rel_error"] += signed[places].tolist()


def _first(known: int | None, where: Any, begun: int) -> int | None:
    """Return the known first place, or else the first one here; places are counted from 1."""
    if known is not None or not where.any():
        return known
    return begun + int(np.argmax(where)) + 1
