"""What every mechanism refuses: each number out of its range, by its name, and the least and largest it takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import (
    AboveThreshold,
    Binary,
    ContinualOutput,
    CounterMonitor,
    ExpertsPrivate,
    Exponential,
    Fresh,
    FullyDynamic,
    Gaussian,
    GrowingFinite,
    Guessing,
    Hybrid,
    JdpMirror,
    KAry,
    Laplace,
    Ledger,
    MultiplicativeWeights,
    PanPrivateDensity,
    PerturbedLeader,
    PointPredictor,
    PrivatePartition,
    PrivateProper,
    RandomizedResponse,
    ReleaseMonitor,
    ReleaseQueries,
    SortedQueries,
    Sparse,
    SparseVectorMonitor,
    SparseVectorQueries,
    SquareRoot,
    TwoLevel,
    hard_instance,
    laplace_sum_quantile,
)  # fmt: skip
from disttrack.mechanisms.accounting.composition import advanced
from disttrack.mechanisms.counters import Blt
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.halting import SampledHalting
from disttrack.mechanisms.noise_union import NoiseUnion
from disttrack.mechanisms.prediction.histogram import SparseHistogram
from disttrack.mechanisms.queries.binary import Halves, Marginals
from disttrack.mechanisms.queries.ordered import Intervals
from disttrack.mechanisms.queries.plain import Axes, Points
from disttrack.mechanisms.sketches import (
    Ams,
    AmsDifference,
    AmsMedian,
    ComputationPaths,
    CountMin,
    CountSketch,
    HyperLogLog,
    Kmv,
    LibraryCountMin,
    LibraryHll,
    LibraryTheta,
    PrivateMedian,
    Rounded,
    Salted,
    Switched,
)  # fmt: skip
from disttrack.mechanisms.sketches.second_moment import rows_for_tail
from disttrack.mechanisms.static import GaussianQueries, LaplaceQueries
from disttrack.mechanisms.statistical import (
    Empirical,
    GaussianAnswers,
    LaplaceAnswers,
    NoisyArgmax,
    Splitting,
    ThresholdOut,
)  # fmt: skip

Case = tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]
POSITIVE, SHARE = "above 0", "between 0 and 1, both excluded"
LIBRARY: list[Case] = [
    (LibraryHll, {}, {"lg_k": 7, "alpha": POSITIVE}),
    (LibraryTheta, {}, {"lg_k": 5, "alpha": POSITIVE}),
    (LibraryCountMin, {"width": 8}, {"width": 3, "depth": 1, "alpha": POSITIVE}),
]
STREAM = {"horizon": 9, "sensitivity": 1.0, "changes": 3, "variation": 2.0}
CASES: list[Case] = [
    (AboveThreshold, {"epsilon": 1.0, "threshold": 5.0}, {"epsilon": POSITIVE}),
    (ContinualOutput, {"epsilon": 1.0, **STREAM}, {
        "epsilon": POSITIVE, "horizon": 1, "sensitivity": POSITIVE, "changes": 1, "variation": POSITIVE, "beta": SHARE,
    }),
    (Fresh, {"epsilon": 1.0, "horizon": 4}, {"epsilon": POSITIVE, "horizon": 1}),
    (Hybrid, {"epsilon": 1.0}, {"epsilon": POSITIVE, "horizon": 1}),
    (Binary, {"epsilon": 1.0, "horizon": 4, "literal": True}, {"epsilon": POSITIVE}),
    (TwoLevel, {"epsilon": 1.0, "horizon": 9}, {"block": 1}),
    (Sparse, {"epsilon": 1.0, "horizon": 9}, {"epsilon": POSITIVE, "horizon": 1, "beta": SHARE}),
    (Sparse(1.0, 9).error_bound, {"t": 1, "beta": 0.1}, {"t": 1, "beta": SHARE}),
    (Hybrid(1.0).variance, {"t": 3}, {"t": 1}),
    (Hybrid(1.0).error_bound, {"t": 3, "beta": 0.1}, {"t": 1, "beta": SHARE}),
    (Hybrid(1.0).error_bound_throughout, {"steps": 3, "beta": 0.1}, {"steps": 1}),
    (RandomizedResponse(1.0).variance, {"t": 3}, {"t": 1}),
    (RandomizedResponse(1.0).error_bound, {"t": 3, "beta": 0.1}, {"t": 1, "beta": SHARE}),
    (SquareRoot(0.5, 9).variance, {"t": 3}, {"t": 1}),
    (SquareRoot(0.5, 9).error_bound, {"t": 3, "beta": 0.1}, {"beta": SHARE}),
    (SquareRoot, {"epsilon": 0.5, "horizon": 9}, {"delta": SHARE}),
    (Blt, {"epsilon": 0.5, "horizon": 9}, {"delta": SHARE}),
    (Blt(0.5, 9).variance, {"t": 3}, {"t": 1}),
    (Blt(0.5, 9).error_bound, {"t": 3, "beta": 0.1}, {"beta": SHARE}),
    (PanPrivateDensity, {"epsilon": 1.0, "users": 4}, {"epsilon": POSITIVE, "users": 1}),
    (PanPrivateDensity(1.0, 4).accuracy, {"beta": 0.1}, {"beta": SHARE}),
    (hard_instance, {"halting_times": SparseVectorMonitor(2, 1.0).halting_times(), "k": 2}, {"k": 1}),
    (laplace_sum_quantile, {"parts": [(1.0, 2)], "beta": 0.1}, {"beta": SHARE}),
    (PrivatePartition, {"epsilon": 1.0}, {"epsilon": POSITIVE, "beta": SHARE, "horizon": 1}),
    (noise_multiplier, {"epsilon": 0.5, "delta": 0.1}, {"epsilon": POSITIVE, "delta": SHARE}),
    (NoiseUnion.of([[(1.0, 2)]]).quantile, {"beta": 0.1}, {"beta": SHARE}),
    (SampledHalting, {"halt": lambda ones, gen: None, "runs": 3, "rng": np.random.default_rng(0)}, {"runs": 1}),
    (Ledger, {"name": "l", "epsilon": 1.0}, {"epsilon": POSITIVE}),
    (advanced, {"parts": [(0.1, 0.0)], "slack": 0.1}, {"slack": SHARE}),
    (PerturbedLeader, {"experts": 3, "horizon": 4, "epsilon": 1.0}, {"experts": 2, "horizon": 1, "epsilon": POSITIVE}),
    (PerturbedLeader, {"experts": 3, "horizon": 4}, {"rate": POSITIVE}),
    (Laplace, {"scale": 1.0}, {"scale": POSITIVE}),
    (Gaussian, {"std": 1.0}, {"std": POSITIVE}),
    (SparseVectorMonitor, {"k": 2, "epsilon": 1.0}, {"k": 1, "epsilon": POSITIVE, "horizon": 1}),
    (SparseVectorMonitor, {"k": 2, "epsilon": 1.0, "horizon": 9, "false_alarm": 0.1}, {"false_alarm": SHARE}),
    (ReleaseMonitor, {"k": 2, "delta": 0.1}, {"k": 1, "delta": SHARE}),
    (CounterMonitor, {"k": 2, "epsilon": 1.0, "horizon": 9}, {"k": 1, "epsilon": POSITIVE}),
    (SortedQueries, {"epsilon": 1.0}, {"epsilon": POSITIVE, "beta": SHARE}),
    (SparseVectorQueries, {"epsilon": 1.0, "points": 40, "queries": 5}, {
        "epsilon": POSITIVE, "points": 1, "queries": 1, "delta": SHARE, "beta": SHARE,
    }),
    (ReleaseQueries, {"delta": 0.1}, {"delta": SHARE}),
    (LaplaceQueries, {"epsilon": 1.0}, {"epsilon": POSITIVE}),
    (GaussianQueries, {"epsilon": 1.0}, {"epsilon": POSITIVE}),
    (LaplaceQueries(1.0).error_bound, {"items": 3, "beta": 0.1}, {"beta": SHARE}),
    (MultiplicativeWeights, {"epsilon": 1.0}, {"epsilon": POSITIVE, "rounds": 0}),
    (FullyDynamic, {"epsilon": 1.0}, {"epsilon": POSITIVE, "beta": SHARE, "horizon": 1}),
    (GrowingFinite, {"epsilon": 1.0, "horizon": 5}, {"epsilon": POSITIVE, "beta": SHARE, "horizon": 1}),
    (Points, {"domain": 3}, {"domain": 1}),
    (Axes, {"domain": 4, "rows": 2}, {"rows": 1}),
    (Intervals, {"domain": 4, "number": 2}, {"number": 0}),
    (Marginals, {"domain": 4}, {"order": 1}),
    (Halves, {"domain": 4}, {"number": 1}),
    (Guessing, {"points": 4, "rate": 0.5}, {"points": 1}),
    (ExpertsPrivate, {"epsilon": 1.0, "points": 4, "horizon": 5}, {
        "epsilon": POSITIVE, "points": 2, "horizon": 1, "rate": POSITIVE,
    }),
    (Exponential, {"epsilon": 1.0, "points": 4, "horizon": 5}, {
        "epsilon": POSITIVE, "points": 1, "horizon": 1, "delta": SHARE,
    }),
    (SparseHistogram, {"epsilon": 1.0, "delta": 0.1}, {"epsilon": POSITIVE, "delta": SHARE}),
    (JdpMirror, {"epsilon": 1.0}, {"epsilon": POSITIVE, "delta": SHARE, "delay": 1, "half": 1}),
    (PointPredictor, {"epsilon": 1.0}, {"epsilon": POSITIVE, "delta": SHARE}),
    (PrivateProper, {"epsilon": 1.0, "horizon": 9}, {"epsilon": POSITIVE, "horizon": 1}),
    (Ams, {"rows": 3}, {"rows": 1, "alpha": POSITIVE}),
    (AmsMedian, {"groups": 3, "rows": 3}, {"groups": 1, "rows": 1, "alpha": POSITIVE}),
    (rows_for_tail, {"alpha": 0.5, "beta": 0.1}, {"alpha": POSITIVE}),
    (Kmv, {"size": 5}, {"size": 3, "alpha": POSITIVE}),
    (HyperLogLog, {"registers": 256}, {"registers": 128, "alpha": POSITIVE}),
    (CountSketch, {"width": 8}, {"width": 1, "depth": 1, "alpha": POSITIVE}),
    (CountMin, {"width": 8}, {"width": 1, "depth": 1, "alpha": POSITIVE}),
    (Rounded, {"size": 8}, {"alpha": SHARE}),
    (Salted, {"size": 256}, {"alpha": SHARE}),
    (Switched, {"copies": 2, "size": 8}, {"copies": 1, "alpha": SHARE}),
    (AmsDifference, {"rounds": 2, "rows": 8}, {"rounds": 1, "rows": 1, "alpha": SHARE}),
    (PrivateMedian, {"changes": 2}, {"epsilon": POSITIVE, "largest": POSITIVE, "alpha": SHARE}),
    (ComputationPaths, {"changes": 1, "updates": 20}, {
        "changes": 1, "updates": 1, "largest": 2, "delta": SHARE, "alpha": SHARE,
    }),
    (Empirical, {}, {"alpha": POSITIVE}),
    (Splitting, {}, {"alpha": POSITIVE}),
    (LaplaceAnswers, {"epsilon": 0.5}, {"epsilon": SHARE, "delta": SHARE, "alpha": POSITIVE}),
    (GaussianAnswers, {}, {"std": POSITIVE, "epsilon": POSITIVE, "delta": SHARE, "alpha": POSITIVE}),
    (NoisyArgmax, {"epsilon": 0.5}, {"epsilon": POSITIVE, "alpha": POSITIVE}),
    (ThresholdOut, {}, {"threshold": POSITIVE, "noise": POSITIVE, "budget": 1, "alpha": POSITIVE}),
    *(LIBRARY if find_spec("datasketches") else []),
]  # fmt: skip


def refused(make: Callable[[], Any]) -> str:
    """Return what a refusal says."""
    with pytest.raises(ValueError) as found:  # noqa: PT011 - the caller compares the whole line
        make()
    return str(found.value)


def named(case: Case) -> str:
    return getattr(case[0], "__qualname__", repr(case[0]))


@pytest.mark.parametrize("case", CASES, ids=named)
def test_a_number_out_of_range_is_refused_by_its_name(case: Case) -> None:
    """And the whole line is as it is meant to be; a number at the edge is taken."""
    make, given, ranges = case
    make(**given)
    for name, accepted in ranges.items():
        if isinstance(accepted, int):
            wrong, said = [accepted - 1, 2.5, True, "7"], f"a whole number of at least {accepted}"
        else:
            wrong, said = [0, -1.0, math.nan, True, "0.5", math.inf], f"a number {accepted}"
            wrong += [1, 1.5] if accepted == SHARE else []
        for value in wrong:
            assert refused(partial(make, **given | {name: value})) == f"{name} must be {said}; got {value!r}"


@pytest.mark.parametrize(
    "make",
    [
        partial(Ams, rows=1), partial(AmsMedian, groups=1, rows=1), partial(Kmv, size=3),
        partial(HyperLogLog, registers=128), partial(CountMin, width=1, depth=1),
        partial(CountSketch, width=1, depth=1),
        partial(ComputationPaths, changes=1, updates=1, largest=2), partial(AmsDifference, rounds=1, rows=1),
        partial(Switched, copies=1, size=1), partial(ThresholdOut, budget=1), partial(Fresh, 1.0, 1),
        partial(Binary, 1.0, 2, literal=True), partial(Binary, 1.0, 1), partial(TwoLevel, 1.0, 1, block=1),
        partial(PanPrivateDensity, 1.0, 1), partial(PerturbedLeader, 2, 1, epsilon=1.0),
        partial(ReleaseMonitor, 1, 0.5),
        partial(SparseVectorMonitor, 1, 1.0, horizon=1), partial(MultiplicativeWeights, 1.0, rounds=0),
        partial(Points, 1), partial(Axes, 1, 1), partial(Intervals, 1, 0), partial(Intervals, 1, 1),
        partial(Marginals, 2, 1), partial(Halves, 1, 1), partial(Exponential, 1.0, 1, 1), partial(Guessing, 1),
        partial(ExpertsPrivate, 1.0, 2, 1), partial(JdpMirror, 1.0, delay=1, half=1), partial(KAry, 1.0, 1, base=3),
        partial(Blt, 1.0, 9, stride=0.1), partial(Blt, 1.0, 9, stride=3), partial(SquareRoot, 1.0, 1),
    ],
    ids=repr,
)  # fmt: skip
def test_the_least_that_is_taken(make: Callable[[], Any]) -> None:
    assert make() == make() or type(make()).__eq__ is object.__eq__
