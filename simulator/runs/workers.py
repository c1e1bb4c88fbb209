"""Who plays the games: this process, worker processes (in `processes`), or (in `dask_workers`) those of a cluster.

Workers take batches and answer with futures.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from simulator.runs.jobs import Batch, Played, play_batch


class Workers(ABC):
    """Plays batches. `slots` batches at a time keep everybody busy."""

    slots: int = 1
    notice: Callable[[str], None] | None = None
    """Told in a line what whoever waits should know."""

    @abstractmethod
    def submit(self, batch: Batch, *, alone: bool = False) -> Future[Played]:
        """Hand a batch over; with `alone` to a process that plays nothing else, before or after."""

    def wait(self, futures: Sequence[Future[Played]]) -> set[Future[Played]]:
        """Return those that are done, as soon as one is."""
        return wait(futures, return_when=FIRST_COMPLETED).done

    def result(self, future: Future[Played]) -> Played:
        """Return what a batch gave."""
        return future.result()

    @abstractmethod
    def close(self, *, kill: bool = False) -> None:
        """End; with `kill` without waiting for the games in play."""


class ThisProcess(Workers):
    """Plays in this process, at once: games in which no code of the user's has a part."""

    def submit(self, batch: Batch, *, alone: bool = False) -> Future[Played]:
        future: Future[Played] = Future()
        future.set_result(play_batch(batch))
        return future

    def close(self, *, kill: bool = False) -> None:
        """Nothing to end."""


def cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
