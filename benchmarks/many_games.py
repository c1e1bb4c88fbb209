"""Runs of many tiny games: what one costs beside `play` and Mesa, and the memory and the disk that all of them take.

``python -m benchmarks.many_games [GAMES]`` plays a run of 10,000 games of 200 items, or of the number that is named,
for each tracker of a count, and for a class of the user's, each in a process of its own. Baselines of the same process
are bare calls of `disttrack.play`, and `mesa.batch_run` of the deterministic tracker without a verdict, where Mesa is
installed. All times are processor time, in milliseconds per game.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.clock import ROOT, peak_memory
from disttrack import Uniform, play, run
from disttrack.simulator.kinds.registry import find, make, parameters

OWN: Final = "own.py:Own"
CODE: Final = """\
from disttrack import Deterministic


class Own(Deterministic):
    def sites(self, k, rng, start=()):
        return super().sites(k, rng, start)
"""
"""A class that changes a rule, and so inherits no fast form."""
TRACKERS: Final = (
    "deterministic", "deterministic-rounds", "randomized", "block", "martingale", "robust", "exact",
    "difference-estimators", "sketch-switching", OWN,
)  # fmt: skip
"""Trackers of a count; `private-copies` takes many times as long as the others."""
SLOW: Final = ("exact", "difference-estimators", "sketch-switching", OWN)
"""Trackers without a compiled form."""
BARE: Final = 300
"""Games of the baselines."""
SITES, ITEMS = 4, 200


def main() -> None:
    """Print a row per tracker."""
    games = int(sys.argv[1]) if sys.argv[1:] else 10_000
    names = f"{'play':>7} {'run':>7} {'/ play':>6} {'/ Mesa':>6} {'resume':>7} {'MB':>5} {'kB on disk':>10}"
    print(f"{'tracker':<22} {names}")
    for tracker in TRACKERS:
        code = f"from benchmarks.many_games import measured; measured({tracker!r}, {games})"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
        row: dict[str, float] = json.loads(done.stdout)
        print(
            f"{tracker:<22} {row['play']:7.3f} {row['run']:7.3f} {row['run'] / row['play']:6.2f} "
            f"{row['run'] / row['mesa']:6.2f} {row['resume']:7.3f} {row['memory']:5.0f} {row['disk']:10.2f}",
            flush=True,
        )


def measured(tracker: str, games: int) -> None:
    """Print the measurements of a tracker as JSON: milliseconds and kilobytes per game, and megabytes in all."""
    mesa = nan
    if find_spec("mesa"):  # before anything else fills the memory that Python's collector goes through
        mesa_games(3)
        mesa = _milliseconds(lambda: mesa_games(BARE)) / BARE
    with TemporaryDirectory() as folder:
        place, kind = Path(folder) / "run", "deterministic" if tracker == OWN else tracker
        Path(folder, "own.py").write_text(CODE, encoding="utf-8")
        maker = find("protocol", kind, None, Path(folder))
        given = {"alpha": 0.1} if "alpha" in parameters(maker) else {}
        side = str(Path(folder, tracker)) if tracker == OWN else tracker
        scenario = {"name": "tiny", "sites": SITES, "items": ITEMS, "adversary": "uniform"}
        scenario |= {"protocol": {"kind": side, **given}, "engine": "auto" if tracker in SLOW else "compiled"}
        options: dict[str, Any] = {"out": place, "workers": 1, "overrides": [f"trials={games}"]}
        run(scenario, out=Path(folder) / "warm", workers=1, overrides=["trials=3"])  # imports, functions, our digest

        def bare() -> None:
            protocol = make("protocol", maker, given)
            for seed in range(BARE):
                play(protocol, Uniform(), sites=SITES, items=ITEMS, seed=seed, engine=scenario["engine"])

        row = {"play": _milliseconds(bare) / BARE, "mesa": mesa}
        row |= {name: _milliseconds(lambda: run(scenario, **options)) / games for name in ("run", "resume")}
        row["memory"] = peak_memory() / 1e6
        row["disk"] = sum(path.stat().st_size for path in place.iterdir() if path.is_file()) / 1e3 / games
        print(json.dumps(row))


def mesa_games(games: int) -> None:
    """Play games of the deterministic tracker by Mesa, which keeps output and messages of each step in memory."""
    import mesa  # in no extra

    class Site(mesa.Agent):  # type: ignore[misc, unused-ignore]
        count, due, reported = 0, 1, 0

        def take(self) -> None:
            self.count += 1
            if self.count >= self.due:
                self.model.output += self.count - self.reported
                self.reported, self.due = self.count, self.count + self.count // 10 + 1
                self.model.messages += 1

    class Tracker(mesa.Model):  # type: ignore[misc, unused-ignore]
        def __init__(self, **options: object) -> None:
            super().__init__(**options)
            self.sites = [Site(self) for _ in range(SITES)]
            self.output = self.messages = 0
            self.datacollector = mesa.DataCollector({"output": "output", "messages": "messages"})

        def step(self) -> None:
            self.sites[self.random.randrange(SITES)].take()
            self.datacollector.collect(self)

    options = {"data_collection_period": 1, "display_progress": False}
    mesa.batch_run(Tracker, {}, iterations=games, max_steps=ITEMS, number_processes=1, **options)


def _milliseconds(work: Callable[[], object]) -> float:
    """Return the processor time of some work, with that of worker processes, which play classes of the user's."""
    before = os.times()
    work()
    return 1e3 * (sum(os.times()[:4]) - sum(before[:4]))


if __name__ == "__main__":
    main()
