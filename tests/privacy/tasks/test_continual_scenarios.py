"""A scenario of games with a clock: its points, columns and claims."""

from __future__ import annotations

from pathlib import Path

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
