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
from disttrack.simulator.tasks.base import Record

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


def outcome(
    row: dict[str, Any], refuted: bool, claim: tuple[float, float], epsilon_low: float, runs: int, inputs: str
) -> Record:
    """Return the record of an audit: its own columns, and those that all audits share.

    Parameters
    ----------
    row
        Its own columns.
    refuted
        Whether the claim is refuted.
    claim
        The claimed epsilon and delta.
    epsilon_low
        Lower bound on epsilon from the runs alone.
    runs
        Number of runs.
    inputs
        The neighbouring inputs of the runs, in words.
    """
    row |= {"claimed": claim[0], "claimed_delta": claim[1], "epsilon_low": epsilon_low, "exceeds": refuted}
    row |= {"ok": not refuted, "verdict": "failed" if refuted else "ok", "items": runs, "engine": "step"}
    return Record(row, engine_reason=inputs)


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
