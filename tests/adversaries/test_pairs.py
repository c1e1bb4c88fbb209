"""Every adversary against every protocol, with few sites: each game is played to its end and judged."""

from __future__ import annotations

from math import inf, nan
from typing import Final

import pytest
from scripted_protocol import Scripted

from disttrack.adversaries import Adversary, Freeze, Policy
from disttrack.simulator import play
from tests.simulator.game.network.shipped import adversaries, protocols

SITES: Final = (2, 3, 5, 17)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("adversary", adversaries(), ids=lambda adversary: adversary.kind)
def test_every_pair_plays_to_the_end(adversary: Adversary) -> None:
    """Alone, and all other numbers of sites with each adversary and each protocol, one with each pair."""
    first = len(adversary.kind)
    for place, protocol in enumerate(protocols()):
        for sites, items in ((1, 100), (SITES[(first + place) % len(SITES)], 300)):
            game = play(protocol, adversary, sites=sites, items=items, seed=1, sees=adversary.sees)
            assert game.verdict in ("ok", "failed"), (protocol, sites)
            assert game.items == items or adversary.kind in ("intruder", "moves", "scattered"), (protocol, sites)
            assert game.messages > 0 or not game.items


@pytest.mark.parametrize("output", [-7.5, -inf, inf, nan, 1e300])
def test_no_output_of_a_tracker_ends_the_game_of_an_adversary(output: float) -> None:
    """It shows the number of items at every second change, and this in between."""
    protocol = Scripted(output=lambda heard: output if heard % 2 else heard)
    for adversary in (*adversaries(), Policy(stay=2.0, patience=0.5), Freeze(growth=1.3, begin=0.5)):
        game = play(protocol, adversary, sites=3, items=60, seed=1, sees=adversary.sees)
        assert game.items == 60 or adversary.kind in ("intruder", "moves", "scattered"), adversary
        assert game.verdict == "failed" or game.items < 40, adversary
