"""What a timeline tells of one game: truth, estimate, error and cost over the items, and where it failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]

_ROUNDING: Final = 1e-9
"""An error this little above alpha, relatively, is alpha: tables and floats know no better."""
_FINEST: Final = 1500
"""Places along a timeline; where there are more changes, the least and largest of each place are kept."""


@dataclass(frozen=True)
class GameTrace:
    """One game over its items, N.

    Parameters
    ----------
    protocol, adversary
        Their names.
    note
        The parameters that set it apart, and what came of it.
    alpha
        The promised relative error, None if nothing is promised.
    items, output
        The estimate: `output` stands when there are `items` items.
    error_items, low, high
        The signed relative error: least and largest at each of `error_items`.
    cost_items, words
        Words sent in all by the time there are `cost_items` items.
    failing
        Stretches, in items, at which the error exceeded alpha.
    exact
        True if `low`, `high` and `failing` cover every step; False if they are read at checkpoints.
    """

    protocol: str
    adversary: str
    note: str
    alpha: float | None
    items: Floats
    output: Floats
    error_items: Floats
    low: Floats
    high: Floats
    cost_items: Floats
    words: Floats
    failing: list[tuple[float, float]]
    exact: bool


def from_series(game: pd.Series[Any], series: pd.DataFrame, note: str) -> GameTrace:
    """Return the story of a game of a result directory: a row of trials.csv and its rows of series.csv."""
    series = series.sort_values("step")
    items = series["items"].to_numpy(dtype=float)
    error = series["rel_error"].to_numpy(dtype=float)
    alpha = _alpha(game["alpha"])
    return GameTrace(
        protocol=str(game["protocol"]), adversary=str(game["adversary"]), note=note, alpha=alpha,
        items=items, output=series["output"].to_numpy(dtype=float), error_items=items, low=error, high=error,
        cost_items=items, words=series["words"].to_numpy(dtype=float),
        failing=_stretches(items, error, alpha), exact=False,
    )  # fmt: skip


def from_game(game: Any, note: str) -> GameTrace:
    """Return the story of a `Game`; of a recorded one, over all steps."""
    series: pd.DataFrame = game.series
    row = pd.Series({"alpha": game.alpha, "protocol": game.protocol, "adversary": game.adversary})
    try:
        outputs: pd.DataFrame = game.outputs
    except ValueError:
        return from_series(row, series, note)  # not recorded: what the checkpoints saw
    alpha = _alpha(game.alpha)
    steps, values = _intervals(outputs, game.start)
    ends: Floats = np.r_[steps[1:] - 1, float(series["step"].iloc[-1])]
    # exact where no step was skipped; else interpolated between the checkpoints
    known_steps = np.r_[0.0, series["step"].to_numpy(dtype=float)]
    known_items = np.r_[float(game.start), series["items"].to_numpy(dtype=float)]
    first_items: Floats = np.interp(steps, known_steps, known_items)
    last_items: Floats = np.interp(ends, known_steps, known_items)
    there: npt.NDArray[np.bool_] = (last_items > 0) & (ends >= steps)
    first_items, last_items, values = np.maximum(first_items[there], 1.0), last_items[there], values[there]
    at = np.column_stack((first_items, last_items)).ravel()
    error = np.column_stack((values / first_items - 1.0, values / last_items - 1.0)).ravel()
    error_items, low, high = _envelope(at, error)
    kept = _thinned(len(at))
    return GameTrace(
        protocol=game.protocol, adversary=game.adversary, note=note, alpha=alpha,
        items=at[kept], output=np.repeat(values, 2)[kept], error_items=error_items, low=low, high=high,
        cost_items=series["items"].to_numpy(dtype=float), words=series["words"].to_numpy(dtype=float),
        failing=_failing_intervals(first_items, last_items, values, alpha), exact=True,
    )  # fmt: skip


def _alpha(value: Any) -> float | None:
    """Return the promised error; None where there is none, and where it is 0 and so no unit to measure in."""
    return float(value) if value is not None and value > 0 else None


def _intervals(outputs: pd.DataFrame, start: int) -> tuple[Floats, Floats]:
    """Return the first step of each output and its value, from step 1 on."""
    steps = outputs["step"].to_numpy(dtype=float)
    values = np.array([float(value) for value in outputs["output"]])
    if not len(steps) or steps[0] > 1:
        steps, values = np.r_[1.0, steps], np.r_[float(start), values]
    return np.maximum(steps, 1.0), values


def _stretches(items: Floats, error: Floats, alpha: float | None) -> list[tuple[float, float]]:
    """Return the stretches of checkpoints that fail, each to half way (in logarithms) to its neighbours."""
    if alpha is None or not len(items):
        return []
    middles = np.sqrt(items[1:] * items[:-1])
    left, right = np.r_[items[0], middles], np.r_[middles, items[-1]]
    return _joined(left, right, np.abs(error) > alpha * (1 + _ROUNDING))


def _failing_intervals(first: Floats, last: Floats, values: Floats, alpha: float | None) -> list[tuple[float, float]]:
    """Return the stretches of items at which a standing output is more than alpha away from the truth.

    An output a is right from a / (1 + alpha) items to a / (1 - alpha), and fails outside of that.
    """
    if alpha is None:
        return []
    right_from = values / (1 + alpha * (1 + _ROUNDING))
    right_to = values / (1 - alpha * (1 + _ROUNDING))
    head = first < right_from
    tail = last > right_to
    left = np.r_[first[head], np.maximum(first, right_to)[tail]]
    right = np.r_[np.minimum(last, right_from)[head], last[tail]]
    order = np.argsort(left, kind="stable")
    return _merged(left[order], right[order])


def _joined(left: Floats, right: Floats, failing: npt.NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return the ends of each run of failing stretches."""
    return _merged(left[failing], right[failing])


def _merged(left: Floats, right: Floats) -> list[tuple[float, float]]:
    """Return sorted stretches with those put together that no eye can keep apart: nearer than 0.3 %."""
    found: list[tuple[float, float]] = []
    for begin, end in zip(left.tolist(), right.tolist(), strict=True):
        if found and begin <= found[-1][1] * 1.003:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((begin, end))
    return found


def _envelope(at: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return places with the least and the largest value there, thinned evenly in logarithms if too many."""
    if len(at) <= _FINEST:
        return at, values, values
    edges = np.geomspace(at[0], at[-1] * (1 + 1e-12), _FINEST + 1)
    bins = np.clip(np.searchsorted(edges, at, side="right") - 1, 0, _FINEST - 1)
    starts = np.flatnonzero(np.r_[True, np.diff(bins) > 0])
    return at[starts], np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)


def _thinned(length: int) -> npt.NDArray[np.int64]:
    """Return the places of at most a few thousand points of a line, the ends among them."""
    if length <= 2 * _FINEST:
        return np.arange(length)
    return np.unique(np.geomspace(1, length, 2 * _FINEST).astype(np.int64)) - 1
