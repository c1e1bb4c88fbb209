"""Powers are stated where there is one, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.simulator.plots.fits import fitted

PLACES = 4.0 ** np.arange(2, 8)


def test_a_power_is_found_with_its_error() -> None:
    wobble = np.array([1.02, 0.98, 1.01, 0.99, 1.02, 0.98])
    fit = fitted(PLACES, 3 * PLACES**0.5 * wobble)
    assert fit is not None
    assert abs(fit.exponent - 0.5) <= 3 * fit.error <= 0.05
    assert fit.text() == "0.50 ± 0.01"


@pytest.mark.parametrize(
    "values",
    [
        np.log(PLACES),
        np.log(PLACES) ** 1.5,
        PLACES + 300,  # flat, then linear
        np.array([1.0, 9, 1, 9, 1, 9]),
        np.full(6, 7.0),
        PLACES**0.5 * np.array([1, 0, 1, 1, 1, 1]),  # zeros have no logarithm
    ],
)  # fmt: skip
def test_what_is_no_power_has_no_exponent(values: np.ndarray) -> None:
    slope = np.polyfit(np.log(PLACES), np.log(np.maximum(values, 1e-9)), 1)[0]
    assert np.isfinite(slope), "a least-squares line would have stated one"
    assert fitted(PLACES, values) is None


def test_three_marks_are_too_few() -> None:
    assert fitted(PLACES[:3], PLACES[:3]) is None
    assert fitted(PLACES[:4], PLACES[:4]) is not None
