"""Plays on the workers of a Dask cluster (extra ``disttrack[dask]``)."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, Final

from disttrack.simulator.errors import KEPT, RunError, ScenarioError
from disttrack.simulator.experiments.runs.estimate import cores
from disttrack.simulator.experiments.runs.jobs import GUARD, Batches, InPlay, Job, Played
from disttrack.simulator.experiments.runs.worker import attempt
from disttrack.simulator.game.tasks.base import lost

PATIENCE: Final = 10.0
"""Seconds to wait for a scheduler before the run is refused, and for a result to arrive from its worker."""
EMPTY: Final = 60.0
"""Seconds to wait for a worker to come back when none is left."""
LOOK: Final = 5.0
"""Seconds without a result after which the workers are counted."""


def play_on_dask(address: str, batches: Batches) -> Iterator[list[Played]]:
    """Play all games on a Dask cluster and yield them as they end. Dask plays a batch again whose worker died.

    Parameters
    ----------
    address
        ``tcp://host:port`` of a scheduler, or ``local`` to start one with a worker per core.

    Raises
    ------
    ScenarioError
        The extra is not installed, or there is no scheduler or no worker at that address.
    RunError
        The cluster, or its last worker, is gone.
    """
    try:
        import distributed as installed
    except ImportError as error:
        raise ScenarioError("--scheduler needs Dask: pip install 'disttrack[dask]'") from error
    distributed: Any = installed  # it has no types
    # what goes wrong is reported in one line; Dask would add its tracebacks to it
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as opened:
        try:
            cluster: Any = address
            if address == "local":
                own: dict[str, Any] = {"dashboard_address": ":0", "silence_logs": logging.CRITICAL}
                cluster = distributed.LocalCluster(n_workers=cores(), threads_per_worker=1, **own)
                opened.callback(cluster.close)
            client = distributed.Client(cluster, timeout=PATIENCE)
            opened.callback(client.close, timeout=LOOK)
            client.wait_for_workers(1, timeout=PATIENCE)
            if address == "local":
                client.register_worker_callbacks(_silence)  # also in those that take the place of others
        except (OSError, RuntimeError, ValueError, ImportError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            if isinstance(error, RuntimeError):  # of workers that run the whole script again
                reason += f"; {GUARD}"
            raise ScenarioError(f"--scheduler {address}: no scheduler with workers: {reason}") from error
        batches.workers = max(1, sum(client.nthreads().values()))
        batches.remedy = "restart this worker; or --game-timeout without --scheduler"
        try:
            yield from _play(distributed, client, batches)
        except (OSError, distributed.CancelledError) as error:
            why = f"no worker within {EMPTY:g} s" if isinstance(error, TimeoutError) else "the cluster is gone"
            raise RunError(f"--scheduler {address}: {why}; {KEPT}") from error


def _play(distributed: Any, client: Any, batches: Batches) -> Iterator[list[Played]]:
    """Keep two batches per worker at the cluster, one in play and one waiting, until all games have ended."""
    waiting: dict[Any, list[Job]] = {}
    # the batch of each worker that is in play, since when it is seen, and where
    first: dict[str, tuple[float, str]] = {}
    looked = time.monotonic()

    def in_play() -> list[InPlay]:
        playing = [(batch, *first[future.key]) for future, batch in waiting.items() if future.key in first]
        return [_last_of(batch, begun, worker, batches) for batch, begun, worker in playing]

    batches.in_play = in_play
    while batches or waiting:
        while batches and len(waiting) < 2 * batches.workers:
            batch = batches.next()
            waiting[client.submit(_play_batch, batch, pure=False)] = batch
        if time.monotonic() - looked >= LOOK:
            looked = time.monotonic()
            order = {future.key: place for place, future in enumerate(waiting)}
            heads = {min(keys, key=order.__getitem__): worker for worker, keys in _known(client, order).items()}
            first = {key: first.get(key, (looked, worker)) for key, worker in heads.items()}
        try:
            with client.as_current():  # a caller's own client has another event loop, which no result of ours wakes
                done = distributed.wait(list(waiting), timeout=LOOK, return_when="FIRST_COMPLETED").done
            future = next(iter(done))
            answers = future.result(timeout=PATIENCE)  # it lies on its worker, and may be lost with it
        except TimeoutError:
            client.wait_for_workers(1, timeout=EMPTY)
            yield []
        except distributed.KilledWorker:
            batch = waiting.pop(future)
            if len(batch) == 1:
                yield [Played(batch[0], lost("ProcessDied: its Dask workers died"), 0.0)]
            else:
                batches.put_back(batch)
        else:
            yield [Played(job, *answer) for job, answer in zip(waiting.pop(future), answers, strict=True)]


def _known(client: Any, order: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the batches of this run that each worker plays, or has waiting."""
    of_each = {worker: [key for key in keys if key in order] for worker, keys in client.processing().items()}
    return {worker: keys for worker, keys in of_each.items() if keys}


def _last_of(batch: Sequence[Job], begun: float, worker: str, batches: Batches) -> InPlay:
    """Return the last game of a batch, as if those before it took as long as expected."""
    game, others = batch[-1], len(batch) - 1
    before = f", or one of the {others} games before it" if others else ""
    return InPlay(game, begun + others * batches.expected(game.point.number), stands=f"on {worker}{before}")


def _play_batch(batch: Sequence[Job]) -> list[tuple[Any, float]]:
    """Return the record and the seconds of each game of a batch."""
    return [attempt(job)[1:] for job in batch]


def _silence() -> None:
    """Lose what the classes print, in a worker that this run has started; others print where their owner reads it."""
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - as long as the process lives
