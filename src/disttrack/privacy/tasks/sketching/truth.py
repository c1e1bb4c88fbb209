"""The exact truth for a sketch, and the referee that compares its estimates with it at every update."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.sketches.base import TARGET, Goal, Move, Sketch, Whole
from disttrack.simulator.game.tasks.base import Row
from disttrack.simulator.game.tasks.loop import Referee, kept
from disttrack.simulator.game.timeline import checkpoints

Norm = Literal["two", "one"]
_NOTHING: Final = (0, 0, 0, 0, 0)
"""Of a stream that begins: the target, the 1-norm, the largest one, the squares, and the items with a frequency."""
DENSE: Final = 1 << 24
"""Items below it have a place in an array."""
ROOM: Final = 1 << 14
"""Least room for items."""
LARGE: Final = 1 << 61
"""Sums below it fit 64 bits after a change of at most 2^29 at a frequency below."""
FREQUENT: Final = 1 << 29
STREAM, TOUCHED = len(_NOTHING), len(_NOTHING) + 1
"""Of the state of `follow_moves`, after the sums: the number of the stream, and its different items."""


def follow_moves(moves: Any, counts: Any, streams: Any, state: Any, after_each: Any) -> int:
    """Apply moves; return their number, up to one after which the numbers might be too large.

    Parameters
    ----------
    moves
        A row of item and change per move.
    counts, streams
        For each item its frequency, and the stream in which it came last.
    state
        As the places above say.
    after_each
        Takes the sums after each move.
    """
    target, total, largest, squares, present = state[0], state[1], state[2], state[3], state[4]
    made = len(moves)
    for number in range(len(moves)):
        item, change = moves[number, 0], moves[number, 1]
        if item < 0:
            target, total, largest, squares, present = 0, 0, 0, 0, 0
            state[STREAM] += 1
            state[TOUCHED] = 0
        else:
            if streams[item] != state[STREAM]:
                streams[item] = state[STREAM]
                counts[item] = 0
                state[TOUCHED] += 1
            before = counts[item]
            if abs(before) > FREQUENT or abs(change) > FREQUENT or squares > LARGE or total > LARGE:
                made = number
                break
            if change == 0:
                change = -before
            after = before + change
            counts[item] = after
            squares += change * (before + after)
            total += abs(after) - abs(before)
            largest = max(largest, total)
            present += int(after > 0) - int(before > 0)
            if item == TARGET:
                target += change
        after_each[number, 0], after_each[number, 1], after_each[number, 2] = target, total, largest
        after_each[number, 3], after_each[number, 4] = squares, present
    state[0], state[1], state[2], state[3], state[4] = target, total, largest, squares, present
    return made


def types(numba: Any) -> Any:
    """Return the types of the arguments of `follow_moves`."""
    whole = numba.int64
    return whole[:, ::1], whole[::1], whole[::1], whole[::1], numba.float64[:, ::1]


class Table:
    """The frequencies of small items as arrays, for `follow_moves`.

    Parameters
    ----------
    counts
        The frequencies.
    sums
        The sums.
    """

    __slots__ = ("_counts", "_state", "_streams")

    def __init__(self, counts: Mapping[int, int], sums: Sequence[int]) -> None:
        self._counts, self._streams = np.zeros(ROOM, dtype=np.int64), np.zeros(ROOM, dtype=np.int64)
        self._state = np.array([*sums, 1, len(counts)], dtype=np.int64)
        self._widen(max(counts, default=0))
        for item, count in counts.items():
            self._counts[item], self._streams[item] = count, 1

    @property
    def touched(self) -> int:
        """Different items of the stream so far."""
        return int(self._state[TOUCHED])

    def follow(self, by: Callable[..., int], moves: Whole, after_each: Floats) -> int:
        """Apply moves by the compiled form of `follow_moves`."""
        self._widen(int(moves[:, 0].max(initial=0)))
        return by(moves, self._counts, self._streams, self._state, after_each)

    def _widen(self, item: int) -> None:
        if item >= len(self._counts):
            room = 2 * item - len(self._counts) + 2
            self._counts = np.append(self._counts, np.zeros(room, dtype=np.int64))
            self._streams = np.append(self._streams, np.zeros(room, dtype=np.int64))

    def counts(self) -> tuple[dict[int, int], Any]:
        """Return the frequencies and the sums."""
        items = np.flatnonzero(self._streams == self._state[STREAM])
        counts = dict(zip(items.tolist(), self._counts[items].tolist(), strict=True))
        return counts, tuple(self._state[:STREAM].tolist())


class Truth:
    """The exact values for the stream so far.

    Parameters
    ----------
    goal
        The quantity: the sum of the squared frequencies, the number of items with a frequency above 0, the frequency of
        the target, or the sum of all.
    norm
        The norm of all frequencies to which the errors of a frequency are relative. Those of a sum are relative to the
        largest one so far, others to the value.
    """

    __slots__ = ("_counts", "_goal", "_norm", "_sums", "_table", "by")

    def __init__(self, goal: Goal, norm: Norm = "two") -> None:
        self._goal, self._norm = goal, norm
        self._counts: dict[int, int] = {}
        self._sums = _NOTHING
        self._table: Table | None = None
        self.by: Callable[..., int] | None = None
        """The compiled form of `follow_moves`, for moves in arrays; None without one."""

    def follow_many(self, moves: Whole) -> tuple[Floats, Floats]:
        """Do the same for moves in an array, a row of item and change each."""
        if self.by is None or (len(moves) and moves[:, 0].max() >= DENSE):
            return self.follow(zip(*moves.T.tolist(), strict=True))
        if self._table is None:
            self._table = Table(self._counts, self._sums)
        after_each = np.empty((len(moves), len(_NOTHING)))
        made = self._table.follow(self.by, moves, after_each)
        if made == len(moves):
            return self._values(after_each)
        rest = self.follow(zip(*moves[made:].T.tolist(), strict=True))
        return tuple(np.concatenate(pair) for pair in zip(self._values(after_each[:made]), rest, strict=True))  # type: ignore[return-value]

    def follow(self, updates: Iterable[Move]) -> tuple[Floats, Floats]:
        """Apply updates, or `RESET`; a change of 0 resets the item.

        Return the values that the sketch estimates after each, and the reference values of the relative errors.
        """
        if self._table is not None:
            self._counts, self._sums = self._table.counts()
            self._table = self.by = None  # it has been left: its numbers are too small
        counts, (target, total, largest, squares, present) = self._counts, self._sums
        after_each = []
        for item, change in updates:
            if item < 0:
                counts.clear()
                target, total, largest, squares, present = _NOTHING
            else:
                before = counts.get(item, 0)
                change = change or -before
                after = counts[item] = before + change
                squares += change * (before + after)
                total += abs(after) - abs(before)
                largest = max(largest, total)
                present += (after > 0) - (before > 0)
                if item == TARGET:
                    target += change
            after_each.append((target, total, largest, squares, present))
        self._sums = (target, total, largest, squares, present)
        return self._values(np.array(after_each, dtype=np.float64).reshape(-1, len(_NOTHING)))

    def _values(self, table: Floats) -> tuple[Floats, Floats]:
        value = {"frequency": 0, "sum": 1, "second-moment": 3, "distinct": 4}[self._goal]
        if self._goal == "frequency":
            return table[:, value], np.sqrt(table[:, 3]) if self._norm == "two" else table[:, 1]
        return table[:, value], table[:, 2 if self._goal == "sum" else value]

    @property
    def touched(self) -> int:
        """Different items of the stream so far."""
        return len(self._counts) if self._table is None else self._table.touched


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
