"""Counters with one fault each. The conformance suite must find every one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.mechanisms import Binary, Counter, PerItem
from disttrack.mechanisms.counters.linear import LinearRun
from disttrack.mechanisms.noise import or_silence


@dataclass(frozen=True)
class Base(PerItem):
    """A right counter: one noise an item."""

    kind = "mutant"
    source = "made for this test"


@dataclass(frozen=True)
class TakesAnyEpsilon(Base):
    """Looks at nothing."""

    def __post_init__(self) -> None:
        pass


def _started(mutant: type[LinearRun]) -> Any:
    def start(self: PerItem, rng: np.random.Generator, *, silent: bool = False) -> LinearRun:
        return mutant(self, self.noise(or_silence(rng, silent)))

    return start


def released(change: Callable[[float, Any, Callable[[Any], Any]], Any]) -> Any:
    """Return the start of a counter whose run releases something else, by its sum before and what is right."""

    class Spoilt(LinearRun):
        def release(self, values: Any) -> Any:
            return change(self._total, np.asarray(values), super().release)

    return _started(Spoilt)


@dataclass(frozen=True)
class ReleaseIsLate(Base):
    """Releases the estimates before the present ones."""

    start = released(lambda before, values, release: np.concatenate(([0.0], release(values)))[: len(values)])


@dataclass(frozen=True)
class SameForAllSeeds(Base):
    """Has a generator of its own."""

    def start(self, rng: Any, *, silent: bool = False) -> LinearRun:
        return super().start(
            rng if not isinstance(rng, np.random.Generator) else np.random.default_rng(0), silent=silent
        )


class _Twice(LinearRun):
    def step(self, x: float = 1) -> float:
        return super().step(2 * x)

    def release(self, values: Any) -> Any:
        return super().release(2 * np.asarray(values))


@dataclass(frozen=True)
class CountsTwice(Base):
    """Counts each item twice."""

    start = _started(_Twice)


class _Endless(LinearRun):
    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._left = float("inf")


@dataclass(frozen=True)
class GoesOn(Base):
    """Knows no end."""

    start = _started(_Endless)


@dataclass(frozen=True)
class HalfTheNoise(Base):
    """Takes twice the epsilon, and says in its encoder what it really does."""

    def encoder(self, steps: int) -> Any:
        return 2 * super().encoder(steps)

    def start(self, rng: Any, *, silent: bool = False) -> LinearRun:
        return PerItem(2 * self.epsilon, self.horizon).start(rng, silent=silent)

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(1 / (2 * self.epsilon), t)]


@dataclass(frozen=True)
class HidesHalfTheNoise(HalfTheNoise):
    """Takes twice the epsilon, and claims the right encoder."""

    def encoder(self, steps: int) -> Any:
        return PerItem.encoder(self, steps)


@dataclass(frozen=True)
class SaysLess(Base):
    """States a quarter less variance than it has, and no encoder."""

    def encoder(self, steps: int) -> None:
        return None

    def variance(self, t: int) -> float:
        return 0.75 * 2 * t / self.epsilon**2


@dataclass(frozen=True)
class BoundTooLow(Base):
    """States four fifths of its error bound."""

    def error_bound(self, t: int, beta: float) -> float:
        return 0.8 * super().error_bound(t, beta)


def half_later(before: float, values: Any, release: Callable[[Any], Any]) -> Any:
    sums = before + np.cumsum(values)
    noise = release(values) - sums
    return sums + np.concatenate((noise[:1024], (noise[1023:1024] + noise[1024:]) / 2))


@dataclass(frozen=True)
class HalfTheNoiseLater(Base):
    """Has half of its noise from step 1,025 on, and states all of it."""

    start = released(half_later)
    noise_parts = PerItem.noise_parts
    variance = PerItem.variance


@dataclass(frozen=True)
class SixteenBits(Base):
    """Keeps its sum in 16 bits."""

    start = released(
        lambda before, values, release: release(values) - 65_536 * (before + np.cumsum(values) >= 32_768)
    )


@dataclass(frozen=True)
class LosesAnEntry(Base):
    """Loses the entry after the first block of a release."""

    start = released(
        lambda before, values, release: release(np.where(np.arange(len(values)) == 1 << 15, 0.0, values))
    )


@dataclass(frozen=True)
class StopsGrowing(Base):
    """States an error that does not grow after step 4,096."""

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return super().noise_parts(min(t, 4096))


@dataclass(frozen=True)
class OneLevelShort(Binary):
    """Has one level too few for horizons above 4,096, and states the errors of that."""

    @property
    def levels(self) -> float:
        return self.steps.bit_length() - (self.steps > 4096)

    encoder = Binary.encoder
    noise_parts = Binary.noise_parts
    variance = Binary.variance


LONG_MUTANTS: dict[str, type[Counter]] = {
    cls.__name__: cls for cls in (HalfTheNoiseLater, SixteenBits, LosesAnEntry, StopsGrowing, OneLevelShort)
}
"""Counters whose faults grow with the horizon; listed before the check of long runs was written."""
WRONG_COUNTS: tuple[type[Counter], ...] = (TakesAnyEpsilon, ReleaseIsLate, SameForAllSeeds, CountsTwice, GoesOn)
WRONG_NOISE: tuple[type[Counter], ...] = (HalfTheNoise, HidesHalfTheNoise, SaysLess, BoundTooLow)
MUTANTS: dict[str, type[Counter]] = {cls.__name__: cls for cls in (*WRONG_COUNTS, *WRONG_NOISE)}
