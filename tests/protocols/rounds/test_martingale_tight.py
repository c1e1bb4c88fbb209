"""The martingale tracker with tight constants: what is said, what the sites know, and delays."""

from __future__ import annotations

import numpy as np
import pytest

from disttrack.adversaries import RoundRobin, Uniform
from disttrack.protocols import Martingale
from disttrack.protocols.base import Message
from disttrack.protocols.rounds.coin_rounds import bias, first_round, share_of, signals_of
from disttrack.protocols.rounds.parts import BIT
from disttrack.simulator import play


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


@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("delta", [0.05, 0.99])
@pytest.mark.parametrize(("k", "start"), [(1, 0), (5, 0), (5, 100)])
def test_every_step_of_every_round_is_by_the_rules(k: int, start: int, delta: float, engine: str) -> None:
    """From the first item on: what stands after each signal, that the last is polled at once, and what is then known.

    A round without a signal is one that is polled as it begins.
    """
    protocol = Martingale(alpha=0.4, delta=delta)
    game = play(protocol, Uniform(), sites=k, items=4_000, start=start, seed=7, engine=engine, record=True)
    table = game.transcript[game.transcript["receiver"].isin(["server", 0])]
    outputs = game.outputs.set_index("step")["output"].map(float).to_dict()
    number, told, base, heard, first = (1 if start else 0), start, start, 0, first_round(k, 0.4, delta)
    for row in table.itertuples():
        if row.kind == "item":
            assert number == 0
            assert outputs[row.step] == row.step
        elif row.kind == "round":
            assert (number, row.step) == (0, first)
            number, told, base = 1, first, first
        elif row.kind == "bit":
            heard += 1
            share = share_of(k, 0.4, delta, number)
            p = bias(k, 0.4, share, told, exact=number == 1)
            limit = signals_of(k, 0.4, share, base, p)
            assert heard <= limit
            if heard < limit:
                assert outputs[row.step] == pytest.approx(base + heard / p)
            last = row.step, round(base + heard / p)
        elif row.kind == "poll":
            told = last[1] if heard else base
            assert not heard or (row.step, heard) == (last[0], limit)
            number, base, heard = number + 1, start + row.step, 0
            assert outputs[row.step] == base
    assert number == game.rounds >= 4


@pytest.mark.parametrize("engine", ["leap", "bulk"])
def test_delta_near_one(engine: str) -> None:
    """Few signals a round at k = 1, and rounds polled as they begin at alpha near 1: every game comes to its end."""
    for alpha, k in ((0.95, 1), (0.9, 5), (0.2, 2)):
        game = play(Martingale(alpha=alpha, delta=0.99), Uniform(), sites=k, items=10**6, seed=2, engine=engine)
        assert game.items == 10**6
        assert game.rounds > 3


def test_a_round_longer_than_any_game() -> None:
    """With many sites a round grows N tenfold and more: its signals would come later than 2^63."""
    game = play(
        Martingale(alpha=0.1), RoundRobin(), sites=2**14, items=2**61 - 10**18, start=10**18, seed=1, engine="bulk"
    )
    assert game.ok
    assert game.words < 2**14
