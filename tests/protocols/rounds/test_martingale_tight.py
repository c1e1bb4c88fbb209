"""The martingale tracker with tight constants: what is said, what the sites know, and delays."""

from __future__ import annotations

import pytest
from game_engines import ENGINES

from disttrack.adversaries import RoundRobin, Uniform
from disttrack.protocols import Martingale
from disttrack.simulator import play


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_delta_near_one(engine: str) -> None:
    """Few signals a round at k = 1, and rounds polled as they begin at alpha near 1: every game comes to its end."""
    for alpha, k in ((0.95, 1), (0.9, 5), (0.2, 2)):
        game = play(Martingale(alpha=alpha, delta=0.99), Uniform(), sites=k, items=10**6, seed=2, engine=engine)
        assert game.items == 10**6
        assert game.rounds > 3


def test_a_round_longer_than_any_game() -> None:
    """With many sites a round grows N tenfold and more: its signals would come later than 2^63."""
    game = play(
        Martingale(alpha=0.1), RoundRobin(), sites=2**14, items=2**61 - 10**18, start=10**18, seed=1, engine="leap"
    )
    assert game.ok
    assert game.words < 2**14
