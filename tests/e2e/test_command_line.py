"""The program as a user starts it: its help is there at once. Kills: test_kills.py."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

SOURCE = str(Path(__file__).resolve().parents[2] / "src")


def test_help_is_quick() -> None:
    # in seconds of computing, which other programs at work here change little; the best of five
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "disttrack.simulator", "--help"]
        done = subprocess.run(command, env={**os.environ, "PYTHONPATH": SOURCE}, capture_output=True, check=False)
        assert done.returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.3
