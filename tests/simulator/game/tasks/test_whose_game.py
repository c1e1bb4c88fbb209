"""Each asking kind plays in a game or is refused in a line that names a game of its own: over the whole registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from core_kinds import core_kinds
from hostile import hold_line

from disttrack import play_duel
from disttrack.adversaries import Freeze
from disttrack.mechanisms import Binary
from disttrack.protocols import Deterministic
from disttrack.simulator import check_adversary, play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.scenario.document import Document
from disttrack.simulator.experiments.scenario.load import Scenario, build
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import find, kinds, kinds_for

TRACKING: Final[dict[str, Any]] = {"sites": 4, "items": 60}
MIRROR: Final[dict[str, Any]] = {"steps": 9, "protocol": {"kind": "jdp-mirror", "epsilon": 1}}
GAMES: Final[dict[str, dict[str, Any]]] = {
    "count": {**TRACKING, "protocol": {"kind": "deterministic", "alpha": 0.3}},
    "generalisation": {**TRACKING, "protocol": {"kind": "block", "alpha": 0.3}},
    "threshold": {"sites": 4, "threshold": 60, "protocol": {"kind": "deterministic", "alpha": 0.3}},
    "audit": {"runs": 20, "protocol": {"kind": "randomized-response", "epsilon": 1}},
    "audit-tracker": {"sites": 9, "transcripts": 2, "protocol": {"kind": "robust", "alpha": 0.3}},
    "continual-count": {"steps": 16, "protocol": {"kind": "binary", "epsilon": 1}},
    "threshold-monitor": {"steps": 32, "protocol": {"kind": "release-monitor", "k": 4, "delta": 0.1}},
    "threshold-queries": {
        "values": 16,
        "points": 8,
        "queries": 4,
        "protocol": {"kind": "release-queries", "delta": 0.5},
    },
    "density": {
        "groups": 4,
        "users": 8,
        "steps": 16,
        "protocol": {"kind": "continual-output", "epsilon": 1, "changes": 2, "variation": 0.1},
    },
    "static-queries": {"domain": 4, "steps": 16, "protocol": {"kind": "laplace", "epsilon": 1}},
    "dynamic-queries": {"domain": 4, "steps": 16, "protocol": {"kind": "inserted-minus-deleted", "epsilon": 1}},
    "experts": {"experts": 2, "steps": 16, "protocol": "perturbed-leader"},
    "statistical-queries": {"features": 4, "samples": 40, "queries": 4, "protocol": "empirical"},
    "sample-size": {"queries": 4, "protocol": "empirical"},
    "worst-of-many": {"repetitions": 2, "samples": 40, "queries": 4, "protocol": "empirical"},
    "second-moment": {"updates": 9, "protocol": {"kind": "ams", "rows": 4}},
    "distinct-count": {"updates": 9, "protocol": {"kind": "kmv", "size": 4}},
    "frequency": {"updates": 9, "protocol": {"kind": "count-min", "width": 4}},
    "resettable-sum": {"updates": 9, "protocol": {"kind": "reset-sample", "size": 4}},
    "frequent-items": {**TRACKING, "protocol": {"kind": "heavy-hitters", "alpha": 0.1}},
    "item-sampling": {**TRACKING, "protocol": {"kind": "item-sample", "alpha": 0.3}},
    "item-rank": {**TRACKING, "protocol": {"kind": "frequency-sample", "alpha": 0.3}},
    "item-frequency": {**TRACKING, "protocol": {"kind": "frequency-sample", "alpha": 0.3}},
    "prediction": {"points": 12, "steps": 9, "protocol": "plain"},
    "mirror": MIRROR,
    "joint-privacy": {**MIRROR, "steps": 4},
}
ASKING: Final = {name: kind.load() for name, kind in core_kinds("adversary").items()}
"""The asking kinds by name."""
REFUSED: Final = "refused"


def built(task: str, adversary: str) -> Scenario:
    entry = {"kind": adversary, "sees": getattr(ASKING[adversary], "sees", "outputs")}
    return build(Document("s.yaml", Path.cwd(), {"task": task, "adversary": entry, **GAMES[task]}))


def played(task: str, adversary: str) -> str:
    """Return the verdict of a small game, or the line that refuses it."""
    try:
        scenario = built(task, adversary)
        return str(scenario.task.play(scenario.points[0], 1).row["verdict"])
    except ScenarioError as error:
        hold_line(error)
        return f"{REFUSED}: {error}"


def test_all_games_and_all_asking_kinds_are_here() -> None:
    assert set(GAMES) == set(core_kinds("task"))
    assert len(ASKING) >= 43
    assert {task for maker in ASKING.values() for task in maker.plays} <= set(GAMES)


@pytest.mark.parametrize("name", ASKING)
def test_it_plays_or_is_refused_in_one_line(name: str) -> None:
    outcomes = {task: played(task, name) for task in GAMES}
    wrong = {task: said for task, said in outcomes.items() if not said.startswith((REFUSED, "ok", "failed", "undec"))}
    assert not wrong
    games = {task for task, said in outcomes.items() if not said.startswith(REFUSED)} - {"audit", "joint-privacy"}
    needs_a_file = {"trace", "item-trace", "in-the-air", "table"}
    assert games or name in needs_a_file
    for task in set(GAMES) - {"audit"}:  # which has inputs of its own
        if not ASKING[name].plays_in(task):
            assert outcomes[task].startswith(REFUSED), task
            assert any(f"{own}" in outcomes[task] for own in ASKING[name].plays), outcomes[task]
    assert games <= set(ASKING[name].plays or GAMES)


@pytest.mark.parametrize("name", [name for name in ASKING if not ASKING[name].plays_in("count")])
def test_python_refuses_it_as_scenarios_do(name: str) -> None:
    if name not in Count.kinds("adversary"):
        with pytest.raises(ScenarioError, match=f"{name} does not play here: a scenario with `task: "):
            find("adversary", name, base=Count.bases["adversary"])
        return
    adversary = ASKING[name]()
    with pytest.raises(ScenarioError, match=f"{name} plays .*, not count"):
        play(Deterministic(alpha=0.3), adversary, sites=4, items=60)
    with pytest.raises(TypeError, match="conformance has tests for adversaries of trackers only"):
        check_adversary(adversary)


def test_duels_refuse_it_too() -> None:
    with pytest.raises(ScenarioError, match="contrary plays prediction, not continual-count"):
        play_duel(Binary(epsilon=1.0, horizon=9), ASKING["contrary"](), steps=9)
    assert play_duel(Binary(epsilon=1.0, horizon=9), Freeze(), steps=9).ok in (True, False)


def test_a_kind_of_another_game_is_named_with_a_task_that_plays_it() -> None:
    for task in (kind.load() for kind in kinds("task").values()):
        for role, base in task.bases.items():
            former = {getattr(kind.load(), "formerly", "") for kind in kinds_for(role, base).values()}
            for name in set(kinds(role)) - set(kinds_for(role, base)) - former:
                with pytest.raises(ScenarioError, match=f"{name} does not play here: a scenario with `task: [a-z]"):
                    find(role, name, base=base)


@pytest.mark.parametrize(
    ("task", "name"), [("static-queries", "GaussianQueries"), ("statistical-queries", "GaussianAnswers")]
)
def test_a_former_name_is_that_of_the_game(task: str, name: str) -> None:
    base = kinds("task")[task].load().bases["protocol"]
    assert find("protocol", "gaussian", base=base).__name__ == name
