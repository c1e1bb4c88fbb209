"""Items of sketches and codes of updates are whole numbers in their range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.privacy.adversaries.sketching.base import ObliviousStream
from disttrack.privacy.adversaries.updates import UpdateStream
from disttrack.privacy.mechanisms.dynamic import GrowingInfinite
from disttrack.privacy.mechanisms.sketches import Kmv
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.duel import play_duel


class Fixed(ObliviousStream):
    """A stream of a sketch that repeats a list of items."""

    kind = "fixed"

    def __init__(self, items: Any) -> None:
        self.items = np.array(items)

    def stretch(self, begun: int, length: int, rng: Any) -> Any:
        return np.resize(self.items, length), np.ones(length, dtype=np.int64)


@pytest.mark.parametrize(
    ("items", "engine"),
    [([1.5, 1.7], "arrays"), ([-3, 4], "step"), ([2**63], "arrays"), ([2**64, 2**64 + 5], "step"), ([True], "arrays")],
)
def test_sketches_take_the_items_that_they_tell_apart(items: Any, engine: str) -> None:
    """They hash 64 bits: larger numbers would be equal to smaller ones, and floats are cut in arrays."""
    if items == [True]:
        items = np.array([True], dtype=object)
    with pytest.raises(MoveError, match=r"(move|stretch)\(\) returned .* accepted: an item from 0 to 2\^63 - 1 and"):
        play_duel(Kmv(size=20), Fixed(items), updates=10, engine=engine)


@pytest.mark.parametrize("code", [1.5, "1", True])
def test_updates_of_a_data_set_are_whole_numbers(code: Any) -> None:
    class Mine(UpdateStream):
        kind = "mine"

        def updates(self, view: Any) -> Any:
            return [1, code]

    with pytest.raises(
        ValueError, match=f"^codes of updates must be whole numbers; got {type(code).__name__} .* at place 1$"
    ):
        play_duel(GrowingInfinite(epsilon=1.0), Mine(), steps=4)
