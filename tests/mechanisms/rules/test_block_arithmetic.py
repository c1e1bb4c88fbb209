"""The arithmetic of blocks: by hand, and number by number as array by array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.mechanisms.rules import BlockLayout, BlockSizes, gap_scale, size_within


def test_block_sizes_by_hand() -> None:
    """alpha = 1/4, c = 2, 16 sites: a block is 1/32 of the first items, from 32 items on."""
    sizes = BlockSizes(0.25, 2.0, 16)
    assert (sizes.share, sizes.early) == (1 / 32, 32)
    assert [sizes.size(total) for total in (0, 31, 32, 63, 64, 1000)] == [0, 0, 1, 1, 2, 31]


def test_size_within_a_budget_by_hand() -> None:
    assert [size_within(0.5, total, 8.0) for total in (0, 15, 16, 100, 160)] == [0, 0, 1, 6, 10]


@given(alpha=st.floats(1e-6, 0.999), total=st.integers(0, 2**53), budget=st.floats(1.0, 1e9))
def test_the_blocks_of_a_budget_are_within_alpha(alpha: float, total: int, budget: float) -> None:
    size = size_within(alpha, total, budget)
    assert size * budget <= alpha * total * (1 + 1e-12)
    assert (size + 1) * budget > alpha * total * (1 - 1e-12)


def test_layout_by_hand() -> None:
    """Blocks of 3: items 1 to 3, 4 to 6, 7 to 9."""
    layout = BlockLayout(3)
    items = list(range(8))
    assert [layout.block(item) for item in items] == [0, 1, 1, 1, 2, 2, 2, 3]
    assert [layout.within(item) for item in items[1:]] == [1, 2, 3, 1, 2, 3, 1]
    assert [layout.full(item) for item in items] == [0, 3, 3, 3, 6, 6, 6, 9]
    assert (layout.items(5), layout.signals(7)) == (15, 7 / 3)
    assert [layout.signals_to_double(total) for total in (8, 9, 10)] == [3, 3, 4]


@given(size=st.integers(1, 2**40), items=st.lists(st.integers(1, 2**61), min_size=1))
def test_an_array_is_as_each_of_its_numbers(size: int, items: list[int]) -> None:
    layout, array = BlockLayout(size), np.array(items)
    for of in (layout.block, layout.within, layout.full):
        assert of(array).tolist() == [of(item) for item in items]
    for item in items:
        assert (layout.block(item) - 1) * size + layout.within(item) == item
        assert layout.full(item) == layout.block(item) * size


@pytest.mark.parametrize("p", [0, -0.1, 1.5, float("nan")])
def test_a_bias_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p must be above 0 and at most 1; got "):
        gap_scale(p)
