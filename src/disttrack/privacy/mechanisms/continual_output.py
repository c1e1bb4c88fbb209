"""From a one-shot answer to an answer at every step: publish only when the last published answer is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Draws, Laplace, or_silence
from disttrack.mechanisms.segments import SegmentNoise


class OneShot(Protocol):
    """A streaming estimator that is asked for its answer between steps."""

    def step(self, x: Any) -> None:
        """Take the next symbol."""
        ...

    def answer(self) -> float:
        """Return the present answer."""
        ...


@dataclass(frozen=True)
class ContinualOutput(Mechanism):
    """Continual-output transformation of any one-shot estimator whose answer seldom changes much.

    At each step it compares the published answer with the estimator's, noise Lap(2 rho (k + 1) /
    epsilon) inside the absolute value, with a threshold d + 2A under the noise of the step's h segments,
    Lap(rho h / epsilon) each; A = rho (ln(1 / beta) + h) (k + h^2) / epsilon. Only if it is exceeded
    does it publish the answer, with noise Lap(2 rho (k + 1) / epsilon). After k + 1 publications it
    halts and its last answer remains.

    Parameters
    ----------
    epsilon
        The transformation costs 3 epsilon, on top of what the estimator's state costs.
    horizon
        Number of steps at most; the levels are h = log2(horizon), rounded up.
    sensitivity
        rho: how far one user may move any answer of the estimator.
    changes, variation
        k and d: the answer moves by d or more at most k times, except with small probability.
    beta
        Probability that an answer is off by more than d + alpha0 + 4A, with alpha0 the estimator's
        accuracy.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, Figure 2 and Theorem 5.2.
    Claim 5.1 for monotone functions.

    Examples
    --------
    >>> ContinualOutput(epsilon=1.0, horizon=1024, sensitivity=1e-6, changes=10, variation=0.1).levels
    10
    """

    kind = "continual-output"
    error = "d + alpha0 + 4A, A = rho (ln(1 / beta) + h) (k + h^2) / epsilon"
    arithmetic = "rounded"
    faults: ClassVar = DRAWN

    epsilon: Positive
    horizon: Whole
    sensitivity: Positive
    changes: Whole
    variation: Positive
    beta: Share = 0.05

    @property
    def levels(self) -> int:
        """Levels of segments, h."""
        return (self.horizon - 1).bit_length()

    @property
    def margin(self) -> float:
        """A, the bound on all noises together."""
        logs = math.log(1 / self.beta) + self.levels
        return self.sensitivity * logs * (self.changes + self.levels**2) / self.epsilon

    @property
    def threshold(self) -> float:
        """d + 2A."""
        return self.variation + 2 * self.margin

    @property
    def answer_noise(self) -> Laplace:
        """Noise of a comparison, and of a published answer."""
        return Laplace(2 * self.sensitivity * (self.changes + 1) / self.epsilon)

    @property
    def segment_noise(self) -> Laplace:
        """Noise of a segment in the threshold."""
        return Laplace(self.sensitivity * max(1, self.levels) / self.epsilon)

    def error_bound(self, accuracy: float) -> float:
        """Return d + alpha0 + 4A for an estimator of accuracy alpha0."""
        return self.variation + accuracy + 4 * self.margin

    def start(self, inner: OneShot, rng: np.random.Generator, *, silent: bool = False) -> ContinualOutputRun:
        """Return a fresh run around the estimator `inner`; `silent` turns the noise off, for tests."""
        return ContinualOutputRun(self, inner, or_silence(rng, silent))


class ContinualOutputRun:
    """A run of a continual-output transformation; numbers are those of the statements in Figure 2."""

    __slots__ = ("_answers", "_threshold", "_thresholds", "changes", "halted", "inner", "output", "t", "transformation")

    def __init__(self, transformation: ContinualOutput, inner: OneShot, rng: np.random.Generator) -> None:
        self.transformation = transformation
        self.inner = inner
        self._answers = Draws(transformation.answer_noise, rng, batch=1)
        segments = Draws(transformation.segment_noise, rng, batch=1)
        self._threshold = segments.on_grid(transformation.threshold)
        self._thresholds = SegmentNoise(transformation.levels, segments)
        self.t = 0
        self.changes = 0
        """Publications so far."""
        self.halted = False
        self.output = 0.0
        """The published answer."""

    def step(self, x: object) -> float:
        """Take the next symbol and return the published answer."""
        if self.t >= self.transformation.horizon:
            raise ValueError(
                f"step {self.t + 1} is past the horizon of this {self.transformation.kind} mechanism,"
                f" {self.transformation.horizon}"
            )
        self.t += 1
        if self.halted:
            return self.output
        self.inner.step(x)
        answer = self._answers.on_grid(float(self.inner.answer()))
        gap = abs(self.output - answer + self._answers.one())  # 1
        if gap > self._threshold + self._thresholds.one():  # 2 and 3
            self.output = self._answers.hide(answer)  # 3(a)
            self.changes += 1  # 3(b)
            self.halted = self.changes > self.transformation.changes
        return self.output

    def state(self) -> dict[str, object]:
        """Return the state that an intruder sees between two steps, the inner estimator's state included."""
        inner = self.inner.state() if hasattr(self.inner, "state") else {"answer": self.inner.answer()}
        own = {"step": self.t, "output": self.output, "changes": self.changes}
        return {**own, "noise": self._thresholds.in_force, "inner": inner}
