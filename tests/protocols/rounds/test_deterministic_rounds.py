"""The deterministic tracker with global increments: a game by hand, its error and its cost."""

from __future__ import annotations

from math import log2

import pytest

from disttrack.adversaries import Adversary, RoundRobin, SingleSite, Uniform
from disttrack.protocols import DeterministicRounds
from disttrack.simulator import play


def test_rounds_of_global_increments_by_hand() -> None:
    """k = 2, alpha = 1/2, in turn. Items 1 … 4 are forwarded; at M = 4 the increment is q = 0.5 · 4 / 2 = 1.

    Each item is then a bit, until the fourth makes the output 8 = 2 M: poll, and M = 8, q = 2. Sites signal at
    every second item of theirs: the items 11, 12, 15, 16 of all, and the output is 16 = 2 M: poll, M = 16, q = 4.
    """
    game = play(DeterministicRounds(alpha=0.5), RoundRobin(), sites=2, items=16, record=True)
    outputs = dict(zip(game.outputs["step"], game.outputs["output"], strict=True))
    assert outputs == {step: step for step in range(1, 9)} | {11: 10, 12: 12, 15: 14, 16: 16}
    assert game.rounds == 3
    by_kind = {row.kind: row.messages for row in game.kinds.itertuples()}
    assert by_kind == {"item": 4, "round": 2 * 3, "bit": 4 + 4, "poll": 2 * 2, "count": 2 * 2}
    assert game.lowest == pytest.approx(-2 / 10)  # the worst step is 10: the output is still 8


@pytest.mark.parametrize("adversary", [RoundRobin(), SingleSite(), Uniform()], ids=lambda one: one.kind)
@pytest.mark.parametrize("k", [1, 7, 50])
def test_lags_by_less_than_alpha_and_costs_what_it_says(k: int, adversary: Adversary) -> None:
    """Between two polls each site has at most q - 1 items unsaid: k (q - 1) < alpha M in all.

    Every item is forwarded up to M = k / alpha, the least at which q = floor(alpha M / k) is 1.
    """
    game = play(DeterministicRounds(alpha=0.1), adversary, sites=k, items=40_000)
    assert game.ok
    assert -0.1 < game.lowest < 0
    assert game.highest == 0
    by_kind = {row.kind: row.messages for row in game.kinds.itertuples()}
    assert by_kind["item"] == 10 * k
    assert by_kind["round"] == game.rounds * k
    assert by_kind["poll"] == by_kind["count"] == (game.rounds - 1) * k
    # the output doubles from round to round, the count by up to a factor 1 / (1 - alpha) more
    assert log2(40_000 / (10 * k)) / log2(2 / 0.9) - 1 < game.rounds <= log2(40_000 / (10 * k)) + 1
    assert game.words <= DeterministicRounds(alpha=0.1).cost_bound(k, 40_000)
