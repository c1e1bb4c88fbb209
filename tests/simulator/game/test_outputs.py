"""Outputs as numbers: none that is no number throws an adversary, and errors are the nearest floats."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.protocols.base import Exactly
from disttrack.simulator import play
from disttrack.simulator.game.outputs import distance, relative_error, scaled


@pytest.mark.parametrize("items", [1, 3, 10**9, 2**61])
def test_a_relative_error_is_the_float_nearest_to_the_exact_one(items: int) -> None:
    for output in (0, items - 1, items / 3, 1e300, 5e-324, -2.5, Exactly(7, 3), 10**400, -(10**400)):
        exact_output = Fraction(*output) if isinstance(output, Exactly) else Fraction(output)
        error = (exact_output - items) / items
        expected = float(error) if abs(error) < 10**308 else inf if error > 0 else -inf
        assert relative_error(output, items) == expected


def test_distance() -> None:
    assert [distance(output, 5) for output in (7, 4.5, nan, None, inf, Exactly(11, 2))] == [2, 0.5, inf, inf, inf, 0.5]


@given(st.integers(0, 2**62), st.lists(st.integers(1, 2**61), min_size=2, max_size=2), st.integers(1, 61))
def test_products_with_a_fraction_are_the_nearest_floats(first: int, fraction: list[int], bits: int) -> None:
    """Also those of more than 53 bits, and of numbers that are no floats."""
    numerator, denominator = (number >> 61 - bits or 1 for number in fraction)
    outputs = [first >> shift for shift in range(0, 62, 3)]
    found = scaled(np.array(outputs), numerator, denominator)
    assert found.tolist() == [output * numerator / denominator for output in outputs]


def test_outputs_times_a_fraction_of_many_digits_by_compiled_functions() -> None:
    """Products of 69 bits: the errors and the timeline of a large centred game are those of leap."""
    pytest.importorskip("numba")
    tracker, sizes = Deterministic(alpha=0.00276214, centred=True), {"sites": 3, "items": 10**13}
    games = [play(tracker, RoundRobin(), engine=engine, **sizes) for engine in ("compiled", "leap")]  # type: ignore[arg-type]
    assert games[0].facts | {"engine": "", "seconds": 0.0} == games[1].facts | {"engine": "", "seconds": 0.0}
    assert games[0].series.equals(games[1].series)
