"""Plays on the workers of a Dask cluster (extra ``disttrack[dask]``)."""

from __future__ import annotations

import importlib
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from typing import Any, Final

from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.estimate import cores
from disttrack.simulator.runs.jobs import Job, Played, attempt
from disttrack.simulator.tasks.base import Record, lost

PATIENCE: Final = 10.0
"""Seconds to wait for a scheduler before the run is refused, and for a result to arrive from its worker."""
EMPTY: Final = 60.0
"""Seconds to wait for a worker to come back when none is left."""
LOOK: Final = 5.0
"""Seconds without a result after which the workers are counted."""

Answers = tuple[list[tuple[str, Record, float]], ScenarioError | None]
"""Key, record and seconds of the games of a batch, up to the first that cannot be played, and why it cannot."""


def play_on_dask(address: str, batches: Batches) -> Iterator[list[Played]]:
    """Play all games on a Dask cluster and yield them as they end. Dask plays a batch again whose worker died.

    Parameters
    ----------
    address
        ``tcp://host:port`` of a scheduler, or ``local`` to start one with a worker per core.

    Raises
    ------
    ScenarioError
        The extra is not installed, or there is no scheduler or no worker at that address; or a game cannot be played.
    RunError
        The cluster, or its last worker, is gone.
    """
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise ScenarioError("--scheduler needs Dask: pip install 'disttrack[dask]'") from error
    # what goes wrong is reported in one line; Dask would add its tracebacks to it
    for name in list(logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    with ExitStack() as opened:
        try:
            cluster: Any = address
            if address == "local":
                cluster = distributed.LocalCluster(n_workers=cores(), threads_per_worker=1, dashboard_address=":0")
                opened.callback(cluster.close)
            client = distributed.Client(cluster, timeout=PATIENCE)
            opened.callback(client.close, timeout=LOOK)
            client.wait_for_workers(1, timeout=PATIENCE)
        except (OSError, ValueError, ImportError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ScenarioError(f"--scheduler {address}: no scheduler with workers answers there: {reason}") from error
        batches.workers = max(1, sum(client.nthreads().values()))
        try:
            yield from _play(distributed, client, batches)
        except (OSError, distributed.CancelledError) as error:
            why = f"no worker came within {EMPTY:g} s" if isinstance(error, TimeoutError) else "the cluster is gone"
            raise RunError(
                f"--scheduler {address}: {why}; finished games are kept, and the same command goes on with the rest"
            ) from error


def _play(distributed: Any, client: Any, batches: Batches) -> Iterator[list[Played]]:
    """Keep two batches per worker at the cluster, one in play and one waiting, until all games have ended."""
    waiting: dict[Any, list[Job]] = {}
    again: list[Job] = []  # games of a batch whose workers died: which one was the cause is unknown, so each alone
    while batches or again or waiting:
        while (batches or again) and len(waiting) < 2 * batches.workers:
            batch = [again.pop()] if again else batches.next()
            waiting[client.submit(_play_batch, batch, pure=False)] = batch
        try:
            done = distributed.wait(list(waiting), timeout=LOOK, return_when="FIRST_COMPLETED").done
            future = next(iter(done))
            played, fault = future.result(timeout=PATIENCE)  # it lies on its worker, and may be lost with it
        except TimeoutError:
            client.wait_for_workers(1, timeout=EMPTY)
            continue
        except distributed.KilledWorker:
            batch = waiting.pop(future)
            if len(batch) == 1:
                yield [Played(batch[0], lost("ProcessDied: its Dask workers died"), 0.0)]
            else:
                again += batch
            continue
        jobs = {job.key: job for job in waiting.pop(future)}
        yield [Played(jobs[key], record, seconds) for key, record, seconds in played]
        if fault is not None:
            raise fault


def _play_batch(batch: Sequence[Job]) -> Answers:
    """Play a batch, up to the first game that cannot be played; what the classes print is no part of the output."""
    played: list[tuple[str, Record, float]] = []
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for job in batch:
            try:
                _, record, seconds = attempt(job)
            except ScenarioError as error:
                return played, ScenarioError(str(error))
            played.append((job.key, record, seconds))
    return played, None
