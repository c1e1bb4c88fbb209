"""One clock for one or two games, coarse enough to be drawn: rows of several steps where there are many messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from disttrack.simulator.replay.columns import columns_of
from disttrack.simulator.replay.frames import Frames, arrows_of, frames_of, moments
from disttrack.simulator.replay.kinds import looks
from disttrack.simulator.replay.record import GameRecord

MOST: Final = 10_000
"""Arrows of a game, and rows of its clock, up to which nothing is folded."""

FINER: Final = 3
"""So many times more arrows may a game have that is folded: arrows of a row are drawn together."""
FEW: Final = 8
"""Rows below which a clock is not folded any more, however many arrows there are."""


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
    def looks(self) -> dict[str, dict[str, Any]]:
        """Return the look of each kind of message, the same one in all games."""
        kinds = list(dict.fromkeys(kind for game in self.games for kind in game.kinds))
        return dict(zip(kinds, looks(kinds), strict=True))

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


def on_one_clock(
    records: Sequence[GameRecord], *, arrows: int = MOST, rows: int = MOST, span: tuple[int, int | None] = (0, None)
) -> Folded:
    """Return games by the rows of one clock.

    Parameters
    ----------
    arrows, rows
        How many a game may have, if that can be. A game of more is folded.
    span
        The first and the last step of the rows, None for the end. If the first is above 0, row 0 has what
        was before.
    """
    every = _moments(records, span)
    columns = [columns_of(record.about["sites"]) for record in records]
    kept = np.array([step for record in records if (step := record.about["first_failing_step"])], dtype=np.int64)
    kept = kept[(kept > every[0]) & (kept < every[-1])]
    together = 1
    while len(every) > 2 and -(-len(every) // together) > rows:
        together *= 2
    edges = _edges(every, together, kept)
    while len(edges) >= FEW and any(
        np.count_nonzero(arrows_of(record, edges, column).row) > (arrows if together == 1 else FINER * arrows)
        for record, column in zip(records, columns, strict=True)
    ):
        together *= 2
        edges = _edges(every, together, kept)
    games = [frames_of(record, edges, column) for record, column in zip(records, columns, strict=True)]
    each = max(int(game.arrows.messages[game.arrows.row > 0].max(initial=1)) for game in games)
    return Folded(games, edges, each, together)


def _moments(records: Sequence[GameRecord], span: tuple[int, int | None]) -> Any:
    """Return the steps of a span at which something happens in any of the games, begun by the step before it."""
    first, last = span
    every = np.unique(np.concatenate([moments(record) for record in records]))
    end = int(every[-1]) if last is None else min(last, int(every[-1]))
    before = min(max(0, first - 1), end)
    return np.unique(np.concatenate([[before], every[(every > before) & (every <= end)], [end]]))


def _edges(every: Any, together: int, kept: Any) -> Any:
    """Return the last steps of rows of so many moments, the beginning and the first failures rows by themselves."""
    if together == 1:
        return every
    return np.unique(np.concatenate([every[:1], every[together::together], every[-1:], kept]))
