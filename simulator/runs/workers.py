"""Who plays the games: this process, worker processes (in `processes`), or (in `dask_workers`) those of a cluster."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Played, attempt


class Workers(ABC):
    """Plays the games of a run."""

    slots: int = 1
    """How many batches keep everybody busy."""
    notice: Callable[[str], None] | None = None
    """Called with a line about what delays the run."""

    @abstractmethod
    def play(self, batches: Batches) -> Iterator[list[Played]]:
        """Play all games and yield them as they end; nothing at times, while games are under way.

        Raises
        ------
        ScenarioError, RunError
            The run cannot go on; all games that had ended have been yielded.
        """

    def close(self) -> None:
        """End, without waiting for games in play."""
        return


class ThisProcess(Workers):
    """Plays in this process: games in which no code of the user's has a part."""

    def play(self, batches: Batches) -> Iterator[list[Played]]:
        while batches:
            for job in batches.next():
                yield [attempt(job)]


def cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
