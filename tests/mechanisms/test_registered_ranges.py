"""Every parameter of every mechanism, sketch and tracker of items refuses what is out of its range, and takes edges.

Those of counting protocols and of all adversaries are in tests/protocols/test_parameter_ranges.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass
from functools import partial
from importlib.util import find_spec
from math import inf, nan
from typing import Any, NamedTuple

import pytest

from disttrack.mechanisms import (
    Binary,
    Blt,
    Gaussian,
    Hybrid,
    KAry,
    Laplace,
    RandomizedResponse,
    SmoothBinary,
    Sparse,
    SquareRoot,
    laplace_sum_quantile,
)
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.privacy.mechanisms import (
    Exponential,
    FactorisedDifference,
    FullyDynamic,
    GaussianQueries,
    LaplaceQueries,
    PanPrivateDensity,
    PointPredictor,
    PrivacyLedger,
    SparseVectorMonitor,
    hard_instance,
    sketches,
)  # fmt: skip
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.privacy.tasks.audit.task import Audit
from disttrack.protocols import Protocol
from disttrack.simulator.game.tasks.contents.task import ContentGame
from disttrack.simulator.kinds.registry import Kind, kinds, kinds_for, parameters


class Range(NamedTuple):
    """What is accepted, in the words of the refusal; values out of it, and values at its edges."""

    accepted: str
    wrong: tuple[Any, ...]
    edges: tuple[Any, ...] = ()


def whole(least: int) -> Range:
    return Range(f"a whole number of at least {least}", (least - 1, least + 0.5, True, "7"), (least,))


NUMBER = (-1.0, nan, inf, True, "0.5")
POSITIVE = Range("a number above 0", (0, *NUMBER), (1e-9,))
SHARE = Range("a number between 0 and 1, both excluded", (0, 1, 1.5, *NUMBER), (1e-9, 1 - 1e-9))
FROM_0 = Range("a number from 0, and below 1", (1, 1.5, *NUMBER), (0, 0.999))
FINITE = Range("a finite number", (nan, inf, -inf, True, "1"))
NAME = Range("one of ", ("xyz",))

RANGES: dict[str, Range | None] = {
    **dict.fromkeys(("epsilon", "sensitivity", "variation", "rate", "std", "noise", "alpha"), POSITIVE),
    **dict.fromkeys(("delta", "beta", "false_alarm", "share"), SHARE),
    **dict.fromkeys(("horizon", "points", "k", "users", "changes", "domain", "delay", "half", "count"), whole(1)),
    **dict.fromkeys(("window", "every", "lifetime"), whole(1)),
    **dict.fromkeys(("runs", "block", "rows", "copies", "rounds", "updates", "depth", "width", "budget"), whole(1)),
    **dict.fromkeys(("size", "groups", "buffers", "participations", "separation", "blocks"), whole(1)),
    "cells": whole(1),
    "experts": whole(2),
    **dict.fromkeys(("counter", "static", "queries", "sketch", "literal", "strategy", "parts", "errors"), NAME),
    "calibration": NAME,
    "signs": NAME,
    "by": NAME,
    "threshold": POSITIVE,
    "largest": POSITIVE,
    "base": Range("a whole number of at least 3", (2, 1, -3, True, 3.0), (3,)),
    "registers": whole(128),
    "density": Range("a number of at least 1", (0.9, 0, *NUMBER), (1, 1.0)),
    **dict.fromkeys(("normal", "cautious", "weighted"), Range("true or false", (0, 1, "yes", None), (True, False))),
    "within": whole(0),
    "strength": POSITIVE,
    "cut": None,
    "sticky": None,
}
"""By the name of a parameter; None if every value is taken."""
BELOW_1 = (
    "ams-difference", "computation-paths", "estimator-corrector", "private-median", "private-sample", "reset-sample",
    "rounded", "salted", "switched",
)  # fmt: skip
OWN: dict[tuple[str, str, str], Range | None] = {
    ("protocol", "above-threshold", "threshold"): FINITE,
    ("protocol", "binary", "literal"): None,
    ("protocol", "sparse-vector-queries", "queries"): whole(1),
    ("protocol", "guessing", "rate"): Range("a number above 0, up to 1", (0, 1.5, *NUMBER), (1e-9, 1.0)),
    ("protocol", "experts-private", "points"): whole(2),
    ("protocol", "pmw", "rounds"): whole(0),
    **{("protocol", kind, "delta"): FROM_0 for kind in ("laplace", "gaussian", "pmw", "exact-monitor")},
    **{
        ("protocol", kind, "delta"): FROM_0
        for kind in kinds("protocol")
        if kind.startswith(("growing", "fully", "inserted", "factorised"))
    },
    **{("protocol", kind, "alpha"): SHARE for kind in BELOW_1},
    ("protocol", "kmv", "size"): whole(3),
    ("protocol", "salted", "size"): whole(128),
    ("protocol", "computation-paths", "largest"): whole(2),
    ("protocol", "frequency-switching", "largest"): Range("a number above 1", (1, inf, *NUMBER), (1.5, 1e9)),
    ("protocol", "datasketches-hll", "lg_k"): whole(7),
    ("protocol", "datasketches-theta", "lg_k"): whole(5),
    ("protocol", "datasketches-count-min", "width"): whole(3),
    ("protocol", "laplace-answers", "epsilon"): SHARE,
    **{("protocol", kind, "alpha"): SHARE for kind in kinds_for("protocol", ContentGame.bases["protocol"])},
    ("protocol", "heavy-hitters", "alpha"): SHARE._replace(edges=(1e-9, 0.1)),
    ("protocol", "heavy-hitters", "phi"): SHARE._replace(edges=(0.6, 1 - 1e-9)),
}  # fmt: skip
NEEDED = {"rows": 8, "groups": 3, "copies": 2, "size": 256, "changes": 2, "rounds": 2, "updates": 20, "horizon": 20,
          "registers": 256, "width": 8, "epsilon": 0.5, "alpha": 0.1}  # fmt: skip
"""Values of parameters that must be given, but for mechanisms, which are made as they are audited."""
REGISTERED = [kind for kind in kinds("protocol").values() if not issubclass(kind.load(), Protocol)]


def range_of(kind: Kind, name: str) -> Range | None:
    key = (kind.family, kind.name, name)
    return OWN[key] if key in OWN else RANGES[name]


def complaint(make: Callable[[], Any]) -> str:
    """Return the text of a refusal; empty if there is none."""
    try:
        make()
    except ValueError as error:
        return str(error)
    return ""


def check(make: Callable[..., Any], given: dict[str, Any], name: str, accepted: Range, *more: Any) -> None:
    """Assert that values out of a range are refused by the parameter's name, and those at its edges are not."""
    begin = f"{name} must be {accepted.accepted}"
    for value in (*accepted.wrong, *more):
        message = complaint(partial(make, **given | {name: value}))
        assert message.startswith(begin), f"{value!r}: {message}"
        assert f"; got {value!r}" in message
    for value in accepted.edges:  # where another parameter does not fit it, that one is named
        assert not complaint(partial(make, **given | {name: value})).startswith(begin)


@pytest.mark.parametrize("kind", REGISTERED, ids=lambda kind: f"{kind.family}-{kind.name}")
def test_a_registered_class_refuses_what_is_out_of_range(kind: Kind) -> None:
    make = kind.load()
    known = parameters(make)
    audited = kind in Audit.kinds("protocol").values()
    given = usual(kind.name, list(known)) if audited else {
        name: NEEDED[name] for name, default in known.items() if default is MISSING
    }  # fmt: skip
    if kind.name == "gaussian" and audited:
        given["delta"] = 1e-6
    make(**given)
    for name, default in known.items():
        accepted = range_of(kind, name)
        if accepted is not None:
            needed = default is not None or (name == "horizon" and getattr(make, "needs_horizon", False))
            check(make, given, name, accepted, *(None,) * needed)


@pytest.mark.parametrize(
    ("make", "given", "ranges"),
    [
        (Sparse(1.0, 9).error_bound, {"t": 1, "beta": 0.1}, {"t": whole(1), "beta": SHARE}),
        (Hybrid(1.0).variance, {"t": 3}, {"t": whole(1)}),
        (Hybrid(1.0).error_bound, {"t": 3, "beta": 0.1}, {"t": whole(1), "beta": SHARE}),
        (Hybrid(1.0).error_bound_throughout, {"steps": 3, "beta": 0.1}, {"steps": whole(1)}),
        (RandomizedResponse(1.0).variance, {"t": 3}, {"t": whole(1)}),
        (RandomizedResponse(1.0).error_bound, {"t": 3, "beta": 0.1}, {"t": whole(1), "beta": SHARE}),
        (SquareRoot(0.5, 9).error_bound, {"t": 3, "beta": 0.1}, {"t": whole(1), "beta": SHARE}),
        (Blt(0.5, 9).error_bound, {"t": 3, "beta": 0.1}, {"t": whole(1), "beta": SHARE}),
        (LaplaceQueries(1.0).error_bound, {"items": 3, "beta": 0.1}, {"beta": SHARE}),
        (PanPrivateDensity(1.0, 4).accuracy, {"beta": 0.1}, {"beta": SHARE}),
        (hard_instance, {"halting_times": SparseVectorMonitor(2, 1.0).halting_times(), "k": 2}, {"k": whole(1)}),
        (laplace_sum_quantile, {"parts": [(1.0, 2)], "beta": 0.1}, {"beta": SHARE}),
        (noise_multiplier, {"epsilon": 0.5, "delta": 0.1}, {"epsilon": POSITIVE, "delta": SHARE}),
        (PrivacyLedger, {"name": "l", "epsilon": 1.0}, {"epsilon": POSITIVE, "rule": NAME}),
        (Laplace, {"scale": 1.0}, {"scale": POSITIVE}),
        (Gaussian, {"std": 1.0}, {"std": POSITIVE}),
    ],
    ids=lambda value: getattr(value, "__qualname__", None),
)  # fmt: skip
def test_what_is_not_registered_does_too(
    make: Callable[..., Any], given: dict[str, Any], ranges: dict[str, Range]
) -> None:
    make(**given)
    for name, accepted in ranges.items():
        check(make, given, name, accepted)


def test_a_type_that_only_a_type_checker_knows_is_refused_as_it_may_be_a_range() -> None:
    @dataclass(frozen=True)
    class Own(Binary):
        more: Unknown | None = None  # type: ignore[name-defined] # noqa: F821

    with pytest.raises(TypeError, match=r"^Own: a type of its fields cannot be resolved, name 'Unknown' is not def"):
        Own(1.0, 3)


RELATIONS: list[tuple[Callable[[], Any], str]] = [
    (partial(sketches.CountSketch, 8, depth=6), "depth must be an odd number; got 6"),
    (partial(KAry, 1.0, 9, base=4), "base must be an odd number; got 4"),
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
    (partial(Binary, 1.0, 1, literal=True), "horizon must be a whole number of at least 2; got 1"),
    (partial(GaussianQueries, 1.0, 0), "delta must be above 0 for gaussian; got 0"),
    (partial(FullyDynamic, 1.0, static="gaussian"), "delta must be above 0 for static gaussian; got 0"),
    (
        partial(FactorisedDifference, 1.0, static="gaussian", horizon=9),
        "delta must be above 0 for static gaussian; got 0",
    ),
    (
        partial(noise_multiplier, 1.5, 0.1),
        "epsilon must be at most 1 for the classical calibration; got 1.5 (calibration 'exact' takes any)",
    ),
]
if find_spec("datasketches"):
    RELATIONS += [
        (partial(Blt, 1.0, 9, buffers=11), "buffers must be at most 10; got 11"),
        (partial(SmoothBinary, 1.0, 2**61 + 1), f"horizon must be at most {2**61}; got {2**61 + 1}"),
        (partial(sketches.LibraryHll, 22), "lg_k must be at most 21; got 22"),
        (partial(sketches.LibraryTheta, 27), "lg_k must be at most 26; got 27"),
    ]


@pytest.mark.parametrize(("make", "message"), RELATIONS, ids=lambda value: value if isinstance(value, str) else "")
def test_parameters_that_do_not_fit_each_other(make: Callable[[], Any], message: str) -> None:
    assert complaint(make) == message
