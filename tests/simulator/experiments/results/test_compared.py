"""Results side by side: intervals of medians and ratios, shares, and where figures go; the goldens have the texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import disttrack
from scipy import stats
from synthetic_results import write_result

from disttrack.simulator.experiments.results.compared import EACH, Middle, Row, compare_results, fisher
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run

SEED = 20231
DRAWS = 20_000


def written(folder: Path, **more: Any) -> Results:
    usual = {"sites": (16, 64), "protocols": ("deterministic",), "adversaries": ("freeze",), "trials": 2, "plots": ()}
    return Results(write_result(folder, **{**usual, **more}))


@pytest.mark.parametrize(
    ("low", "high", "changed"),
    [(0.9, 1.1, False), (1.0004, 1.2, False), (0.8, 0.9996, False), (1.0006, 1.2, True), (0.8, 0.9994, True)],
)
def test_an_interval_that_ends_at_1_excludes_nothing(low: float, high: float, changed: bool) -> None:
    """To three decimals, as it is shown."""
    nine = Middle(10.0, 9.0, 11.0, 9)
    assert Row({}, {}, "words", "after", nine, nine, 1.0, low, high).changed == changed


def test_figures_go_into_no_result_and_replace_nothing_of_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    for folder in (one.dir, two.dir / "figures"):
        done = disttrack("compare", str(one.dir), str(two.dir), "--out", str(folder), "--plot", "cost:x=sites")
        assert done.exit_code == 2
        assert "is a result; name a folder, --out DIR" in done.stderr
    monkeypatch.chdir(one.dir)
    assert disttrack("compare", ".", str(two.dir), "--plot", "cost:x=sites").exit_code == 2
    for name in ("compare-mine.png", "compare-mine.svg"):
        (tmp_path / name).write_text("mine")
        done = disttrack("compare", str(one.dir), str(two.dir), "--out", str(tmp_path), "--plot", "cost:x=sites")
        assert (done.exit_code, (tmp_path / name).read_text()) == (2, "mine")
        assert "not written by this command" in done.stderr


def test_a_result_without_a_network_beside_one_with_one_has_the_values_that_no_network_has(tmp_path: Path) -> None:
    """What a manifest leaves out is no key of a point."""
    plain = {"sites": 2, "items": 5, "protocol": "exact", "adversary": "round-robin"}
    for name, more in {"plain": {}, "late": {"network": {"latency": [2, 3], "loss": 0.1}}}.items():
        run({"name": name, **plain, **more}, out=tmp_path / name)
    trials = read_tables([tmp_path / "plain", tmp_path / "late"]).trials
    assert trials["latency"].tolist() == [0, 2, 3]
    assert trials["loss"].tolist() == [0, 0.1, 0.1]


@pytest.mark.parametrize("games", [7, 25])
def test_the_interval_of_a_median_has_its_confidence(tmp_path: Path, games: int) -> None:
    """Exact: more of 20,000 draws than allowed miss with probability 1e-6 if the interval covers with 0.975.

    The wrong alternative is the interval one ordered game narrower at both ends, which misses too often.
    """
    rng = np.random.default_rng(SEED)
    drawn = np.sort(rng.lognormal(size=(DRAWS, games)), axis=1)  # its median is 1
    one = written(tmp_path, sites=(16,), trials=games)
    trials = pd.read_csv(one.dir / "trials.csv")
    trials.assign(words=range(games)).to_csv(one.dir / "trials.csv", index=False)
    (row,) = (row for row in compare_results([Results(one.dir), one], ["one", "two"]).rows if row.measure == "words")
    low, high = row.one.low, row.one.high
    assert low is not None
    assert high is not None
    allowed = stats.binom.isf(1e-6, DRAWS, 1 - EACH)

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
