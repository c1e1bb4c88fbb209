"""How much work a scenario is: bounds that hold, and a warning where it is hours."""

from __future__ import annotations

from math import inf
from pathlib import Path

import pytest

from simulator.game.pace import Speed, calibrate
from simulator.runs import estimate
from simulator.runs.growth import Growth
from simulator.runs.pilot import variants_of
from simulator.runs.runner import execute
from simulator.scenario.load import Scenario, load

SMALL = """\
sites: [20, 40]
items: 50_000
trials: 2
protocol: [{kind: deterministic, alpha: 0.1}, {kind: martingale, alpha: 0.1}]
adversary: [round-robin, freeze]
"""


@pytest.fixture
def scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scenario:
    monkeypatch.chdir(tmp_path)
    Path("small.yaml").write_text(SMALL)
    return load("small.yaml")


@pytest.mark.slow
def test_expected_messages_bound_those_that_are_sent(scenario: Scenario) -> None:
    work = estimate.estimate(scenario, 2)
    sent = execute(scenario, workers=1).results.trials["messages"].sum()
    assert sent <= work.messages <= 20 * sent  # an upper bound, and not one of no use
    assert 0 < work.seconds < 600
    assert work.free is None or work.memory < work.free
    assert work.disk == 16 * estimate.BYTES_A_GAME


def test_each_pace_is_calibrated(scenario: Scenario) -> None:
    assert {scenario.task.pace(point) for point in scenario.points} == {"bulk", "reacting"}
    step = load("small.yaml", ["engine=step", "adversary=round-robin"])
    assert {step.task.pace(point) for point in step.points} == {"step"}
    speeds = calibrate(["bulk", "leap", "step", "reacting"], seconds=0.2)
    assert all(speed.messages > 0 and speed.items > 0 for speed in speeds.values())
    assert speeds["bulk"].items > speeds["step"].items  # a hundred times, on any machine


def test_hours_are_warned_of_and_minutes_are_not(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "speeds", lambda paces: dict.fromkeys(paces, Speed(1e5, 1e5)))
    even = Growth(((1.0, 1.0),))
    monkeypatch.setattr(estimate, "paces", lambda points, told: [(one, even) for one in variants_of(points)])
    assert estimate.refuse_too_long(scenario, 2, inf) == ""
    said = estimate.refuse_too_long(load("small.yaml", ["trials=1000000"]), 2, inf)
    assert "hours with 2 workers" in said
    assert "\n" not in said


def test_memory_is_that_of_the_largest_games_at_a_time(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two trials of each point: of sizes 20 and 40, the four largest games are 40, however many workers there are."""
    monkeypatch.setattr(type(scenario.task), "memory", lambda task, point: 1e9 * point.sites)
    assert len(scenario.points) * 2 == 16
    for workers, games in ((1, 40), (2, 80), (8, 8 * 40), (9, 8 * 40 + 20), (16, 8 * 60), (99, 8 * 60)):
        needed, place = estimate.memory_needed(scenario, workers)
        assert needed == pytest.approx(1e9 * games + min(workers, 16) * estimate.BYTES_A_WORKER)
        assert estimate.asked(scenario)[place][0].sites == 40
