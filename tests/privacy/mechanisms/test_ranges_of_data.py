"""Every parameter of every mechanism of data, sketch, learner and curator refuses what is out of its range."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING
from typing import Any

import pytest
from core_kinds import kinds_of
from parameter_ranges import FROM_0, NAME, NUMBER, POSITIVE, SHARE, Range, check, check_ranges, whole

from disttrack.privacy.mechanisms import (
    LaplaceQueries,
    PanPrivateDensity,
    PrivacyLedger,
    SparseVectorMonitor,
    hard_instance,
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
