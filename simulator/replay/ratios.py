"""Estimate against truth by rows: the extremes of output / truth over every step of a row, not only at its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.record import GameRecord
from disttrack.simulator.replay.stream import Stream

_SLACK: Final = 1e-12  # rounding of one division


@dataclass(frozen=True)
class Ratios:
    """Outputs and truth; arrays of a value a row.

    Attributes
    ----------
    items, output, end
        The truth, the output and output / truth at the end of the row.
    low, high
        The least and largest output / truth over the steps of the row; infinite for an output that is no number.
    failing
        Whether any of its steps fails.
    """

    items: Any
    output: Sequence[float]
    end: Any
    low: Any
    high: Any
    failing: Any


def ratios(record: GameRecord, stream: Stream, edges: Any) -> Ratios:
    """Return outputs and truth by rows.

    While the output stands, its quotient only falls. So its extremes are reached where the output changes, just before
    that, and at the two ends of a row.
    """
    about = record.about
    changed = np.array([0, *(step for step, _ in record.outputs)], dtype=np.int64)
    values = [about["start"], *(value for _, value in record.outputs)]
    begins, before = np.minimum(edges[:-1] + 1, edges[1:]), np.maximum(changed - 1, edges[0])
    steps = np.unique(np.concatenate([edges, begins, changed, before]))
    steps = steps[(steps >= edges[0]) & (steps <= edges[-1])]
    standing = np.array(values, dtype=float)[np.searchsorted(changed, steps, side="right") - 1]
    items = about["start"] + stream.sent(steps)
    quotients = _quotients(standing, items)
    rows = np.searchsorted(edges, steps, side="left")
    low, high = np.full(len(edges), np.inf), np.full(len(edges), -np.inf)
    np.minimum.at(low, rows, quotients)
    np.maximum.at(high, rows, quotients)
    at_end = np.searchsorted(steps, edges)
    low, high = np.minimum(low, quotients[at_end]), np.maximum(high, quotients[at_end])  # rows after the game's end
    shown = [values[place] for place in (np.searchsorted(changed, edges, side="right") - 1).tolist()]
    return Ratios(items[at_end], shown, quotients[at_end], low, high, _failing(record, edges, low, high))


def _quotients(outputs: Any, items: Any) -> Any:
    """Return output / truth: 1 for 0 / 0, infinite for what is no number or where nothing had come."""
    quotients = outputs / np.maximum(items, 1)
    nothing = np.where(outputs == 0, 1.0, np.where(outputs < 0, -np.inf, np.inf))
    quotients = np.where(items == 0, nothing, quotients)
    return np.where(np.isnan(quotients), np.inf, quotients)


def _failing(record: GameRecord, edges: Any, low: Any, high: Any) -> Any:
    """Return which rows fail; none does before the first failure, which the referee knows exactly.

    Where messages take time the lag-aware error decides, of which the record has the first failure only.
    """
    alpha, first = record.about["alpha"], record.about["first_failing_step"]
    if alpha is None or first is None:
        return np.zeros(len(edges), dtype=bool)
    rows, row = np.arange(len(edges)), int(np.searchsorted(edges, first, side="left"))
    if record.delayed:
        return rows == row
    beyond = (low < 1 - alpha - _SLACK) | (high > 1 + alpha + _SLACK)
    return (beyond & (rows > row)) | (rows == row)
