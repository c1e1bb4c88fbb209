"""The arena takes of the adversaries of this wing those of trackers only."""

from __future__ import annotations

from pathlib import Path

import pytest

from disttrack import ScenarioError, Speller, arena


def test_a_tracker_meets_the_streams_of_trackers_only(tmp_path: Path) -> None:
    sizes = {"sites": 4, "items": 60, "trials": 1, "workers": 1, "game_timeout": 60}
    own = arena({"kind": "deterministic", "alpha": 0.2}, **sizes, out=tmp_path / "arena").own  # type: ignore[arg-type]
    assert not {"contrary", "churn", "sliding", "in-the-air"} & set(own["adversary"])
    early = own.set_index("adversary")["ended_early"]
    assert {name for name, games in early.items() if games} == {"scattered"}, "it plays a short game of its own"


def test_an_analyst_cannot_enter() -> None:
    with pytest.raises(ScenarioError, match="this is neither"):
        arena(Speller)
