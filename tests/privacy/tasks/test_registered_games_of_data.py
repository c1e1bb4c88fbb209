"""Over all tasks, sizes and kinds of this wing: permanent streams, columns of sizes, who plays what, estimates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from asking_kinds import ASKING, games_of
from core_kinds import kinds_of
from task_sizes import hold_bounds, hold_foreign, hold_needed, hold_schema, scenario

from disttrack.mechanisms import MECHANISMS
from disttrack.privacy import scenarios
from disttrack.privacy.tasks.audit import mechanism, tracker
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.duel import MechanismGame
from disttrack.simulator.kinds.installed import folder_files
from disttrack.simulator.kinds.registry import advice_on, kinds, parameters
from tests.e2e.replay_reference import replay_sample
from tests.e2e.test_reference_rates import rates
from tests.simulator.game.tasks.test_refused_scenarios import refusal
from tests.simulator.game.tasks.test_whose_game import GAMES as CORE_GAMES

PERMANENT = {
    "continual-count": ("", "mechanism", "adversary", "challenge"),
    "threshold-monitor": ("", "mechanism", "adversary"),
    "threshold-queries": ("data", "mechanism", "adversary", "challenge"),
    "density": ("estimator", "mechanism", "adversary", "challenge"),
    "experts": ("challenge", "head starts", "adversary", "noise"),
    "prediction": ("learner", "adversary", "challenge"),
    "mirror": ("", "mechanism", "adversary"),
    "joint-privacy": (),  # nothing is drawn
    "audit": ("training", "training neighbour", "testing", "testing neighbour"),
    "audit-tracker": ("database", "training", "testing", "testing neighbour", "places"),
    "second-moment": ("sketch", "adversary"),
    "distinct-count": ("sketch", "adversary"),
    "frequency": ("sketch", "adversary"),
    "resettable-sum": ("sketch", "adversary"),
    "statistical-queries": ("sample", "mechanism", "adversary", "truth"),
    "sample-size": ("answers",),
    "worst-of-many": ("samples", "mechanism", "adversary", "truth", "choice"),
    "static-queries": ("", "mechanism", "adversary"),
    "dynamic-queries": ("", "mechanism", "adversary"),
}
OTHERS = {"audit": mechanism.ROLES, "audit-tracker": tracker.ROLES}
"""The streams of tasks that do not state them in `roles`."""


def test_the_places_of_the_tasks_of_data_stay_as_they_are() -> None:
    """Another order gives other games."""
    classes = {name: kind.load() for name, kind in kinds_of("task", "privacy").items()}
    roles = {name: each.roles if issubclass(each, MechanismGame) else OTHERS[name] for name, each in classes.items()}
    assert roles == PERMANENT


RELEASED: Final = {"kind": "release-queries", "delta": 0.5}
MIRROR: Final[dict[str, Any]] = {"steps": 9, "protocol": {"kind": "jdp-mirror", "epsilon": 1}}
GAMES: Final[dict[str, dict[str, Any]]] = {
    "audit": {"runs": 20, "protocol": {"kind": "randomized-response", "epsilon": 1}},
    "audit-tracker": {"sites": 9, "transcripts": 2, "protocol": {"kind": "robust", "alpha": 0.3}},
    "continual-count": {"steps": 16, "protocol": {"kind": "binary", "epsilon": 1}},
    "threshold-monitor": {"steps": 32, "protocol": {"kind": "release-monitor", "k": 4, "delta": 0.1}},
    "threshold-queries": {"values": 16, "points": 8, "queries": 4, "protocol": RELEASED},
    "density": {"groups": 4, "users": 8, "steps": 16, "protocol": {"kind": "pan-private-density", "epsilon": 1}},
    "static-queries": {"domain": 4, "steps": 16, "protocol": {"kind": "laplace", "epsilon": 1}},
    "dynamic-queries": {"domain": 4, "steps": 16, "protocol": {"kind": "inserted-minus-deleted", "epsilon": 1}},
    "experts": {"experts": 2, "steps": 16, "protocol": "perturbed-leader"},
    "statistical-queries": {"features": 4, "samples": 40, "queries": 4, "protocol": "empirical"},
    "sample-size": {"queries": 4, "protocol": "empirical"},
    "worst-of-many": {"repetitions": 2, "samples": 40, "queries": 4, "protocol": "empirical"},
    "second-moment": {"updates": 9, "protocol": {"kind": "ams", "rows": 4}},
    "distinct-count": {"updates": 9, "protocol": {"kind": "kmv", "size": 4}},
    "frequency": {"updates": 9, "protocol": {"kind": "count-min", "width": 4}},
    "resettable-sum": {"updates": 9, "protocol": {"kind": "reset-sample", "size": 4}},
    "prediction": {"points": 12, "steps": 9, "protocol": "plain"},
    "mirror": MIRROR,
    "joint-privacy": {**MIRROR, "steps": 4},
}
AGAINST: Final = {
    "experts": "biased", "resettable-sum": "reset-sampled", "worst-of-many": "speller", "prediction": "contrary",
    "static-queries": "grow", "dynamic-queries": "churn",
    **dict.fromkeys(("second-moment", "distinct-count", "frequency"), "fresh-items"),
    **dict.fromkeys(("statistical-queries", "sample-size"), "fixed-queries"),
}
"""The opponents of tasks that are not played against round-robin."""
SIDES: Final = {
    name: (json.dumps(game["protocol"]), AGAINST.get(name, "round-robin")) for name, game in GAMES.items()
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


def test_all_games_and_all_asking_kinds_of_the_wing_are_here() -> None:
    own = kinds_of("adversary", "privacy")
    assert set(GAMES) == set(kinds_of("task", "privacy"))
    assert len(own) >= 30
    assert {task for kind in own.values() for task in kind.load().plays} <= {*GAMES, *CORE_GAMES}


@pytest.mark.drawn(20)
@pytest.mark.parametrize("name", ASKING)
def test_it_plays_a_game_of_data_or_is_refused_in_one_line(name: str) -> None:
    plays = games_of(name, GAMES) | {task for task in CORE_GAMES if ASKING[name].plays_in(task)}
    assert plays or name == "in-the-air" or name not in kinds_of("adversary", "privacy")


def test_mechanisms_of_the_core_have_games_here() -> None:
    for maker in MECHANISMS.values():
        assert "`task: " in advice_on(maker), maker


@pytest.mark.parametrize("cells", [None, 64, 63])
@pytest.mark.parametrize("kind", ["lazy-gradient", "online-pmw"])
@pytest.mark.parametrize("analyst", sorted(kinds("task")["statistical-queries"].load().kinds("adversary")))
def test_a_sketch_is_refused_unless_its_cells_are_those_of_the_points(
    analyst: str, kind: str, cells: int | None
) -> None:
    sizes = {"samples": 64, "queries": 5, "features": 64, "trials": 1}
    keys = {"name": "s", "task": "statistical-queries", **sizes, "adversary": analyst}
    maker = kinds("adversary")[analyst].load()
    if maker.selects:
        pytest.skip("a sketch answers, and selects nothing")
    right = 64 if maker.points != "coins" else None
    scenario = {**keys, "protocol": {"kind": kind, **({"cells": cells} if cells else {})}}
    if cells == right:
        point = load(scenario).points[0]
        assert point.task.make().play(point, 0).row["max_abs_error"] >= 0
    else:
        asked = "must be 64" if right else "must be left out: points have no cells"
        assert f"protocol.cells: {asked} in games of {analyst}; got {cells}" in refusal(scenario)


@pytest.mark.parametrize(
    ("task", "slow", "usual"),
    [("continual-count", "unbounded", "binary"), ("continual-count", "square-root", "hybrid")],
)
def test_a_mechanism_that_takes_longer_is_expected_to(task: str, slow: str, usual: str) -> None:
    sizes = {"task": task, "steps": 2**20, "adversary": "round-robin"}
    privacy = {"epsilon": 1.0, "delta": 1e-6}
    times = []
    for kind in (slow, usual):
        given = {name: value for name, value in privacy.items() if name in parameters(kinds("protocol")[kind].load())}
        times.append(estimate(load({**sizes, "protocol": {"kind": kind, **given}}), 1).seconds)
    assert times[0] > 5 * times[1]


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(("name", "least"), [("monitor", 3), ("sparse", 3), ("experts", 1)])
def test_sampled_games_of_data_come_out_as_recorded(name: str, least: int) -> None:
    found = replay_sample(name)
    assert found.difference == ""
    assert found.games >= least


def test_the_claims_of_data_have_rates() -> None:
    """Guard against testing nothing: tests/e2e/test_reference_rates.py reads those of all shipped scenarios."""
    names = [path.stem for place in scenarios.__path__ for path in folder_files(Path(place))]
    assert len([name for name in names if rates(name)]) >= 25
