"""Runs of many tiny games: what one costs beside `play`, and the memory and the disk that all of them take.

``python -m benchmarks.many_games [GAMES …]`` plays runs of 1,000 and 10,000 games of 200 items, or of the numbers that
are named, each in a process of its own. The baseline is the same games by bare calls of `disttrack.play`. All times are
processor time, in milliseconds per game.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.clock import ROOT, peak_memory
from disttrack import Randomized, Uniform, play, run

SCENARIO: Final = {
    "name": "tiny",
    "sites": 4,
    "items": 200,
    "protocol": {"kind": "randomized", "alpha": 0.1},
    "engine": "compiled",
    "adversary": "uniform",
    "claims": [{"name": "it costs something", "measure": "min(words)", "at_least": 1, "no_control": "a benchmark"}],
}
BARE: Final = 300
"""Games of the baseline."""


def main() -> None:
    """Print a row per run."""
    print(f"{'games':>9} {'play':>8} {'run':>8} {'ratio':>6} {'resume':>8} {'MB':>7} {'kB on disk':>11}")
    for games in sys.argv[1:] or ("1000", "10000"):
        code = f"from benchmarks.many_games import measured; measured({int(games)})"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        row: dict[str, float] = json.loads(done.stdout)
        print(
            f"{int(games):9,} {row['play']:8.3f} {row['run']:8.3f} {row['run'] / row['play']:6.2f} "
            f"{row['resume']:8.3f} {row['memory']:7.0f} {row['disk']:11.2f}",
            flush=True,
        )


def measured(games: int) -> None:
    """Print the measurements of a run as JSON: milliseconds and kilobytes per game, and megabytes in all."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "run"
        options: dict[str, Any] = {"out": place, "workers": 1, "overrides": [f"trials={games}"]}
        run(SCENARIO, out=Path(folder) / "warm", workers=1)  # imports, the digest of our code

        def bare() -> None:
            for seed in range(BARE):
                play(Randomized(alpha=0.1), Uniform(), sites=4, items=200, seed=seed, engine="compiled")

        row = {"play": _milliseconds(bare) / BARE}
        row |= {name: _milliseconds(lambda: run(SCENARIO, **options)) / games for name in ("run", "resume")}
        row["memory"] = peak_memory() / 1e6
        row["disk"] = sum(path.stat().st_size for path in place.iterdir() if path.is_file()) / 1e3 / games
        print(json.dumps(row))


def _milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return 1e3 * (time.process_time() - begun)


if __name__ == "__main__":
    main()
