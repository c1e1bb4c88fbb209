"""Each attacker of this wing plays in a game of trackers."""

from __future__ import annotations

import pytest
from asking_kinds import games_of
from core_kinds import kinds_of

from tests.simulator.game.tasks.test_whose_game import GAMES


@pytest.mark.parametrize("name", kinds_of("adversary", "attack"))
def test_an_attacker_plays(name: str) -> None:
    assert games_of(name, GAMES) or name == "table"  # which needs a file
