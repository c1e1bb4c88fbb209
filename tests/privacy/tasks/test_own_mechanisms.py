"""Mechanisms and streams of the user's: rules that are changed are played, and items and codes are whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack import Binary, Grow, GrowingFinite, RoundRobin, Uniform, play_duel
from disttrack.adversaries import Burst
from disttrack.mechanisms.counters.base import Run
from disttrack.mechanisms.counters.linear import LinearRun
from disttrack.privacy.adversaries import FreshItems, UpdateStream
from disttrack.privacy.adversaries.sketching.base import ObliviousStream
from disttrack.privacy.mechanisms import Empirical, GrowingInfinite, Kmv
from disttrack.privacy.tasks.analysis.task import SampleSize
from disttrack.simulator import ScenarioError
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.reference import DifferenceError


def test_a_bound_of_other_noise_decides_nothing() -> None:
    class Quiet(Binary):
        """A counter of other noise."""

        def start(self, rng: Any, *, silent: bool = False) -> LinearRun:
            return super().start(rng, silent=True)

    class QuietData(GrowingFinite):
        """A dynamic mechanism of another budget."""

        def part(self, epsilon: float, delta: float) -> Any:
            return super().part(epsilon / 2, delta)

    counter = play_duel(Quiet(epsilon=1.0, horizon=64), RoundRobin(), steps=64)
    assert (counter.verdict, counter.bound, counter.max_abs_error) == ("undecided", None, 0.0)
    data = play_duel(QuietData(epsilon=1.0, horizon=32), Grow(), steps=32)
    assert (data.verdict, data.bound) == ("undecided", None)


class Alternates(FreshItems):
    """Inserts one item again and again, and says that it does not react."""

    oblivious = True

    def move(self, view: Any) -> Any:
        return 7, 1


class TwoStreams(Alternates):
    """Says another thing in an array."""

    def stretches(self, view: Any) -> Any:
        return super().stretches(view)


def test_moves_of_its_own_are_not_those_of_its_parents_array() -> None:
    """An array of its own is compared with them."""
    game = play_duel(Kmv(alpha=0.5, size=4), Alternates(), updates=50)
    assert (game.touched, game.engine) == (1, "step")
    assert "Alternates changes move" in game.engine_reason
    with pytest.raises(DifferenceError, match=r"^TwoStreams: "):
        play_duel(Kmv(alpha=0.5, size=4), TwoStreams(), updates=50)


def test_an_array_form_that_is_wrong_after_a_thousand_steps_is_an_error() -> None:
    class ExactRun(Run):
        """Counts exactly by steps, and in an array up to the thousandth entry."""

        def step(self, x: float = 1) -> float:
            return float(self.release([x])[0])

        def release(self, values: Any) -> Any:
            sums = self._prefixes(self._admit(values))
            return np.where(np.arange(len(sums)) < 1000, sums, 0.0)

    class ExactLater(Binary):
        """A counter without noise."""

        def start(self, rng: Any, *, silent: bool = False) -> Run:
            return ExactRun(self)

    with pytest.raises(DifferenceError, match=r"^ExactLater: step and arrays .*; its release\(\) or"):
        play_duel(ExactLater(epsilon=1.0, horizon=5000), RoundRobin(), steps=5000)


def test_formulas_are_of_the_class_that_they_were_derived_for() -> None:
    class Shifted(Empirical):
        """Answers something else."""

        def start(self, data: Any, queries: int, rng: Any) -> Any:
            return super().start(data, queries, rng)

    with pytest.raises(ScenarioError, match="drawn without a sample"):
        SampleSize().fits(Shifted(alpha=0.1), None, {"queries": 3})


def test_a_rule_that_is_set_on_a_stream_of_bits_is_refused() -> None:
    uniform = Uniform()
    uniform.plan = lambda view: Burst(view.changes)  # type: ignore[method-assign]
    with pytest.raises(TypeError, match=r"plan is set on the object"):
        play_duel(Binary(epsilon=1.0, horizon=8), uniform, steps=8)


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
