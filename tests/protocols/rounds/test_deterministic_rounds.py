"""The deterministic tracker with global increments against figures worked out by hand."""

from __future__ import annotations

import pytest

from adversaries import RoundRobin
from protocols import DeterministicRounds
from simulator import play


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
