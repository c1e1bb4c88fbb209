"""The sizes of the games of this wing by the names that their tasks give them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from core_kinds import kinds_of
from task_sizes import hold_bounds, hold_foreign, hold_needed, hold_schema, refusal, scenario

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
def test_of_data_a_size_fills_its_field_of_a_point_and_keeps_its_bound(name: str, tmp_path: Path) -> None:
    hold_bounds(name, SIDES[name], tmp_path)


@pytest.mark.parametrize("name", SIDES)
def test_of_data_a_size_that_is_needed_is_asked_for_by_its_name(name: str, tmp_path: Path) -> None:
    hold_needed(name, SIDES[name], tmp_path)


@pytest.mark.parametrize("name", SIDES)
def test_of_data_the_names_that_a_size_has_elsewhere_are_refused_with_its_own(name: str, tmp_path: Path) -> None:
    hold_foreign(name, SIDES[name], tmp_path)


def test_of_data_the_schema_has_the_sizes_of_each_task() -> None:
    hold_schema(*SIDES)


def test_sweeps_zips_and_overrides_take_the_names_of_the_task(tmp_path: Path) -> None:
    path = scenario(
        "experts", SIDES["experts"], tmp_path, "zip: [[experts, steps]]", experts="[2, 4, 8]", steps="[10, 20, 30]"
    )
    assert [(point.sites, point.items) for point in load(path).points] == [(2, 10), (4, 20), (8, 30)]
    path = scenario("experts", SIDES["experts"], tmp_path, experts="[2, 4]")
    assert [(point.sites, point.items) for point in load(path, ["steps=7"]).points] == [(2, 7), (4, 7)]


def test_claims_and_axes_take_the_names_of_the_task_and_of_the_columns(tmp_path: Path) -> None:
    claims = "claims: [{name: c, where: %s > 3, each: %s, measure: mean(regret), at_most: 9}]"
    plots = "plots: [{kind: measure, x: %s, y: regret, where: %s > 3}]"
    for names in (("steps", "experts"), ("items", "sites")):
        path = scenario("experts", SIDES["experts"], tmp_path, f"{claims % names}\n{plots % names}", steps="[5, 10]")
        assert load(path).called == {"sites": "experts", "items": "steps"}
    path = scenario("experts", SIDES["experts"], tmp_path, plots % ("experts", "steps"), steps="[5, 10]")
    assert [one.why for one in load(path).skipped] == ["nothing here sweeps experts"]
    path = scenario("experts", SIDES["experts"], tmp_path, claims % ("stesp", "experts"))
    assert "there is no column 'stesp'; did you mean 'steps'?" in refusal(path)


def test_a_size_that_has_no_column_is_no_name_in_claims(tmp_path: Path) -> None:
    """The column `start` is there where it is swept."""
    claim = "claims: [{name: c, measure: max(points), at_most: 9}]"
    name, sides = "threshold-queries", SIDES["threshold-queries"]
    load(scenario(name, sides, tmp_path, claim))  # the task has a column of this name as well
    assert load(scenario(name, sides, tmp_path, points="[9, 10]")).called["start"] == "points"
    assert "start" not in load(scenario(name, sides, tmp_path)).called
