"""The timeline: each row is the state at the end of the step of its item."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from disttrack.simulator.game.timeline import checkpoints


@st.composite
def long_games(draw: Any) -> tuple[int, int]:
    """Starts and items of every size up to the 2^61 that a game may have together."""
    items = draw(st.integers(0, 2 ** draw(st.integers(1, 61))))
    return draw(st.integers(0, min(2**61 - items, 2 ** draw(st.integers(1, 61))))), items


@settings(max_examples=200, deadline=None)
@given(long_games(), st.integers(2, 300))
@example((437050046578687, 4), 5)
@example((2**60, 1000), 200)
@example((2**61 - 1, 1), 200)
@example((2**53 - 2, 3), 200)
def test_checkpoints(game: tuple[int, int], number: int) -> None:
    start, items = game
    found = checkpoints(start, items, number)
    assert found == sorted(set(found))
    assert len(found) <= number + 2
    if not items:
        assert found == []
        return
    assert found[0] == start + 1
    assert found[-1] == start + items


def test_checkpoints_at_large_counts_are_as_many_and_as_even() -> None:
    """Of 1000 items beyond 2^60, 200 are shown, at most six items apart: (1000 - 1) / 199 and rounding."""
    found = checkpoints(2**60, 1000, 200)
    assert len(found) == 200
    assert {later - sooner for sooner, later in pairwise(found)} <= {5, 6}
    assert checkpoints(437050046578687, 4, 5) == [437050046578687 + place for place in (1, 2, 3, 4)]


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**50), st.integers(1, 2**50), st.integers(2, 300), st.booleans())
@example(0, 2_000_000, 200, False)
def test_checkpoints_are_the_rounded_floats_where_these_are_right(
    start: int, items: int, number: int, down: bool
) -> None:
    """Tables written long ago keep their rows: only where a float has no room for a count is anything else taken."""
    floats = np.geomspace(start + 1, start + items, number)
    rounded = sorted({int(value + (0.0 if down else 0.5)) for value in floats} | {start + 1, start + items})
    if (rounded[0], rounded[-1]) == (start + 1, start + items):
        assert checkpoints(start, items, number, down=down) == rounded
