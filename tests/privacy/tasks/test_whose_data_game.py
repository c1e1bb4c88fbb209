"""Each asking kind plays in a game of this wing or is refused in a line that names a game of its own."""

from __future__ import annotations

from typing import Any, Final

import pytest
from asking_kinds import ASKING, games_of
from core_kinds import kinds_of

from disttrack import play_duel
from disttrack.adversaries import Freeze
from disttrack.mechanisms import MECHANISMS, Binary
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.registry import advice_on, find, kinds
from tests.simulator.game.tasks.test_whose_game import GAMES as CORE_GAMES

MIRROR: Final[dict[str, Any]] = {"steps": 9, "protocol": {"kind": "jdp-mirror", "epsilon": 1}}
GAMES: Final[dict[str, dict[str, Any]]] = {
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
    "prediction": {"points": 12, "steps": 9, "protocol": "plain"},
    "mirror": MIRROR,
    "joint-privacy": {**MIRROR, "steps": 4},
}


def test_all_games_and_all_asking_kinds_of_the_wing_are_here() -> None:
    own = kinds_of("adversary", "privacy")
    assert set(GAMES) == set(kinds_of("task", "privacy"))
    assert len(own) >= 30
    assert {task for kind in own.values() for task in kind.load().plays} <= {*GAMES, *CORE_GAMES}


@pytest.mark.drawn(20)
@pytest.mark.parametrize("name", ASKING)
def test_it_plays_a_game_of_data_or_is_refused_in_one_line(name: str) -> None:
    plays = games_of(name, GAMES) | {task for task in CORE_GAMES if ASKING[name].plays_in(task)}
    assert plays or name == "in-the-air" or name not in kinds_of("adversary", "privacy")


def test_duels_refuse_it_too() -> None:
    with pytest.raises(ScenarioError, match="contrary plays prediction, not continual-count"):
        play_duel(Binary(epsilon=1.0, horizon=9), ASKING["contrary"](), steps=9)
    assert play_duel(Binary(epsilon=1.0, horizon=9), Freeze(), steps=9).ok in (True, False)


@pytest.mark.parametrize(
    ("task", "name"), [("static-queries", "GaussianQueries"), ("statistical-queries", "GaussianAnswers")]
)
def test_a_former_name_is_that_of_the_game(task: str, name: str) -> None:
    base = kinds("task")[task].load().bases["protocol"]
    assert find("protocol", "gaussian", base=base).__name__ == name


def test_mechanisms_of_the_core_have_games_here() -> None:
    for maker in MECHANISMS.values():
        assert "`task: " in advice_on(maker), maker
