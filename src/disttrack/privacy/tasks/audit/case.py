"""A case of an audit: how a mechanism is observed, and neighbouring inputs.

A mechanism is (epsilon, delta)-private if for all neighbouring inputs and all events E of an observation
Pr[E] <= e^epsilon Pr'[E] + delta. An audit looks for a case that refutes the claim. By runs it learns an event from one
half of the runs on two inputs and tests it on the other; exactly, it watches the same mechanism with scripted draws,
from which the distributions on all neighbours follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import singledispatch
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.noise import Floats
from disttrack.privacy.tasks.audit.event import Shape
from disttrack.simulator.game.tasks.base import Record, Row

CATEGORY = Shape(categories=True)
"""The structure of an observation that is one category."""
Inputs = Sequence[Any] | NDArray[Any]
"""Neighbouring inputs, one per row."""
Watch = Callable[[Any, Any], Sequence[float]]
"""Plays one run on an input, with a generator, and returns the observation: numbers, the category first if any."""


@dataclass(frozen=True)
class Case:
    """An observation of a mechanism on neighbouring inputs.

    Attributes
    ----------
    watch
        Plays one run.
    inputs
        The input and its neighbour.
    says
        The inputs and the observation, in words.
    shape
        Structure of the observations.
    """

    watch: Watch
    inputs: Inputs
    says: str
    shape: Shape = CATEGORY

    def sample(self, neighbour: bool, runs: int, rng: np.random.Generator) -> Floats:
        """Return the observations of `runs` runs, one row per run."""
        return np.array([self.watch(self.inputs[int(neighbour)], rng) for _ in range(runs)], dtype=np.float64)


class Exact(NamedTuple):
    """An exact privacy loss, at the delta of the claim.

    Attributes
    ----------
    loss
        The loss.
    proved
        Its proved upper bound on these inputs.
    """

    loss: float
    proved: float


class Audit(NamedTuple):
    """The audit of one mechanism.

    Attributes
    ----------
    cases
        Pairs of inputs for runs.
    exact
        Computes the exact loss; None if there is no method for it.
    slow
        Whether its runs are slow: only a quarter of them is played.
    claim
        The claimed epsilon and delta; None for the parameters `epsilon` and `delta` of the mechanism.
    """

    cases: Sequence[Case]
    exact: Callable[[], Exact | None] = lambda: None
    slow: bool = False
    claim: tuple[float, float] | None = None


@singledispatch
def audit_of(mechanism: object) -> Audit:
    """Return the audit of a mechanism, by its class or the nearest base; without cases if there is none."""
    return Audit(())


def exactly(loss: float | None, proved: float) -> Exact | None:
    """Return a loss with its proved bound; None if the loss is unknown."""
    return None if loss is None else Exact(loss, proved)


def within(mechanism: object, most: int) -> int:
    """Return the steps of a stream of an audit: `most`, or the horizon of a mechanism that ends before.

    Examples
    --------
    >>> from disttrack.mechanisms import Binary
    >>> within(Binary(epsilon=1, horizon=2), 4), within(Binary(epsilon=1, horizon=64), 4), within(object(), 4)
    (2, 4, 4)
    """
    return min(most, getattr(mechanism, "horizon", None) or most)


def one_more(numbers: ArrayLike) -> Floats:
    """Return an input of numbers and its neighbours, one per row: in each of them another number is larger by one."""
    whole = np.asarray(numbers, dtype=np.float64)
    return np.vstack((whole, whole + np.eye(len(whole))))


def closings(watch: Watch, stream: Sequence[float], says: str, more: float = 1.0) -> Case:
    """Return a case of answers that seldom change, on a stream and on one whose first entry is larger by `more`.

    Seen are the steps that changed the answer, as one number, and the errors of the changed answers, padded.
    """
    sums = list(accumulate(stream))

    def changes(entries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        pattern, off, before = 0, [], 0.0
        for t, answer in enumerate(watch(entries, rng)):
            if answer != before:
                pattern |= 1 << t
                off.append(answer - sums[t])
                before = answer
        return [float(pattern), *off, *[0.0] * (len(sums) - len(off))]

    shape = Shape([0.0] * len(sums), [more] * len(sums), categories=True)
    return Case(changes, (stream, [stream[0] + more, *stream[1:]]), says, shape)


def outcome(row: Row, refuted: bool, claim: tuple[float, float], epsilon_low: float, runs: int, inputs: str) -> Record:
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
