"""Delays: what is accepted, and how they are drawn."""

from __future__ import annotations

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Exact
from disttrack.simulator import play
from disttrack.simulator.game.network import Latency


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_what_is_sent_in_a_step_arrives_so_many_steps_later(engine: str) -> None:
    game = play(Exact(), RoundRobin(), sites=3, items=10, record=True, engine=engine, network=Latency(constant=2.5))
    assert game.transcript["step"].tolist() == list(range(1, 11))  # the ledger's time is that of sending
    assert game.outputs["step"].tolist() == list(range(4, 11))
    assert game.outputs["output"].tolist() == list(range(1, 8))
    assert game.messages == 10  # those still under way at the end were sent all the same
