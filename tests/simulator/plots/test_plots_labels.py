"""Spreading labels: in order, none over another, and where they belong if there is room."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.simulator.plots.render import spread


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(0.5, 10))
def test_no_two_overlap_and_the_order_stays(wanted: list[float], size: float) -> None:
    placed = spread(wanted, size, 0, 100)
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    for lower, upper in itertools.pairwise(order):
        assert placed[upper] - placed[lower] >= size - 1e-6
    assert min(placed) >= size / 2 - 1e-6
    assert max(placed) <= 100 - size / 2 + 1e-6


@given(st.floats(0.5, 10), st.integers(1, 8))
def test_labels_with_room_stay_where_they_are(size: float, number: int) -> None:
    wanted = [6.0 + 11.0 * place for place in range(number)]
    assert spread(wanted, size, 0, 100) == pytest.approx(wanted)
