"""Results side by side: points are matched by all of their parameters, ratios have honest intervals, gaps are told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.results.compared import EACH, compare_results, order_interval
from disttrack.simulator.results.folder import Results

SEED = 20231
DRAWS = 20_000


def results(folder: Path, factor: float = 1.0, **more: object) -> Results:
    write_result(folder, protocols=("robust", "randomized"), trials=9, plots=(), **more)
    table = pd.read_csv(folder / "trials.csv")
    table["words"] = table["words"] * factor
    table.to_csv(folder / "trials.csv", index=False)
    return Results(folder)


def changed(one: Results, **more: object) -> Results:
    manifest = json.loads((one.dir / "manifest.json").read_text())
    scenario = manifest["scenario"] | {key: value for key, value in more.items() if key != "rules"}
    (one.dir / "manifest.json").write_text(json.dumps(manifest | {"scenario": scenario, "rules": more.get("rules", 1)}))
    return Results(one.dir)


def test_ratios_are_those_of_the_medians_at_each_shared_point(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", 2.0, sites=(16, 64))
    found = compare_results([one, two], ["one", "two"])
    words = [row for row in found.rows if row.measure == "words"]
    assert len(words) == 2 * 2 * 2
    assert all(row.ratio == pytest.approx(2) and row.low < 2 < row.high for row in words)
    assert {row.ratio for row in found.rows if row.measure == "error/alpha"} == {1.0}
    assert (found.alone, found.warnings) == ((0, 0), ())
    table = one.trials[(one.trials["protocol"] == "robust") & (one.trials["sites"] == 64)]
    mine = next(row for row in words if row.point == {"protocol": "robust", "adversary": "freeze", "sites": 64})
    assert mine.one.value == table[table["adversary"] == "freeze"]["words"].median()


def test_points_that_are_in_one_result_only_are_counted(tmp_path: Path) -> None:
    found = compare_results(
        [results(tmp_path / "one", sites=(16, 64)), results(tmp_path / "two", sites=(64, 256))], ["one", "two"]
    )
    assert {row.point["sites"] for row in found.rows} == {64}
    assert found.alone == (4, 4)


def test_results_without_a_common_point_are_warned_of_by_what_differs(tmp_path: Path) -> None:
    found = compare_results(
        [results(tmp_path / "one", alphas=(0.1,)), results(tmp_path / "two", alphas=(0.2,))], ["one", "two"]
    )
    assert not found.rows
    assert any("no two results have a point in common" in line and "alpha" in line for line in found.warnings)
    assert "different alpha: 0.1 (one), 0.2 (two)" in found.warnings


@pytest.mark.parametrize(
    ("change", "warning"),
    [
        ({"rules": 7}, "games were played by different rules: 1 (one), 7 (two)"),
        ({"seed": 5}, "different seed: none (one), 5 (two)"),
    ],
)
def test_whatever_else_differs_is_warned_of(tmp_path: Path, change: dict[str, object], warning: str) -> None:
    one = changed(results(tmp_path / "one", sites=(16,)))
    two = changed(results(tmp_path / "two", sites=(16,)), **change)
    assert compare_results([one, two], ["one", "two"]).warnings == (warning,)


def test_few_games_have_a_ratio_without_an_interval(tmp_path: Path) -> None:
    one, two = (Results(write_result(tmp_path / name, sites=(16,), trials=6, plots=())) for name in ("one", "two"))
    row = compare_results([one, two], ["one", "two"]).rows[-1]
    assert (row.ratio, row.low, row.high) == (1.0, None, None)


def test_games_that_were_lost_to_errors_are_left_out(tmp_path: Path) -> None:
    one, two = results(tmp_path / "one", sites=(16,)), results(tmp_path / "two", sites=(16,))
    table = pd.read_csv(two.dir / "trials.csv")
    table.loc[table["trial"] == 0, ["verdict", "words"]] = ["error", 10**12]
    table.to_csv(two.dir / "trials.csv", index=False)
    found = compare_results([one, Results(two.dir)], ["one", "two"])
    assert {(row.one.games, row.two.games) for row in found.rows} == {(9, 8)}
    assert max(row.ratio for row in found.rows if row.ratio) < 1.2


@pytest.mark.parametrize("games", [7, 10, 25])
def test_the_interval_of_a_median_covers_it_as_often_as_it_says(games: int) -> None:
    """Exact: of 20,000 draws at most so many may miss that a covering share of 0.975 has this with probability 1e-6.

    The wrong alternative is the interval one ordered game narrower at both ends, which misses too often.
    """
    from scipy.stats import binom

    rng = np.random.default_rng(SEED)
    drawn = np.sort(rng.lognormal(size=(DRAWS, games)), axis=1)  # its median is 1
    low, high = order_interval(list(range(games)))
    allowed = binom.isf(1e-6, DRAWS, 1 - EACH)

    def missed(narrower: int) -> int:
        left, right = drawn[:, int(low) + narrower], drawn[:, int(high) - narrower]
        return int(((left > 1) | (right < 1)).sum())

    assert missed(0) <= allowed < missed(1)
