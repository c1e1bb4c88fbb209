"""Scenarios of games of this wing: their rows, answers, plots and claims, and games that draw nothing."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import pytest
from drawn_coins import hold_coins

from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.shown.plots.requests import described_of, plot_of

REFERENCE: Final = Path(__file__).parents[3] / "results" / "reference"


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


def test_the_column_sent_of_a_task_is_not_that_of_the_items_that_were_sent(tmp_path: Path) -> None:
    """Two results with it could not be drawn in one figure."""
    sides = {"protocol": {"kind": "binary", "epsilon": 1}, "adversary": "round-robin"}
    played = {"name": "s", "task": "continual-count", "steps": 8, "trials": 1, **sides}
    for name in "ab":
        run(load(played), out=tmp_path / name, workers=1)
    tables = read_tables([tmp_path / "a", tmp_path / "b"])
    assert tables.trials.columns.is_unique
    assert list(tables.trials["_sent"]) == [row for name in "ab" for row in Results(tmp_path / name).trials["sent"]]


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
