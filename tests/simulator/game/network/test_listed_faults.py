"""Faults in a list, by hand. Lists copied from drawn faults are played in test_engines_agree.py."""

from __future__ import annotations

from typing import Any

import pytest

from disttrack.adversaries import RoundRobin, SingleSite
from disttrack.protocols import Deterministic, Exact, Protocol
from disttrack.simulator import play
from disttrack.simulator.game.network.listed import read, within, written
from tests.simulator.game.network.shipped import protocols


def test_faults_by_hand() -> None:
    """Site 0 of `exact` sends each of its ten items in its step; latency 1."""

    def outputs(faults: str, **more: Any) -> list[tuple[int, float]]:
        network = {"latency": 1, "faults": faults, **more}
        game = play(Exact(), SingleSite(), sites=2, items=10, network=network, record=True)
        return list(game.outputs.itertuples(index=False, name=None))

    every = [(step, step - 1) for step in range(2, 11)]
    assert outputs("") == every
    assert outputs("message 3 to 0 lost; message 1 from 1 lost") == every  # there are no such messages
    assert outputs("message 3 from 0 lost") == [(step, step - 1 - (step > 3)) for step in range(2, 11) if step != 4]
    # those behind it wait, or pass it
    assert outputs("message 3 from 0 late 4") == [(2, 1), (3, 2), (8, 7), (9, 8), (10, 9)]
    assert outputs("message 3 from 0 overtaken 4") == [
        (2, 1), (3, 2), (5, 3), (6, 4), (7, 5), (8, 7), (9, 8), (10, 9),
    ]  # fmt: skip
    assert outputs("message 3 from 0 twice 2")[2:5] == [(4, 3), (5, 4), (6, 6)]
    assert outputs("sites 0 cut 4-6") == [(2, 1), (3, 2), (4, 3), (8, 4), (9, 5), (10, 6)]
    assert outputs("messages from 0 lost 4-6") == outputs("sites all cut 4-6") == outputs("sites 0 cut 4-6")
    assert outputs("messages to all lost 4-6; messages from 1 lost 4-6") == every
    assert outputs("messages from 0-1 late 4 3-3") == outputs("message 3 from 0 late 4")
    assert outputs("messages from all late 4 3-3; messages from 0 late 2 2-3; message 2 from 0 lost") == outputs(
        "message 3 from 0 late 4; message 2 from 0 lost"
    )  # the larger of two, and a single message
    assert outputs("messages from 0 overtaken 4 3-3") == outputs("message 3 from 0 overtaken 4")
    assert outputs("messages from 0 twice 2 3-3") == outputs("message 3 from 0 twice 2")
    assert outputs("site 0 down 4-6") == [(2, 1), (3, 2), (4, 3), (5, 4), (7, 6), (8, 7), (9, 8), (10, 9)]
    assert outputs("server down 4-6; site 0 down 7-9")[2:4] == [(4, 3), (7, 4)]
    assert outputs("message 3 from 0 lost", link={"timeout": 4})[1:3] == [(3, 2), (8, 7)]


def test_a_site_that_forgets_needs_a_rule_of_return() -> None:
    class NoRule(Exact):
        readmission = "none"

    network = {"faults": "site 0 forgets 3-5"}
    with pytest.raises(ValueError, match="faults: state must be kept"):
        play(NoRule(), RoundRobin(), sites=1, items=10, network=network)
    assert play(Deterministic(alpha=0.1), RoundRobin(), sites=1, items=100, network=network).restarts == 1


def test_the_faults_of_fewer_sites() -> None:
    faults = read(
        "message 1 from 2 lost; message 1 to 1 late 2; sites 1-3 cut 4-5; sites all down 6-7; site 3 down 1-2; "
        "messages to 1-2 twice 0 8-9; messages from 3 lost 8-9"
    )
    kept = "message 1 to 1 late 2; sites 1 cut 4-5; sites all down 6-7; messages to 1 twice 0 8-9"
    assert written(within(faults, 2)) == kept


@pytest.mark.parametrize("engine", ["step", "leap"])
def test_a_message_is_lost_if_neither_it_nor_its_copy_arrives(engine: Any) -> None:
    """Of those sent in steps 2, 5 and 6 and a copy, all four lost, the one of step 5 has a copy that arrives."""
    faults = "message 2 from 0 lost; message 3 from 0 twice 3; message 5 from 0 twice 6; server down 5-7"
    options: dict[str, Any] = {"sites": 1, "items": 20, "record": True, "engine": engine}
    game = play(Exact(), RoundRobin(), network={"latency": 1, "faults": faults}, **options)
    assert (game.lost, [game.transcript.step[row] for row in game.lost_rows or ()]) == (4, [2, 6])
    linked = play(Exact(), RoundRobin(), network={"loss": 0.3, "link": "reliable"}, **options)
    assert linked.lost > 0
    assert linked.lost_rows == []
    assert play(Exact(), RoundRobin(), **options).lost_rows is None


@pytest.mark.parametrize("protocol", protocols()[::5], ids=lambda one: one.kind)
def test_faults_draw_from_a_stream_of_their_own(protocol: Protocol) -> None:
    """With delays of 0 a network that draws but never harms leaves the game as it is; so does an empty list."""
    rare = {"duplication": 1e-15, "reordering": 1e-15, "crash": {"rate": 1e-15, "down": 1}}
    sizes: dict[str, Any] = {"sites": 3, "items": 300, "seed": 3, "engine": "leap", "record": True}
    plain, drawn, empty = (
        play(protocol, RoundRobin(), network=network, **sizes) for network in (None, rare, {"faults": ""})
    )
    assert drawn.transcript.equals(plain.transcript)
    assert (drawn.words, drawn.max_lag_error, drawn.coins) == (plain.words, plain.max_rel_error, True)
    assert empty.transcript.equals(plain.transcript)
