"""A random search for games that exceed the guarantee of a quota, over all registered kinds and traits of a fleet."""

from __future__ import annotations

from dataclasses import MISSING

import pytest
from small_fleets import KINDS, OWN, SHAPED, edge_settings, outcome, search, setting

from disttrack.fleet import quotas
from disttrack.simulator.kinds.installed import is_compared
from disttrack.simulator.kinds.registry import parameters

EDGES = list(edge_settings())


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("number", range(100))
def test_both_engines_play_one_game_and_no_guarantee_is_exceeded(number: int) -> None:
    for given in (setting(20_000 + number), EDGES[number * len(EDGES) // 100]):
        one = outcome(given)
        assert one.worst is None or one.most <= one.worst, (one, given)


@pytest.mark.slow
def test_a_fault_in_a_guarantee_is_found_out() -> None:
    """No game exceeds its guarantee. Power: 260 games find one request too few in the formula of each kind and shape.

    One way too few is found after 200 games for countdowns. Settings 1,265 and 1,189 are the first ones that show it
    for batches and for flushes; the bounds of other kinds that have a round trip are not reached under latency.
    """
    found = {place: one.found for place, one in search(map(setting, (*range(260), 1_189, 1_265))).items()}
    assert [place for place in found if "one request" not in found[place]] == []
    late = {name for (name, _), faults in found.items() if "the way down" in faults}
    assert late >= {"batch-quota", "countdown-quota", "periodic"}


def test_most_games_have_a_guarantee() -> None:
    assert sum(network is None or not network.faulty for network in (setting(n)["network"] for n in range(100))) >= 80


def test_every_parameter_of_a_kind_is_drawn() -> None:
    shipped = [kind for kind in KINDS if is_compared(kind.__module__)]
    assert len(shipped) >= 9
    assert len(SHAPED) >= 15
    for kind in shipped:
        own = set(parameters(kind)) - set(parameters(quotas.Split))
        assert own <= {*OWN, "shape", "depth"}, kind
        assert all(parameters(kind)[name] is not MISSING for name in own), kind
