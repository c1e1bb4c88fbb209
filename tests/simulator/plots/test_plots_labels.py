"""Spreading labels: nearest to where they belong, in order, none over another."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disttrack.simulator.plots.labels import spread

CENTRES = st.lists(st.floats(0, 100), min_size=1, max_size=8)


@given(CENTRES, st.floats(0.5, 10))
def test_no_two_overlap_and_the_order_stays(wanted: list[float], size: float) -> None:
    placed = spread(wanted, [size] * len(wanted), 0, 100)
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    for lower, upper in itertools.pairwise(order):
        assert placed[upper] - placed[lower] >= size - 1e-6
    assert min(placed) >= size / 2 - 1e-6
    assert max(placed) <= 100 - size / 2 + 1e-6


@given(st.floats(0.5, 10), st.integers(1, 8))
def test_labels_with_room_stay_where_they_are(size: float, number: int) -> None:
    wanted = [6.0 + 11.0 * place for place in range(number)]
    assert spread(wanted, [size] * number, 0, 100) == pytest.approx(wanted)


def test_a_pile_is_spread_around_its_middle() -> None:
    assert spread([50, 50, 50], [4, 4, 4], 0, 100) == pytest.approx([46, 50, 54])


def test_two_piles_that_meet_are_spread_together() -> None:
    # centres least squares away from 10, 10, 13, 13 at distances of 4: 5.5, 9.5, 13.5, 17.5
    assert spread([10, 10, 13, 13], [4, 4, 4, 4], 0, 100) == pytest.approx([5.5, 9.5, 13.5, 17.5])


def test_too_little_room_is_left_at_both_ends_alike() -> None:
    assert spread([1, 2, 3], [10, 10, 10], 0, 10) == pytest.approx([-5, 5, 15])
