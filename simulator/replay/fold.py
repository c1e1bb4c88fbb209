"""One clock for one or two games, coarse enough to be drawn: rows of several steps where there are many messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from simulator.replay.columns import columns_of
from simulator.replay.frames import Frames, frames_of, moments
from simulator.replay.record import GameRecord

MOST: Final = 10_000
"""Arrows of a game, and rows of its clock, up to which nothing is folded."""


@dataclass(frozen=True)
class Folded:
    """Games on one clock.

    Attributes
    ----------
    games
        Each by the same rows.
    edges
        The last step of each row.
    each
        How many messages the largest arrow stands for.
    moments
        How many steps at which something happens share a row.
    """

    games: Sequence[Frames]
    edges: Any
    each: int
    moments: int

    @property
    def says(self) -> str:
        """Return what a reader must know of the folding; empty if there is none."""
        parts = []
        if self.each > 1 or self.moments > 1:
            parts.append(f"each arrow stands for up to {self.each:,} message{'s' * (self.each > 1)}")
        if self.moments > 1:
            parts.append(f"each row for up to {self.moments:,} steps at which something happened")
        each = max(game.columns.each for game in self.games)
        if each > 1:
            parts.append(f"each column for up to {each:,} sites")
        return f"Folded: {', '.join(parts)}." if parts else ""


def on_one_clock(records: Sequence[GameRecord], most: int = MOST) -> Folded:
    """Return games by the rows of one clock, of at most `most` rows and arrows a game if that can be."""
    every = np.unique(np.concatenate([moments(record) for record in records]))
    columns = [columns_of(record.about["sites"]) for record in records]
    kept = np.array([step for record in records if (step := record.about["first_failing_step"])], dtype=np.int64)
    together = 1
    while len(every) > 2 and -(-len(every) // together) > most:
        together *= 2
    while True:
        edges = _edges(every, together, kept)
        games = [frames_of(record, edges, column) for record, column in zip(records, columns, strict=True)]
        if len(edges) < 8 or all(len(game.arrows.row) <= most for game in games):
            break
        together *= 2
    each = max((int(game.arrows.messages.max(initial=1)) for game in games), default=1)
    return Folded(games, edges, each, together)


def _edges(every: Any, together: int, kept: Any) -> Any:
    """Return the last steps of rows of so many moments, the beginning and the first failures rows by themselves."""
    if together == 1:
        return every
    return np.unique(np.concatenate([every[:1], every[together::together], every[-1:], kept]))
