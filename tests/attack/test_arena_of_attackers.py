"""The arena with the attackers of this wing: a trained policy enters by its file, and a search finds the worst one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from disttrack import Learned, Randomized, ScenarioError, arena

SMALL: dict[str, Any] = {"sites": 4, "items": 60, "trials": 1, "workers": 1, "game_timeout": 60}


def test_a_trained_policy_enters_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.json").write_text(json.dumps({"layers": [{"weights": [[0, 0, 0, 1]], "bias": [-0.5]}]}))
    outcome = arena({"kind": "learned", "file": "policy.json"}, **SMALL)
    assert outcome.name == "learned(file=policy.json)"
    assert Randomized.kind in set(outcome.own["protocol"])
    assert Learned(file="policy.json") == Learned(file="policy.json")


def test_a_tracker_meets_the_attackers_of_the_wing(tmp_path: Path) -> None:
    own = arena({"kind": "deterministic", "alpha": 0.2}, **SMALL, out=tmp_path / "arena").own
    assert {"freeze", "posterior", "white-box", "learned"} <= set(own["adversary"])
    assert (own["held"] == 1).all(), "deterministic never fails"


@pytest.mark.slow
def test_a_search_finds_the_policy_that_plays(tmp_path: Path) -> None:
    size: dict[str, Any] = {"sites": 16, "items": 1000, "trials": 1, "workers": 1}
    outcome = arena("block", **size, out=tmp_path / "one", search=100)
    policies = {name for name in outcome.own["adversary"] if name.startswith("policy")}
    assert len(policies) == 1
    assert "patience" in policies.pop()  # not the usual one
    assert "freeze" in set(outcome.own["adversary"])


@pytest.mark.parametrize(("entrant", "games"), [("freeze", 100), ("randomized", 99)])
def test_searches_that_are_refused(entrant: str, games: int) -> None:
    with pytest.raises(ScenarioError, match="search: takes at least 100 games against a tracker of counts"):
        arena(entrant, search=games)
