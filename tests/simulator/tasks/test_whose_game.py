"""An adversary, sketch or analyst of another game is refused in a line that names the game it belongs to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, get_args

import pytest
from hostile import hold_line

from disttrack.protocols import Deterministic
from disttrack.simulator import check_adversary, play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.points.registry import Family, find, kinds
from disttrack.simulator.scenario.document import Document
from disttrack.simulator.scenario.load import build

GAMES: Final[dict[str, dict[str, Any]]] = {
    "count": {"sites": 4, "items": 60, "protocol": {"kind": "deterministic", "alpha": 0.3}},
    "continual-count": {"steps": 16, "protocol": {"kind": "binary", "epsilon": 1}},
    "threshold-monitor": {
        "steps": 16, "protocol": {"kind": "sparse-monitor", "epsilon": 1, "threshold": 8},
    },
    "prediction": {"steps": 16, "points": 4, "protocol": {"kind": "plain"}},
    "dynamic-queries": {
        "steps": 16, "domain": 4, "protocol": {"kind": "inserted-minus-deleted", "epsilon": 1, "queries": "count"},
    },
}  # fmt: skip
MADE_FOR: Final = {name: kind.load().plays for name, kind in kinds("adversary").items() if kind.origin == "built in"}


def refusal(task: str, adversary: str) -> str:
    """Return why a game cannot be played; empty if it can."""
    try:
        build(Document("s.yaml", Path.cwd(), {"task": task, "adversary": adversary, **GAMES[task]}))
    except ScenarioError as error:
        hold_line(error)
        return str(error)
    return ""


def test_some_are_made_for_other_games() -> None:
    others = {name for name, plays in MADE_FOR.items() if plays}
    assert {"contrary", "churn", "sliding", "in-the-air", "intruder", "hard-instance", "biased"} <= others
    assert {task for plays in MADE_FOR.values() for task in plays} <= set(kinds("task"))


@pytest.mark.parametrize("name", sorted(name for name, plays in MADE_FOR.items() if plays))
def test_trackers_refuse_it_and_name_its_game(name: str) -> None:
    plays = MADE_FOR[name]
    for task in GAMES:
        said = refusal(task, name)
        assert (f"{name} plays {' and '.join(plays)}, not {task}" in said) == (task not in plays), said
    adversary = kinds("adversary")[name].load()
    with pytest.raises(ScenarioError, match=f"{name} plays .*, not count"):
        play(Deterministic(alpha=0.3), adversary(), sites=4, items=60)
    with pytest.raises(TypeError, match="conformance has tests for adversaries of trackers only"):
        check_adversary(adversary)


@pytest.mark.parametrize("name", sorted(name for name, plays in MADE_FOR.items() if not plays))
def test_others_play_with_trackers(name: str) -> None:
    said = refusal("count", name)
    assert "plays" not in said


def test_a_kind_of_another_family_is_named_with_a_task_that_plays_it() -> None:
    for family in set(get_args(Family)) - {"task", "plot"}:
        for kind in kinds(family):
            others = [one for one in ("protocol", "adversary") if kind not in kinds(one)]
            for other in others:
                with pytest.raises(ScenarioError, match=f"{kind} is an? .*, no {other}: a scenario with `task: "):
                    find(other, kind)
