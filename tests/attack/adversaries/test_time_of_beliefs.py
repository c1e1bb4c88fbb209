"""A belief is asked outside compiled functions, and takes its time; one that sees messages cannot be replayed."""

from __future__ import annotations

import pytest

from disttrack import Exact, Replay, ScenarioError, play
from disttrack.simulator.experiments.runs.estimate import estimate
from tests.simulator.experiments.runs.test_estimate import game_of


def test_a_belief_is_expected_to_take_time() -> None:
    tracker = {"kind": "block", "alpha": 0.1}
    compiled, other = (game_of(protocol=tracker, adversary=one) for one in ("freeze", "posterior"))
    assert estimate(other, 1).seconds > 5 * estimate(compiled, 1).seconds


def test_one_that_sees_messages_cannot_be_replayed() -> None:
    with pytest.raises(ScenarioError, match="of: eavesdrop can't be replayed; accepted: an adversary that sees"):
        play(Exact(), Replay(of="eavesdrop"), sites=2, items=10)
