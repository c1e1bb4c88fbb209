"""Scenarios of games of this wing: their rows, answers, plots and claims, and games that draw nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from drawn_coins import hold_coins

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.experiments.scenario.settings import UNSET
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots.requests import described_of, plot_of

SCENARIO = """
name: small
task: continual-count
steps: [16, 64]
trials: 2
protocol:
  - {kind: binary, epsilon: [0.5, 2]}
  - {kind: sparse-infinite, epsilon: 1}
adversary: [{kind: round-robin}, {kind: scattered}]
claims:
  - {name: held, measure: fraction(ok), at_least: 0.5}
"""


def test_a_scenario_of_counters(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SCENARIO, encoding="utf-8")
    results = run(tmp_path / "small.yaml", out=tmp_path / "out", workers=1)
    trials = results.trials
    assert len(trials) == 2 * 3 * 2 * 2
    assert set(trials["items"]) == {16, 64}
    assert trials.loc[trials["adversary"] == "scattered", "sent"].tolist()[:2] == [4, 4]
    assert (trials["max_abs_error"] >= 0).all()
    assert (trials["ok"] == (trials["max_abs_error"] <= trials["bound"])).all()
    assert len(results.series) > 0
    assert results.ok


REFERENCE: Final = Path(__file__).parents[3] / "results" / "reference"


def test_the_epsilon_of_experts_of_none_is_a_value() -> None:
    table = answer_table(REFERENCE / "experts")
    assert {row["epsilon"] for row in table.records()} == {UNSET, 1}
    assert table.headers[:3] == ["experts", "steps", "epsilon"]
    assert "held" not in table.headers


def test_table1_is_in_the_form_of_the_paper() -> None:
    rows = answer_table(REFERENCE / "table1").records()
    orders = {
        "growing-finite": ("log^1.5 T/ε", lambda steps: math.log2(steps) ** 1.5),
        "growing-infinite": ("log^1.5 t/ε", lambda steps: math.log2(steps) ** 1.5),
        "growing-sparse": ("(log^1.5 n + log T)/ε", lambda steps: math.log2(300) ** 1.5 + math.log2(steps)),
        "growing-sparse-infinite": ("(log^1.5 n + log t)/ε", lambda steps: math.log2(300) ** 1.5 + math.log2(steps)),
    }
    assert len(rows) == 12
    for row in rows:
        formula, value = orders[str(row["protocol"]).split(",")[0]]
        assert row["Table 1"] == formula
        assert row["value"] == pytest.approx(value(row["steps"]))
        assert row["ratio"] == pytest.approx(row["rms error"] / row["value"])
    assert "Table 1" not in answer_table(REFERENCE / "in-the-air").headers, "which is no row of it"


COUNTER = {
    "name": "counters",
    "task": "continual-count",
    "steps": 64,
    "trials": 2,
    "protocol": [{"kind": "binary", "epsilon": epsilon} for epsilon in (1, 2)],
    "adversary": "uniform",
}


@pytest.mark.parametrize(
    ("plot", "lacking"),
    [
        ({"kind": "cost", "x": "epsilon"}, "words"),
        ({"kind": "spread", "y": "final_error", "also": "messages"}, "messages"),
        ("breakdown", "messages"),
        ("timeline", "max_rel_error"),
        ("budget", "ledger of a budget"),
        ("frontier", "words and no max_rel_error"),
    ],
)
def test_a_plot_of_what_no_game_of_the_task_has_is_refused_with_those_it_can_have(plot: Any, lacking: str) -> None:
    with pytest.raises(ScenarioError, match=f"games of task continual-count have no {lacking}; ") as caught:
        load(COUNTER | {"plots": ["ratio", plot]})
    assert "plots[1]" in str(caught.value)
    assert str(caught.value).endswith("accepted: matrix, measure, spread, size, ratio")
    load(COUNTER | {"plots": ["ratio", "matrix", "size", {"kind": "measure", "x": "epsilon", "y": "final_error"}]})


def test_a_claim_on_what_no_game_of_the_task_has_is_refused() -> None:
    for claim in ({"measure": "max(words)"}, {"measure": "max(final_error)", "where": "messages > 3"}):
        with pytest.raises(ScenarioError, match=r"have no (words|messages) \(their own columns: .*final_"):
            load(COUNTER | {"claims": [{"name": "c", "at_most": 3, **claim}]})


def test_a_cost_figure_of_sketches_has_words_and_no_bound(tmp_path: Path) -> None:
    sides = {"protocol": {"kind": "ams", "rows": [8, 16]}, "adversary": "random-updates"}
    played = {"name": "s", "task": "second-moment", "updates": 50, "trials": 1, **sides}
    run(load(played), out=tmp_path / "s", workers=1)
    tables = read_tables([Results(tmp_path / "s")])
    assert "bound" not in described_of(tables, plot_of({"kind": "cost", "x": "rows"}, tables)).note


def test_a_parameter_called_like_a_column_of_the_task_has_a_column_of_its_own(tmp_path: Path) -> None:
    """The intruder's `looks`, which it is given, and the `looks` of the game, which are counted."""
    file = tmp_path / "looks.yaml"
    file.write_text(
        "{task: continual-count, steps: 8, protocol: {kind: pan-private, epsilon: 1}, "
        "adversary: {kind: intruder, sees: state, looks: [1, 2]}}",
        encoding="utf-8",
    )
    scenario = load(file)
    assert len(scenario.columns) == len(set(scenario.columns))
    assert "looks" in scenario.columns
    assert scenario.extra == {"adversary_looks": [1, 2]}


@pytest.mark.parametrize("name", ["experts", "static"])
def test_the_schema_accepts_scenarios_of_data(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    data = yaml.safe_load(shipped_scenarios()[name].read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(scenario_schema()).validate(data)


OWN = """
from typing import ClassVar
import numpy as np
from disttrack.mechanisms import Binary

class Hidden(Binary):
    def start(self, rng, *, silent=False):
        return super().start(np.random.default_rng(), silent=silent)

class Fixed(Binary):
    draws_coins: ClassVar[bool] = False
    def start(self, rng, *, silent=False):
        return super().start(np.random.default_rng(7), silent=silent)
"""
"""Counters of a user's: with coins of its own, and one that says it has none."""
CASES = [
    ("continual-count\nsteps: 60", "{kind: binary, epsilon: 1.0}", "round-robin", True),
    ("continual-count\nsteps: 60", "{kind: own.py:Hidden, epsilon: 1.0}", "round-robin", True),
    ("continual-count\nsteps: 60", "{kind: own.py:Fixed, epsilon: 1.0}", "round-robin", False),
    ("continual-count\nsteps: 60", "{kind: own.py:Fixed, epsilon: 1.0}", "scattered", True),
    ("prediction\npoints: 8\nsteps: 30", "plain", "contrary", False),
    ("prediction\npoints: 8\nsteps: 30", "plain", "{kind: replay, of: contrary}", False),
    ("prediction\npoints: 8\nsteps: 30", "plain", "point-stream", True),
    ("prediction\npoints: 8\nsteps: 30", "{kind: guessing}", "contrary", True),
]
"""Task and sizes, the two sides, and whether chance may have had a part."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("task", "protocol", "adversary", "coins"), CASES)
def test_a_game_of_data_that_draws_nothing_says_so(task: str, protocol: str, adversary: str, coins: bool) -> None:
    hold_coins(task, protocol, adversary, coins)
