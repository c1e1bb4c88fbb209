"""Mechanisms and trackers with a fault planted in each: they claim what they do not keep, and an audit must say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disttrack.mechanisms import Fresh, PanPrivate, SquareRoot
from disttrack.mechanisms.counters.base import Run
from disttrack.privacy.mechanisms import ReleaseMonitor


@dataclass(frozen=True)
class NoiseReused(Fresh):
    """One draw of noise for all estimates, of the scale of a single release."""

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> Any:
        return _OneDraw(self, float(rng.laplace(0, 1 / self.epsilon)))


class _OneDraw(Run):
    def __init__(self, counter: Any, noise: float) -> None:
        super().__init__(counter)
        self._noise = noise

    def step(self, x: float = 1) -> float:
        self._total += x
        return self._total + self._noise


@dataclass(frozen=True)
class ExactMemory(PanPrivate):
    """The outputs are as they should be; the memory holds the exact count beside the noise."""

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> Any:
        return _Open(super().start(rng, silent=silent))


class _Open:
    def __init__(self, run: Any) -> None:
        self._run, self._count = run, 0.0

    def step(self, x: float = 1) -> float:
        self._count += x
        return float(self._run.step(x))

    def state(self) -> dict[str, Any]:
        return {**self._run.state(), "count": self._count}


@dataclass(frozen=True)
class TwoReveals(ReleaseMonitor):
    """Ones are revealed five times as often as said."""

    def halt(self, ones: Any, steps: int, rng: np.random.Generator) -> int | None:
        return ReleaseMonitor(self.k, 5 * self.delta).halt(ones, steps, rng)


@dataclass(frozen=True)
class UndeclaredHalf(SquareRoot):
    """Half the standard deviation, and declared so: composition alone refutes it."""

    encoder = SquareRoot.encoder

    @property
    def std(self) -> float:
        return super().std / 2
