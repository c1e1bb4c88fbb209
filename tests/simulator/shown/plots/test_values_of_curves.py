"""Values of `cost`, `error`, `measure` and `frontier` figures, computed a second way from trials.csv."""

from __future__ import annotations

import re
from math import inf, log, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import described
from scipy.stats import binomtest
from synthetic_results import write_result

from disttrack.simulator.experiments.results.folder import Results, class_of
from disttrack.simulator.experiments.results.read import tables_of
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.kinds.registry import make
from disttrack.simulator.shown.plots.curves import LOWER_NOTE
from disttrack.simulator.shown.plots.description import Area, Panel, Region, Rule, Series
from disttrack.simulator.shown.plots.kinds import Cost
from disttrack.simulator.shown.plots.marks import mark
from disttrack.simulator.shown.plots.requests import planned, values_in_words

COST, ERROR, FRONTIER = {"kind": "cost", "x": "sites"}, {"kind": "error", "x": "sites"}, {"kind": "frontier"}
SITES = [16, 64, 256]
REFERENCE = Path(__file__).resolve().parents[4] / "results" / "reference"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return five games a point; in panels: against round-robin, against freeze."""
    return write_result(tmp_path_factory.mktemp("values") / "headline", sites=SITES)


@pytest.fixture(scope="module")
def infinite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return ten games a point: deterministic below the scale, randomized against freeze infinite in 7 of 10."""
    folder = write_result(
        tmp_path_factory.mktemp("edges") / "result", sites=(16, 256), trials=10, alphas=(0.1,),
        protocols=("deterministic", "randomized"),
    )  # fmt: skip
    rows = pd.read_csv(folder / "trials.csv")
    exact = rows["protocol"] == "deterministic"
    rows.loc[exact, "max_rel_error"] = rows["sites"].map({16: 0.0624, 256: 0.00098}) * rows["alpha"]
    lost = ~exact & (rows["adversary"] == "freeze")
    rows.loc[lost & (rows["trial"] < 7), "max_rel_error"] = inf
    rows.loc[lost, ["verdict", "ok"]] = ["failed", False]
    rows.to_csv(folder / "trials.csv", index=False)
    return folder


def of(panel: Panel, name: str, role: str = "") -> Series:
    (one_series,) = (one for one in panel.of(Series, role) if one.name == name)
    return one_series


def groups(folder: Path, column: str, **fixed: Any) -> dict[int, list[float]]:
    """Return the sorted values of a column at each number of sites, read without pandas' groups."""
    rows = pd.read_csv(folder / "trials.csv").to_dict("records")
    mine = [row for row in rows if all(row[key] == value for key, value in fixed.items())]
    return {
        site: sorted(row[column] for row in mine if row["sites"] == site) for site in {row["sites"] for row in mine}
    }


@pytest.mark.parametrize(
    ("request_", "column", "unit"),
    [(COST, "words", 1.0), ({**COST, "y": "bits"}, "bits", 1.0), (ERROR, "max_rel_error", 0.03),
     ({**COST, "y": "words-per-efold"}, "words", log(2_000_001)),
     ({"kind": "measure", "x": "sites", "y": "output_changes"}, "output_changes", 1.0)],
    ids=["words", "bits", "error", "efold", "measure"],
)  # fmt: skip
def test_lines_are_medians_and_bands_the_range_of_five_games(
    folder: Path, request_: dict[str, Any], column: str, unit: float
) -> None:
    made = described(folder, request_)
    assert [panel.title for panel in made.panels] == ["against round-robin", "against freeze"]
    for panel, adversary in zip(made.panels, ("round-robin", "freeze"), strict=True):
        for protocol in ("deterministic", "randomized", "robust", "martingale"):
            games = groups(folder, column, adversary=adversary, protocol=protocol)
            line = of(panel, protocol)
            assert list(line.x) == SITES
            assert list(line.y) == pytest.approx([games[site][2] / unit for site in SITES])
            assert list(line.low) == pytest.approx([games[site][0] / unit for site in SITES])
            assert list(line.high) == pytest.approx([games[site][4] / unit for site in SITES])
            (band,) = (area for area in panel.of(Area) if area.name == protocol)
            assert (list(band.low), list(band.high)) == (list(line.low), list(line.high))
            assert line.look.colour == band.fill.colour == mark(protocol).colour


def test_bands_of_many_games_leave_out_five_per_cent_at_each_end(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "many", sites=(16, 64), trials=41, protocols=("robust",), adversaries=("a",))
    line = of(described(folder, COST).panels[0], "robust")
    games = groups(folder, "words")
    assert list(line.low) == [games[site][2] for site in (16, 64)]
    assert list(line.high) == [games[site][38] for site in (16, 64)]
    assert "5 % to 95 % of games" in described(folder, COST).subtitle
    few = write_result(tmp_path / "few", sites=(16, 64), trials=20, protocols=("robust",), adversaries=("a",))
    games = groups(few, "words")
    assert list(of(described(few, COST).panels[0], "robust").low) == [games[site][0] for site in (16, 64)]


def test_games_without_a_value_count_where_it_is_asked_how_many_failed(tmp_path: Path) -> None:
    """Only games that failed have a first failure: its marks are hollow where half of all games failed."""
    folder = write_result(tmp_path / "r", sites=(16, 64), trials=4, adversaries=("a",), protocols=("robust",))
    rows = pd.read_csv(folder / "trials.csv")
    failed = rows["trial"] < rows["sites"].map({16: 2, 64: 1})
    rows.loc[failed, ["verdict", "first_failure"]] = ["failed", 9.0]
    rows.to_csv(folder / "trials.csv", index=False)
    panel = described(folder, {"kind": "measure", "x": "sites", "y": "first_failure"}).panels[0]
    assert list(of(panel, "robust").x) == [16, 64]
    assert [list(one.x) for one in panel.of(Series, "fails")] == [[16]]


def test_hollow_marks_are_where_at_least_half_of_the_games_failed(folder: Path, tmp_path: Path) -> None:
    for request in (COST, ERROR):
        robin, freeze = described(folder, request).panels
        assert not robin.of(Series, "fails")
        (hollow,) = freeze.of(Series, "fails")
        whole = of(freeze, "randomized")
        games = groups(folder, "ok", protocol="randomized", adversary="freeze")
        broken = [site for site in SITES if sum(games[site]) <= 2]
        assert (hollow.name, list(hollow.x), hollow.look.hollow) == ("randomized", broken, True)
        assert set(zip(hollow.x, hollow.y, strict=True)) <= set(zip(whole.x, whole.y, strict=True))
    half = write_result(tmp_path / "half", sites=(16, 64), trials=4, adversaries=("a",), protocols=("robust",))
    rows = pd.read_csv(half / "trials.csv")
    rows.loc[(rows["sites"] == 16) & (rows["trial"] < 2), "verdict"] = "failed"
    rows.loc[(rows["sites"] == 64) & (rows["trial"] < 1), "verdict"] = "failed"
    rows.to_csv(half / "trials.csv", index=False)
    assert [list(one.x) for one in described(half, COST).panels[0].of(Series, "fails")] == [[16]]
    (hollow,) = described(half, FRONTIER).panels[0].of(Series, "fails")
    words = sorted(rows[rows["sites"] == 16]["words"])
    assert list(hollow.x) == [(words[1] + words[2]) / 2]


def test_bounds_are_those_that_each_protocol_states_at_each_point(folder: Path) -> None:
    panel = described(folder, COST).panels[1]
    for protocol in ("deterministic", "robust"):
        made = make("protocol", class_of("protocol", protocol, {}), {"alpha": 0.03})
        wanted = [made.cost_bound(site, 2_000_000, 0) for site in SITES]
        assert list(of(panel, protocol, "bound").y) == pytest.approx(wanted)
    assert not described(folder, {**COST, "y": "bits"}).panels[0].of(Series, "bound")


def test_lower_bounds_are_k_and_root_k_over_alpha_an_efold(folder: Path, tmp_path: Path) -> None:
    """From as many items on as the bound has words; also as words an e-fold of the whole stream."""
    assert not described(folder, COST).panels[0].of(Series, "lower bound")
    made = described(folder, {**COST, "lower_bounds": True})
    per = described(folder, {**COST, "lower_bounds": True, "y": "words-per-efold"})
    for name, bound in (("k/α", lambda k: k / 0.03), ("√k/α", lambda k: sqrt(k) / 0.03)):
        words = [bound(k) * log(2_000_000 / bound(k)) for k in SITES]
        for panel in made.panels:
            assert list(of(panel, name, "lower bound").y) == pytest.approx(words)
        assert list(of(per.panels[0], name, "lower bound").y) == pytest.approx([x / log(2_000_001) for x in words])
    assert [of(panel, "k/α", "lower bound").label for panel in made.panels] == ["", "b = k/α"]
    assert LOWER_NOTE in made.note
    told = " ".join(str(Cost.__doc__).split()).replace("alpha", "α").replace("sqrt(k)", "√k")
    for formula in ("b ln(N/b)", "b = k/α", "√k/α with them", "after a start s > b, b ln(N/s)"):
        assert formula in LOWER_NOTE
        assert formula in re.sub(r" \(\w+(, \w+)* \d+\)", "", told)
    two = write_result(tmp_path / "two", alphas=(0.03, 0.1), trials=1, protocols=("robust",))
    with pytest.raises(ValueError, match="lower_bounds: games at one place of sites differ in alpha; choose with"):
        described(two, {**COST, "lower_bounds": True})


def test_a_figure_that_is_asked_for_takes_no_file_of_the_scenarios_or_of_another_condition(folder: Path) -> None:
    results = Results(folder)
    shipped = planned(results, tables_of(results), None)[0]
    assert "cost-sites" in shipped
    where = [{**COST, "where": "sites > 16"}, {**COST, "where": "protocol == 'robust'"}]
    asked = planned(results, tables_of(results), [*where, {**COST, "lower_bounds": True}, COST])[0]
    assert [*asked] == ["cost-sites-sites-16", "cost-sites-protocol-robust", "cost-sites-asked", "cost-sites"]
    assert asked["cost-sites"] == shipped["cost-sites"]


def test_who_lacks_the_parameter_of_the_axis_is_named(tmp_path: Path) -> None:
    protocols = ["deterministic", {"kind": "randomized", "confidence": [2, 3]}]
    keys = {"name": "r", "sites": 4, "items": 200, "alpha": 0.1, "protocol": protocols, "adversary": "freeze"}
    run(keys, out=tmp_path / "r", workers=1, on_progress=None)
    made = described(tmp_path / "r", {"kind": "cost", "x": "confidence"})
    assert [one.name for one in made.panels[0].of(Series, "")] == ["randomized"]
    assert "Left out, without confidence: deterministic." in made.note


def test_a_panel_without_lines_is_left_out(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "own", sites=(16,), extra=("burn", [1, 2, 4]), side="adversary", trials=1)
    assert len(described(folder, {"kind": "cost", "x": "burn"}).panels) == 2
    rows = pd.read_csv(folder / "trials.csv")
    rows.loc[rows["adversary"] != "freeze", "burn"] = np.nan
    rows.to_csv(folder / "trials.csv", index=False)
    assert len(described(folder, {"kind": "cost", "x": "burn"}).panels) == 1


def test_the_fitted_power_is_that_of_the_marks(folder: Path) -> None:
    made = described(folder, {**COST, "where": "protocol != 'martingale'"})
    assert "Beside a line" not in made.note, "three marks are too few"
    wide = described(REFERENCE / "headline", COST)
    line = of(wide.panels[1], "robust")
    slope = np.polyfit(np.log(line.x), np.log(line.y), 1)[0]
    assert line.label.startswith("robust $\\propto k^")
    assert f"{slope:.2f}" in line.label
    assert of(wide.panels[0], "robust").label.startswith("$"), "of two panels the last one has the names"


def test_errors_keep_their_values_beyond_the_scale(infinite: Path) -> None:
    made = described(infinite, ERROR)
    robin, freeze = made.panels
    assert list(of(robin, "deterministic").y) == pytest.approx([0.0624, 0.00098])
    assert not of(freeze, "deterministic").label.count("propto"), "no power of what is below the scale"
    assert list(of(freeze, "randomized").y) == [inf, inf]
    low, high = freeze.y.edges
    finite = [y for panel in made.panels for one in panel.of(Series, "") for y in one.high if np.isfinite(y)]
    assert low == 0.1
    assert max(finite) < high < freeze.y.ends[1]
    assert "↓: below the scale, less than 0.1 α." in made.note
    assert "∞: infinite, in 14 of 80 games." in made.note
    assert "randomized (infinite)" in values_in_words(made)
    assert "deterministic (0.0624 to 0.00098)" in values_in_words(made)
    assert described(infinite, {"kind": "measure", "x": "sites", "y": "max_rel_error"}).panels[1].y.edges[1] < inf
    for panel in made.panels:
        assert [rule.at for rule in panel.of(Rule)] == [1]
        assert [region.low for region in panel.of(Region)] == [1]


def test_a_frontier_has_the_games_and_their_medians(folder: Path, infinite: Path) -> None:
    made = described(folder, FRONTIER)
    assert [panel.title for panel in made.panels] == ["against round-robin", "against freeze"]
    rows = pd.read_csv(folder / "trials.csv")
    for panel, adversary in zip(made.panels, ("round-robin", "freeze"), strict=True):
        mine = rows[(rows["adversary"] == adversary) & (rows["protocol"] == "robust")]
        dots, marks = of(panel, "robust", "games"), of(panel, "robust")
        assert sorted(dots.x) == sorted(mine["words"])
        assert sorted(dots.y) == pytest.approx(sorted(mine["max_rel_error"] / 0.03))
        words = groups(folder, "words", adversary=adversary, protocol="robust")
        errors = groups(folder, "max_rel_error", adversary=adversary, protocol="robust")
        assert list(marks.x) == [words[site][2] for site in SITES]
        assert list(marks.y) == pytest.approx([errors[site][2] / 0.03 for site in SITES])
    assert [one.name for panel in made.panels for one in panel.of(Series, "fails")] == ["randomized"]
    assert list(of(described(infinite, FRONTIER).panels[1], "randomized").y) == [inf, inf]
    randomized = rows[rows["protocol"] == "randomized"]
    held = int((randomized["verdict"] != "failed").sum())
    assert f"words, {held} of {len(randomized)} games hold" in made.caption


def test_shares_have_the_exact_interval(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "shares", sites=(16, 256), trials=5)
    request = {"kind": "measure", "x": "sites", "y": "ok", "where": "adversary == 'freeze'", "theory": 0.9}
    made = described(folder, request)
    (panel,) = made.panels
    for protocol in ("robust", "randomized"):
        games = groups(folder, "ok", protocol=protocol, adversary="freeze")
        line = of(panel, protocol)
        for place, site in enumerate((16, 256)):
            interval = binomtest(sum(games[site]), 5).proportion_ci(0.95)
            assert line.y[place] == sum(games[site]) / 5
            assert (line.low[place], line.high[place]) == pytest.approx((interval.low, interval.high), abs=1e-9)
        assert list(of(panel, protocol, "bound").y) == [0.9, 0.9]
    assert "95 % intervals" in made.subtitle


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [0.0, 0.004, 2.0], [1e-12, 1e-3, 0.5]])
@pytest.mark.parametrize("column", ["failing_fraction", ""])
def test_a_mark_of_a_frontier_is_where_its_value_is_or_the_note_says_that_it_is_0(
    tmp_path: Path, values: list[float], column: str
) -> None:
    """Also where all values are 0, and where a few are, on a scale that is linear or logarithmic."""
    folder = write_result(tmp_path / "r", sites=(4, 16, 64), trials=1, adversaries=("freeze",), alphas=(0.1, 0.2))
    path = folder / "trials.csv"
    rows = pd.read_csv(path)
    rows["failing_fraction"] = rows["max_rel_error"] = rows["sites"].map(dict(zip((4, 16, 64), values, strict=True)))
    rows.to_csv(path, index=False)
    figure = described(folder, {"kind": "frontier", "y": column} if column else {"kind": "frontier"})
    for panel in figure.panels:
        for one in panel.of(Series, ""):
            moved = np.clip(one.y, *panel.y.edges) != one.y
            assert (np.asarray(one.y)[moved] <= 1e-9).all()
            assert not moved.any() or "0." in figure.note
            least = min((value for value in values if value > (0.0 if column else 1e-9)), default=inf)
            assert panel.y.scale == "linear" or float(panel.y.ends[0] or 0.0) > least / 4, "no decades without a mark"
