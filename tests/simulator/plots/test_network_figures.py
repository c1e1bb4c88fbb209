"""On a network figures, sentences and the table have the error of the verdict, and say that links are apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import disttrack
from disttrack.simulator.plots import check_plot, compare
from disttrack.simulator.plots.description import Cells, Description
from disttrack.simulator.plots.requests import described_of
from disttrack.simulator.report.short import in_words
from disttrack.simulator.results.answers import answer_table
from disttrack.simulator.results.folder import Results
from disttrack.simulator.results.read import Tables, read_tables

SCENARIO: dict[str, Any] = {
    "name": "lossy", "trials": 2, "sites": [4, 8], "items": 1000, "alpha": 0.2, "protocol": "deterministic",
    "adversary": "uniform", "network": {"latency": 2, "loss": [0, 0.05], "link": ["bare", "reliable"]}, "plots": [],
}  # fmt: skip
APART = "What reliable links add is not counted."


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return disttrack.run(SCENARIO, out=tmp_path_factory.mktemp("runs") / "lossy")


@pytest.fixture(scope="module")
def tables(lossy: Results) -> Tables:
    return read_tables([lossy])


def described(tables: Tables, **request: object) -> Description:
    made = described_of(tables, check_plot(request))
    assert isinstance(made, Description)
    return made


def test_the_first_item_on_its_way_is_no_error_of_alpha(lossy: Results, tables: Tables) -> None:
    """The plain error is 1 there, which is 5 alpha: each number that stands beside a verdict is the lag-aware one."""
    trials = lossy.trials
    assert (trials["max_rel_error"] == 1).all()
    aware = trials["max_lag_error"] / trials["alpha"]
    assert 1 < aware.max() < 4
    cells = described(tables, kind="matrix")
    shown = [float(text) for panel in cells.panels for one in panel.of(Cells, "") for text in _numbers(one)]
    by_point = aware.groupby(trials["point"]).median()
    assert sorted(shown) == pytest.approx(sorted(by_point), rel=0.01)
    assert "largest lag-aware errors" in cells.note
    error = described(tables, kind="error", x="sites")
    assert error.panels[0].y.label == "largest lag-aware error, in units of α"
    (broken,) = (text for text in in_words(tables) if "is broken by" in text)
    stated = re.search(r"reaches ([\d.]+) α", broken)
    assert stated
    failed = trials[(trials["loss"] > 0) & (trials["link"] == "bare")]
    assert float(stated[1]) == pytest.approx(aware[failed.index].groupby(failed["sites"]).median().max(), rel=0.01)


def _numbers(cells: Cells) -> list[str]:
    return [number for row in cells.texts for text in row for number in re.findall(r"([\d.]+) α", text)]


def test_figures_and_sentences_of_words_say_that_links_are_apart(lossy: Results, tables: Tables) -> None:
    for request, apart in (
        ({"kind": "cost", "x": "sites"}, True),
        ({"kind": "measure", "x": "sites", "y": "words_up"}, True),
        ({"kind": "frontier"}, True),
        ({"kind": "measure", "x": "sites", "y": "words_link"}, False),
        ({"kind": "measure", "x": "sites", "y": "link_factor"}, False),
        ({"kind": "measure", "x": "loss", "y": "max_lag_error"}, False),
        ({"kind": "breakdown"}, False),
        ({"kind": "matrix"}, False),
    ):
        assert (APART in described(tables, **request).note) == apart, request
    (costs,) = (text for text in in_words(tables) if text.startswith("Cost in words"))
    assert costs.startswith("Cost in words, without those that links add, ")
    bare = read_tables([lossy]).where("link == 'bare'")
    assert APART not in described(bare, kind="cost", x="sites").note
    assert "words of links" in answer_table(lossy).headers


def test_values_in_words_are_said_to_have_no_place_on_the_axis(tmp_path: Path) -> None:
    network = {"latency": [0, {"exponential": 5}, 20]}
    mixed = read_tables([disttrack.run({**SCENARIO, "sites": 4, "network": network}, out=tmp_path / "mixed")])
    for request in ({"kind": "cost", "x": "latency"}, {"kind": "error", "x": "latency"}):
        assert "Left out, not on the axis: latency exponential(5)." in described(mixed, **request).note


def test_a_timeline_says_that_its_error_is_not_the_one_that_was_judged(tables: Tables) -> None:
    shown = described(tables, kind="timeline", where="loss == 0")
    assert "games are judged by the lag-aware error, which is not drawn" in shown.note
    assert "lag-aware error within α" in shown.panels[0].title


def test_a_result_with_controls_is_compared_where_a_parameter_is_swept(tmp_path: Path) -> None:
    """The points of controls have no parameters of sides."""
    claim = {"name": "c", "measure": "median(words)", "at_most": 1e6, "control": {"protocol": "exact"}}
    sides = {"protocol": {"kind": "randomized", "alpha": [0.1, 0.2]}, "adversary": "uniform", "claims": [claim]}
    one = disttrack.run({"name": "k", "trials": 1, "sites": [2, 4], "items": 50, **sides}, out=tmp_path / "k")
    assert "compare-cost" in compare([one, one], {"kind": "cost", "x": "sites"}, out=tmp_path).name
