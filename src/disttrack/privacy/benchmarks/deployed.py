"""Facts about sketches as they are deployed: bounds, unions and sorted input (`results/reference/tables/published.md`).

``python -m disttrack.privacy.benchmarks.deployed`` measures Apache DataSketches, in some minutes of processor time.
Streams are of different items throughout.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from math import erf, sqrt
from typing import Any, Final

import numpy as np
from scipy.stats import binom

STREAMS: Final = 2000
LOGS: Final = (8, 10, 11, 12)
LOOKS: Final = (100, 300, 1000, 3000, 5000, 10_000, 20_000, 30_000)
"""Items after which a sketch is looked at."""
LEVELS: Final = (1, 2, 3)
"""Standard deviations of the bounds."""
CHANCE: Final = 1e-6
"""Probability that a cell is counted below its level although its bounds hold with exactly that."""
SORTED: Final = 100_000


def makers(library: Any) -> Mapping[str, Callable[[int], Any]]:
    """Return what makes an empty sketch of distinct items from its size."""
    return {"hll": library.hll_sketch, "cpc": library.cpc_sketch, "theta": library.update_theta_sketch}


def covered(make: Callable[[int], Any], log: int, first: int) -> np.ndarray[Any, Any]:
    """Return the fraction of streams within the bounds: a row per look, a column per level."""
    inside = np.zeros((len(LOOKS), len(LEVELS)))
    for stream in range(STREAMS):
        sketch, begun = make(log), 0
        item = first + stream * LOOKS[-1]
        for row, look in enumerate(LOOKS):
            for one in range(item + begun, item + look):
                sketch.update(one)
            begun = look
            bounds = [(sketch.get_lower_bound(level), sketch.get_upper_bound(level)) for level in LEVELS]
            inside[row] += [low <= look <= high for low, high in bounds]
    return inside / STREAMS


def bounds(library: Any) -> None:
    """Print the cells in which fewer streams are within the bounds than is said, and the least of each level."""
    levels = [erf(level / sqrt(2)) for level in LEVELS]
    least = [binom.ppf(CHANCE, STREAMS, level) / STREAMS for level in levels]
    for number, (name, make) in enumerate(makers(library).items()):
        cells = np.vstack([covered(make, log, (10 * number + place) * 10**9) for place, log in enumerate(LOGS)])
        below = int((cells < least).any(axis=1).sum())
        pairs = zip(cells.min(0), levels, strict=True)
        seen = ", ".join(f"{100 * one:.1f} of {100 * level:.1f} %" for one, level in pairs)
        print(f"{name:6} {len(cells)} cells of {STREAMS} streams, below their level: {below}; least {seen}", flush=True)


def unions(library: Any) -> None:
    """Print the relative standard error of an estimate before and after a union with nothing."""
    made = makers(library)
    for name, log, union in (("theta", 10, library.theta_union), ("hll", 10, library.hll_union)):
        pairs = []
        for stream in range(STREAMS):
            sketch = made[name](log)
            for item in range(stream * LOOKS[-1], stream * LOOKS[-1] + 5000):
                sketch.update(item)
            joint = union(log)
            joint.update(sketch)
            pairs.append((sketch.get_estimate(), joint.get_result().get_estimate()))
        errors = np.sqrt(np.mean((np.array(pairs) / 5000 - 1) ** 2, axis=0))
        moved = sum(before != after for before, after in pairs)
        print(f"{name:6} union with nothing: {100 * errors[0]:.2f} -> {100 * errors[1]:.2f} %, {moved} estimates moved")


def digests(library: Any) -> None:
    """Print how far a t-digest is off on sorted input, in shares of rank: its rank, and the rank of its quantile."""
    shares, whole = np.linspace(0.001, 0.999, 999), np.arange(SORTED, dtype=np.float64)
    for name, values in (("sorted", whole), ("shuffled", np.random.default_rng(1).permutation(whole))):
        digest = library.tdigest_double()
        for value in values.tolist():
            digest.update(value)
        ranks = [digest.get_rank(share * SORTED) for share in shares]
        quantiles = [digest.get_quantile(share) / SORTED for share in shares]
        off = [100 * float(np.abs(np.array(one) - shares).max()) for one in (ranks, quantiles)]
        print(f"tdigest_double, {name}: rank off by {off[0]:.2f} %, quantile by {off[1]:.2f} %")


def main() -> None:
    """Print all."""
    print("datasketches", version("datasketches"))
    library = import_module("datasketches")
    digests(library)
    unions(library)
    bounds(library)


if __name__ == "__main__":
    main()
