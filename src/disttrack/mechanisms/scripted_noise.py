"""A mechanism as a function of its noise, measured with noise given in advance.

A counter with an encoder answers A x + R z, x the stream, A the all-ones triangle and z its draws, each in
units of its own scale. R is measured on the running code only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.counters.base import Counter


class Batch(NamedTuple):
    """Draws taken at once: index of the first, from 0, their number, and their scale."""

    first: int
    size: int
    scale: float


class ScriptedNoise:
    """Replacement for a numpy generator: its draws are a given list, in units of the scale, and zero after it.

    Generators spawned from it take from the same list, in the order of their requests.

    Parameters
    ----------
    draws
        The list, or a mapping from the index of a draw to its value, all others 0.

    Attributes
    ----------
    taken
        Number of draws so far.
    batches
        The draws of each request.
    chances
        Probabilities of the requested geometric waiting times; each of these is 1.
    waits
        Means of the requested exponential variables; each of these is 0.
    normal_draws
        Whether any of the draws were normal.
    """

    def __init__(self, draws: object = ()) -> None:
        self._some = dict(draws) if isinstance(draws, dict) else None
        self._draws = np.asarray(() if self._some is not None else draws, dtype=np.float64)
        self.taken = 0
        self.batches: list[Batch] = []
        self.chances: list[float] = []
        self.waits: list[float] = []
        self.normal_draws = False

    def spawn(self, count: int) -> list[ScriptedNoise]:
        """Return generators that take from the same list."""
        return [self] * count

    def laplace(self, _: float, scale: float, size: int | None = None) -> object:
        return scale * self._take(size, scale)

    def normal(self, _: float, std: float, size: int | None = None) -> object:
        self.normal_draws = True
        return std * self._take(size, std)

    def exponential(self, mean: float, size: int | None = None) -> object:
        """Return 0: waiting times are not part of the list."""
        self.waits.append(mean)
        return np.zeros(size) if size is not None else 0.0

    def geometric(self, chance: float) -> int:
        self.chances.append(chance)
        return 1

    def _take(self, size: int | None, scale: float) -> Any:
        wanted = 1 if size is None else size
        taken = np.zeros(wanted)
        if self._some is None:
            part = self._draws[self.taken : self.taken + wanted]
            taken[: len(part)] = part
        else:
            for number, value in self._some.items():
                if self.taken <= number < self.taken + wanted:
                    taken[number - self.taken] = value
        self.batches.append(Batch(self.taken, wanted, scale))
        self.taken += wanted
        return taken if size is not None else float(taken[0])


def response(counter: Counter, steps: int, draws: int, *, whole: bool = False) -> NDArray[np.float64]:
    """Return R for the first `draws` draws: from `step`, or from one call of `release` if `whole`."""
    columns = []
    for unit in np.eye(draws):
        run = counter.start(ScriptedNoise(unit))  # type: ignore[arg-type]
        columns.append(run.release(np.zeros(steps)) if whole else [run.step(0) for _ in range(steps)])
    return np.array(columns, dtype=np.float64).T
