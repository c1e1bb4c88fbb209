"""How far a run is: counted while it plays, said in words, and shown in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from disttrack.simulator.results.formats import duration

EVERY: Final = 0.2
"""Seconds between two looks of a notebook's bar."""


@dataclass
class Progress:
    """How far a run is. `cost` counts expected seconds: games of one run differ a thousandfold."""

    games: int
    kept: int
    """Games that an earlier run had finished."""
    cost: float
    played: int = 0
    alike: int = 0
    """Games that are taken from another seed's, for no coin is drawn in them."""
    done: float = 0.0
    left: float = 0.0
    """Seconds that the games still to be handed over will take, by what has been seen of their points."""
    finished: bool = False
    notice: str = ""
    """What whoever waits should know."""

    @property
    def share(self) -> float:
        """Return which part of the work is done, from 0 to 1."""
        return min(1.0, self.done / self.cost) if self.cost else 1.0

    def words(self, seconds: float) -> tuple[str, str, str]:
        """Return games, rate and time left in words, after so many seconds."""
        there = self.kept + self.alike + self.played
        games = f"{there:,} of {self.games:,} games"
        if not self.played or self.done <= 0:
            return games, "", ""
        rate = self.played / seconds
        told = f"{rate:,.1f} games/s" if rate >= 1 else f"{1 / rate:,.1f} s per game"
        return games, told, f"{duration(self.left)} left" if there < self.games else ""


def in_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def notebook_bar(name: str) -> Callable[[Progress], None]:
    """Return a function that shows progress in the cell that runs: a bar of plain HTML, which needs no widgets."""
    from IPython.display import display

    begun, handle, last = time.perf_counter(), None, 0.0

    def show(progress: Progress) -> None:
        nonlocal handle, last
        now = time.perf_counter()
        if handle is not None and now - last < EVERY and not progress.finished:
            return
        last = now
        look = _looks(name, progress, now - begun)
        if handle is None:
            handle = display(look, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            handle.update(look, raw=True)

    return show


def _looks(name: str, progress: Progress, seconds: float) -> dict[str, Any]:
    """Return the bar as HTML, and as text for where there is none."""
    from html import escape

    words = ", ".join(part for part in progress.words(seconds) if part)
    share = 1.0 if progress.finished and not progress.left else progress.share
    bar = f"<progress value='{share:.4f}' max='1' style='width:16em'></progress>"
    return {"text/html": f"<div>{escape(name)} {bar} {escape(words)}</div>", "text/plain": f"{name}: {words}"}
