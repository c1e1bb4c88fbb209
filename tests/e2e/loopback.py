"""A Dask scheduler and two workers on this machine's loopback, each a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), "DASK_DISTRIBUTED__WORKER__DAEMON": "False"}


class Loopback:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder = folder  # the workers' own, without the user's files
        file = folder / "scheduler.json"
        self.processes = [
            self._start(
                "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)
            )
        ]
        deadline = time.monotonic() + 60
        while not file.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.2)
        self.address: str = json.loads(file.read_text())["address"]
        for _ in range(workers):
            self.worker()

    def worker(self) -> None:
        self.processes.append(self._start("worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard"))

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "dask", *arguments],
            cwd=self.folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def close(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
