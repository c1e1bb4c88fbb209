"""The root finder against scipy's."""

from __future__ import annotations

from math import exp, log, tanh

import numpy as np
import pytest
from scipy.optimize import brentq

from disttrack.mechanisms.roots import root

FUNCTIONS = [
    lambda x, a, b: x**3 - a * x - 10 * b,
    lambda x, a, b: exp(-(a + 2) * x) - 0.1 * b,
    lambda x, a, b: tanh((a + 1) * x - b),
    lambda x, a, b: log(x + 1e-9) - b + 1,
    lambda x, a, b: 1.0 if x > b else -a,
    lambda x, a, b: max(-0.5, min(0.5, x - b)),
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=range(len(FUNCTIONS)))
def test_a_root_is_that_of_brentq_digit_for_digit(function) -> None:
    coins = np.random.default_rng(5)
    for _ in range(60):
        a, b, high = coins.uniform(0.2, 3), coins.uniform(0.2, 3), coins.uniform(5, 30)
        for relative in (8.9e-16, 1e-9, 1e-3):
            expected = brentq(function, 0.0, high, (a, b), rtol=relative)
            assert root(lambda x: function(x, a, b), 0.0, high, relative) == expected  # noqa: B023


def test_the_ends_are_tried_first() -> None:
    assert root(lambda x: x, 0.0, 1.0) == 0.0
    assert root(lambda x: x - 1, 0.0, 1.0) == 1.0
    with pytest.raises(ValueError, match=r"the same sign at 1\.0 and 2\.0"):
        root(lambda x: x, 1.0, 2.0)
