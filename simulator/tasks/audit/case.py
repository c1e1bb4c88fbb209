"""A case of an audit: two neighbouring inputs, the observation of a run, and the claim.

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
"""Plays one run, on the neighbour if the first argument is true, and returns the observation."""


@dataclass(frozen=True)
class Case:
    """A claim and its test.

    Attributes
    ----------
    epsilon, delta
        The claim.
    observe
        Plays one run.
    shape
        Structure of the observations.
    inputs
        The input and its neighbour, in words.
    share
        Share of the usual number of runs, for slow runs.
    """

    epsilon: float
    delta: float
    observe: Observe
    shape: Shape
    inputs: str
    share: float = 1.0


def sample(case: Case, neighbour: bool, runs: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the observations of `runs` runs, one row per run."""
    play = partial(case.observe, neighbour, rng)
    return np.array([play() for _ in range(runs)], dtype=np.float64)


def closings(answers: Sequence[float], exact: Sequence[float], most: int) -> list[float]:
    """Return the steps that changed the answer, as one number, and the errors of the changed answers, padded."""
    pattern, off, before = 0, [], 0.0
    for t, answer in enumerate(answers):
        if answer != before:
            pattern |= 1 << t
            off.append(answer - exact[t])
            before = answer
    return [float(pattern), *off, *[0.0] * (most - len(off))]
