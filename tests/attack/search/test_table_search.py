"""The learned table, and sequence, of a tiny game: near the exact value, the same in the search and in a game."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.adversaries import Adversary
from disttrack.adversaries.replay import read
from disttrack.attack.search.exact_game import ExactGame
from disttrack.attack.search.policy_search import attack
from disttrack.attack.search.table_search import learn
from disttrack.protocols import Block, Protocol, Randomized
from disttrack.simulator import play

COINS = Randomized(alpha=0.5, confidence=0.5)
BLOCKS = Block(alpha=0.5, confidence=0.25)


def learned(protocol: Protocol, budget: int, **size: int) -> Adversary:
    return learn(protocol, **size, start=0, budget=budget, rng=np.random.default_rng(1), on_games=lambda games: None)


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.false_alarm(1e-6)
@pytest.mark.parametrize(
    ("protocol", "budget", "gap"), [(COINS, 20_000, 0.03), (COINS, 6_000, 0.08), (BLOCKS, 24_000, 0.03)]
)
def test_a_table_is_near_the_exact_value(protocol: Protocol, budget: int, gap: float) -> None:
    """4,000 fresh games fail at a rate within 3 % of the value (8 % of a short search), less five standard errors.

    Power: the stronger of `round-robin` and `freeze` is 11 % below the value for `randomized`. A table that is used
    with another order of the sites, or another digest, than in the search plays like one of these.
    """
    value = float(ExactGame(protocol, sites=2, items=10).value())
    table = learned(protocol, budget, sites=2, items=10)
    failed = sum(not play(protocol, table, sites=2, items=10, seed=seed).ok for seed in range(4000)) / 4000
    assert failed >= (1 - gap) * value - 5 * (value * (1 - value) / 4000) ** 0.5


def test_a_table_plays_alike_in_every_engine() -> None:
    table = learned(COINS, 600, sites=3, items=8)
    games = [play(COINS, table, sites=3, items=8, seed=5, engine=engine) for engine in ("step", "leap", "compiled")]
    assert len({(game.messages, game.max_rel_error, game.messages_of_site[0][0]) for game in games}) == 1


@pytest.mark.drawn(1)
@pytest.mark.slow
@pytest.mark.parametrize("protocol", [COINS, BLOCKS], ids=lambda one: one.kind)
def test_a_sequence_is_near_the_best_one(protocol: Protocol) -> None:
    """Its exact value is at least 80 % of the best one's.

    Power: of all sequences the median is at 59 % for `randomized`, and at 70 % for `block`. Two searches each came to
    98 % and more.
    """
    found = attack(protocol, sites=2, items=10, budget=12_000, oblivious=True)
    sequence = [site for site, times in read(found.policy.as_mapping()["steps"]) for _ in range(times)]
    game = ExactGame(protocol, sites=2, items=10, sees="nothing")
    assert game.value(lambda history: sequence[len(history)]) >= 0.8 * float(game.value())
