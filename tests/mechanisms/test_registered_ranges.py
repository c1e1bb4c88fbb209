"""Every parameter of every counter, test and tracker of items refuses what is out of its range, and takes edges.

Those of counting protocols and of all adversaries are in tests/protocols/test_parameter_ranges.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from core_kinds import core_kinds
from parameter_ranges import OWN, POSITIVE, SHARE, Range, check, check_ranges, complaint, whole

from disttrack.mechanisms import (
    Binary,
    Blt,
    Gaussian,
    Hybrid,
    Laplace,
    RandomizedResponse,
    Sparse,
    SquareRoot,
    laplace_sum_quantile,
)
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.protocols import Protocol
from disttrack.simulator.kinds.registry import Kind, parameters

USUAL = {"alpha": 0.15, "epsilon": 1.0, "horizon": 64, "threshold": 0.0}
"""Values of parameters that must be given."""
REGISTERED = [kind for kind in core_kinds("protocol").values() if not issubclass(kind.load(), Protocol)]


@pytest.mark.parametrize("kind", REGISTERED, ids=lambda kind: kind.name)
def test_a_registered_class_refuses_what_is_out_of_range(kind: Kind) -> None:
    check_ranges(kind, {name: USUAL[name] for name in parameters(kind.load()) if name in USUAL}, OWN)


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
        (laplace_sum_quantile, {"parts": [(1.0, 2)], "beta": 0.1}, {"beta": SHARE}),
        (noise_multiplier, {"epsilon": 0.5, "delta": 0.1}, {"epsilon": POSITIVE, "delta": SHARE}),
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


def test_the_classical_calibration_takes_a_small_epsilon() -> None:
    """Parameters of classes that do not fit each other are in messages/part.txt."""
    message = "epsilon must be at most 1 for the classical calibration; got 1.5 (calibration 'exact' takes any)"
    assert complaint(partial(noise_multiplier, 1.5, 0.1)) == message
