"""Figures of the course of data sets: items and errors of the first game, and games without a step."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from drawn import described, of, played
from synthetic_results import write_result

from disttrack.simulator.shown.plots.description import Series
from tests.simulator.shown.plots.test_every_kind import hold_without_steps

CHANGING = """
name: changing
question: A data set that changes
task: dynamic-queries
seed: 3
trials: 2
domain: 4
steps: 2000
protocol:
  - {kind: fully-dynamic, epsilon: 1, queries: points}
  - {kind: inserted-minus-deleted, epsilon: [1, 8], queries: points}
adversary:
  - {kind: churn, peak: 200}
  - {kind: grow-and-delete, peak: 500, rest: 10}
"""


def test_sizes_and_errors_are_those_of_the_first_game(tmp_path: Path) -> None:
    folder = played(tmp_path, CHANGING)
    made = described(folder, {"kind": "size"})
    assert [panel.title.split("(")[0] for panel in made.panels] == ["against churn", "against grow-and-delete"]
    assert "queries=points" in made.subtitle
    names = ["items", "fully-dynamic", *(f"inserted-minus-deleted(epsilon={number})" for number in (1, 8))]
    series, trials = (pd.read_csv(folder / f"{name}.csv") for name in ("series", "trials"))
    for panel, adversary in zip(made.panels, ("churn", "grow-and-delete"), strict=True):
        assert [one.name for one in panel.of(Series)] == names
        first = trials[(trials["adversary"] == adversary) & (trials["protocol"] == "fully-dynamic")]["point"].min()
        mine = series[(series["point"] == first) & (series["trial"] == 0)].sort_values("step")
        assert list(of(panel, "items").y) == list(mine["items"])
        errors = [max(0.5, e * max(1, n)) for e, n in zip(mine["rel_error"], mine["items"], strict=True)]
        assert list(of(panel, names[1]).y) == pytest.approx(errors)
    assert [of(panel, "items").label for panel in made.panels] == ["", "items"]


def test_sizes_are_those_of_data_sets(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, adversaries=("freeze",))
    with pytest.raises(ValueError, match="a size figure needs games on data sets"):
        described(folder, {"kind": "size"})


@pytest.mark.parametrize("kind", ["ratio", "size"])
def test_data_sets_without_a_step_are_drawn_or_refused(kind: str) -> None:
    hold_without_steps(kind)
