"""Scenarios of games with a clock: what they accept, what they refuse in one line, and that the shipped ones play."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack.simulator import run

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


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("counters", ["steps=1024"]),
        ("sparse", ["steps=1024"]),
        ("monitor", ["parts=below", "steps=1048576", "protocol.0.k=5", "protocol.1.k=5", "protocol.1.delta=0.002"]),
        ("monitor", ["parts=above", "steps=65536", "protocol.k=710"]),
        ("pan-privacy", []),
        ("queries", ["parts=many"]),
        ("experts", ["steps=1024"]),
    ],
)
def test_shipped_scenarios_play(name: str, small: list[str], tmp_path: Path) -> None:
    # small: one game a point, few steps; the claims are those of the full runs and are not judged here
    results = run(name, out=tmp_path / name, overrides=["trials=1", *small], workers=1)
    assert len(results.trials) >= 2
    assert results.manifest["games"]["errors"] == 0
