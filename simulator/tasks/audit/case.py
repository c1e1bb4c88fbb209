"""A case of an audit: two neighbouring inputs, what an observer sees of a run, and the claim.

A case observes one run and returns its numbers, the category first if it has one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from disttrack.simulator.tasks.audit.event import Shape

Observe = Callable[[bool, np.random.Generator], Sequence[float]]
"""Plays one run, on the neighbour if the first argument is true, and returns what an observer sees."""


@dataclass(frozen=True)
class Case:
    """A claim and how it is put to the test.

    Attributes
    ----------
    epsilon, delta
        The claim.
    observe
        Plays one run.
    shape
        What the observations are.
    inputs
        The input and its neighbour, in words.
    share
        Part of the usual number of runs that is played, where a run is slow.
    """

    epsilon: float
    delta: float
    observe: Observe
    shape: Shape
    inputs: str
    share: float = 1.0


def sample(case: Case, neighbour: bool, runs: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the observations of so many runs, a row a run."""
    play = partial(case.observe, neighbour, rng)
    return np.array([play() for _ in range(runs)], dtype=np.float64)


def closings(answers: Sequence[float], exact: Sequence[float], most: int) -> list[float]:
    """Return which steps changed the answer, as one number, and what the changed answers are off by, padded."""
    pattern, off, before = 0, [], 0.0
    for t, answer in enumerate(answers):
        if answer != before:
            pattern |= 1 << t
            off.append(answer - exact[t])
            before = answer
    return [float(pattern), *off, *[0.0] * (most - len(off))]
