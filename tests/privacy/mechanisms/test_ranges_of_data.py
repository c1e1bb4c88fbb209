"""Every parameter of every mechanism of data, sketch, learner and curator refuses what is out of its range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from functools import partial
from importlib.util import find_spec
from typing import Any

import pytest
from core_kinds import kinds_of
from parameter_ranges import FROM_0, NAME, NUMBER, POSITIVE, SHARE, Range, check, check_ranges, complaint, whole

from disttrack.privacy.mechanisms import (
    Exponential,
    FactorisedDifference,
    FullyDynamic,
    GaussianQueries,
    LaplaceQueries,
    PanPrivateDensity,
    PerturbedLeader,
    PointPredictor,
    PrivacyLedger,
    SparseVectorMonitor,
    hard_instance,
    sketches,
)  # fmt: skip
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.privacy.tasks.audit.task import Audit
from disttrack.simulator.kinds.registry import Kind, kinds, parameters

BELOW_1 = (
    "ams-difference", "computation-paths", "estimator-corrector", "private-median", "private-sample", "reset-sample",
    "rounded", "salted", "switched",
)  # fmt: skip
OWN: dict[tuple[str, str], Range | None] = {
    ("sparse-vector-queries", "queries"): whole(1),
    ("guessing", "rate"): Range("a number above 0, up to 1", (0, 1.5, *NUMBER), (1e-9, 1.0)),
    ("experts-private", "points"): whole(2),
    ("pmw", "rounds"): whole(0),
    **{(kind, "delta"): FROM_0 for kind in ("laplace", "gaussian", "pmw", "exact-monitor")},
    **{
        (kind, "delta"): FROM_0
        for kind in kinds("protocol")
        if kind.startswith(("growing", "fully", "inserted", "factorised"))
    },
    **{(kind, "alpha"): SHARE for kind in BELOW_1},
    ("kmv", "size"): whole(3),
    ("salted", "size"): whole(128),
    ("computation-paths", "largest"): whole(2),
    ("datasketches-hll", "lg_k"): whole(7),
    ("datasketches-theta", "lg_k"): whole(5),
    ("datasketches-count-min", "width"): whole(3),
    ("laplace-answers", "epsilon"): SHARE,
}  # fmt: skip
NEEDED = {"rows": 8, "groups": 3, "copies": 2, "size": 256, "changes": 2, "rounds": 2, "updates": 20, "horizon": 20,
          "registers": 256, "width": 8, "epsilon": 0.5, "alpha": 0.1}  # fmt: skip
"""Values of parameters that must be given, but for mechanisms, which are made as they are audited."""
REGISTERED = kinds_of("protocol", "privacy").values()


@pytest.mark.parametrize("kind", REGISTERED, ids=lambda kind: kind.name)
def test_a_registered_class_of_data_refuses_what_is_out_of_range(kind: Kind) -> None:
    known = parameters(kind.load())
    audited = kind in Audit.kinds("protocol").values()
    given = usual(kind.name, list(known)) if audited else {
        name: NEEDED[name] for name, default in known.items() if default is MISSING
    }  # fmt: skip
    if kind.name == "gaussian" and audited:
        given["delta"] = 1e-6
    check_ranges(kind, given, OWN)


@pytest.mark.parametrize(
    ("make", "given", "ranges"),
    [
        (LaplaceQueries(1.0).error_bound, {"items": 3, "beta": 0.1}, {"beta": SHARE}),
        (PanPrivateDensity(1.0, 4).accuracy, {"beta": 0.1}, {"beta": SHARE}),
        (hard_instance, {"halting_times": SparseVectorMonitor(2, 1.0).halting_times(), "k": 2}, {"k": whole(1)}),
        (PrivacyLedger, {"name": "l", "epsilon": 1.0}, {"epsilon": POSITIVE, "rule": NAME}),
    ],
    ids=lambda value: getattr(value, "__qualname__", None),
)  # fmt: skip
def test_what_is_not_registered_of_data_does_too(
    make: Callable[..., Any], given: dict[str, Any], ranges: dict[str, Range]
) -> None:
    make(**given)
    for name, accepted in ranges.items():
        check(make, given, name, accepted)


RELATIONS: list[tuple[Callable[[], Any], str]] = [
    (partial(sketches.CountSketch, 8, depth=6), "depth must be an odd number; got 6"),
    (partial(sketches.AmsMedian, 6, 8), "groups must be an odd number; got 6"),
    (partial(sketches.HyperLogLog, 192), "registers must be a power of two; got 192"),
    (partial(sketches.Switched, 3, 129, "hyperloglog"), "size must be a power of two; got 129"),
    (partial(sketches.Switched, 3, 64, "hyperloglog"), "size must be a whole number of at least 128; got 64"),
    (
        partial(sketches.Rounded, 8, "count-sketch"),
        "sketch must estimate second-moment or distinct; count-sketch estimates frequency",
    ),
    (partial(sketches.Salted, 8, "ams"), "sketch must estimate distinct; ams estimates second-moment"),
    (partial(sketches.ComputationPaths, 3, 2), "changes must be at most updates, 2; got 3"),
    (partial(PointPredictor, 1.0, delay=5, window=6), "window must be at most the delay of 5; got 6"),
    (partial(Exponential, 1500.0, 5, 1), "epsilon must be such that a weight is a float; got 1500.0 over 1"),
    (partial(SparseVectorMonitor, 8, 1.5, 2.0, 9, 0.1), "cut and false_alarm exclude each other; got 2.0 and a rate"),
    (partial(SparseVectorMonitor, 8, 1.5, false_alarm=0.1), "horizon must be given with false_alarm"),
    (
        partial(PerturbedLeader, 4, 9, rate=0.1, cautious=True),
        "cautious must be left out where rate is given, which decides it",
    ),
    (partial(GaussianQueries, 1.0, 0), "delta must be above 0 for gaussian; got 0"),
    (partial(FullyDynamic, 1.0, static="gaussian"), "delta must be above 0 for static gaussian; got 0"),
    (
        partial(FactorisedDifference, 1.0, static="gaussian", horizon=9),
        "delta must be above 0 for static gaussian; got 0",
    ),
]
if find_spec("datasketches"):
    RELATIONS += [
        (partial(sketches.LibraryHll, 22), "lg_k must be at most 21; got 22"),
        (partial(sketches.LibraryTheta, 27), "lg_k must be at most 26; got 27"),
    ]


@pytest.mark.parametrize(("make", "message"), RELATIONS, ids=lambda value: value if isinstance(value, str) else "")
def test_parameters_of_data_that_do_not_fit_each_other(make: Callable[[], Any], message: str) -> None:
    assert complaint(make) == message
