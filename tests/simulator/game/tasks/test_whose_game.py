"""Each asking kind plays in a game or is refused in a line that names a game of its own: over the whole registry."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest
from asking_kinds import ASKING, games_of
from core_kinds import core_kinds

from disttrack.mechanisms import MECHANISMS
from disttrack.protocols import Deterministic
from disttrack.simulator import check_adversary, play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import advice_on, find, kinds, kinds_for

TRACKING: Final[dict[str, Any]] = {"sites": 4, "items": 60}
GAMES: Final[dict[str, dict[str, Any]]] = {
    "count": {**TRACKING, "protocol": {"kind": "deterministic", "alpha": 0.3}},
    "generalisation": {**TRACKING, "protocol": {"kind": "block", "alpha": 0.3}},
    "threshold": {"sites": 4, "threshold": 60, "protocol": {"kind": "deterministic", "alpha": 0.3}},
    "frequent-items": {**TRACKING, "protocol": {"kind": "heavy-hitters", "alpha": 0.1}},
    "item-sampling": {**TRACKING, "protocol": {"kind": "item-sample", "alpha": 0.3}},
    "item-rank": {**TRACKING, "protocol": {"kind": "frequency-sample", "alpha": 0.3}},
    "item-frequency": {**TRACKING, "protocol": {"kind": "frequency-sample", "alpha": 0.3}},
}


def test_all_games_and_all_asking_kinds_of_the_core_are_here() -> None:
    assert set(GAMES) == set(core_kinds("task"))
    assert len(core_kinds("adversary")) >= 24
    for kind in core_kinds("adversary").values():
        assert not kind.load().plays or set(kind.load().plays) & set(GAMES)


@pytest.mark.parametrize("name", ASKING)
def test_it_plays_or_is_refused_in_one_line(name: str) -> None:
    needs_a_file = {"trace", "item-trace"}
    assert games_of(name, GAMES) or name in needs_a_file or name not in core_kinds("adversary")


@pytest.mark.parametrize("name", [name for name in ASKING if not ASKING[name].plays_in("count")])
def test_python_refuses_it_as_scenarios_do(name: str) -> None:
    if name not in Count.kinds("adversary"):
        with pytest.raises(ScenarioError, match=f"{name} does not play here: `task: "):
            find("adversary", name, base=Count.bases["adversary"])
        return
    adversary = ASKING[name]()
    with pytest.raises(ScenarioError, match=f"{name} plays .*, not count"):
        play(Deterministic(alpha=0.3), adversary, sites=4, items=60)
    with pytest.raises(TypeError, match="only trackers have tests"):
        check_adversary(adversary)


def test_a_kind_of_another_game_is_named_with_a_task_that_plays_it() -> None:
    for task in (kind.load() for kind in kinds("task").values()):
        for role, base in task.bases.items():
            former = {getattr(kind.load(), "formerly", "") for kind in kinds_for(role, base).values()}
            for name in set(kinds(role)) - set(kinds_for(role, base)) - former:
                said = advice_on(kinds(role)[name].load())
                assert "`task: " in said or name in MECHANISMS, "of which trackers are made: a wing plays them"
                with pytest.raises(ScenarioError, match=re.escape(f"{name} does not play here: {said}")):
                    find(role, name, base=base)


def test_a_class_that_no_task_plays_is_said_to_be_none() -> None:
    assert advice_on(int) == "no installed task plays it"
