"""Advice and arenas for trackers of items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from disttrack import ScenarioError, arena, run
from disttrack.simulator.workshop.advice import Situation, advise, scenario_of

SMALL: dict[str, Any] = {"sites": 4, "items": 300, "trials": 1, "workers": 1, "game_timeout": 60}
WANTED = Situation(sites=30, items=3_000, alpha=0.2, domain=20)


@pytest.mark.slow
def test_trackers_of_items_are_ranked_by_their_games() -> None:
    """Only those that hold against an adversary who sees the estimates; the games are whole ones."""
    advice = advise(WANTED)
    assert {one.protocol.kind for one in advice.ranked} == {
        "frequency-deterministic", "frequency-sample", "frequency-switching"
    }  # fmt: skip
    assert [one.words for one in advice.ranked] == sorted(one.words for one in advice.ranked)
    assert all(len(one.games) == 2 and one.error <= 1 for one in advice.ranked)
    assert advice.ranked[-1].protocol.kind == "frequency-switching"
    assert advice.above is None or advice.above[0] > 30  # None: games with as many sites have the same answer
    trusted = advise(Situation(sites=30, items=3_000, alpha=0.2, domain=20, against="nothing"))
    assert "frequency-randomized" in {one.protocol.kind for one in trusted.ranked}


@pytest.mark.slow
def test_the_scenario_verifies_the_recommendation(tmp_path: Path) -> None:
    text = scenario_of(advise(WANTED).best, WANTED)
    results = run(yaml.safe_load(text), out=tmp_path / "results", workers=1)
    assert list(results.claims["verdict"]) == ["PASS"]


def test_a_tracker_of_items_meets_the_adversaries_that_choose_items(tmp_path: Path) -> None:
    outcome = arena({"kind": "frequency-randomized", "alpha": 0.2, "domain": 30}, out=tmp_path, **SMALL)
    assert {"freeze-item", "drain-item", "zipf-items(domain=30)", "uniform-items(domain=30)"} <= set(
        outcome.own["adversary"]
    )
    assert not {"freeze", "round-robin", "item-trace"} & set(outcome.own["adversary"])
    assert len(outcome.costs) == 4
    assert outcome.replay.startswith("disttrack replay ")


def test_an_adversary_of_items_meets_the_trackers_of_items(tmp_path: Path) -> None:
    outcome = arena("freeze-item", out=tmp_path, **SMALL)
    assert {"frequency-deterministic", "frequency-sample"} <= set(outcome.own["protocol"])
    assert set(outcome.matrix["adversary"]) == {"freeze-item", "zipf-items"}
    with pytest.raises(ScenarioError, match="heavy-hitters: arena takes a Protocol"):
        arena("heavy-hitters", **SMALL)
