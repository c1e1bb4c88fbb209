"""Benchmark of the sketches: updates per second, in batches and against an attacker that sees every estimate.

Compared in the same run with (a) numpy adding a column of 1,024 signs to 1,024 counters and computing the sum of their
squares, twice the work that the formulas need. Run with ``python -m benchmarks.sketches``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import numpy as np

from disttrack.adversaries.sketching import AmsAttack, Attacker, FreshItems, RandomItems
from disttrack.mechanisms.sketches import Ams, CountMin, CountSketch, HyperLogLog, Kmv, Sketch
from disttrack.simulator.tasks.duel import play_duel

ROWS: Final = 1024
REPEATS: Final = 3
GOALS: Final = {"ams in batches": 200_000, "ams against the attack": 50_000}
"""Required updates per second of AMS with 1,024 rows."""


def rate(work: Callable[[], object], updates: int) -> float:
    """Return updates per second of processor time, the best of some runs: the machine may be busy with other work."""
    took = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        took.append(time.process_time() - begun)
    return updates / min(took)


def plainly(updates: int) -> None:
    """Baseline (a)."""
    rng = np.random.default_rng(0)
    column, counters = 2.0 * rng.integers(0, 2, ROWS) - 1, np.zeros(ROWS)
    for _ in range(updates):
        counters += column
        float(counters @ counters)


def in_batches(signs: str, updates: int) -> None:
    """Pass many updates to a sketch alone."""
    run = Ams(rows=ROWS, signs=signs).start(np.random.default_rng(0))  # type: ignore[arg-type]
    run.release(np.column_stack((np.arange(updates) % 1000, np.ones(updates, dtype=np.int64))))


def main() -> None:
    """Print the table."""
    base = rate(lambda: plainly(50_000), 50_000)
    print(f"{'(a) plain numpy, a column and a sum at a time':<52}{base:>12,.0f} updates/s")
    cases: list[tuple[str, Callable[[], object], int]] = [
        ("ams in batches", lambda: in_batches("dense", 200_000), 200_000),
        ("ams in batches, hashed signs", lambda: in_batches("hashed", 100_000), 100_000),
    ]
    games: list[tuple[str, Sketch, Attacker]] = [
        ("ams, a game of random items", Ams(rows=ROWS), RandomItems()),
        ("ams, a game of fresh items", Ams(rows=ROWS), FreshItems()),
        ("ams against the attack", Ams(rows=ROWS), AmsAttack()),
        ("ams against the attack, hashed signs", Ams(rows=ROWS, signs="hashed"), AmsAttack()),
        ("count-sketch, a game", CountSketch(width=256), RandomItems()),
        ("count-min, a game", CountMin(width=256), FreshItems()),
        ("kmv, a game", Kmv(size=1024), FreshItems()),
        ("hyperloglog, a game", HyperLogLog(registers=1024), FreshItems()),
    ]
    for name, sketch, attacker in games:
        cases.append((name, lambda s=sketch, a=attacker: play_duel(s, a, updates=100_000), 100_000))  # type: ignore[misc]
    for name, work, updates in cases:
        speed = rate(work, updates)
        goal = f"  [at least {GOALS[name]:,}: {'yes' if speed >= GOALS[name] else 'NO'}]" if name in GOALS else ""
        print(f"{name:<52}{speed:>12,.0f} updates/s{speed / base:>8.2f} times (a){goal}")


if __name__ == "__main__":
    main()
