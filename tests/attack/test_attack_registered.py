"""Attackers of this wing where kinds are registered: victims, games, the arena, conformance, engines, time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest
from asking_kinds import games_of
from core_kinds import kinds_of
from victims import Hit, above, below

import disttrack as by
from disttrack import Exact, Learned, ScenarioError, arena
from disttrack.adversaries import Replay
from disttrack.attack.adversaries import Bisect, Posterior
from disttrack.protocols import Block, Martingale, Protocol, Randomized, Robust
from disttrack.simulator import play
from disttrack.simulator.experiments.runs.estimate import estimate
from disttrack.simulator.game.engine_choice import choose_engine
from disttrack.simulator.game.engines import compiled as engine
from disttrack.simulator.kinds.faults import broken
from tests.simulator.experiments.runs.test_estimate import game_of
from tests.simulator.game.tasks.test_whose_game import GAMES
from tests.simulator.game.test_compiled import SIZES, TRACKERS, facts, named, same

FROM_ZERO: Final = {"sites": 64, "items": 20_000}
ONE_ROUND: Final = {"sites": 64, "items": 15_000, "start": 200_000}
MANY_PHASES: Final = {"phases": 30, "phase_length": 0.1, "epsilon": 4, "counter_share": 0.8, "budget": 2, "shift": -9}
HAND: Final = Robust(alpha=0.01, parameters={**MANY_PHASES, "blocks": 9})
"""Many short phases; each has room for few bits, so that what a phase tells is worth much."""
HITS: Final = (
    Hit(by.Learned(), Randomized(alpha=0.1), above, 1.35, 1.65, FROM_ZERO),
    Hit(by.Bisect(), Block(alpha=0.1), above, 0.95, 1.6, FROM_ZERO),
    Hit(by.Posterior(), Block(alpha=0.1), above, 1.15, 1.75, FROM_ZERO),
    Hit(by.Eavesdrop(), Block(alpha=0.1), above, 1.0, 1.6, FROM_ZERO),
    Hit(by.WhiteBox(), Block(alpha=0.1), above, 1.3, 1.75, FROM_ZERO),
    Hit(by.Trial(), broken(HAND, "no-noise"), below, 0.62, 0.98, ONE_ROUND),
)


def test_every_attacker_of_the_wing_has_its_victim() -> None:
    """tests/attack/search/test_table_search.py has the victim of `table`."""
    registered = set(kinds_of("adversary", "attack"))
    assert {hit.attacker.kind for hit in HITS} | {"table"} == registered
    assert len(registered) == len(HITS) + 1 == 7


@pytest.mark.slow
@pytest.mark.parametrize("hit", HITS, ids=lambda hit: hit.attacker.kind)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_of_the_wing_hits(hit: Hit) -> None:
    """Rates and power as in tests/adversaries/test_strength.py."""
    assert hit.inside(hit.attacker)
    assert not hit.inside(hit.harmless)


@pytest.mark.parametrize("name", kinds_of("adversary", "attack"))
def test_an_attacker_plays(name: str) -> None:
    assert games_of(name, GAMES) or name == "table"  # which needs a file


SMALL: dict[str, Any] = {"sites": 4, "items": 60, "trials": 1, "workers": 1, "game_timeout": 60}


def test_a_trained_policy_enters_by_its_file(folder: Path) -> None:
    (folder / "policy.json").write_text(json.dumps({"layers": [{"weights": [[0, 0, 0, 1]], "bias": [-0.5]}]}))
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


def test_a_belief_is_expected_to_take_time() -> None:
    tracker = {"kind": "block", "alpha": 0.1}
    compiled, other = (game_of(protocol=tracker, adversary=one) for one in ("freeze", "posterior"))
    assert estimate(other, 1).seconds > 5 * estimate(compiled, 1).seconds


def test_one_that_sees_messages_cannot_be_replayed() -> None:
    with pytest.raises(ScenarioError, match="of: must be an adversary that sees outputs only; got 'eavesdrop'"):
        play(Exact(), Replay(of="eavesdrop"), sites=2, items=10)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("protocol", TRACKERS, ids=named)
def test_compiled_plays_the_game_of_leap(protocol: Protocol) -> None:
    for size in SIZES[:3]:
        same(protocol, Bisect(), seed=3, **size)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", TRACKERS[::3], ids=named)
def test_bisect_as_compiled(protocol: Protocol) -> None:
    same(protocol, Bisect(), seed=4, **SIZES[3])


@pytest.mark.parametrize("protocol", [Robust(0.1), Martingale(0.1)], ids=named)
def test_auto_gives_the_transcript_of_leap_to_beliefs(protocol: Protocol, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba or not; so has the rehearsal of a replay."""
    for name in ("COMPILING", "LOADING"):
        monkeypatch.setattr(engine, name, 0.0)
    size: dict[str, Any] = {"sites": 3, "items": 300, "seed": 5}
    with_numba = facts(play(protocol, Posterior(), **size))
    assert facts(play(protocol, Posterior(), engine="leap", **size)) == with_numba
    rehearsed = facts(play(protocol, Replay(of="posterior"), **size))
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: False)
    assert facts(play(protocol, Posterior(), **size)) == with_numba
    assert facts(play(protocol, Replay(of="posterior"), **size)) == rehearsed


def test_the_engine_of_a_belief() -> None:
    chosen, why = choose_engine("auto", Robust(0.1), Posterior(), None)
    assert chosen == "leap"
    assert why.endswith("compiled where that pays")
