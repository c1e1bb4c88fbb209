"""Linear counters: the exact sum plus noise that does not depend on the stream.

With x the stream, A the all-ones lower triangle and z independent draws, such a counter publishes A x + R z, which is
R (B x + z) for the matrix B of its noisy sums, the `encoder`. A `NoisePath` computes R z as a stream, one number per
step; the counting and the array form of `release` are then the same for all of them. Most have R of 0, 1 and -1: each
noisy sum is a node that is added to, or subtracted from, the estimates of a range of steps. Such a counter states its
nodes, and the noise of one step or of many follows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.checks import Share, Whole, probability, whole
from disttrack.mechanisms.counters.base import Counter, Run
from disttrack.mechanisms.gaussian import Calibration, noise_multiplier
from disttrack.mechanisms.noise import Ahead, Draws, Floats, Gaussian, Laplace, or_silence, rounded

BLOCK: Final = 1 << 15
"""Steps processed at a time, so that they stay in the cache."""
MOST: Final = 1 << 26
"""Maximum product of entries of a user and steps for an exact sensitivity."""
NEVER: Final = 1 << 62
"""Step from which a node that stays in all estimates is not used any more."""

Steps = NDArray[np.int64]


class NoisePath(Protocol):
    """The noise of the estimates, one step after the other: R z as a stream. `Draws` is one, with R the identity.

    Attributes
    ----------
    spacing
        Step of the grid of the numbers, the coarsest if there are several; 0 for none. Entries are rounded to it.
    """

    spacing: float = 0.0

    def one(self) -> float:
        """Return the noise of the next step."""
        ...

    def many(self, size: int) -> Floats:
        """Return the noise of the next `size` steps, at most `BLOCK`; a faster form must be equal to this loop."""
        return np.array([self.one() for _ in range(size)], dtype=np.float64)


class LinearCounter(Counter):
    """A counter that states the path of its noise; its runs are then complete."""

    @abstractmethod
    def noise(self, rng: np.random.Generator) -> NoisePath:
        """Return the noise of a fresh run."""

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> LinearRun:
        return LinearRun(self, self.noise(or_silence(rng, silent)))


@dataclass(frozen=True)
class UserLevelCounter(LinearCounter):
    """A linear counter for streams in which a user may have several entries.

    Its noise hides all entries of one user: neighbouring streams differ in up to `entries` entries, by at most 1 each.

    Parameters
    ----------
    participations
        Entries of one user at most. Neighbouring streams differ in all of them, by at most 1 each.
    separation
        Steps from one entry of a user to the next at least.
    """

    participations: Whole = field(default=1, kw_only=True)
    separation: Whole = field(default=1, kw_only=True)

    @property
    def entries(self) -> int:
        """Entries of one user within the horizon at most: one in each `separation` steps, up to `participations`."""
        room = self.participations if self.horizon is None else -(-self.horizon // self.separation)
        return min(self.participations, room)


class LinearRun(Run):
    """A running linear counter: the exact sum and the path of its noise."""

    __slots__ = ("_noise", "_one")

    def __init__(self, counter: Counter, noise: NoisePath | Ahead) -> None:
        super().__init__(counter)
        self._noise = noise
        self._one = noise.one
        self._spacing = getattr(noise, "spacing", 0.0)  # a user's path may state none

    def step(self, x: float = 1) -> float:
        t = self.t + 1
        if t > self._left:
            self._past_horizon(t)
        if x != 1 and x != 0:  # these lie on every grid
            x = rounded(x, self._spacing)
        self.t = t
        self._total += x
        return self._total + self._one()

    def release(self, values: ArrayLike) -> Floats:
        numbers = self._admit(values)
        self.t += len(numbers)
        out = np.empty(len(numbers))
        for at in range(0, len(numbers), BLOCK):
            sums = self._prefixes(numbers[at : at + BLOCK])
            np.add(sums, self._noise.many(len(sums)), out=out[at : at + BLOCK])
        return out


class Nodes(NamedTuple):
    """The noisy sums that begin in a range of steps: one row per node, in the order of the draws.

    Attributes
    ----------
    begin, until
        The first step whose estimate contains the node, and the first that does not any more.
    after, last
        It is the sum of the entries `after` + 1 ... `last`.
    sign
        1 where it is added, -1 where it is subtracted.
    """

    begin: Steps
    until: Steps
    after: Steps
    last: Steps
    sign: float | Steps = 1.0


class NodeCounter(UserLevelCounter):
    """A counter whose estimates add or subtract nodes, each with one draw of Laplace noise of the same scale."""

    arithmetic = "grid"

    @property
    @abstractmethod
    def levels(self) -> float:
        """Largest number of nodes that contain an entry: it loses epsilon over this in each of them."""

    @cached_property
    def sensitivity(self) -> float:
        """L1 sensitivity of the noisy sums: the largest number of nodes that contain the entries of one user.

        A node counts once for each entry, since changes of the same sign add up. It is exact up to `MOST`
        entries times steps; beyond that, or without a horizon, each entry is taken to lie in `levels` nodes.
        """
        if self.entries == 1 or self.horizon is None or self.entries * self.steps > MOST:
            return self.entries * self.levels
        nodes = self.nodes(0, self.steps)
        first, beyond = (
            np.bincount(np.minimum(of, self.steps), minlength=self.steps + 1) for of in (nodes.after, nodes.last)
        )
        counts = np.cumsum(first - beyond)[:-1]
        most = np.zeros(self.steps)
        for _ in range(self.entries):  # the most of one entry more, for each last step
            earlier = np.concatenate((np.zeros(self.separation), most))[: self.steps]
            most = np.maximum.accumulate(counts + earlier)
        return float(most[-1])

    @property
    def scale(self) -> float:
        """Scale of the noise of a node."""
        return self.sensitivity / self.epsilon

    @abstractmethod
    def nodes(self, before: int, upto: int) -> Nodes:
        """Return the nodes of the steps `before` + 1 ... `upto`."""

    def noise(self, rng: np.random.Generator) -> NodeNoise:
        return NodeNoise(self.nodes, Draws(Laplace(self.scale), rng, batch=min(self.steps, 1024)))

    def encoder(self, steps: int) -> Floats:
        nodes, entries = self.nodes(0, steps), np.arange(1, steps + 1)
        return ((entries > nodes.after[:, None]) & (entries <= nodes.last[:, None])) / self.scale


class NodeNoise(Ahead):
    """The noise of the nodes in use: each is added, or subtracted, from its draw until its end.

    Parameters
    ----------
    nodes
        Function that returns the nodes of a range of steps.
    draws
        Their noise.
    """

    __slots__ = ("_draws", "_ending", "_nodes", "_noise", "_t", "spacing")

    def __init__(self, nodes: Callable[[int, int], Nodes], draws: Ahead) -> None:
        super().__init__()
        self._nodes, self._draws = nodes, draws
        self.spacing: float = getattr(draws, "spacing", 0.0)
        self._ending: defaultdict[int, float] = defaultdict(float)
        """Noise that is removed at a later step."""
        self._noise = 0.0
        self._t = 0

    def ahead(self) -> Floats:
        """Return the noise of the steps for which a batch of draws suffices."""
        steps = 0
        while not steps:
            left = self._draws.refill()
            for steps in (left + 1, 2 * left):  # mostly one node begins at each step
                begin = self._nodes(self._t, self._t + steps).begin
                if len(begin) > left:
                    steps = int(begin[left]) - 1 - self._t
                    break
        return self.fresh(steps)

    def fresh(self, size: int) -> Floats:
        before, self._t = self._t, self._t + size
        nodes = self._nodes(before, self._t)
        noise: Floats = self._draws.many(len(nodes.begin)) * nodes.sign
        path = np.asarray(np.bincount(nodes.begin - before - 1, noise, size), dtype=np.float64)
        path -= np.bincount(np.minimum(nodes.until, self._t + 1) - before - 1, noise, size + 1)[:size]
        for t in [t for t in self._ending if t <= self._t]:
            path[t - before - 1] -= self._ending.pop(t)
        later = (nodes.until > self._t) & (nodes.until < NEVER)
        for t, left in zip(nodes.until[later].tolist(), noise[later].tolist(), strict=True):
            self._ending[t] += left
        path[0] += self._noise
        np.cumsum(path, out=path)
        self._noise = float(path[-1])
        return path


def dyadic_nodes(before: int, upto: int) -> Nodes:
    """Return the nodes of a binary tree: the longest dyadic interval that ends at each step.

    Algorithm 3 of Xiong, Zhu, Huang 2023, all steps t (line 2) at once. With i the number of trailing zeros of t, it
    sums up the entries t - 2^i + 1 ... t for level i (line 4), forgets the noisy sums of the levels below i (lines 5
    and 6), draws that of level i (line 7), and adds up those of the set bits of t (line 8). So the interval is used
    until one of its level, or of a higher one, ends: at t + 2^i.
    """
    ends = np.arange(before + 1, upto + 1)
    return Nodes(ends, ends + (ends & -ends), ends & (ends - 1), ends)


@dataclass(frozen=True)
class NormalCounter(LinearCounter):
    """A linear counter whose draws are normal.

    Parameters
    ----------
    epsilon, delta
        Privacy of all estimates together.
    horizon
        Number of steps at most.
    calibration
        Formula for sigma from epsilon and delta: classical (epsilon up to 1) or exact.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    privacy = "approximate"

    delta: Share = 1e-6
    calibration: Calibration = "classical"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.sigma

    @property
    def sigma(self) -> float:
        """Noise multiplier: standard deviation of the noise over the L2 sensitivity."""
        return noise_multiplier(self.epsilon, self.delta, self.calibration)

    @property
    @abstractmethod
    def std(self) -> float:
        """Standard deviation of each draw."""

    @abstractmethod
    def row_norm(self, t: int) -> float:
        """Return the variance of the estimate of step `t`, for draws of variance 1."""

    def variance(self, t: int) -> float:
        whole("t", t)
        return self.std**2 * self.row_norm(t)

    def error_bound(self, t: int, beta: float) -> float:
        probability("beta", beta)
        return Gaussian(math.sqrt(self.variance(t))).quantile(1 - beta / 2)
