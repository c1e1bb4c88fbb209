"""What the classes say of their memory, against the numbers that a run keeps, at three lengths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log2
from typing import Any, Final

import numpy as np
import pytest

from disttrack.mechanisms import COUNTERS, Counter
from disttrack.mechanisms.base import Mechanism
from disttrack.privacy.mechanisms import MECHANISMS, PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism

LENGTHS: Final = (1 << 5, 1 << 8, 1 << 11)
"""Steps, and the horizons."""
GROWTH: Final[Mapping[str, Callable[[float], float]]] = {
    "O(1)": lambda t: 1.0,
    "O(log t)": log2,
    "O(base log t)": log2,
    "O(log horizon)": log2,
    "buffers, or O(log horizon)": log2,
    "O(log n_t)": log2,
    "O(t)": float,
    "O(horizon)": float,
    "O(|X| log T)": log2,
    "O(|X| log t)": log2,
    "O(|X| log n_t)": log2,
    "O(|X| log m_t)": log2,
    "O(n_t + |X| log m_t)": log2,
    "O(n_t + |X| log^2 m)": lambda t: log2(t) ** 2,
    "O(n_t + rows log L)": log2,
}
"""The growth that each text means in the games here: every step has an item, and of those that may be deleted at most
two are live."""
SLACK: Final = 1.25
"""Small numbers of levels are rounded."""
STATED: Final[Mapping[str, type[Any]]] = {
    **COUNTERS,
    **{name: one for name, one in MECHANISMS.items() if isinstance(one, type) and issubclass(one, DynamicMechanism)},
}


def numbers_in(thing: Any, met: dict[int, Any]) -> int:
    """Return how many numbers a run keeps; parameters, generators and the books of its budget are no state."""
    if isinstance(thing, int | float | np.number):
        return not isinstance(thing, bool)
    if id(thing) in met or isinstance(thing, Mechanism | np.random.Generator | PrivacyLedger | type | str):
        return 0
    met[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        return thing.size
    if isinstance(thing, Mapping):
        return sum(numbers_in(one, met) for pair in thing.items() for one in pair)
    if hasattr(thing, "__iter__") and hasattr(thing, "__len__"):
        return sum(numbers_in(one, met) for one in thing)
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    held = [getattr(thing, name) for name in slots if hasattr(thing, name)]
    return sum(numbers_in(one, met) for one in [*held, *getattr(thing, "__dict__", {}).values()])


def most_numbers(maker: type[Any], length: int, watched: Callable[[Any], Any] = lambda run: run) -> int:
    """Return the most numbers of a run, looked at after 2^i steps and in nine more places."""
    epsilon = 1.0 if issubclass(maker, Counter) else 1e4  # short segments
    run = watched(maker(epsilon=epsilon, horizon=length).start(np.random.default_rng(0)))
    deletes, most = getattr(maker, "deletes", False), 0
    for step in range(1, length + 1):
        run.step(1 - step if deletes and step % 2 == 0 else 1)
        if step & (step - 1) == 0 or step % (length // 8) == 0 or step == length - 1:
            most = max(most, numbers_in(run, {}))
    return most


def grows_as_stated(maker: type[Any], sizes: Sequence[int]) -> bool:
    growth = GROWTH[maker.memory]
    return all(
        size <= SLACK * sizes[0] * growth(length) / growth(LENGTHS[0])
        for size, length in zip(sizes, LENGTHS, strict=True)
    )


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("kind", STATED)
def test_the_memory_of_a_run_grows_no_faster_than_it_says(kind: str) -> None:
    maker = STATED[kind]
    sizes = [most_numbers(maker, length) for length in LENGTHS]
    assert grows_as_stated(maker, sizes)
    if issubclass(maker, Counter):
        linear = GROWTH[maker.memory] is float
        assert maker.remembers_steps == linear
        assert not linear or sizes[-1] >= LENGTHS[-1]


class Keeping:
    """A run, and a list of its steps that nobody needs."""

    def __init__(self, run: Any, every: int) -> None:
        self.run, self.every, self.kept = run, every, []

    def step(self, code: int) -> None:
        self.run.step(code)
        self.kept += [code] * (self.run.t % self.every == 0)


@pytest.mark.parametrize(
    ("kind", "every"), [("per-item", 64), ("binary", 16), ("sparse-infinite", 16), ("factorised-difference", 8)]
)
def test_a_run_that_keeps_its_steps_is_refused(kind: str, every: int) -> None:
    """Control."""
    sizes = [most_numbers(STATED[kind], length, lambda run: Keeping(run, every)) for length in LENGTHS]
    assert not grows_as_stated(STATED[kind], sizes)


def test_all_texts_are_known() -> None:
    assert {maker.memory for maker in STATED.values()} == set(GROWTH)
    assert len(STATED) >= 23
