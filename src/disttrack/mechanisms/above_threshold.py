"""The sparse vector technique: is a query above the threshold yet? Only the first yes costs privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Finite, Positive
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Draws, Floats, Laplace, or_silence, real_numbers


def fires(query: Any, noise: Any, hidden: Any) -> Any:
    """Return whether a query on the grid of its noise, or each of an array, is above the hidden threshold: l. 4."""
    return query + noise > hidden


@dataclass(frozen=True)
class AboveThreshold(Mechanism):
    """AboveThreshold: fires at the first query with query + Lap(4 / epsilon) > threshold + Lap(2 / epsilon).

    Parameters
    ----------
    epsilon
        Privacy loss of all answers together, for queries of sensitivity 1, however many there are.
    threshold
        In the units of the queries.

    Raises
    ------
    ValueError
        If `epsilon` is not above 0 or `threshold` not finite.

    Source
    ------
    Qiu, Yi 2022, Algorithm 1 and Theorem 4.
    First in Dwork, Naor, Reingold, Rothblum, Vadhan 2009.

    Examples
    --------
    >>> run = AboveThreshold(epsilon=1.0, threshold=2.5).start(np.random.default_rng(0), silent=True)
    >>> [run.step(query) for query in (1, 2, 3)]
    [False, False, True]
    """

    kind = "above-threshold"
    error = "silent below threshold - (8 / epsilon) ln(2 t / beta)"
    arithmetic = "grid"
    faults: ClassVar = DRAWN

    epsilon: Positive
    threshold: Finite

    @property
    def threshold_noise(self) -> Laplace:
        """Noise of the threshold, drawn once."""
        return Laplace(2 / self.epsilon)

    @property
    def query_noise(self) -> Laplace:
        """Noise of each query."""
        return Laplace(4 / self.epsilon)

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> AboveThresholdRun:
        """Return a fresh run; `silent` turns the noise off, for tests."""
        return AboveThresholdRun(self, or_silence(rng, silent))


class AboveThresholdRun:
    """A test of thresholds at work; it halts when it fires. Comments give the lines of Algorithm 1 of Qiu, Yi 2022.

    Attributes
    ----------
    hidden
        The threshold with its noise.
    """

    __slots__ = ("_draws", "halted", "hidden", "mechanism", "t")

    def __init__(self, mechanism: AboveThreshold, rng: np.random.Generator) -> None:
        self.mechanism = mechanism
        self.hidden = Draws(mechanism.threshold_noise, rng, batch=1).hide(float(mechanism.threshold))  # l. 2
        self._draws = Draws(mechanism.query_noise, rng)
        self.t = 0
        self.halted = False

    def step(self, query: float) -> bool:
        """Answer the next query: True if it fires.

        Raises
        ------
        ValueError
            If the run has halted, or the query is not finite.
        """
        self._refuse_if_halted()
        self.halted = fires(self._draws.on_grid(query), self._draws.one(), self.hidden)
        self.t += 1  # l. 3
        return self.halted  # l. 5

    def first(self, queries: ArrayLike) -> int | None:
        """Answer queries until one fires, and return its place in the list; None if none fires."""
        self._refuse_if_halted()
        values = real_numbers(queries)
        fired = np.flatnonzero(fires(self._draws.on_grid(values), self._draws.many(len(values)), self.hidden))
        self.halted = len(fired) > 0
        self.t += int(fired[0]) + 1 if self.halted else len(values)
        return int(fired[0]) if self.halted else None

    def noise(self) -> Floats:
        """Draw the noise of the next queries, a batch, for a caller that asks them of `fires` itself."""
        return self._draws.ahead()

    def _refuse_if_halted(self) -> None:
        if self.halted:
            raise ValueError(f"step {self.t + 1} is past the halt of this test at step {self.t}")
