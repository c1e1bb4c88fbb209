"""Base classes of private counters: parameters with the distribution of the error, and a run that counts.

A `Counter` is a frozen dataclass of parameters. `start(rng)` makes a `Run`, which takes one number
per step and returns an estimate of the sum so far. Neighbouring streams differ by at most 1
in one entry ("event level"), unless the class says otherwise.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, NotRequired, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Whole, whole
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.laplace_sums import laplace_sum_quantile, laplace_sum_variance
from disttrack.mechanisms.noise import Floats, real_numbers, rounded
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts


@dataclass(frozen=True)
class Counter(Mechanism, ABC):
    """Parameters of a private counter; makes its runs.

    Parameters
    ----------
    epsilon
        Privacy loss of the whole sequence of estimates.
    horizon
        Number of steps at most. Counters that need it refuse None; the others take it as a limit if
        given.

    Raises
    ------
    ValueError
        If `epsilon` is not above 0 or `horizon` not a whole number of at least 1.
    """

    memory: ClassVar[str] = ""
    """Growth of the state, as text."""
    privacy: ClassVar[Literal["pure", "approximate"]] = "pure"
    """Pure: (epsilon, 0); approximate: (epsilon, delta), the class then has a parameter delta."""
    needs_horizon: ClassVar[bool] = True
    """Whether the number of steps must be known beforehand."""
    pan_private: ClassVar[bool] = False
    """Whether epsilon also covers the state, seen once."""
    only_bits: ClassVar[bool] = False
    """Whether it takes 0 and 1 only."""
    remembers_steps: ClassVar[bool] = False
    """Whether a run stores a number for each step."""
    error_follows_items: ClassVar[bool] = False
    """Whether its error depends on the number of nonzero entries rather than the number of steps."""
    faults: ClassVar = DRAWN

    epsilon: Positive
    horizon: Whole | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.needs_horizon:
            whole("horizon", self.horizon)

    @property
    def steps(self) -> int:
        """The horizon of a counter that must have one."""
        if self.horizon is None:
            raise ValueError(f"horizon must be given here: {self.kind} has none")
        return self.horizon

    @abstractmethod
    def start(self, rng: np.random.Generator, *, silent: bool = False) -> Run:
        """Return a fresh run.

        Parameters
        ----------
        rng
            Generator of all its noise.
        silent
            True turns the noise off, for tests; the estimates are then exact and not private.
        """

    def encoder(self, steps: int) -> Floats | None:
        """Return the matrix of the noisy sums: one row per draw of a run of `steps` steps, in the order of the draws.

        Each row holds the stream's weights in that sum, divided by the scale of its noise (by the
        standard deviation where the noise is normal). So the largest L1 norm of a column is the privacy
        loss of a pure counter, and the largest L2 norm is the inverse of the noise multiplier of a
        Gaussian one. None if the counter is not of this form. For tests and audits: it needs memory for
        steps^2 numbers.
        """
        return None

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]] | None:
        """Return the Laplace variables in the estimate of step `t` as pairs (scale, count); None if there is
        no closed form."""
        return None

    def variance(self, t: int) -> float | None:
        """Return the variance of the estimate of step `t`; None where it has no closed form."""
        whole("t", t)
        parts = self.noise_parts(t)
        return None if parts is None else laplace_sum_variance(parts)

    def error_bound(self, t: int, beta: float) -> float:
        """Return a bound that the error at step `t` exceeds with probability at most `beta`.

        It is exact where `noise_parts` is known. For all steps up to t at once, take beta / t.
        """
        whole("t", t)
        parts = self.noise_parts(t)
        if parts is None:
            raise NotImplementedError(f"{self.kind} states no error bound")
        return laplace_sum_quantile(parts, beta)

    def error_bound_throughout(self, steps: int, beta: float, items: int | None = None) -> float:
        """Return a bound that the largest error of steps 1 ... `steps` exceeds with probability at most `beta`.

        A union bound: the error bound at beta / steps of the worst step. `items`, the nonzero entries of the stream,
        matter only where the error follows them.
        """
        whole("steps", steps)
        return max(self.error_bound(t, beta / steps) for t in self.worst_steps(steps))

    def worst_steps(self, steps: int) -> Sequence[int]:
        """Return a few steps, one of which has the largest error up to `steps`."""
        # if the error grows with the set bits of t: one bit of `steps` is cleared, all lower ones are set
        places = [place for place in range(steps.bit_length()) if steps >> place & 1]
        return [steps, *(t for t in ((steps >> j << j) - 1 for j in places) if t)]

    shortcuts: ClassVar = {
        "encoder": Shortcut(encoder),
        "noise_parts": Shortcut(noise_parts),
        "variance": Shortcut(variance),
        "error_bound": Shortcut(error_bound),
        "error_bound_throughout": Shortcut(error_bound_throughout, of=("error_bound",)),
    }
    descriptions = frozenset(
        {"error_follows_items", "memory", "needs_horizon", "only_bits", "pan_private", "privacy"}
        | {"remembers_steps", "worst_steps"}
    )


class State(TypedDict):
    """What a look at a run's memory finds: the step, the sum so far, and the noises in force, if it hides the sum."""

    step: int
    count: float
    noise: NotRequired[tuple[float, ...]]


class Run(Shortcuts, ABC):
    """A running counter. Step numbers start at 1.

    Parameters
    ----------
    counter
        Its parameters.
    """

    __slots__ = ("_left", "_spacing", "_total", "counter", "t")

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.t = 0
        """Steps taken so far."""
        self._total = 0.0
        self._spacing = 0.0
        """Step of the grid that entries are rounded to; 0 for none."""
        self._left: float = float("inf") if counter.horizon is None else counter.horizon

    @abstractmethod
    def step(self, x: float = 1) -> float:
        """Take the next number and return the estimate of the sum so far.

        Raises
        ------
        ValueError
            If the horizon has been reached, or the number is not finite.
        """

    def release(self, values: ArrayLike) -> Floats:
        """Take several numbers and return the estimate after each; equivalent to calling `step` for each."""
        numbers = self._admit(values)
        step = self.step
        return np.array([step(x) for x in numbers.tolist()], dtype=np.float64)

    def state(self) -> State:
        """Return the state that an intruder sees between two steps: everything stored except future coins.

        ``count`` is the sum in memory: exact, unless the counter is pan-private.
        """
        return {"step": self.t, "count": self._total}

    def _admit(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the numbers as floats on the grid; refuse what is not finite, and more steps than the horizon."""
        numbers = real_numbers(values)
        if numbers.ndim != 1:
            raise ValueError(f"values must be one-dimensional; got shape {numbers.shape}")
        if self.t + len(numbers) > self._left:
            self._past_horizon(self.t + len(numbers))
        return rounded(numbers, self._spacing)

    def _prefixes(self, numbers: Floats) -> Floats:
        """Return the exact sums after each number, added up in the order in which `step` adds."""
        sums = numbers.copy()
        if len(sums):
            sums[0] += self._total
            np.cumsum(sums, out=sums)
            self._total = float(sums[-1])
        return sums

    def _past_horizon(self, t: int) -> None:
        """Refuse a step past the horizon."""
        raise ValueError(f"step {t} is past the horizon of this {self.counter.kind} counter, {self._left}")

    shortcuts: ClassVar = {"release": Shortcut(release)}
    descriptions = frozenset({"state"})
