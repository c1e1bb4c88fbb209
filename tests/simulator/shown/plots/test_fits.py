"""Powers are stated where there is one, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from drawn import described
from synthetic_results import write_result

from disttrack.simulator.shown.plots.description import Series
from disttrack.simulator.shown.plots.requests import values_in_words
from disttrack.simulator.shown.plots.sweep import fitted

COST = {"kind": "cost", "x": "sites"}
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


def test_three_marks_are_too_few() -> None:
    assert fitted(PLACES[:3], PLACES[:3]) == ""
    assert fitted(PLACES[:4], PLACES[:4]) == "1.00 ± 0.01"


def test_powers_are_beside_all_lines_or_none(tmp_path: Path) -> None:
    """Those of single lines are in the caption; a line that is none of the axis takes them all away."""
    sites = [16, 64, 256, 1024]
    one = write_result(tmp_path / "one", sites=sites, alphas=(0.1,), protocols=("deterministic", "martingale"))
    rows = pd.read_csv(one / "trials.csv")
    rows["words"] = (100 * rows["sites"] ** rows["protocol"].map({"deterministic": 1.0, "martingale": 0.5})).astype(int)
    bent = rows.assign(words=rows["words"].where((rows["protocol"] != "martingale") | (rows["sites"] != 64), 1_000_000))
    for changed, beside, stated in ((rows, 2, 2), (bent, 0, 1)):
        changed.to_csv(one / "trials.csv", index=False)
        made = described(one, COST)
        assert sum("propto" in line.label for line in made.panels[-1].of(Series)) == beside
        assert sum(bool(line.power) for line in made.panels[-1].of(Series)) == stated
        assert values_in_words(made).count("∝ k^") == stated * len(made.panels)
