"""The share of users who have appeared: pan-private from one bit per user, or published when it is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole, probability
from disttrack.mechanisms.faults import DRAWN, TOSSED
from disttrack.mechanisms.noise import Draws, Laplace, or_silence
from disttrack.mechanisms.segments import SegmentNoise


@dataclass(frozen=True)
class PanPrivateDensity(Mechanism):
    """Density estimator with a private state: one random bit per user, tossed again when the user appears.

    Before a user appears the bit is 1 with probability 1/2, afterwards with 1/2 + gain, gain = (1 -
    exp(-epsilon)) / 2. The two distributions are within a factor exp(epsilon), however often the
    user appears. With a the share of ones the estimate is (a - 1/2) / gain.

    Parameters
    ----------
    epsilon
        User-level privacy loss of one view of the state. The estimates contain no separate noise:
        a publisher must add noise for a sensitivity of `sensitivity`.
    users
        Size of the universe.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum, Yekhanin 2010.
    Recalled; the largest gain for epsilon is derived.

    Examples
    --------
    >>> round(PanPrivateDensity(epsilon=1.0, users=10).gain, 6)
    0.31606
    """

    kind = "pan-private-density"
    error = "sqrt(ln(2 / beta) / (2 users)) / gain, gain = (1 - exp(-epsilon)) / 2"
    arithmetic = "coins"
    faults: ClassVar = TOSSED

    epsilon: Positive
    users: Whole

    @property
    def gain(self) -> float:
        """Increase of the probability of a one after the user has appeared."""
        return (1 - math.exp(-self.epsilon)) / 2

    @property
    def sensitivity(self) -> float:
        """Largest change of any estimate due to one user."""
        return 1 / (self.gain * self.users)

    def accuracy(self, beta: float) -> float:
        """Return a bound that the error of one estimate exceeds with probability at most `beta` (Hoeffding)."""
        probability("beta", beta)
        return math.sqrt(math.log(2 / beta) / (2 * self.users)) / self.gain

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> DensityRun:
        """Return a fresh run; `silent` makes it exact and not private, for tests."""
        return DensityRun(self, rng, silent)


class DensityRun:
    """A running density estimator; each coin is tossed when needed, so that none is in memory ahead."""

    __slots__ = ("_bits", "_chance", "_gain", "_ones", "_prior", "_rng", "mechanism")

    def __init__(self, mechanism: PanPrivateDensity, rng: np.random.Generator, silent: bool) -> None:
        self.mechanism = mechanism
        self._rng = rng
        self._prior, self._gain = (0.0, 1.0) if silent else (0.5, mechanism.gain)
        self._chance = self._prior + self._gain
        self._bits = bytearray((rng.random(mechanism.users) < self._prior).tobytes())
        self._ones = sum(self._bits)

    def step(self, user: int | None) -> None:
        """Take the next symbol: the user who appears, 0 ... users - 1; None for nobody."""
        if user is None:
            return
        if not 0 <= user < self.mechanism.users:
            raise ValueError(f"user must be from 0 to {self.mechanism.users - 1}; got {user!r}")
        self.appear(user, user + 1)

    def appear(self, begin: int, end: int) -> None:
        """Take the users from `begin` to `end` - 1, who appear together: as if they came one after the other."""
        users = np.frombuffer(self._bits, dtype=np.uint8)[begin:end]
        bits = self._rng.random(len(users)) < self._chance
        self._ones += int(np.count_nonzero(bits)) - int(np.count_nonzero(users))
        users[:] = bits

    def answer(self) -> float:
        """Return the estimate of the share of users who have appeared."""
        return (self._ones / self.mechanism.users - self._prior) / self._gain

    def state(self) -> dict[str, bytes]:
        """Return the state that an intruder sees between two steps: all the bits."""
        return {"bits": bytes(self._bits)}


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
