"""Measurements: medians of several runs, and the time and memory of a separate process."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]


def seconds(work: Callable[[], object], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the median duration of some runs."""
    took = []
    for _ in range(repeats):
        begun = clock()
        work()
        took.append(clock() - begun)
    return statistics.median(took)


def alternating(works: Sequence[Callable[[], object]], repeats: int) -> list[tuple[float, ...]]:
    """Return the durations of some runs of each, in turn: a slow period of the machine affects all."""
    rounds = [[seconds(work, 1) for work in works] for _ in range(repeats)]
    return list(zip(*rounds, strict=True))


def peak_memory() -> int:
    """Return the largest memory that this process has used, in bytes.

    Linux's own record of it, if there is one: the value of `getrusage` includes the parent's memory at the fork.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024


def in_own_process(protocol: str, options: dict[str, Any]) -> dict[str, Any]:
    """Play one game in a fresh process; return its seconds, messages, verdict and the process's peak memory in GiB.

    Parameters
    ----------
    protocol
        The expression that makes it, such as ``Deterministic(alpha=0.05)``.
    options
        Arguments of `simulator.game.play`.
    """
    code = (
        "import json, sys\n"
        "from disttrack.adversaries import *\n"
        "from disttrack.protocols import *\n"
        "from disttrack.simulator import play\n"
        f"game = play({protocol}, RoundRobin(), **json.loads(sys.argv[1]))\n"
        "from benchmarks.clock import peak_memory\n"
        "peak = peak_memory()\n"
        "print(json.dumps({'seconds': game.seconds, 'messages': game.messages, 'verdict': game.verdict,"
        " 'gib': peak / 2**30}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, json.dumps(options)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result
