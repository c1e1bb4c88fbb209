"""The arithmetic of samples: by hand, number by number as array by array, and redraws in exact probabilities."""

from __future__ import annotations

from fractions import Fraction
from math import log2, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.mechanisms.rules import SamplingRule, estimate, redrawn
from disttrack.mechanisms.rules.sampling import chances_redrawn, variance, variance_redrawn


class Script:
    """Coins that succeed or not, and whose gaps are long or short, as they are told."""

    def __init__(self, succeeds: bool, gap: int) -> None:
        self.succeeds, self.length = succeeds, gap
        self.asked: list[float] = []

    def success(self, p: float, shape: int | None = None) -> Any:
        self.asked.append(p)
        return self.succeeds if shape is None else np.full(shape, self.succeeds)

    def gap(self, scale: float, shape: int | None = None) -> Any:
        self.asked.append(scale)
        return self.length if shape is None else np.full(shape, self.length)

    def up_to(self, size: int, shape: int | None = None) -> Any:
        raise AssertionError("nothing is to be drawn evenly")


@given(spread=st.floats(1e-6, 0.999), sites=st.integers(1, 2**20), known=st.integers(0, 2**61))
def test_inverse_p_is_the_largest_power_of_two_allowed(spread: float, sites: int, known: int) -> None:
    inverse = SamplingRule(spread, sites).inverse_p(known)
    assert log2(inverse) == int(log2(inverse))
    wanted = spread * known / sqrt(sites)
    assert inverse == 1 or inverse <= wanted
    assert 2 * inverse > int(wanted)


def test_a_redraw_asks_for_the_right_coins() -> None:
    """Kept with probability before / inverse; else a gap of the new p back, and no report where none is left."""
    kept, lost = Script(True, 99), Script(False, 4)
    assert redrawn(10, 2, 8, kept) == 10
    assert kept.asked == [0.25]
    assert redrawn(10, 2, 8, lost) == 6
    assert lost.asked == [0.25, pytest.approx(-1 / np.log1p(-1 / 8))]
    assert redrawn(3, 2, 8, lost) == 0
    assert redrawn(np.array([0, 3, 10]), 2, 8, lost).tolist() == [0, 0, 6]
    assert redrawn(np.array([0, 3, 10]), 2, 8, kept).tolist() == [0, 3, 10]


@pytest.mark.parametrize(("before", "inverse"), [(1, 2), (2, 4), (1, 4), (4, 32)])
@pytest.mark.parametrize("last", [0, 1, 2, 9])
def test_what_a_redraw_does_to_mean_and_variance(last: int, before: int, inverse: int) -> None:
    """From the probabilities, item by item: the mean stays last - 1 + before, the variance is the formula's."""
    chances = [Fraction(float(chance)) for chance in chances_redrawn(last, before, inverse)]
    assert sum(chances) == 1
    values = [estimate(item, inverse) for item in range(last + 1)]
    mean = sum((chance * value for chance, value in zip(chances, values, strict=True)), Fraction(0))
    assert mean == estimate(last, before)
    square = sum((chance * value**2 for chance, value in zip(chances, values, strict=True)), Fraction(0))
    assert float(square - mean**2) == pytest.approx(float(variance_redrawn(last, before, inverse)))


def test_variance_by_hand_and_for_arrays() -> None:
    assert (variance(1, 2), variance(0, 8), variance(9, 1)) == (1, 0, 0)
    assert variance(np.array([1, 5]), np.array([2, 4])).tolist() == [1, 9.15234375]
    assert variance_redrawn(np.array([0, 5, 5]), 2.0, np.array([8, 2, 8]))[:2].tolist() == [0, 0]
