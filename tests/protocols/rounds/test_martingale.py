"""The martingale tracker: the strength of its coins; with tight constants what is said and what sites know, delays."""

from __future__ import annotations

from math import log, pi, sqrt

import numpy as np
import pytest
from game_engines import ENGINES

from disttrack.adversaries import RoundRobin, Uniform
from disttrack.protocols import Martingale
from disttrack.protocols.base import Message
from disttrack.protocols.rounds.martingale import strength_for
from disttrack.protocols.rounds.sites import BIT
from disttrack.simulator import play


def log_failure(lam: float, k: int) -> float:
    """Return the logarithm of both bounds together, by logarithms throughout."""
    return float(np.logaddexp(-(lam**2) / (2 * (1 + lam / (3 * sqrt(k)))), -(lam**2) / (2 * (1 + lam / sqrt(k)))))


@pytest.mark.parametrize("failure", [0.6, 1e-3, 6 * 0.05 / (pi * 49) ** 2, 1e-12, 6e-13 / (pi * 1000) ** 2, 1e-300])
@pytest.mark.parametrize("k", [1, 4, 100, 256, 1024, 2048, 4096, 65_536, 2**20])
def test_strength_is_the_least_that_will_do(k: int, failure: float) -> None:
    """Also where the solver tries strengths whose failure probability is below every float."""
    lam = strength_for(failure, k)
    assert log_failure(lam, k) == pytest.approx(log(failure), abs=1e-6)
    assert log_failure(0.999 * lam, k) > log(failure)


def test_signals_of_the_next_round_may_come_before_the_last_answer() -> None:
    """On delayed channels a site that has answered is in the next round, one that has not is in the old one still."""
    protocol, begun = Martingale(alpha=0.3, delta=0.5), [300, 300, 300]
    server = protocol.server(3, np.random.default_rng(1), begun)
    while not (said := server.hear(0, BIT)):
        pass
    ((_, poll),) = said
    assert poll.kind == "poll"
    assert not server.hear(1, BIT)  # of the old round: it is in the count of site 1
    assert not server.hear(0, Message("count", 400))
    assert not server.hear(0, BIT)  # of the new round
    assert not server.hear(1, BIT)  # still of the old one
    assert not server.hear(2, Message("count", 100))
    assert not server.hear(2, BIT)  # of the new round
    assert not server.hear(1, Message("count", 200))
    assert server.base == 1600
    assert server.signals == 2
    assert server.limit > 2
    assert server.output == pytest.approx(1600 + 2 * server.unit)


@pytest.mark.parametrize("engine", ENGINES[1:])
def test_delta_near_one(uncompiled: None, engine: str) -> None:
    """Few signals a round at k = 1, and rounds polled as they begin at alpha near 1: every game comes to its end."""
    for alpha, k in ((0.95, 1), (0.9, 5), (0.2, 2)):
        game = play(Martingale(alpha=alpha, delta=0.99), Uniform(), sites=k, items=10**5, seed=2, engine=engine)
        assert game.items == 10**5
        assert game.rounds > 3


def test_a_round_longer_than_any_game() -> None:
    """With many sites a round grows N tenfold and more: its signals would come later than 2^63."""
    game = play(
        Martingale(alpha=0.1), RoundRobin(), sites=2**14, items=2**61 - 10**18, start=10**18, seed=1, engine="leap"
    )
    assert game.ok
    assert game.words < 2**14
