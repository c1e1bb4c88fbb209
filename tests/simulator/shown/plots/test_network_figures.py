"""On a network figures, sentences and the table have the error of the verdict, and say that links are apart."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import disttrack
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.bounds import cost_bound
from disttrack.simulator.experiments.results.compared import compare_results
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.pairs import pairs
from disttrack.simulator.experiments.results.read import Tables, read_tables
from disttrack.simulator.experiments.scenario.settings import Settings
from disttrack.simulator.shown.plots import check_plot, compare
from disttrack.simulator.shown.plots.description import Cells, Description, Series
from disttrack.simulator.shown.plots.requests import described_of

SCENARIO: dict[str, Any] = {
    "name": "lossy", "trials": 2, "sites": [4, 8], "items": 1000, "alpha": 0.2, "protocol": "deterministic",
    "adversary": "uniform", "network": {"latency": 2, "loss": [0, 0.05], "link": ["bare", "reliable"]}, "plots": [],
}  # fmt: skip
APART = "Without what links add."


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
    (broken,) = (pair for pair in pairs(tables) if pair.state == "broken: loss 0.05")
    failed = trials[(trials["loss"] > 0) & (trials["link"] == "bare")]
    assert broken.worst == pytest.approx(aware[failed.index].groupby(failed["sites"]).median().max())


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
    terms = {term.partition(" ")[0] for pair in pairs(tables) for term in pair.terms}
    assert {"loss", "link"} <= terms, "no network is a choice: costs are compared at equal ones"
    bare = read_tables([lossy]).where("link == 'bare'")
    assert APART not in described(bare, kind="cost", x="sites").note
    assert "words of links" in answer_table(lossy).headers


PARTS: dict[str, Any] = {
    "name": "flaky", "trials": 2, "sites": 4, "items": 1000, "alpha": 0.1, "protocol": ["deterministic", "randomized"],
    "adversary": ["round-robin", "freeze"], "plots": [],
    "parts": {
        "plain": {"network": {"latency": 2}},
        "lossy": {"network": {"latency": 2, "loss": [0, 0.2, 0.4]}},
        "cut": {"network": {"latency": 2, "partition": {"sites": "0-1", "from": 100, "to": 600}}},
        "stop": {"network": {"latency": 2, "server": {"at": 300, "down": 100, "state": "lost"}}},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def flaky(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return disttrack.run(PARTS, out=tmp_path_factory.mktemp("runs") / "flaky")


def test_a_network_that_makes_games_fail_is_named_and_not_their_adversary(flaky: Results) -> None:
    listed = [pair for pair in pairs(read_tables([flaky])) if pair.protocol == "deterministic"]
    states = {(pair.part, pair.adversary): pair for pair in listed}
    assert "broken" not in {pair.state for pair in states.values()}
    for names, failed, state in (
        (("lossy", "round-robin"), "4 of 6", "broken: loss 0.2 … 0.4"),
        (("cut", "round-robin"), "2 of 2", "broken: partition"),
        (("stop", "freeze"), "2 of 2", "broken: server"),
    ):
        assert (states[names].cells[3], states[names].state) == (failed, state)


def test_what_only_some_networks_have_is_not_said_to_be_shared(flaky: Results) -> None:
    shared = answer_table(flaky).subtitle
    assert shared == "sites=4 · items=1,000 · α=0.1 · latency=2 · 2 games per point, medians"
    assert compare_results([flaky, flaky], ["one", "two"]).subtitle == "sites=4 · items=1,000 · α=0.1 · latency=2"
    alone = flaky.settings.rows[-1]
    (server_down,) = (one for one in Settings(flaky.task, [alone]).columns if one.name == "server_down")
    assert server_down.words() == "server_down=100"


def test_a_line_of_a_part_has_the_name_of_the_part_and_not_its_network(flaky: Results) -> None:
    tables = read_tables([flaky])
    made = described(tables, kind="error", x="loss")
    kinds, parts = PARTS["protocol"], PARTS["parts"]
    # more lines than a panel may have
    titles = [panel.title.rpartition(", ")[2] for panel in made.panels]
    assert Counter(titles) == {f"part={part}": 2 for part in parts}
    assert all({one.name for one in panel.of(Series)} == {*kinds} for panel in made.panels)
    # the control: what differs within a part is named beside it
    (rows,) = described(tables, kind="spread", y="words").panels
    assert "deterministic(part=lossy, loss=0.2), against freeze" in rows.y.names


def test_values_in_words_are_said_to_have_no_place_on_the_axis(tmp_path: Path) -> None:
    network = {"latency": [0, {"exponential": 5}, 20]}
    mixed = read_tables([disttrack.run({**SCENARIO, "sites": 4, "network": network}, out=tmp_path / "mixed")])
    for request in ({"kind": "cost", "x": "latency"}, {"kind": "error", "x": "latency"}):
        assert "Left out, not on the axis: latency=exponential(5)." in described(mixed, **request).note


def test_a_timeline_says_that_its_error_is_not_the_one_that_was_judged(tables: Tables) -> None:
    shown = described(tables, kind="timeline", where="loss == 0")
    assert "judged, not drawn: the lag-aware error" in shown.note
    assert "lag-aware error within α" in shown.panels[0].title


def test_a_result_with_controls_is_compared_where_a_parameter_is_swept(tmp_path: Path) -> None:
    """The points of controls have no parameters of sides."""
    claim = {"name": "c", "measure": "median(words)", "at_most": 1e6, "control": {"protocol": "exact"}}
    sides = {"protocol": {"kind": "randomized", "alpha": [0.1, 0.2]}, "adversary": "uniform", "claims": [claim]}
    one = disttrack.run({"name": "k", "trials": 1, "sites": [2, 4], "items": 50, **sides}, out=tmp_path / "k")
    assert "compare-cost" in compare([one, one], {"kind": "cost", "x": "sites"}, out=tmp_path).name


CUT: dict[str, Any] = {"sites": "0-1", "from": 100, "to": 300}
FAULTS: dict[str, Any] = {
    "name": "faulty", "trials": 2, "sites": 4, "items": 1000, "alpha": 0.1, "protocol": ["deterministic", "randomized"],
    "adversary": ["uniform", "freeze"], "plots": [], "network": [
        {}, {"latency": 5, "partition": CUT}, {"latency": 5, "partition": CUT, "link": "reliable"},
        {"latency": 5, "crash": {"rate": 0.001, "down": 50, "state": "lost"}, "link": "reliable"},
    ],
}  # fmt: skip
PARTITION = "partition_sites=0-1"
NETWORKS = ("", f"latency=5, {PARTITION}", f"latency=5, {PARTITION}, link=reliable",
            "latency=5, link=reliable, crash_rate=0.001")  # fmt: skip


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return disttrack.run(FAULTS, out=tmp_path_factory.mktemp("runs") / "faulty")


def test_rows_of_networks_with_different_faults_differ_in_the_table(faulty: Results) -> None:
    table = answer_table(faulty)
    settings = [place for place, column in enumerate(table.columns) if column.kind == "setting"]
    assert {"partition sites", "partition from", "partition to", "crash down"} <= {*table.headers}
    assert len({tuple(row[place] for place in settings) for row in table.texts}) == len(table.texts) == 16
    assert {row[table.headers.index("partition sites")] for row in table.texts} == {"", "0-1"}


def test_labels_name_the_faults_of_their_network_and_no_others(faulty: Results) -> None:
    tables = read_tables([faulty])
    rows = [f"{kind}({network})" if network else kind for kind in FAULTS["protocol"] for network in NETWORKS]
    assert [*described(tables, kind="matrix").panels[0].y.names] == rows
    spread = described(tables, kind="spread", y="words").panels[0].y.names
    assert [*spread] == [f"{row}, against {one}" for row in rows for one in FAULTS["adversary"]]
    assert {name for _, name in described(tables, kind="frontier").legend} <= {*rows, *FAULTS["protocol"]}
    for where, said in (
        ("partition_sites == '0-1'", f"latency=5 · {PARTITION}"),  # of all games, and of those that are drawn
        ("link == 'bare'", f"latency=5 · {PARTITION} · partition_from=100 · partition_to=300 · "),
        ("crash_rate > 0", "latency=5 · crash_rate=0.001 · "),
    ):
        subtitle = described(tables, kind="timeline", where=where).subtitle
        assert said in subtitle
        assert ("partition" in said) == ("partition" in subtitle)


def test_costs_are_compared_on_one_network_and_with_no_bound_of_theory_on_a_faulty_one(faulty: Results) -> None:
    tables = read_tables([faulty])
    listed = pairs(tables)
    words = {(pair.protocol, pair.adversary): pair.words for pair in listed}
    dearer = [pair for pair in listed if pair.ratio > 1 and "randomized" in pair.protocol]
    assert dearer
    for pair in dearer:
        other = words[pair.protocol.replace("randomized", "deterministic"), pair.adversary]
        assert pair.ratio == pytest.approx(pair.words / other)
    for point in tables.points[next(iter(tables.points))].values():
        faults = {name for name in point["network"] or {} if name != "warm_up"}
        assert (cost_bound(point, 1000, {}) is None) == bool(faults)
