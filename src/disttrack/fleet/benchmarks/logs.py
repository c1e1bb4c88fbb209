"""Own time of logs: processor time in which rows are read and played, and memory, by the number of rows.

``python -m disttrack.fleet.benchmarks.logs [ROWS …]`` writes a log of as many rows, in a temporary folder, with times
in milliseconds and costs, and plays it against `lease` in its own time, each number of rows in a process of its own.
The baseline, in the same process, is a loop of Python's csv module over the rows of the same file. The peaks of memory
are after the reading and after the game.
"""

from __future__ import annotations

import csv
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

ROWS: Final = (100_000, 1_000_000)


def write(path: Path, rows: int) -> None:
    """Write a log in which a row in two is in the same millisecond as the one before."""
    draw, at = random.Random(1), 1_704_067_200_000
    with path.open("w") as file:
        file.write("time,client,replica,tokens\n")
        for _ in range(rows):
            at += draw.choice((0, 0, 1, 3))
            file.write(f"{at / 1000:.3f},c{draw.randrange(1000)},web-{draw.randrange(8)},{draw.randrange(1, 9)}\n")


def play_log(path: Path, rows: int) -> None:
    """Print what one game of a log takes."""
    from disttrack import Lease, Trace, Uniform, play

    warm = Lease(limit=2_000, window=1_000)
    play(warm, Uniform(), sites=8, items=1_000, engine="compiled")  # compile, or load what was compiled
    begun = time.process_time()
    with path.open(newline="") as file:
        read = sum(1 for _ in csv.reader(file)) - 1
    bare, begun = time.process_time() - begun, time.process_time()
    trace = Trace(str(path), site="replica", time="time", step="1ms")
    assert trace.items == rows == read
    reading, begun, peak = time.process_time() - begun, time.process_time(), peak_memory()
    game = play(Lease(limit=400, window=1_000), trace, sites=8, items=rows)
    playing = time.process_time() - begun
    took = f"{bare:6.1f} s {reading:6.1f} s {reading / bare:5.1f} {peak:6.0f} MB"
    print(f"{rows:12,} {took} {playing:6.1f} s {peak_memory():6.0f} MB", flush=True)
    print(f"{'':12}  {game.steps:,} steps, pace {trace.pace}, {game.words:,} words", flush=True)


def peak_memory() -> float:
    """Return the most memory that the process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(sizes: list[str]) -> None:
    """Play a log of each size in a process of its own."""
    print("        rows      csv     read  /csv      peak     play      peak")
    with TemporaryDirectory() as folder:
        for rows in map(int, sizes or map(str, ROWS)):
            path = Path(folder) / f"{rows}.csv"
            write(path, rows)
            subprocess.run([sys.executable, __file__, "--play", str(path), str(rows)], check=True)
            path.unlink()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play_log(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(sys.argv[1:])
