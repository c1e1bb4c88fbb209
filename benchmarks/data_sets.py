"""Benchmark of games on data sets: updates per second, and releases, beside baselines measured in the same run.

Baselines: (a) a dictionary with the same insertions and deletions and nothing else; (b) numpy drawing the Laplace
noise of one release; (c) OpenDP adding Laplace noise to the same vector, if it is installed. Run with ``python -m
benchmarks.data_sets``.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from disttrack.adversaries import GrowAndDelete
from disttrack.mechanisms import FullyDynamic, InsertedMinusDeleted, LaplaceQueries, MultiplicativeWeights
from disttrack.mechanisms.dynamic.interval_tree import OnlineIntervalTree
from disttrack.simulator.tasks.duel import play_duel

UPDATES = 300_000
SEGMENT = 500
WANTED = {"interval tree": 200_000, "fully-dynamic, laplace": 20_000}
"""Required updates per second."""


def seconds(work: Callable[[], object]) -> float:
    """Return the duration."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def bare_dictionary() -> None:
    """Insert and delete items."""
    live: dict[int, int] = {}
    for step in range(UPDATES):
        live[step] = step
        if step >= 1000:
            del live[step - 1000]


def interval_tree() -> None:
    """Insert and delete the same items in a tree with one node per segment."""
    tree: OnlineIntervalTree[int, int] = OnlineIntervalTree()
    for step in range(UPDATES):
        tree.insert(step, step)
        if step >= 1000:
            tree.delete(step - 1000)
        if step % SEGMENT == 0:
            tree.close()


def opendp_release(values: Any, scale: float) -> Callable[[], object] | None:
    """Return a release of these values by OpenDP; None if it is not installed."""
    if find_spec("opendp") is None:
        return None
    import opendp.prelude as dp

    dp.enable_features("contrib", "idealized-numerics")
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.l1_distance(T=float)
    mechanism = dp.m.make_laplace(*space, scale=scale)
    return lambda: mechanism(values.tolist())


def main() -> None:
    """Print the figures."""
    bare, tree = 2 * UPDATES / seconds(bare_dictionary), 2 * UPDATES / seconds(interval_tree)
    print(f"(a) bare dictionary          {bare:12,.0f} updates/s")
    print(
        f"interval tree                {tree:12,.0f} updates/s, {tree / bare:.2f} of (a)", _met("interval tree", tree)
    )
    stream = GrowAndDelete(peak=50_000, rest=1000)
    for mechanism in (
        FullyDynamic(1.0),
        InsertedMinusDeleted(1.0),
        FullyDynamic(1.0, 1e-6, "halves:500", 1024, "pmw"),
        InsertedMinusDeleted(1.0, 1e-6, "halves:500", 1024, "pmw"),
    ):
        name = f"{mechanism.kind}, {mechanism.static}"
        rate = UPDATES / play_duel(mechanism, stream, steps=UPDATES).seconds
        print(f"{name:<29}{rate:12,.0f} updates/s", _met(name, rate))
    counts = np.random.default_rng(0).integers(0, 100, 4096).astype(float)
    rng = np.random.default_rng(1)
    laplace = LaplaceQueries(1.0, queries="points", domain=4096)
    drawing = min(seconds(lambda: rng.laplace(0.0, 1.0, 4096)) for _ in range(20))
    ours = min(seconds(lambda: laplace.release(counts, rng)) for _ in range(20))
    print(f"(b) 4,096 Laplace draws      {1e6 * drawing:12.1f} us")
    print(f"laplace, 4,096 counts        {1e6 * ours:12.1f} us, {ours / drawing:.2f} times (b)")
    theirs = opendp_release(counts, 1.0)
    if theirs is not None:
        took = min(seconds(theirs) for _ in range(3))
        exact = f"{took / ours:.0f} times ours (its noise is exact to the bit)"
        print(f"(c) OpenDP, the same         {1e6 * took:12.1f} us, {exact}")
    weights = MultiplicativeWeights(1.0, queries="halves:1000", domain=4096)
    weights.release(counts, rng)  # draws the queries
    took = min(seconds(lambda: weights.release(counts, rng)) for _ in range(3))
    print(f"pmw, 4,096 values, 1,000 queries {took:8.2f} s a release", "met" if took < 1 else "MISSED: 1 s")
    print(f"memory at most               {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:12.0f} MB")


def _met(name: str, rate: float) -> str:
    wanted = WANTED.get(name)
    return "" if wanted is None else f"({wanted:,} wanted: {'met' if rate >= wanted else 'MISSED'})"


if __name__ == "__main__":
    main()
