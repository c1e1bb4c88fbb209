"""The progress of a run: counted while it plays, in words, and shown in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from math import inf, nan
from typing import Final

from disttrack.simulator.experiments.results.formats import duration, percent
from disttrack.simulator.kinds.names import count

SHORT: Final = 0.005
"""Seconds left that would be shown as none: an estimate that is used up says nothing."""


@dataclass
class Progress:
    """Counts of the games of a run."""

    games: int = 0
    kept: int = 0
    """Games that an earlier run had finished."""
    played: int = 0
    alike: int = 0
    """Games without coins, taken from another seed of their point."""
    left: float = 0.0
    """Estimated seconds until all games have ended: by the finished games of their points, or else the estimates."""
    in_play: float = nan
    """The share of the items of the only game in play that are sent; not-a-number if it is unknown."""
    overdue: list[str] = field(default_factory=list)
    """A line for each game in play that has taken ten times its expected time."""
    seconds: float = 0.0
    """Duration of the run; known at its end."""
    damaged: int = 0
    """Rows of the journal that could not be read."""
    differs: list[str] = field(default_factory=list)
    """What the finished games of the folder were played with, if it is not that of this run: none of them is kept."""
    finished: bool = False

    @property
    def done(self) -> int:
        """Return the number of games that have ended."""
        return self.kept + self.alike + self.played

    @property
    def share(self) -> float:
        """Return the share of the games that has ended, from 0 to 1, with that of the only game in play."""
        begun = self.in_play if self.in_play == self.in_play else 0.0
        return min(1.0, (self.done + begun) / self.games) if self.games else 1.0

    def words(self, seconds: float, letters: float = inf) -> str:
        """Return games, time left, game in play and rate `seconds` after the start, as far as `letters` have room.

        Examples
        --------
        >>> Progress(games=355, played=7, left=19500.0).words(70.0)
        '7 of 355 games, about 5 h 25 min left, 10.0 s per game'
        >>> Progress(games=355, played=7, left=19500.0).words(70.0, 40)
        '7 of 355 games, about 5 h 25 min left'
        """
        parts = [f"{self.done:,} of {count(self.games, 'game')}"]
        if self.done < self.games and self.left >= SHORT:
            parts.append(f"about {duration(self.left)} left")
        if self.in_play == self.in_play:
            parts.append(f"{percent(self.in_play)} of it in play")
        if self.played:
            rate = self.played / seconds
            parts.append(f"{rate:,.1f} games/s" if rate >= 1 else f"{1 / rate:,.1f} s per game")
        while len(", ".join(parts)) > letters and len(parts) > 1:
            parts.pop()
        return ", ".join(parts)


OnProgress = Callable[[Progress], None]
"""What is called with the progress: a bar."""


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def notebook_bar(name: str) -> OnProgress:
    """Return a function that shows progress in the cell that runs: a bar of plain HTML, which needs no widgets."""
    from IPython.display import display

    begun = time.perf_counter()
    handle = display({"text/plain": name}, raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def show(progress: Progress) -> None:
        words = progress.words(time.perf_counter() - begun)
        bar = f"<progress value='{progress.share:.4f}' max='1' style='width:16em'></progress>"
        text = {"text/html": f"<div>{escape(name)} {bar} {escape(words)}</div>", "text/plain": f"{name}: {words}"}
        handle.update(text, raw=True)

    return show
