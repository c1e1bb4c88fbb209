"""Powers are stated where there is one, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.simulator.shown.plots.sweep import fitted

PLACES = 4.0 ** np.arange(2, 8)


def test_a_power_is_stated_with_its_error() -> None:
    wobble = np.array([1.02, 0.98, 1.01, 0.99, 1.02, 0.98])
    fit = fitted(PLACES, 3 * PLACES**0.5 * wobble)
    # by the textbook: the slope's variance is that of the residuals over the spread of log x
    over, up = np.log(PLACES), np.log(3 * PLACES**0.5 * wobble)
    apart = over - over.mean()
    slope = (apart * up).sum() / (apart**2).sum()
    rest = up - up.mean() - slope * apart
    error = np.sqrt((rest**2).sum() / 4 / (apart**2).sum())
    assert fit == f"{slope:.2f} ± {np.ceil(100 * error) / 100:.2f}" == "0.50 ± 0.01"


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
    assert fitted(PLACES, values) == ""
