"""Tests of my_protocol.py: python -m pytest test_my_protocol.py"""

from disttrack import Freeze, RoundRobin, check_protocol, play
from disttrack.simulator.workshop.templates.my_protocol import MyProtocol


def test_it_plays_by_the_rules() -> None:
    # the tests that every protocol goes through: honest silences, the same game from both engines, …
    check_protocol(MyProtocol(alpha=0.1))


def test_it_holds_its_promise() -> None:
    for adversary in (RoundRobin(), Freeze()):
        game = play(MyProtocol(alpha=0.1), adversary, sites=8, items=5_000, seed=1)
        assert game.ok
        assert game.words < game.items
