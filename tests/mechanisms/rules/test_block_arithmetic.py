"""The arithmetic of blocks: by hand, and number by number as array by array."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.mechanisms.rules import BlockLayout, gap_scale, size_within


@given(alpha=st.floats(1e-6, 0.999), total=st.integers(0, 2**53), budget=st.floats(1.0, 1e9))
def test_the_blocks_of_a_budget_are_within_alpha(alpha: float, total: int, budget: float) -> None:
    size = size_within(alpha, total, budget)
    assert size * budget <= alpha * total * (1 + 1e-12)
    assert (size + 1) * budget > alpha * total * (1 - 1e-12)


@given(size=st.integers(1, 2**40), items=st.lists(st.integers(1, 2**61), min_size=1))
def test_an_array_is_as_each_of_its_numbers(size: int, items: list[int]) -> None:
    layout, array = BlockLayout(size), np.array(items)
    for of in (layout.block, layout.within, layout.full):
        assert of(array).tolist() == [of(item) for item in items]
    for item in items:
        assert (layout.block(item) - 1) * size + layout.within(item) == item
        assert layout.full(item) == layout.block(item) * size
        assert (layout.signals_to_double(item) - 1) * size < item <= layout.signals_to_double(item) * size


@pytest.mark.parametrize("p", [0, -0.1, 1.5, float("nan")])
def test_a_bias_that_is_none_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="p must be above 0 and at most 1; got "):
        gap_scale(p)
