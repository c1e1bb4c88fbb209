"""Plots and claims of what the games of this wing leave empty are refused before anything is played."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.experiments.scenario.schema import scenario_schema
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots.requests import described_of, plot_of

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
