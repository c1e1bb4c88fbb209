"""The rows of a game on a clock: what a page or a drawing shows of each stretch of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.columns import Columns
from disttrack.simulator.replay.ratios import Ratios, ratios
from disttrack.simulator.replay.record import GameRecord
from disttrack.simulator.replay.sentences import failure, moves_of
from disttrack.simulator.replay.stream import Stream

ALIKE: Final = 8
"""Columns of a row that are marked as fed, if they are no more than that."""


@dataclass(frozen=True)
class Arrows:
    """Messages as arrows, those of a row, a column, a direction and a kind as one; arrays of the same length.

    Attributes
    ----------
    row, column
        Where each stands.
    up
        Whether it goes to the server.
    kind
        Its place among the game's kinds.
    messages, words
        What it stands for.
    """

    row: Any
    column: Any
    up: Any
    kind: Any
    messages: Any
    words: Any


@dataclass(frozen=True)
class Frames:
    """A game by rows; row r holds the steps after `edges[r - 1]` up to `edges[r]`, row 0 the beginning.

    Attributes
    ----------
    record, columns, edges
        The game, the columns of its sites, and the last step of each row.
    kinds
        The kinds of its messages, in the order in which they first came.
    arrows
        Its messages.
    ratios
        Outputs and truth of each row.
    fed
        The columns that were fed most in each row; where more than `ALIKE` were fed alike, that of its last step.
    held
        Of each row and column, the items since the last messages of its sites.
    says
        What the adversary saw and did, of each row in which it was asked and did something new.
    first
        The row of the first failure, None if there is none, and what stood where then.
    """

    record: GameRecord
    columns: Columns
    edges: Any
    kinds: Sequence[str]
    arrows: Arrows
    ratios: Ratios
    fed: Sequence[Sequence[int]]
    held: Any
    says: Mapping[int, str]
    first: tuple[int, str] | None


def moments(record: GameRecord) -> Any:
    """Return the steps at which anything happened, the beginning, the first failure and the end among them."""
    steps = {0, record.about["steps"], record.about["first_failing_step"] or 0}
    steps.update(message.step for message in record.messages)
    steps.update(step for step, _ in record.outputs)
    steps.update(turn.step for turn in record.asked if turn.plan is not None)
    return np.array(sorted(steps), dtype=np.int64)


def frames_of(record: GameRecord, edges: Any, columns: Columns) -> Frames:
    """Return a game by rows that end at these steps; what comes after the last of them is left out."""
    edges = np.minimum(edges, record.about["steps"])
    stream = Stream(record)
    received, held = _by_column(record, stream, edges, columns)
    fed = _most_fed(np.diff(received, axis=0, prepend=0), stream.step_sites(edges) // columns.each)
    return Frames(
        record, columns, edges, record.kinds, arrows_of(record, edges, columns), ratios(record, stream, edges),
        fed, held, _says(record, edges), _first(record, stream, edges),
    )  # fmt: skip


def arrows_of(record: GameRecord, edges: Any, columns: Columns) -> Arrows:
    """Return the messages as arrows; in one row they keep the order in which the first of each was sent."""
    table = record.table
    table = table[: np.searchsorted(table[:, 0], edges[-1], side="right")]
    rows = np.searchsorted(edges, table[:, 0], side="left")
    kinds = len(record.kinds) or 1
    keys = ((rows * columns.number + table[:, 1] // columns.each) * 2 + table[:, 2]) * kinds + table[:, 3]
    _, first, whose = np.unique(keys, return_index=True, return_inverse=True)
    messages = np.bincount(whose, minlength=len(first))
    words = np.bincount(whose, weights=table[:, 4], minlength=len(first)).astype(np.int64)
    order = np.argsort(first, kind="stable")
    chosen = table[first[order]]
    return Arrows(
        rows[first[order]], chosen[:, 1] // columns.each, chosen[:, 2], chosen[:, 3], messages[order], words[order]
    )


def _by_column(record: GameRecord, stream: Stream, edges: Any, columns: Columns) -> tuple[Any, Any]:
    """Return for each row and column the items received so far, and those of them that are unreported."""
    heard = _heard(record)
    received = np.zeros((len(edges), columns.number), dtype=np.int64)
    held = np.zeros((len(edges), columns.number), dtype=np.int64)
    for site in range(columns.sites):
        items_at = stream.of_site(site)
        items = items_at(edges)
        received[:, site // columns.each] += items
        held[:, site // columns.each] += items - _reported(items_at, heard.get(site, []), edges)
    return received, held


def _most_fed(items: Any, last: Any) -> list[list[int]]:
    """Return the columns with at least half of the items of the busiest one; else that of the last step."""
    busy = (2 * items >= items.max(axis=1, keepdims=True)) & (items > 0)
    few = busy.sum(axis=1) <= ALIKE
    return [
        np.flatnonzero(row).tolist() if some else [column] * (column >= 0)
        for row, some, column in zip(busy, few.tolist(), last.tolist(), strict=True)
    ]


def _heard(record: GameRecord) -> dict[int, list[int]]:
    """Return of each site that has spoken the steps at which it did."""
    heard: dict[int, list[int]] = {}
    for message in record.messages:
        if message.receiver < 0:
            heard.setdefault(message.sender, []).append(message.step)
    return heard


def _reported(items_at: Callable[[Any], Any], heard: Sequence[int], edges: Any) -> Any:
    """Return the items that a site had at its last message by each of these steps."""
    if not heard:
        return 0
    steps = np.array(heard, dtype=np.int64)
    then = np.concatenate(([0], items_at(steps)))
    return then[np.searchsorted(steps, edges, side="right")]


def _says(record: GameRecord, edges: Any) -> dict[int, str]:
    """Return what the adversary saw and did in each row: the last time, and how often before."""
    says: dict[int, str] = {}
    times: dict[int, int] = {}
    for turn, sentence in zip(record.asked, moves_of(record.asked, record.outputs), strict=True):
        if turn.step <= edges[-1] and (turn.plan is not None or not turn.step):
            row = int(np.searchsorted(edges, turn.step, side="left"))
            times[row] = times.get(row, 0) + 1
            says[row] = sentence
    return {row: f"{sentence} (The last of {times[row]:,} moves in this row.)" if times[row] > 1 else sentence
            for row, sentence in says.items()}  # fmt: skip


def _first(record: GameRecord, stream: Stream, edges: Any) -> tuple[int, str] | None:
    """Return the row of the first failure, and what stood where then."""
    about = record.about
    step = about["first_failing_step"]
    if step is None:
        return None
    at = np.array([step], dtype=np.int64)
    held = _by_column(record, stream, at, Columns(about["sites"], 1))[1][0]
    items = about["start"] + int(stream.sent(at)[0])
    output = next((value for when, value in reversed(record.outputs) if when <= step), about["start"])
    return int(np.searchsorted(edges, step, side="left")), failure(step, items, output, about["alpha"], held)
