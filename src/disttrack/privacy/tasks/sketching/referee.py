"""Compares the estimates of a sketch with the truth, at every update, and computes the columns of the tables."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches import Sketch
from disttrack.privacy.tasks.sketching.truth import Truth
from disttrack.simulator.game.tasks.base import Row
from disttrack.simulator.game.tasks.loop import Referee, kept
from disttrack.simulator.game.timeline import checkpoints

SPACED, EVENLY = 80, 120
"""Checkpoints that are evenly spaced in the logarithm of the updates, and in the updates: attacks win at the end."""


class UpdateReferee(Referee[object, ArrayLike]):
    """Compares at every update.

    Parameters
    ----------
    sketch
        Its alpha is the error, over the scale, that counts as a failure.
    truth
        The exact value, at the beginning of a stream.
    updates
        Maximum number of updates of the game, over which the checkpoints are spread.
    """

    def __init__(self, sketch: Sketch, truth: Truth, updates: int) -> None:
        self._sketch, self._truth = sketch, truth
        self._steps = self._failing = self._changes = 0
        self._largest = self._shown = 0.0
        self._failure: int | None = None
        self._half: int | None = None
        self._ratios: tuple[float, float, float] | None = None
        self.series = {"step": [], "items": [], "output": [], "rel_error": []}
        evenly = np.linspace(1, updates, EVENLY).astype(np.int64).tolist()
        self._checkpoints = np.array(sorted({*checkpoints(0, updates, SPACED), *evenly}), dtype=np.int64)

    def judge(self, moves: Any, answers: ArrayLike) -> None:
        """Take moves, updates or `RESET`, and the estimates after them."""
        truths = self._truth.follow(moves) if isinstance(moves, list) else self._truth.follow_many(moves)
        self._compare(np.asarray(answers, dtype=np.float64), *truths)

    def row(self) -> Row:
        """Return the columns."""
        sketch = self._sketch
        least, most, last = self._ratios or (None, None, None)
        return {
            "max_rel_error": self._largest,
            "first_failure": self._failure,
            "failing_fraction": self._failing / max(1, self._steps),
            "output_changes": self._changes,
            "least_ratio": least,
            "most_ratio": most,
            "last_ratio": last,
            "half_at": self._half,
            "made": self._steps,
            "touched": self._truth.touched,
            "words": sketch.words,
            "total_rows": sketch.total_rows,
            "built_for": sketch.built_for,
            "verdict": kept(self._failure is None),
        }

    def _compare(self, outputs: Floats, values: Floats, scales: Floats) -> None:
        """Compare estimates with true values."""
        begun, number = self._steps, len(outputs)
        self._steps += number
        off = outputs - values
        with np.errstate(divide="ignore", invalid="ignore"):
            signed = np.where(off == 0, 0.0, off / scales)
            ratios = np.where(values > 0, outputs / values, np.nan)
        errors = np.abs(signed)
        wrong = errors > self._sketch.alpha * (1 + 1e-12)
        self._largest = max(self._largest, float(errors.max(initial=0.0)))
        self._failing += int(np.count_nonzero(wrong))
        self._failure = _first(self._failure, wrong, begun)
        self._half = _first(self._half, (values > 0) & (2 * outputs < values), begun)
        known = ratios[~np.isnan(ratios)]
        if len(known):
            least, most, _ = self._ratios or (inf, -inf, 0.0)
            self._ratios = min(least, float(known.min())), max(most, float(known.max())), float(known[-1])
        self._changes += int(np.count_nonzero(np.diff(outputs, prepend=self._shown)))
        self._shown = float(outputs[-1])
        due = self._checkpoints[(self._checkpoints > begun) & (self._checkpoints <= self._steps)]
        places = due - begun - 1
        self.series["step"] += due.tolist()
        self.series["items"] += due.tolist()
        self.series["output"] += outputs[places].tolist()
        self.series["rel_error"] += signed[places].tolist()


def _first(known: int | None, where: NDArray[np.bool_], begun: int) -> int | None:
    """Return the known first place, or else the first one here; places are counted from 1."""
    if known is not None or not where.any():
        return known
    return begun + int(np.argmax(where)) + 1
