"""Ratios of results side by side: of the medians, with honest intervals; lost games are left out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from compared_results import compared, written
from scipy import stats
from synthetic_results import write_result

from disttrack.simulator.experiments.results.compared import EACH, fisher
from disttrack.simulator.experiments.results.folder import Results

SEED = 20231
DRAWS = 20_000


def results(folder: Path, factor: float = 1.0, **more: object) -> Results:
    write_result(folder, protocols=("robust", "randomized"), trials=9, plots=(), **more)
    table = pd.read_csv(folder / "trials.csv")
    table["words"] = table["words"] * factor
    table.to_csv(folder / "trials.csv", index=False)
    return Results(folder)


@pytest.mark.parametrize("games", [7, 25])
def test_the_interval_of_a_median_has_its_confidence(tmp_path: Path, games: int) -> None:
    """Exact: more of 20,000 draws than allowed miss with probability 1e-6 if the interval covers with 0.975.

    The wrong alternative is the interval one ordered game narrower at both ends, which misses too often.
    """
    from scipy.stats import binom

    rng = np.random.default_rng(SEED)
    drawn = np.sort(rng.lognormal(size=(DRAWS, games)), axis=1)  # its median is 1
    one = written(tmp_path, sites=(16,), trials=games)
    trials = pd.read_csv(one.dir / "trials.csv")
    trials.assign(words=range(games)).to_csv(one.dir / "trials.csv", index=False)
    (row,) = (row for row in compared(Results(one.dir), one).rows if row.measure == "words")
    low, high = row.one.low, row.one.high
    assert low is not None
    assert high is not None
    allowed = binom.isf(1e-6, DRAWS, 1 - EACH)

    def missed(narrower: int) -> int:
        left, right = drawn[:, int(low) + narrower], drawn[:, int(high) - narrower]
        return int(((left > 1) | (right < 1)).sum())

    assert missed(0) <= allowed < missed(1)


@pytest.mark.parametrize("largest", [1, 900])
def test_shares_differ_by_fishers_exact_test(largest: int) -> None:
    """As scipy.stats has it, of which the import alone takes a second; at the edges too."""
    rng = np.random.default_rng(SEED)
    for _ in range(50):
        games = rng.integers(1, largest + 1, 2)
        hits = rng.integers(0, games + 1)
        first, second = ((int(some), int(many - some)) for some, many in zip(hits, games, strict=True))
        assert fisher(first, second) == pytest.approx(stats.fisher_exact([first, second]).pvalue, rel=1e-9)
