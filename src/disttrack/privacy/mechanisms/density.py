"""Pan-private density: the share of users who have appeared, from one randomised bit per user."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Whole, probability
from disttrack.mechanisms.faults import TOSSED


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
        bit = self._rng.random() < self._chance
        self._ones += bit - self._bits[user]
        self._bits[user] = bit

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
