"""Rules of a round: blocks and coins, for one number and for an array of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.protocols.base import FOREVER
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.block import Blocks
from disttrack.protocols.rounds.deterministic_rounds import LastOfBlock
from disttrack.protocols.rounds.rules import CoinRule, remembering


def test_blocks_by_hand() -> None:
    """Blocks of 4: items 1 … 4, 5 … 8, 9 …; who has signalled at 1, 4, 5 or 8 signals in the next block."""
    rule = LastOfBlock(4)
    assert [rule.block(count) for count in (0, 1, 4, 5, 8, 9)] == [0, 1, 1, 2, 2, 3]
    assert [rule.after(due) for due in (0, 1, 4, 5, 8)] == [4, 8, 8, 12, 12]
    assert [rule.place(block) for block in (1, 2, 7)] == [4, 8, 28]
    assert rule.rate == 1 / 4
    assert rule.last == FOREVER


def test_an_array_of_blocks_is_as_each_of_them() -> None:
    rule = LastOfBlock(5)
    counts = np.arange(40)
    assert rule.block(counts).tolist() == [rule.block(int(count)) for count in counts]
    assert rule.after(counts, len(counts)).tolist() == [rule.after(int(count)) for count in counts]
    assert rule.place(counts + 1, len(counts)).tolist() == [rule.place(int(count) + 1) for count in counts]


def test_a_random_place_lies_in_its_block() -> None:
    rule = Blocks(7, Coins(np.random.default_rng(0)))
    places = rule.place(np.repeat(3, 2000), 2000)
    assert set(places.tolist()) == set(range(15, 22))  # each with probability 1/7: missed by all with 1e-133
    assert {rule.after(14) for _ in range(2000)} == set(range(15, 22))


@pytest.mark.parametrize(
    ("size", "blocks", "last"), [(4, 3, 13), (1, 1, 2), (2**40, 2**40, FOREVER), (9, None, FOREVER)]
)
def test_the_item_after_the_last_block_ends_the_round(size: int, blocks: int | None, last: int) -> None:
    assert Blocks(size, Coins(np.random.default_rng(0)), blocks).last == last


def test_a_coin_of_bias_one_falls_at_each_item() -> None:
    rule = CoinRule(1.0, Coins(np.random.default_rng(0)))
    assert [rule.after(due) for due in range(5)] == [1, 2, 3, 4, 5]
    assert rule.signalled(6, 10, 14).tolist() == [11, 12, 13, 14]
    assert rule.rate == 1.0


def test_the_rule_of_a_round_is_asked_for_once_by_all_its_sites() -> None:
    asked: list[tuple[int, int]] = []

    def rule_of(number: int, total: int) -> Any:
        asked.append((number, total))
        return LastOfBlock(total)

    rule = remembering(rule_of)
    assert len({id(rule(1, 10)) for _ in range(5)}) == 1
    assert rule(2, 20) is not rule(1, 10)
    assert asked == [(1, 10), (2, 20), (1, 10)]
