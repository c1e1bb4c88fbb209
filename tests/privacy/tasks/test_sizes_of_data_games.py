"""The sizes of the games of this wing by the names that their tasks give them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from core_kinds import kinds_of
from task_sizes import hold_bounds, hold_foreign, hold_needed, hold_schema, scenario

from disttrack.simulator.experiments.scenario.load import load

SIDES: Final = {
    "audit": ("{kind: per-item}", "round-robin"),
    "audit-tracker": ("{kind: robust, alpha: 0.1}", "round-robin"),
    "continual-count": ("{kind: per-item, epsilon: 1}", "round-robin"),
    "threshold-monitor": ("{kind: sparse-vector-monitor, epsilon: 1, k: 8}", "round-robin"),
    "threshold-queries": ("{kind: release-queries, delta: 0.1}", "round-robin"),
    "density": ("{kind: pan-private-density, epsilon: 1}", "round-robin"),
    "experts": ("{kind: perturbed-leader}", "biased"),
    "second-moment": ("{kind: ams, rows: 8}", "fresh-items"),
    "distinct-count": ("{kind: kmv, size: 8}", "fresh-items"),
    "frequency": ("{kind: count-min, width: 8}", "fresh-items"),
    "resettable-sum": ("{kind: reset-sample, size: 8}", "reset-sampled"),
    "statistical-queries": ("{kind: empirical}", "fixed-queries"),
    "sample-size": ("{kind: splitting}", "fixed-queries"),
    "worst-of-many": ("{kind: empirical}", "speller"),
    "prediction": ("{kind: plain}", "contrary"),
    "mirror": ("{kind: jdp-mirror, epsilon: 1}", "round-robin"),
    "joint-privacy": ("{kind: jdp-mirror, epsilon: 1}", "round-robin"),
    "static-queries": ("{kind: laplace, epsilon: 1}", "grow"),
    "dynamic-queries": ("{kind: fully-dynamic, epsilon: 1}", "churn"),
}


def test_each_task_of_the_wing_is_tested() -> None:
    assert set(SIDES) == set(kinds_of("task", "privacy"))


@pytest.mark.parametrize("name", SIDES)
def test_of_data_sizes_fill_their_fields_and_are_asked_for_by_their_own_names(name: str, tmp_path: Path) -> None:
    """Within their bounds; the names that they have in other tasks are refused."""
    hold_bounds(name, SIDES[name], tmp_path)
    hold_needed(name, SIDES[name], tmp_path)
    hold_foreign(name, SIDES[name], tmp_path)


def test_of_data_the_schema_has_the_sizes_of_each_task() -> None:
    hold_schema(*SIDES)


def test_a_size_that_has_no_column_is_no_name_in_claims(tmp_path: Path) -> None:
    """The column `start` is there where it is swept."""
    claim = "claims: [{name: c, measure: max(points), at_most: 9}]"
    name, sides = "threshold-queries", SIDES["threshold-queries"]
    load(scenario(name, sides, tmp_path, claim))  # the task has a column of this name as well
    assert load(scenario(name, sides, tmp_path, points="[9, 10]")).called["start"] == "points"
    assert "start" not in load(scenario(name, sides, tmp_path)).called
