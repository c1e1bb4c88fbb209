"""One or two games by the rows of one clock, coarse enough to be drawn: what a page or a drawing shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.shown.replay.record import GameRecord
from disttrack.simulator.shown.replay.sentences import failure, failure_of_item, moves_of
from disttrack.simulator.shown.replay.stream import Stream

MOST: Final = 10_000
"""Arrows of a game, and rows of its clock, up to which nothing is folded."""
FEW: Final = 8
"""Rows below which a clock is not folded any more, however many arrows there are."""
COLUMNS: Final = 64
"""Columns that can be told apart on a screen; of more sites, several share a column."""
_SLACK: Final = 1e-12  # rounding of one division

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Frames:
    """A game by rows; row r holds the steps after the end of row r - 1 up to its own end, row 0 the beginning.

    Attributes
    ----------
    record
        The game.
    columns
        The sites of each column: ``7``, or ``8-15``.
    rows
        A data frame, one line per row: `step` (its last one); `items`, `output` and `quotient` (output / truth) at its
        end; `low` and `high`, the extremes of output / truth over all its steps; `failing`, whether any of them fails;
        `fed`, the column fed in its last step, -1 for a skip. Of a game of items, `items` are the copies of the item
        that is shown, and the quotient is 1 + (output - copies) / N, N being the number of all items.
    arrows
        A data frame of messages: those of a `row`, a `column`, a direction (`up`), a `kind` and a fate (`lost`) are one
        arrow, for its `messages` and `words`; within a row in the order in which the first of each was sent.
    held
        Of each row and column, the items since the last messages of its sites.
    moves
        What the adversary saw and did, of each row in which it was asked and did something new.
    first
        The row of the first failure, None if there is none, and a sentence on it.
    """

    record: GameRecord
    columns: Sequence[str]
    rows: Any
    arrows: Any
    held: Integers
    moves: Mapping[int, str]
    first: tuple[int, str] | None


def on_one_clock(
    records: Sequence[GameRecord], *, arrows: int = MOST, rows: int = MOST, span: tuple[int, int | None] = (0, None)
) -> tuple[list[Frames], str]:
    """Return games by the rows of one clock, and a sentence on what is folded, empty if nothing is.

    Parameters
    ----------
    arrows, rows
        Most of a game, if possible. In a larger one several steps share a row.
    span
        The first and the last step of the rows, None for the end. If the first is above 0, row 0 has what
        was before.
    """
    moments = _moments(records, span)
    failures = [record.about.first_failing_step or 0 for record in records]
    alone = np.intersect1d(moments, failures)  # a row of their own
    together = 1
    while True:
        ends = np.unique(np.concatenate([moments[::together], moments[-1:], alone]))
        messages = [_arrows(record, ends) for record in records]
        if len(ends) < FEW or (len(ends) <= rows + 2 and max(map(len, messages)) <= arrows):
            break
        together *= 2
    games = [_frames(record, ends, some) for record, some in zip(records, messages, strict=True)]
    largest = max(int(some[some.row > 0].messages.to_numpy().max(initial=1)) for some in messages)
    each = max(_each(record) for record in records)
    folded = [
        f"arrows: up to {largest:,} messages" if largest > 1 else "",
        f"rows: up to {together:,} steps" if together > 1 else "",
        f"columns: up to {each:,} sites" if each > 1 else "",
    ]
    return games, f"Folded: {'; '.join(filter(None, folded))}." if any(folded) else ""


def _moments(records: Sequence[GameRecord], span: tuple[int, int | None]) -> Integers:
    """Return the steps of a span at which something happens in any of the games, and the step before it."""
    steps = {0}
    for record in records:
        steps |= {record.about.steps, record.about.first_failing_step or 0}
        steps.update(message.step for message in record.messages)
        steps.update(step for step, _ in record.outputs)
        steps.update(turn.step for turn in record.asked if turn.plan is not None)
    first, last = span
    end = max(steps) if last is None else min(last, max(steps))
    before = min(max(0, first - 1), end)
    return np.array(sorted({before, end, *(step for step in steps if before < step < end)}), dtype=np.int64)


def _each(record: GameRecord) -> int:
    """Return the number of sites that share a column."""
    return -(-record.about.sites // COLUMNS)


def _arrows(record: GameRecord, ends: Integers) -> Any:
    table = record.table[record.table.step <= ends[-1]]
    table = table.assign(row=np.searchsorted(ends, table.step), column=table.site // _each(record))
    by_arrow = table.groupby(["row", "column", "up", "kind", "lost"], sort=False).words
    return by_arrow.agg(messages="size", words="sum").reset_index()


def _frames(record: GameRecord, ends: Integers, arrows: object) -> Frames:
    """Return a game by rows that end at these steps; of the shorter of two games, the last rows repeat its end."""
    about, each = record.about, _each(record)
    edges = np.minimum(ends, about.steps)
    stream = Stream(record)
    spans = [(first, min(first + each, about.sites) - 1) for first in range(0, about.sites, each)]
    columns = [f"{first}" if first == last else f"{first}-{last}" for first, last in spans]
    rows = _rows(record, stream, edges)
    rows["step"], rows["fed"] = ends, stream.step_sites(edges) // each
    held = _held(record, stream, edges, each)
    return Frames(record, columns, rows, arrows, held, _moves(record, edges), _first(record, stream, edges))


def _rows(record: GameRecord, stream: Stream, edges: Integers) -> Any:
    """Return outputs and truth by rows.

    Until the output changes, output / truth only falls. So its extremes are reached where the output changes, just
    before that, and at the two ends of a row; for an item also where a copy comes, and just before.
    """
    changes = np.array([0, *(step for step, _ in record.outputs)], dtype=np.int64)
    outputs = [record.about.start, *(value for _, value in record.outputs)]
    copies = np.array(record.copies, dtype=np.int64)
    steps = np.concatenate([edges, edges + 1, changes, changes - 1, copies, copies - 1])
    steps = np.unique(steps.clip(edges[0], edges[-1]))
    present = np.searchsorted(changes, steps, side="right") - 1
    items = record.about.start + stream.sent(steps)
    shown = np.array(outputs, dtype=float)[present]
    if record.item is None:
        quotients = _quotients(shown, items)
    else:
        total, items = np.maximum(1, items), copies.searchsorted(steps, side="right")
        quotients = 1 + (shown - items) / total
    by_row: Any = pd.Series(quotients).groupby(np.searchsorted(edges, steps))
    at_end = np.searchsorted(steps, edges)
    table: Any = pd.DataFrame({"items": items[at_end], "quotient": quotients[at_end]})
    table["output"] = pd.Series([outputs[place] for place in present[at_end]], dtype=object)
    table["low"], table["high"] = by_row.min(), by_row.max()
    table = table.fillna({"low": table.quotient, "high": table.quotient})  # rows after the end of the game
    table["failing"] = _failing(record, edges, table)
    return table


def _quotients(outputs: Floats, items: Integers) -> Floats:
    """Return output / truth: 1 for 0 / 0, infinite for an output that is no number or where nothing was sent."""
    with np.errstate(divide="ignore", invalid="ignore"):
        quotients = np.where((outputs == 0) & (items == 0), 1.0, outputs / items)
    return np.where(np.isnan(quotients), np.inf, quotients)


def _failing(record: GameRecord, edges: Integers, table: Any) -> npt.NDArray[np.bool_]:
    """Return which rows fail; none does before the first failure, which the referee knows exactly.

    Where messages take time the lag-aware error decides, of which the record has the first failure only.
    """
    alpha, first = record.about.alpha, record.about.first_failing_step
    if alpha is None or first is None:
        return np.zeros(len(edges), dtype=bool)
    row = np.searchsorted(edges, first)
    beyond = (table.low < 1 - alpha - _SLACK) | (table.high > 1 + alpha + _SLACK)
    return np.asarray((table.index == row) | (beyond & (table.index > row) & (not record.delayed)))


def _held(record: GameRecord, stream: Stream, steps: Integers, each: int) -> Integers:
    """Return for each of these steps and columns the items that its sites received since their last messages."""
    spoken = record.table[record.table.up == 1].groupby("site").step
    reports = {site: np.array([0, *steps_of]) for site, steps_of in spoken}
    held = np.zeros((len(steps), -(-record.about.sites // each)), dtype=np.int64)
    for site in range(record.about.sites):
        reported = reports.get(site, np.zeros(1, dtype=np.int64))
        items = stream.received(site, reported)
        held[:, site // each] += stream.received(site, steps) - items[reported.searchsorted(steps, side="right") - 1]
    return held


def _moves(record: GameRecord, edges: Integers) -> dict[int, str]:
    """Return what the adversary saw and did in each row: the last time, and how often before."""
    moves: dict[int, list[str]] = {}
    for turn, sentence in zip(record.asked, moves_of(record.asked, record.outputs), strict=True):
        if turn.step <= edges[-1] and (turn.plan is not None or not turn.step):
            moves.setdefault(int(np.searchsorted(edges, turn.step)), []).append(sentence)
    return {
        row: some[-1] + (f" (Last of {len(some):,} moves in the row.)" if len(some) > 1 else "")
        for row, some in moves.items()
    }


def _first(record: GameRecord, stream: Stream, edges: Integers) -> tuple[int, str] | None:
    """Return the row of the first failure, and a sentence on it."""
    about, step = record.about, record.about.first_failing_step
    if step is None or about.alpha is None:
        return None
    items = about.start + int(stream.sent(np.array(step)))
    output = next((value for when, value in reversed(record.outputs) if when <= step), about.start)
    row = int(np.searchsorted(edges, step))
    if record.item is not None:
        copies = int(np.searchsorted(record.copies, step, side="right"))
        return row, failure_of_item(step, record.item, copies, items, int(output), about.alpha)
    held = _held(record, stream, np.array([step]), 1)[0]
    return row, failure(step, items, output, about.alpha, held)
