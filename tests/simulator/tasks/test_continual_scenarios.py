"""Scenarios of games with a clock: what they accept, what they refuse in one line, and that the shipped ones play."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.simulator import run
from disttrack.simulator.errors import ScenarioError

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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("steps: [16, 64]", "steps: 16\nsites: 1"), "sites: unknown key; did you mean 'steps'? (accepted: name, "),
        (("steps: [16, 64]", "steps: 16\nstart: 0"), "start: unknown key"),
        (("steps: [16, 64]", "steps: 16\nengine: leap"), "engine: must be auto, step or bulk"),
        (("steps: [16, 64]", "steps: 16\nnetwork: {latency: 3}"), "network: must be left out"),
        (("steps: [16, 64]\n", ""), "steps: is missing: Steps of the clock"),
        (("steps: [16, 64]", "steps: [16, 0]"), "steps[1]: must be at least 1; got 0"),
        (("steps: [16, 64]", "items: 16"), "items: unknown key; did you mean 'steps'?"),
        (("kind: binary, epsilon: [0.5, 2]", "kind: binary, epsilon: 0"), "epsilon: must be a number above 0"),
        (("kind: binary,", "kind: binery,"), "did you mean 'binary'"),
        (("kind: binary,", "kind: binary, horizon: 15,"), "horizon: must be at least the 16 steps of the game"),
        (("kind: binary,", "kind: above-threshold, threshold: 3,"), "task continual-count takes a Counter"),
        (("{kind: scattered}", "{kind: intruder}"), "intruder needs to see the state; grant it with sees: state"),
        (("{kind: scattered}", "{kind: coin}]\nengine: [bulk"), "engine"),
    ],
)
def test_scenarios_that_are_wrong(tmp_path: Path, change: tuple[str, str], said: str) -> None:
    (tmp_path / "small.yaml").write_text(SCENARIO.replace(*change), encoding="utf-8")
    with pytest.raises(ScenarioError) as caught:
        run(tmp_path / "small.yaml", out=tmp_path / "out", workers=1)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    "name", ["counters", "sparse", "monitor", "monitor-large", "pan-privacy", "queries", "experts"]
)
def test_shipped_scenarios_play(name: str, tmp_path: Path) -> None:
    # small: one game a point, few steps; the claims are those of the full runs and are not judged here
    small = {"monitor-large": ["steps=65536", "protocol.k=710"], "pan-privacy": [], "queries": []}
    monitor = ["steps=1048576", "protocol.0.k=5", "protocol.1.k=5", "protocol.1.delta=0.002"]
    overrides = ["trials=1", *({"monitor": monitor} | small).get(name, ["steps=1024"])]
    results = run(name, out=tmp_path / name, overrides=overrides, workers=1)
    assert len(results.trials) >= 2
    assert results.manifest["games"]["errors"] == 0
