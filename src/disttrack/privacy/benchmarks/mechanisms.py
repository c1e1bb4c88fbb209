"""Updates per second of sketches and of mechanisms on data sets, and the time of a release.

``python -m benchmarks.mechanisms`` measures processor time, beside baselines of the same run: (a) numpy adding a column
of 1,024 signs to 1,024 counters and computing the sum of their squares, twice the work that the formulas need; (b) a
dictionary with insertions and deletions and nothing else; (c) numpy drawing the Laplace noise of one release; (d) a
loop of a library's update and estimate.
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
from disttrack.privacy.adversaries import GrowAndDelete
from disttrack.privacy.adversaries.sketching import (
    AmsAttack,
    Attacker,
    CoverAttack,
    FreshItems,
    QuietItems,
    RandomItems,
    TailAttack,
)
from disttrack.privacy.mechanisms import FullyDynamic, InsertedMinusDeleted, LaplaceQueries, MultiplicativeWeights
from disttrack.privacy.mechanisms.dynamic.interval_tree import OnlineIntervalTree
from disttrack.privacy.mechanisms.sketches import (
    Ams,
    AmsMedian,
    CountMin,
    CountSketch,
    HyperLogLog,
    Kmv,
    LibraryCountMin,
    LibraryHll,
    LibraryTheta,
    Sketch,
)
from disttrack.privacy.mechanisms.sketches.library import library
from disttrack.simulator.game.tasks.duel import play_duel

ROWS: Final = 1024
UPDATES: Final = 100_000
LONG: Final = 300_000
SEGMENT: Final = 500
ENTRIES: Final = 1 << 20
WANTED: Final = 10_000_000
ATTACKED: Final = 3_000_000
seconds = partial(clock.seconds, clock=time.process_time)
Case = tuple[str, int, Callable[[], object], int]
"""What is measured, its updates, the work, and the updates per second that are wanted, 0 for none."""


def columns() -> None:
    """Baseline (a)."""
    rng = np.random.default_rng(0)
    column, counters = 2.0 * rng.integers(0, 2, ROWS) - 1, np.zeros(ROWS)
    for _ in range(UPDATES):
        counters += column
        float(counters @ counters)


def bare_dictionary() -> None:
    """Baseline (b)."""
    live: dict[int, int] = {}
    for step in range(LONG):
        live[step] = step
        if step >= 1000:
            del live[step - 1000]


def interval_tree() -> None:
    """Insert and delete the same items in a tree with one node per segment."""
    tree: OnlineIntervalTree[int, int] = OnlineIntervalTree()
    for step in range(LONG):
        tree.insert(step, step)
        if step >= 1000:
            tree.delete(step - 1000)
        if step % SEGMENT == 0:
            tree.close()


def in_batches(sketch: Ams) -> None:
    """Pass many updates to a sketch alone."""
    run = sketch.start(np.random.default_rng(0))
    run.release(np.column_stack((np.arange(UPDATES) % 1000, np.ones(UPDATES, dtype=np.int64))))


def sketches() -> list[Case]:
    """Return the sketches, in batches and in games; an attacker sees every estimate."""
    dense, hashed = Ams(rows=ROWS), Ams(rows=ROWS, signs="hashed")
    return [
        ("ams in batches", UPDATES, partial(in_batches, dense), 200_000),
        ("ams in batches, hashed signs", UPDATES, partial(in_batches, hashed), 0),
        ("ams against the attack", UPDATES, partial(play_duel, dense, AmsAttack(), updates=UPDATES), 50_000),
        *(
            (f"{sketch.kind} against {items.kind}", UPDATES, partial(play_duel, sketch, items, updates=UPDATES), 0)
            for sketch, items in (
                (dense, RandomItems()),
                (dense, FreshItems()),
                (hashed, AmsAttack()),
                (CountSketch(width=256), RandomItems()),
                (CountMin(width=256), FreshItems()),
                (Kmv(size=1024), FreshItems()),
                (HyperLogLog(registers=1024), FreshItems()),
            )
        ),
    ]


def plain_loop(make: Callable[[], Any], *target: int) -> float:
    """Baseline (d): seconds of an update of a library's sketch and an estimate, in a loop with nothing else."""
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
        beside = f"{auto / plain:.1f} times (d), at most 5" if plain else f"at least {ATTACKED:,}"
        what = f"{sketch.kind} of {sketch.words:,} words against {attacker.kind}"
        print(f"{what:<44}{1 / auto:>12,.0f} updates/s{step / auto:>8.1f} times single moves  "
              f"[{beside}: {'yes' if met else 'NO'}]", flush=True)  # fmt: skip


def data_sets() -> list[Case]:
    """Return the tree, and the mechanisms on data sets with two static ones inside."""
    pmw = (1e-6, f"halves:{SEGMENT}", 1024, "pmw")
    return [
        ("interval tree", 2 * LONG, interval_tree, 200_000),
        *(
            (
                f"{mechanism.kind}, {mechanism.static}",
                LONG,
                partial(play_duel, mechanism, GrowAndDelete(peak=50_000, rest=1000), steps=LONG),
                20_000 if type(mechanism) is FullyDynamic and mechanism.static == "laplace" else 0,
            )
            for kind in (FullyDynamic, InsertedMinusDeleted)
            for mechanism in (kind(1.0), kind(1.0, *pmw))
        ),
    ]


def print_rates(name: str, baseline: tuple[int, Callable[[], object]], cases: list[Case]) -> None:
    """Print a row for a baseline and for each case."""
    base = baseline[0] / seconds(baseline[1], 1)
    print(f"{name:<44}{base:>12,.0f} updates/s")
    for what, updates, work, wanted in cases:
        rate = updates / seconds(work, 1)
        goal = f"  [at least {wanted:,}: {'yes' if rate >= wanted else 'NO'}]" if wanted else ""
        print(f"{what:<44}{rate:>12,.0f} updates/s{rate / base:>8.2f} of {name[:3]}{goal}", flush=True)


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
    print_rates("(a) plain numpy, a column and a sum", (UPDATES, columns), sketches())
    print_rates("(b) bare dictionary", (2 * LONG, bare_dictionary), data_sets())
    counts, rng = np.random.default_rng(0).integers(0, 100, 4096).astype(float), np.random.default_rng(1)
    laplace = LaplaceQueries(1.0, queries="points", domain=4096)
    drawing = seconds(lambda: rng.laplace(0.0, 1.0, 4096), 20)
    ours = seconds(lambda: laplace.release(counts, rng), 20)
    print(f"{'(c) 4,096 Laplace draws':<44}{1e6 * drawing:>12,.1f} us")
    print(f"{'laplace, 4,096 counts':<44}{1e6 * ours:>12,.1f} us, {ours / drawing:.2f} times (c)")
    weights = MultiplicativeWeights(1.0, queries="halves:1000", domain=4096)
    weights.release(counts, rng)  # draws the queries
    took = seconds(lambda: weights.release(counts, rng), 3)
    goal = f"[at most 1: {'yes' if took <= 1 else 'NO'}]"
    print(f"{'pmw, 4,096 values, 1,000 queries':<44}{took:>12,.2f} s a release  {goal}")
    print(f"{'memory at most':<44}{clock.peak_memory() / 1e6:>12,.0f} MB")


if __name__ == "__main__":
    main()
