"""How much work a scenario is: bounds that hold, and a warning where it is hours."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.game.pace import calibrate
from simulator.runs import estimate
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
    assert speeds["bulk"] > speeds["leap"] > speeds["step"] > 0


def test_hours_are_warned_of_and_minutes_are_not(scenario: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "calibrate", lambda paces: dict.fromkeys(paces, 1e5))
    assert estimate.warning(scenario, 2) == ""
    long = load("small.yaml", ["trials=1000000"])
    said = estimate.warning(long, 2)
    assert "hours with 2 workers" in said
    assert "\n" not in said
