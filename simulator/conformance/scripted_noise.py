"""A counter seen from outside as a linear map of its noise, found by feeding it one unit of noise at a time.

A counter that states an encoder answers A x + R z, x the stream, A the all-ones triangle and z its draws, each in
units of its own scale. R is measured on the running code and nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms import Counter


class ScriptedNoise:
    """Stands for a numpy generator: its draws are a given list, in units of the scale, and zero after it."""

    def __init__(self, draws: Any) -> None:
        self._draws = np.asarray(draws, dtype=np.float64)
        self.taken = 0

    def _take(self, size: int) -> NDArray[np.float64]:
        taken = np.zeros(size)
        part = self._draws[self.taken : self.taken + size]
        taken[: len(part)] = part
        self.taken += size
        return taken

    def laplace(self, _: float, scale: float, size: int) -> NDArray[np.float64]:
        return scale * self._take(size)

    def normal(self, _: float, std: float, size: int) -> NDArray[np.float64]:
        return std * self._take(size)


def response(counter: Counter, steps: int, draws: int, *, whole: bool = False) -> NDArray[np.float64]:
    """Return R for the first `draws` draws: from `step`, or from one call of `release` if `whole`."""
    columns = []
    for unit in np.eye(draws):
        run = counter.start(ScriptedNoise(unit))  # type: ignore[arg-type]
        columns.append(run.release(np.zeros(steps)) if whole else [run.step(0) for _ in range(steps)])
    return np.array(columns, dtype=np.float64).T
