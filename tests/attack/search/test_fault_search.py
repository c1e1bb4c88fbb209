"""The search for the worst faults: it finds planted ones, keeps to its budget, and what it finds is made short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from disttrack import Deterministic, RoundRobin, Site, load, play
from disttrack.attack.search.fault_search import attack_network, budget_of
from disttrack.attack.search.policy_search import SearchResult
from disttrack.simulator.game.network.listed import LetterFault, read
from disttrack.simulator.kinds.point import Point

SIZE: dict[str, Any] = {"sites": 4, "items": 300}
WARM: dict[str, Any] = {"latency": 1, "warm_up": 100}


@dataclass(frozen=True)
class Forgetful(Deterministic):
    """A tracker with a planted fault: a site that returns without its state reports no item of those it had."""

    kind = "forgetful"

    def returned_site(self, k: int, rng: Any, items: int) -> Site:
        return super().returned_site(k, rng, items // 4)


def point_of(protocol: str, **more: Any) -> Point:
    return load({"name": "faults", "protocol": protocol, "adversary": "round-robin", "alpha": 0.1, **more}).points[0]


def searched(protocol: str, faults: str, **network: Any) -> SearchResult[str]:
    return attack_network(point_of(protocol, **SIZE, network={**WARM, **network}), faults, budget=100)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("maker", "faults", "link", "left"),
    [
        (Deterministic, "lost=6 late=1*5", "bare", {"lost"}),
        (Forgetful, "forgets=1*2 late=2*5 lost=1", "reliable", {"forgets"}),
    ],
)
def test_a_planted_fault_is_found_and_shortened(
    maker: type[Deterministic], faults: str, link: str, left: set[str]
) -> None:
    """A link that does not send again, and a site that forgets; both searches end with a failing list."""
    protocol = maker(alpha=0.1)
    found = searched(f"{maker.__module__}:{maker.__name__}", faults, link=link)
    assert found.broken == 1
    network = {**WARM, "link": link, "faults": found.policy}
    game = play(protocol, RoundRobin(), **SIZE, network=network)
    assert game.verdict == "failed"
    short = game.shortest(seconds=1)
    assert short.network is not None
    kept = read(short.network["faults"])
    assert {one.what if isinstance(one, LetterFault) else "forgets" for one in kept} == left
    assert len(kept) <= len(read(found.policy))
    again = play(protocol, RoundRobin(), sites=short.game.sites, items=short.game.items, network=short.network)
    assert again.verdict == "failed"


@pytest.mark.slow
def test_a_search_breaks_nothing_without_a_planted_fault() -> None:
    assert searched("deterministic", "forgets=1*2 late=2*5 lost=1", link="reliable").broken == 0


@pytest.mark.slow
def test_the_list_is_within_the_budget_and_the_games_too() -> None:
    counted: list[int] = []
    faults = "lost=2 late=3*7 overtaken=1*4 twice=1*3 cut=1*9 down=2*8 forgets=1*6 server-down=1*5 server-forgets=1*4"
    point = point_of("martingale", sites=3, items=60, alpha=0.3)
    found = attack_network(point, faults, budget=100, seed=2, on_game=counted.append)
    assert counted == list(range(1, found.games + 1))
    assert found.games <= 100
    least = {one.kind: one for one in budget_of(faults)}
    for one in read(found.policy):
        if isinstance(one, LetterFault):
            assert one.site < 3
            assert one.steps <= least[one.what].steps
    assert len(read(found.policy)) <= sum(one.number for one in least.values())
    assert found == attack_network(point, faults, budget=100, seed=2)


def test_games_in_which_nothing_is_promised_do_not_fail() -> None:
    """They were counted as failed: 100 % of them, where no game was judged."""
    quota = {"task": "quota", "sites": 3, "requests": 60, "limit": 5, "window": 20, "adversary": "uniform"}
    point = load({"name": "quota", "protocol": {"kind": "periodic", "every": 5}, **quota}).points[0]
    found = attack_network(point, "lost=2", budget=100)
    assert (found.broken, found.undecided) == (0, 1)
