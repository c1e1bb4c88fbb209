"""The sides of a game as the texts of the command line and the entries of scenarios."""

from __future__ import annotations

import pytest

from disttrack import Freeze, check_protocol, play
from disttrack.simulator.kinds.registry import find, game_of, kinds, parameters

TRACKERS = [name for name, kind in kinds("protocol").items() if game_of(kind.load()) == "count"]


@pytest.mark.parametrize("name", TRACKERS)
def test_a_text_an_entry_and_an_object_are_one_protocol(name: str) -> None:
    maker = find("protocol", name)
    given = {"alpha": 0.2} if "alpha" in parameters(maker) else {}
    text = f"{name}:alpha=0.2" if given else name
    sides = ((text, "freeze:reach=0.5"), ({"kind": name, **given}, {"kind": "freeze", "reach": 0.5}))
    plain = play(maker(**given), Freeze(reach=0.5), sites=3, items=60, seed=4, record=True)
    for protocol, adversary in sides:
        game = play(protocol, adversary, sites=3, items=60, seed=4, record=True)
        assert game.transcript.equals(plain.transcript)
        assert game.parameters == plain.parameters


def test_a_text_is_checked_like_its_object(uncompiled: None) -> None:
    assert check_protocol("deterministic:alpha=0.2", items=100)
