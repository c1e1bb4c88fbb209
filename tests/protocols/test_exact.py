"""The trivial protocol: every item is a message, and the output the truth at each step."""

from __future__ import annotations

import pytest

from disttrack.adversaries import Freeze, RoundRobin, SingleSite
from disttrack.protocols import Exact
from disttrack.simulator import play


@pytest.mark.parametrize("engine", ["step", "leap", "bulk"])
@pytest.mark.parametrize("start", [0, 5])
def test_four_items_by_hand(engine: str, start: int) -> None:
    game = play(Exact(), RoundRobin(), sites=3, items=4, start=start, engine=engine, record=True)
    sent = game.transcript[["step", "sender", "receiver", "kind", "words"]]
    assert sent.to_numpy().tolist() == [[step, (step - 1) % 3, "server", "item", 1] for step in (1, 2, 3, 4)]
    assert game.outputs.to_numpy().tolist() == [[step, start + step] for step in (1, 2, 3, 4)]
    assert (game.highest, game.lowest, game.ok) == (0, 0, True)


@pytest.mark.parametrize("adversary", [RoundRobin(), SingleSite(), Freeze()], ids=lambda one: one.kind)
def test_is_never_wrong_and_costs_an_item_a_word(adversary) -> None:
    game = play(Exact(), adversary, sites=5, items=1000, seed=1)
    assert game.max_rel_error == 0
    assert game.words == game.messages == Exact().cost_bound(5, 1000) == 1000
    assert game.output_changes == 1000
