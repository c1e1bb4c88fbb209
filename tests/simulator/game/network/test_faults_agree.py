"""`step` and `leap` play the same game, with and without faults, for all pairs of protocols and adversaries."""

from __future__ import annotations

from itertools import product
from typing import Any, Final

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic, Protocol
from disttrack.simulator import play
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.outcome import Game
from tests.simulator.game.network.shipped import adversaries, protocols

LOSSY: Final = {"loss": 0.1, "duplication": 0.1, "reordering": 0.2}
NETWORKS: Final[dict[str, dict[str, Any] | None]] = {
    "none": None,
    "uniform": {"latency": {"uniform": {"from": 0, "to": 9}}, "latency_down": 2},
    "far": {"latency": 1, "far": {"sites": 0, "latency": {"lognormal": {"median": 5, "sigma": 1}}}, **LOSSY},
    "linked": {"latency": {"exponential": 3}, "link": "reliable", **LOSSY},
    "cut off": {"latency": 2, "partition": {"sites": 0, "from": 40, "to": 90}, "link": {"timeout": 7, "longest": 20}},
    "crashes": {"latency": 2, "crash": {"rate": 0.02, "down": 9, "state": "lost"}, **LOSSY},
    "linked crashes": {
        "latency": 2, "crash": {"rate": 0.01, "down": 9, "state": "lost"}, "link": "reliable", **LOSSY,
        "server": {"rate": 0.005, "down": 6, "state": "lost", "checkpoint": 10},
    },
    "sleepers": {
        "latency": {"exponential": 2}, "crash": {"rate": 0.02, "down": 20}, "server": {"rate": 0.01, "down": 15},
    },
    "forgotten": {"latency": 1, "crash": {"rate": 0.02, "down": 5, "state": "lost", "readmit": False}},
    "no latency": {"link": "reliable", "crash": {"rate": 0.02, "down": 5, "state": "lost"}, **LOSSY},
}  # fmt: skip
EDGES: Final[dict[str, dict[str, Any]]] = {
    "crash at the first step": {"latency": 2, "crash": {"at": 1, "down": 1, "state": "lost"}, "link": "reliable"},
    "all down for good": {"crash": {"at": 1, "down": 10**9}},
    "server down at the first step": {"latency": 1, "server": {"at": 1, "down": 3, "state": "lost"}},
    "cut off for the whole game": {"partition": {"from": 1, "to": 10**9}, "link": "reliable"},
    "cut off without a link": {"partition": {"from": 1, "to": 10**9}},
    "everything lost": {"loss": 1.0},
    "back in the last step": {"latency": 1, "crash": {"at": 50, "down": 50, "state": "lost"}},
}


def facts(game: Game) -> dict[str, Any]:
    """Return everything about a game but the engine and its time."""
    return {**game.row(), "engine": None, "seconds": None, "lowest": game.lowest, "highest": game.highest}


def both(protocol: Protocol, adversary: Any, **options: Any) -> Game:
    """Return the game that `leap` plays, and assert that `step` plays the same."""
    options |= {"record": True, "sees": getattr(adversary, "sees", "outputs"), "on_error": "record"}
    step, leap = (play(protocol, adversary, engine=engine, **options) for engine in ("step", "leap"))
    assert step.transcript.equals(leap.transcript)
    assert step.outputs.equals(leap.outputs)
    assert step.series.equals(leap.series)
    assert step.kinds.equals(leap.kinds)
    assert facts(step) == facts(leap)
    assert step.error is None
    return leap


@pytest.mark.quick_cases(15)
@pytest.mark.parametrize(
    ("place", "number"), [pair for pair in product(range(len(protocols())), range(len(NETWORKS))) if sum(pair) % 3 == 0]
)
def test_some_pairs_agree(place: int, number: int) -> None:
    """Each protocol on every third network, against one adversary each, so that all of them have their turn."""
    network = list(NETWORKS.values())[number]
    protocol, them = protocols()[place], adversaries()
    adversary = them[(place * len(NETWORKS) + number) % len(them)]
    both(protocol, adversary, sites=3, items=120, seed=number, network=network)


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("place", range(len(protocols())))
def test_pairs_agree_without_a_network(place: int) -> None:
    """Each protocol against every third adversary, so that each pair of neighbours has them all."""
    protocol, them = protocols()[place], adversaries()
    for number in range(place % 3, len(them), 3):
        adversary = them[number]
        both(protocol, adversary, sites=1 + number % 4, items=60, start=20 * (number % 3), seed=number)


@pytest.mark.slow
@pytest.mark.parametrize("protocol", protocols()[::4], ids=lambda one: one.kind)
def test_pairs_agree(protocol: Protocol) -> None:
    restarts = lost = 0
    for number, adversary in enumerate(adversaries()):
        network = NETWORKS["linked crashes" if number % 2 else "crashes"]
        game = both(protocol, adversary, sites=3, items=150, seed=4, network=network)
        restarts, lost = restarts + game.restarts, lost + game.lost
    assert lost > 0
    assert restarts > 0


@pytest.mark.parametrize(
    ("name", "protocol"), list(zip(EDGES, protocols()[::2], strict=False)), ids=lambda one: getattr(one, "kind", one)
)
def test_the_edges_agree(protocol: Protocol, name: str) -> None:
    them = adversaries()
    for number, size in enumerate(({"sites": 1, "items": 1}, {"sites": 1, "items": 60}, {"sites": 4, "items": 100})):
        for start in (0, 50):
            adversary = them[(number + 2 * start) % len(them)]
            both(protocol, adversary, **size, start=start, seed=number, network=EDGES[name])


def test_compiled_is_refused_and_auto_takes_leap() -> None:
    protocol, adversary = Deterministic(alpha=0.3), RoundRobin()
    for network in ({"link": "reliable"}, {"crash": {"at": 3, "down": 1}}, {"latency": 1, "faults": "site 1 down 3-4"}):
        options: dict[str, Any] = {"sites": 2, "items": 20, "network": network}
        assert play(protocol, adversary, **options).engine == "leap"
        with pytest.raises(ScenarioError, match="compiled can't play this game: links, stops and lists"):
            play(protocol, adversary, engine="compiled", **options)
    nothing = {"loss": 0.0, "crash": {"rate": 0.0, "down": 5}, "link": "bare"}
    assert "not compiled" not in play(protocol, adversary, sites=2, items=20, network=nothing).engine_reason


@pytest.mark.parametrize("protocol", protocols()[::5], ids=lambda one: one.kind)
def test_faults_draw_from_a_stream_of_their_own(protocol: Protocol) -> None:
    """With delays of 0 a network that draws but never harms leaves the game as it is."""
    rare = {"duplication": 1e-15, "reordering": 1e-15, "crash": {"rate": 1e-15, "down": 1}}
    plain = play(protocol, RoundRobin(), sites=3, items=300, seed=3, engine="leap", record=True)
    drawn = play(protocol, RoundRobin(), sites=3, items=300, seed=3, engine="leap", record=True, network=rare)
    assert drawn.transcript.equals(plain.transcript)
    assert (drawn.words, drawn.max_lag_error, drawn.coins) == (plain.words, plain.max_rel_error, True)
