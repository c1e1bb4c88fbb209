"""Plays on the workers of a Dask cluster (extra ``disttrack[dask]``)."""

from __future__ import annotations

import importlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, Final

from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.runs.batches import Batches
from disttrack.simulator.runs.jobs import Job, Played, attempt
from disttrack.simulator.runs.signals import undisturbed
from disttrack.simulator.runs.workers import Workers, cores
from disttrack.simulator.tasks.base import Record, lost

PATIENCE: Final = 10.0
"""Seconds to wait for a scheduler before saying that it is not there."""
EMPTY: Final = 60.0
"""Seconds to wait for a worker to come back when none is left."""
LOOK: Final = 2.0
"""Seconds after which the workers are counted again."""

Answers = tuple[list[tuple[Record, float]], ScenarioError | None]
"""Records of a batch with their seconds, up to the first game that cannot be played, and why it cannot."""


class DaskWorkers(Workers):
    """Plays on a Dask cluster. Dask plays a batch again whose worker died.

    Parameters
    ----------
    address
        ``tcp://host:port`` of a scheduler, or ``local`` to start one with a worker per core.

    Raises
    ------
    ScenarioError
        The extra is not installed, or there is no scheduler or no worker at that address.
    """

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = importlib.import_module("distributed")
        except ImportError as error:
            raise ScenarioError("--scheduler needs Dask: pip install 'disttrack[dask]'") from error
        # what goes wrong is said in one line by whoever asked; Dask would add its tracebacks to it
        for name in list(logging.root.manager.loggerDict):
            if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
                logging.getLogger(name).setLevel(logging.CRITICAL)
        self._own: Any = None
        self._client: Any = None
        try:
            with undisturbed(), _quiet_processes():  # a cluster that is half started cannot be closed
                if address == "local":
                    self._own = distributed.LocalCluster(
                        n_workers=cores(), threads_per_worker=1, dashboard_address=":0"
                    )
                self._client = distributed.Client(self._own or address, timeout=PATIENCE)
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except BaseException as error:
            connected = self._client is not None
            self.close()
            if connected and isinstance(error, TimeoutError | OSError):
                raise ScenarioError(f"--scheduler {address}: the scheduler has no workers") from error
            if isinstance(error, OSError | ValueError | ImportError):
                raise ScenarioError(f"--scheduler {address}: no scheduler answers there: {_first(error)}") from error
            raise
        self.slots = max(2, 2 * sum(self._client.nthreads().values()))  # one in play, one waiting
        self._distributed = distributed
        self._address = address
        self._empty_since: float | None = None

    def play(self, batches: Batches) -> Iterator[list[Played]]:
        try:
            yield from self._play(batches)
        except (OSError, self._distributed.CancelledError) as error:
            raise RunError(
                f"--scheduler {self._address}: the cluster is gone; finished games are kept, "
                "and the same command goes on with the rest"
            ) from error

    def _play(self, batches: Batches) -> Iterator[list[Played]]:
        waiting: dict[Any, list[Job]] = {}
        again: list[Job] = []  # games whose workers died: nobody knows which has done it, so each is played by itself
        while batches or again or waiting:
            while (batches or again) and len(waiting) < self.slots:
                batch = [again.pop()] if again else batches.next()
                waiting[self._client.submit(_play_quietly, batch, pure=False)] = batch
            for future in self._wait(list(waiting)):
                batch = waiting.pop(future)
                try:
                    answers, fault = self._result(future)
                except self._distributed.KilledWorker:
                    if len(batch) == 1:
                        yield [Played(batch[0], lost("ProcessDied: its Dask workers died"), 0.0)]
                    else:
                        again += batch
                    continue
                yield [Played(job, *answer) for job, answer in zip(batch, answers, strict=False)]
                if fault is not None:
                    raise fault

    def _wait(self, futures: list[Any]) -> set[Any]:
        """Return those that are done; give up when there has been no worker for a while."""
        while True:
            try:
                return set(self._distributed.wait(futures, timeout=LOOK, return_when="FIRST_COMPLETED").done)
            except TimeoutError:
                self._look()

    def _look(self) -> None:
        """Look whether there is a worker; give up when there has been none for a while."""
        now = time.monotonic()
        if self._client.scheduler_info().get("workers"):
            self._empty_since = None
        elif self._empty_since is None:
            self._empty_since = now
            if self.notice is not None:
                self.notice(f"{self._address}: no worker is left; waiting {EMPTY:g} s for one")
        elif now - self._empty_since >= EMPTY:
            raise RunError(
                f"--scheduler {self._address}: no worker is left, and none came within {EMPTY:g} s; finished games "
                "are kept, and the same command goes on with the rest"
            )

    def _result(self, future: Any) -> Answers:
        """Return what a batch gave: it lies on its worker, and if this one dies meanwhile, it is played again."""
        patience = LOOK
        while True:
            try:
                answers: Answers = future.result(timeout=patience)
            except TimeoutError:
                self._look()
                patience *= 2  # for a slow network
            else:
                self._empty_since = None
                return answers

    def close(self) -> None:
        with undisturbed():
            if self._client is not None:
                self._client.close(timeout=LOOK)
            if self._own is not None:
                self._own.close()


def _play_quietly(batch: Sequence[Job]) -> Answers:
    """Play a batch, up to the first game that cannot be played; what the classes print is no part of the output."""
    answers: list[tuple[Record, float]] = []
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
        for job in batch:
            try:
                _, record, seconds = attempt(job)
            except ScenarioError as error:
                return answers, error
            answers.append((record, seconds))
    return answers, None


@contextmanager
def _quiet_processes() -> Iterator[None]:
    """Let processes that are started have no standard error: Ctrl-C reaches them, and each would tell it at length."""
    before = os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def _first(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
