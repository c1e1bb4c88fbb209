"""A crew of the workers of a Dask cluster (extra ``disttrack[dask]``)."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Final

from simulator.crew import Batch, Crew, Played, WorkerDied, cores, play_batch
from simulator.errors import RunError, ScenarioError

PATIENCE: Final = 10.0
"""Seconds to wait for a scheduler before saying that it is not there."""


class Cluster(Crew):
    """Plays on a Dask cluster. Dask plays a batch again whose worker died.

    Parameters
    ----------
    address
        ``tcp://host:port`` of a scheduler, or ``local`` to start one with a worker a core.

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
        self._own: Any = None
        try:
            if address == "local":
                self._own = distributed.LocalCluster(
                    n_workers=cores(), threads_per_worker=1, dashboard_address=None
                )
                self._client = distributed.Client(self._own)
            else:
                self._client = distributed.Client(address, timeout=PATIENCE)
        except (OSError, ValueError, ImportError) as error:
            raise ScenarioError(
                f"--scheduler {address}: no scheduler answers there: {_first(error)}"
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE)
        except (TimeoutError, OSError) as error:
            self.close(kill=True)
            raise ScenarioError(f"--scheduler {address}: the scheduler has no workers") from error
        self._distributed = distributed
        self._address = address

    @property
    def slots(self) -> int:  # type: ignore[override]
        """Two batches for each thread of the cluster, as many as it has at the moment."""
        threads = sum(self._client.nthreads().values())
        return max(2, 2 * int(threads))

    def submit(self, batch: Batch) -> Future[Played]:
        future: Any = self._client.submit(play_batch, list(batch), pure=False)
        return future  # type: ignore[no-any-return]

    def wait(self, futures: Sequence[Future[Played]]) -> set[Future[Played]]:
        try:
            return set(self._distributed.wait(list(futures), return_when="FIRST_COMPLETED").done)
        except (OSError, self._distributed.CancelledError) as error:
            raise self._gone(error) from error

    def result(self, future: Future[Played]) -> Played:
        try:
            return future.result()
        except self._distributed.KilledWorker as error:
            raise WorkerDied(_first(error)) from error
        except (OSError, self._distributed.CancelledError) as error:
            raise self._gone(error) from error

    def _gone(self, error: BaseException) -> RunError:
        return RunError(
            f"--scheduler {self._address}: the cluster is gone ({_first(error)}); finished games are kept"
        )

    def close(self, *, kill: bool = False) -> None:
        self._client.close(timeout=2 if kill else PATIENCE)
        if self._own is not None:
            self._own.close()


def _first(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
