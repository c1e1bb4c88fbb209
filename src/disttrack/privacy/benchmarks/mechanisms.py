"""Updates per second of sketches under attack, and entries per second of counters, beside baselines of the same run.

``python -m benchmarks.mechanisms`` measures processor time. The baselines are the same moves one by one, of a sketch of
a library a loop of its update and estimate with nothing else, and of a counter a loop of its steps.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import numpy as np

from benchmarks import clock
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.counters.base import Run
from disttrack.privacy.adversaries.sketching.attacks import AmsAttack, CoverAttack, QuietItems, TailAttack
from disttrack.privacy.adversaries.sketching.base import Attacker
from disttrack.privacy.mechanisms.sketches.base import Sketch
from disttrack.privacy.mechanisms.sketches.items import CountMin, CountSketch, HyperLogLog, Kmv
from disttrack.privacy.mechanisms.sketches.library import LibraryCountMin, LibraryHll, LibraryTheta, library
from disttrack.privacy.mechanisms.sketches.second_moment import Ams, AmsMedian
from disttrack.simulator.game.tasks.duel import play_duel

UPDATES: Final = 100_000
LONG: Final = 300_000
ENTRIES: Final = 1 << 20
WANTED: Final = 10_000_000
ATTACKED: Final = 3_000_000
seconds = partial(clock.seconds, clock=time.process_time)


def plain_loop(make: Callable[[], Any], *target: int) -> float:
    """Return the seconds of an update of a library's sketch and an estimate, in a loop with nothing else."""
    update, estimate = (made := make()).update, made.get_estimate
    rest = (1,) if target else ()
    return seconds(lambda: [(update(item, *rest), estimate(*target)) for item in range(UPDATES)], 3) / UPDATES


def print_attacked() -> None:
    """Print updates per second of sketches under attack, beside single moves, and a library's beside a plain loop."""
    cases: list[tuple[Sketch, Attacker, float]] = [
        (HyperLogLog(registers=1024), QuietItems(), 0),
        (Kmv(size=1024), QuietItems(), 0),
        (CountSketch(width=256), TailAttack(), 0),
        (CountMin(width=256), TailAttack(), 0),
        (CountMin(width=256), CoverAttack(), 0),
        (LibraryHll(), QuietItems(), plain_loop(lambda: library().hll_sketch(10))),
        (LibraryTheta(), QuietItems(), plain_loop(lambda: library().update_theta_sketch(10))),
        (LibraryCountMin(width=256), TailAttack(), plain_loop(lambda: library().count_min_sketch(4, 256), 0)),
        *((sketch, AmsAttack(), 0) for sketch in (Ams(rows=100), Ams(rows=1024), AmsMedian(groups=5, rows=200))),
    ]
    for sketch, attacker, plain in cases:
        for _ in range(3):  # functions are compiled once games have taken as long
            play_duel(sketch, attacker, updates=LONG)
        works = [partial(play_duel, sketch, attacker, updates=LONG, engine=name) for name in ("auto", "step")]
        auto, step = (min(seconds(work, 1) for _ in range(3)) / LONG for work in works)
        met = auto <= 5 * plain if plain else auto <= 1 / ATTACKED
        beside = f"{auto / plain:.1f} times the loop, at most 5" if plain else f"at least {ATTACKED:,}"
        what = f"{sketch.kind} of {sketch.words:,} words against {attacker.kind}"
        print(f"{what:<44}{1 / auto:>12,.0f} updates/s{step / auto:>8.1f} times single moves  "
              f"[{beside}: {'yes' if met else 'NO'}]", flush=True)  # fmt: skip


def print_counters() -> None:
    """Print the entries per second of counters by arrays, and how many times those of a loop of steps they are."""
    for kind in ("binary", "gaussian-tree", "square-root"):
        made = counter(kind, 1.0, ENTRIES)
        ones, few = np.ones(ENTRIES), np.ones(ENTRIES // 16)
        rate = ENTRIES / seconds(lambda: made.start(np.random.default_rng(0)).release(ones), 3)  # noqa: B023
        loop = len(few) / seconds(lambda: Run.release(made.start(np.random.default_rng(0)), few), 1)  # noqa: B023
        goal = f"[at least {WANTED:,}: {'yes' if rate >= WANTED else 'NO'}]"
        print(f"{kind + ' of 2^20 entries':<44}{rate:>12,.0f} entries/s{rate / loop:>8.1f} times a loop  {goal}")


def main() -> None:
    """Print the tables."""
    print_counters()
    print_attacked()
    print(f"{'memory at most':<44}{clock.peak_memory() / 1e6:>12,.0f} MB")


if __name__ == "__main__":
    main()
