"""Two Dask workers on one machine against one: a scenario's games, whole runs by the clock and by processor time.

``python -m benchmarks.cluster [SCENARIO [KEY=VALUE …]]`` plays ``arms-race``, or the scenario that is named with these
changes, on one worker of one thread and on two, three times each in turn. It needs a machine with nothing else to do:
the goal is that two are at least 1.7 times as fast. The processor times show on any machine what a second worker adds.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from disttrack import run

WANTED: Final = 1.7
REPEATS: Final = 3


class Took(NamedTuple):
    """Seconds of a run: by the clock, of the workers' processors, and of the process that runs and schedules."""

    clock: float
    workers: float
    here: float


def main(scenario: str = "arms-race", *overrides: str) -> None:
    """Print a row per run, and the ratio of the medians."""
    import distributed

    runs: dict[int, list[Took]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for workers, rows in runs.items():
            with distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=workers, threads_per_worker=1, dashboard_address=":0"
            ) as cluster:
                rows.append(measured(cluster.scheduler_address, scenario, overrides))
            one = rows[-1]
            print(
                f"{workers} workers: {one.clock:7.1f} s, processors {one.workers:7.1f} s + {one.here:5.1f} s",
                flush=True,
            )
    alone, both = (statistics.median(row.clock for row in rows) for rows in runs.values())
    print(f"two are {alone / both:.2f} times as fast as one; wanted: {WANTED}")


def measured(address: str, scenario: str, overrides: Sequence[str]) -> Took:
    """Play a scenario on the cluster, after a short run in which the workers import what they need."""
    import distributed

    with distributed.Client(address) as client, TemporaryDirectory() as folder:  # type: ignore[no-untyped-call]
        options: dict[str, Any] = {"scheduler": address, "controls": False}
        run("headline", out=Path(folder, "warm"), overrides=["trials=2", "items=20000"], **options)
        before = sum(client.run(time.process_time).values())
        begun, here = time.perf_counter(), time.process_time()
        run(scenario, out=Path(folder, "run"), overrides=list(overrides), **options)
        clock, here = time.perf_counter() - begun, time.process_time() - here
        return Took(clock, sum(client.run(time.process_time).values()) - before, here)


if __name__ == "__main__":
    main(*sys.argv[1:])
