"""Tests of my_adversary.py: python -m pytest test_my_adversary.py"""

from disttrack import Deterministic, check_adversary, play
from disttrack.simulator.workshop.templates.my_adversary import MyAdversary


def test_it_plays_by_the_rules() -> None:
    # the tests that every adversary goes through: the same game from both engines, sites that exist, …
    check_adversary(MyAdversary())


def test_a_protocol_that_is_always_right_stands_it() -> None:
    game = play(Deterministic(alpha=0.1), MyAdversary(), sites=8, items=5_000, seed=1)
    assert game.ok
    assert game.items == 5_000
