"""Ratios of results side by side: of the medians, with honest intervals; lost games are left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from compared_results import compared, edited, written
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


def test_ratios_are_those_of_the_medians_at_each_shared_point(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", 2.0, sites=(16, 64))
    outcome = compared(one, two)
    words = [row for row in outcome.rows if row.measure == "words"]
    assert len(words) == 2 * 2 * 2
    assert all(row.ratio == pytest.approx(2) and row.low < 2 < row.high for row in words)
    assert {row.ratio for row in outcome.rows if row.measure == "error/alpha"} == {1.0}
    assert (outcome.unmatched, outcome.warnings) == ((), ())
    table = one.trials[(one.trials["protocol"] == "robust") & (one.trials["sites"] == 64)]
    mine = next(row for row in words if row.point == {"protocol": "robust", "adversary": "freeze", "sites": 64})
    assert mine.one.value == table[table["adversary"] == "freeze"]["words"].median()


def test_points_at_which_a_measure_was_zero_are_counted_apart(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", 2.0, sites=(16, 64))
    table = pd.read_csv(one.dir / "trials.csv")
    table.loc[table["protocol"] == "robust", "words"] = 0
    table.to_csv(one.dir / "trials.csv", index=False)
    said = {name: text for name, _, _, text in compared(Results(one.dir), two).measures()}
    assert said["words"].endswith(
        "at 4 of 8 matched points; the interval excludes 1 at 4 of them; above 0 where it was 0 at 4"
    )


def test_points_that_are_in_one_result_only_are_counted(tmp_path: Path) -> None:
    outcome = compared(results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", sites=(64, 256)))
    assert {row.point["sites"] for row in outcome.rows} == {64}
    assert outcome.unmatched == (
        "4 of one without a match: sites 16 not in two",
        "4 of two without a match: sites 256 not in one",
    )


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({"rules": 7}, "different rules: None (one), 7 (two)"),
        ({"code": {"digest": "0" * 64}}, "different code: unknown (one), 000000000000 (two)"),
        ({"scenario": {"seed": 5}}, "different seed: 0 (one), 5 (two)"),
        ({"files": {"a/b.py": "1" * 64}}, "different files: none (one), b.py 111111111111 (two)"),
    ],
)
def test_other_differences_are_warned_of(tmp_path: Path, change: dict[str, Any], warning: str) -> None:
    one, two = results(tmp_path / "one", sites=(16,)), results(tmp_path / "two", sites=(16,))

    def more(manifest: dict[str, Any]) -> None:
        manifest.pop("rules", None)
        manifest["scenario"] |= change.get("scenario", {})
        manifest.update({key: value for key, value in change.items() if key != "scenario"})

    edited(one, lambda manifest: manifest.pop("rules", None))
    assert compared(Results(one.dir), edited(two, more)).warnings == (warning,)


def test_few_games_have_a_ratio_without_an_interval(tmp_path: Path) -> None:
    one, two = (Results(write_result(tmp_path / name, sites=(16,), trials=6, plots=())) for name in ("one", "two"))
    row = compared(one, two).rows[-1]
    assert (row.ratio, row.low, row.high) == (1.0, None, None)


def test_games_that_were_lost_to_errors_are_left_out(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16,)), results(tmp_path / "two", sites=(16,))
    table = pd.read_csv(two.dir / "trials.csv")
    table.loc[table["trial"] == 0, ["verdict", "words"]] = ["error", 10**12]
    table.to_csv(two.dir / "trials.csv", index=False)
    outcome = compared(one, Results(two.dir))
    assert {(row.one.games, row.two.games) for row in outcome.rows} == {(9, 8)}
    assert max(row.ratio for row in outcome.rows if row.ratio) < 1.2


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
