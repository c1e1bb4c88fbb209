"""Insertions and deletions: noisy measurements of the live items, by a factorisation over time and over the domain.

An item counts from one answer to another, so that neighbouring streams differ by 1 in the answers s, ..., u - 1 of
some interval: by +1 at s and by -1 at u in the stream of differences. u - s is at most the lifetime of an item; without
a limit the interval may last to the end. What matters is the sensitivity to such pairs, and not to one entry as in
counting.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Whole, one_of
from disttrack.mechanisms.counters.binary import SmoothBinary
from disttrack.mechanisms.counters.blt import Buffers, quadrature_buffers
from disttrack.mechanisms.gaussian import noise_multiplier
from disttrack.mechanisms.laplace_sums import laplace_sum_variance
from disttrack.mechanisms.noise import Draws, Floats, Gaussian, Laplace, RealGaussian, rounded
from disttrack.mechanisms.shortcuts import state
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism, DynamicRun
from disttrack.privacy.mechanisms.queries.strategies import Strategy, strategy

TEMPER: Final = (1.2, 1.07)
"""Decay of the noise over a lifetime, and over all answers where nothing limits it: the best for many answers."""
ENDLESS: Final = 32
"""Lifetimes after which what is left of an entry is below the rounding of doubles."""
BLOCK: Final = 256
"""Steps of a tree whose nodes are found at a time."""
Path = Callable[[], Floats]
"""Returns the noise of the next answer, one number per measurement."""


@dataclass(frozen=True)
class LiveNoise(ABC):
    """Noise of measurements of the live items.

    Parameters
    ----------
    epsilon, delta
        Privacy of all answers together.
    sensitivity
        Norm of what one item adds to the measurements: L1 for Laplace noise, L2 for normal noise.
    answers
        Number of answers.
    lifetime
        Answers for which an item counts at most, up to `answers`.
    """

    epsilon: float
    delta: float
    sensitivity: float
    answers: int
    lifetime: int

    @abstractmethod
    def start(self, rng: np.random.Generator, rows: int) -> Path:
        """Return the noise of a run with this number of measurements."""

    @abstractmethod
    def grid(self, rng: np.random.Generator) -> float:
        """Return the step of the coarsest grid that the draws from a generator lie on; 0 for none."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Largest variance of a measurement."""

    @abstractmethod
    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        """Return a bound that a combination of the measurements' noise exceeds with probability `beta` at most.

        Parameters
        ----------
        gain
            Largest squared norm and largest entry of the combination.
        """


class NormalNoise(LiveNoise):
    """Normal noise, correlated over time: 1 / sqrt(1 - r x) applied to independent draws.

    r = 1 is the square-root factorisation of counting, whose variance grows with the number of answers. Below it, the
    noise forgets: its variance is bounded, and entries that are further apart than about 1 / (1 - r) no longer share
    much of it. r = 1 - 1.2 / lifetime is the best for lifetimes from 5 to 1,200 answers, and within 1 % of buffers that
    are optimised freely.

    Source
    ------
    Andersson, Jain, Sivakumar 2026 (the square root on the difference stream).
    The decay, and the exact sensitivity to pairs: derived here; the buffers are those of `mechanisms.counters.blt`.
    """

    @cached_property
    def _buffers(self) -> Buffers:
        limited = self.lifetime < self.answers
        decay = 1.0 - TEMPER[not limited] / max(2, self.lifetime)
        return quadrature_buffers(min(self.answers, 4 * self.lifetime)).tempered(decay)

    @cached_property
    def _std(self) -> float:
        """Standard deviation of each draw."""
        steps = min(self.answers, ENDLESS * self.lifetime)
        pairs = math.sqrt(largest_pair(self._buffers.inverse_coefficients(steps), self.lifetime))
        return noise_multiplier(self.epsilon, self.delta, "exact") * self.sensitivity * pairs

    @property
    def variance(self) -> float:
        return self._std**2 * self._buffers.column_norm(self.answers)

    def grid(self, rng: np.random.Generator) -> float:
        return RealGaussian(self._std).grid(rng)

    def start(self, rng: np.random.Generator, rows: int) -> Path:
        draws, buffers = Draws(RealGaussian(self._std), rng), self._buffers
        states = np.zeros((len(buffers.decays), rows))

        def path() -> Floats:
            nonlocal states
            fresh = draws.many(rows)
            noise = fresh + (buffers.weights[:, None] * states).sum(axis=0)
            states = buffers.decays[:, None] * states + fresh
            return np.asarray(draws.on_grid(noise))

        return path

    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        return Gaussian(math.sqrt(gain[0] * self.variance)).quantile(1 - beta / 2)


class LaplaceNoise(LiveNoise):
    """Laplace noise: a fresh look at the live items once per lifetime, and a tree of differences from there on.

    An interval of at most a lifetime contains one such look at most; its two ends are one entry each of a tree. So the
    loss is that of a look and twice that of an entry, and it is divided so that the variance is least. Without a limit
    there is one tree over all answers.

    Source
    ------
    Andersson, Pagh 2023 (the tree). The looks, and the division: derived here.
    """

    @cached_property
    def _shares(self) -> tuple[float, float]:
        """Epsilon of a look, 0 if there is none, and of an entry of a tree."""
        if self.lifetime == self.answers:
            return 0.0, self.epsilon / min(2, self.answers)
        if self.lifetime == 1:
            return self.epsilon, self.epsilon
        look = (4 / laplace_sum_variance(self._tree(1.0).noise_parts(1))) ** (1 / 3)  # the least variance of the sum
        return look * self.epsilon / (look + 2), self.epsilon / (look + 2)

    def _tree(self, epsilon: float) -> SmoothBinary:
        return SmoothBinary(epsilon, max(1, self.lifetime - (self.lifetime < self.answers)))

    @property
    def _parts(self) -> list[tuple[float, int]]:
        """Scales and numbers of the Laplace variables in a measurement."""
        look, entry = self._shares
        tree = self._tree(entry / self.sensitivity).noise_parts(1) if self.lifetime > 1 or not look else []
        return [*tree, *([(self.sensitivity / look, 1)] if look else [])]

    @property
    def variance(self) -> float:
        return laplace_sum_variance(self._parts)

    def grid(self, rng: np.random.Generator) -> float:
        return Laplace(max(scale for scale, _ in self._parts)).grid(rng)

    def start(self, rng: np.random.Generator, rows: int) -> Path:
        look, entry = self._shares
        tree = self._tree(entry / self.sensitivity)
        base, now, differences = np.zeros(rows), 0, tree_noise(tree, rng, rows)

        def path() -> Floats:
            nonlocal base, now, differences
            now += 1
            if look and now % self.lifetime == 0:
                base, differences = Laplace(self.sensitivity / look).draw(rng, rows), tree_noise(tree, rng, rows)
                return base
            return base + next(differences)

        return path

    def quantile(self, gain: tuple[float, float], beta: float) -> float:
        """Return the Chernoff bound: per variable, -ln(1 - y) / y grows with y, so all entries count as the largest."""
        squares, largest = gain
        scales, counts = np.array([(largest * scale, count * squares / largest**2) for scale, count in self._parts]).T
        rates = np.linspace(0.0, 1.0, 1001)[1:-1, None] / scales.max()
        logs = -(counts * np.log1p(-((rates * scales) ** 2))).sum(axis=1)
        return float(((logs + math.log(2 / beta)) / rates[:, 0]).min())


def tree_noise(tree: SmoothBinary, rng: np.random.Generator, rows: int) -> Iterator[Floats]:
    """Yield the noise of the estimates of `rows` independent trees, step by step: `tree.noise` for several at once."""
    noise, ending = np.zeros(rows), defaultdict[int, Floats](lambda: np.zeros(rows))
    for before in range(0, tree.steps, BLOCK):
        upto = min(before + BLOCK, tree.steps)
        nodes = tree.nodes(before, upto)
        draws = Laplace(tree.scale).draw(rng, len(nodes.begin) * rows).reshape(-1, rows)
        firsts = np.searchsorted(nodes.begin, np.arange(before + 1, upto + 2))
        for t, (first, last) in enumerate(pairwise(firsts.tolist()), start=before + 1):
            for node in range(first, last):
                noise = noise + draws[node]
                ending[int(nodes.until[node])] += draws[node]
            noise = noise - ending.pop(t, 0.0)
            yield noise


def largest_pair(coefficients: Floats, longest: int) -> float:
    """Return the largest squared norm of a column of a Toeplitz matrix minus a later one, `longest` columns at most.

    The first column is always one of the two, since a shift cuts entries off. If `longest` is not below the number of
    columns, a single column counts too: an item that stays to the end.

    Parameters
    ----------
    coefficients
        The first column.

    Examples
    --------
    >>> largest_pair(np.array([1.0, 0.5, 0.25]), 1), largest_pair(np.array([1.0, 0.5, 0.25]), 3)
    (1.3125, 1.8125)
    """
    from scipy import signal

    steps = len(coefficients)
    energy = np.cumsum(coefficients**2)
    together = signal.correlate(coefficients, coefficients, method="fft")[steps - 1 :]  # by the distance
    distances = np.arange(1, min(longest, steps - 1) + 1)
    pairs = energy[-1] + energy[steps - 1 - distances] - 2 * together[distances]
    return float(max(pairs.max(initial=0.0), energy[-1] if longest >= steps else 0.0))


NOISES: Final[dict[str, tuple[type[LiveNoise], Literal[1, 2]]]] = {
    "laplace": (LaplaceNoise, 1),
    "gaussian": (NormalNoise, 2),
}
"""Noise over time of each static mechanism, and the norm of its sensitivity."""


@dataclass(frozen=True)
class FactorisedDifference(DynamicMechanism):
    """Inserted minus deleted items as one stream of differences, whose sums get correlated noise.

    At each answer the live items y are measured as M y + noise, M a `strategy` for the queries. Neighbouring streams
    differ in one item over one interval of time, whichever update is missing: so the sensitivity is that of M to one
    item, times that of the noise over time to a pair of entries, +1 and -1. The error grows with the logarithm of the
    number of answers, or of those of a lifetime, and not with the size of the data.

    Parameters
    ----------
    epsilon, delta
        Privacy of all answers together; delta is not used by Laplace noise.
    queries
        The family of queries, by name.
    domain
        Number of values that an item may have.
    static
        laplace or gaussian: the noise.
    horizon
        Number of steps at most.
    beta
        Not used.
    every
        Steps from one answer to the next; between them the answers do not change.
    lifetime
        Steps after which an item no longer counts, whether it is deleted or not; None for no limit. With a limit the
        error does not depend on the horizon. It must be chosen without looking at the data.
    strategy
        What is measured: best, points, answers, spectral, or hierarchy:2 to hierarchy:16; see
        `privacy.mechanisms.queries.strategies`.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Andersson, Jain, Sivakumar 2026 (arXiv 2601.02257), abstract.
    The sensitivity to this project's neighbours, and the lifetime: derived here.
    """

    kind = "factorised-difference"
    slowness = 4.0
    error = "about 0.7 + ln(L) / pi times sqrt(2) sigma, L = min(lifetime, horizon) / every; sigma of the strategy"
    memory = "O(n_t + rows log L)"
    needs_horizon = True
    deletes = True

    every: Whole = 1
    lifetime: Whole | None = None
    strategy: str = "best"

    def __post_init__(self) -> None:
        one_of("static", self.static, NOISES)
        super().__post_init__()
        if self.static == "gaussian" or self.measured.name == "spectral":
            state(self, FactorisedDifference, "arithmetic", "real")

    @property
    def measured(self) -> Strategy:
        """What is measured of the data."""
        return strategy(self.strategy, self.queries, self.domain, NOISES[self.static][1])

    @property
    def most_answers(self) -> int:
        """Number of answers."""
        assert self.horizon is not None
        return max(1, self.horizon // self.every)

    @property
    def longest(self) -> int:
        """Answers for which an item may count: an item that lives for the lifetime counts in all of its answers."""
        return self.most_answers if self.lifetime is None else min(self.most_answers, -(-self.lifetime // self.every))

    @cached_property
    def noise(self) -> LiveNoise:
        """The noise over time."""
        maker, norm = NOISES[self.static]
        given = self.epsilon, self.delta, self.measured.sensitivity(norm), self.most_answers
        # noise for longer lifetimes hides shorter ones too, and Laplace noise for any may be the smaller
        return min((maker(*given, longest) for longest in sorted({self.longest, self.most_answers})), key=_variance)

    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> FactorisedRun:
        return FactorisedRun(self, self.budget(ledger), rng)


def _variance(noise: LiveNoise) -> float:
    return noise.variance


class FactorisedRun(DynamicRun):
    """A running factorisation."""

    mechanism: FactorisedDifference

    def __init__(self, mechanism: FactorisedDifference, ledger: PrivacyLedger, rng: np.random.Generator) -> None:
        super().__init__(mechanism, ledger)
        ledger.use("all answers", mechanism.epsilon, mechanism.delta)
        self._strategy = mechanism.measured
        self._noise = mechanism.noise.start(rng.spawn(1)[0], self._strategy.rows)
        self._spacing = mechanism.noise.grid(rng)
        self._live: OrderedDict[int, int] = OrderedDict()
        """Live items that count, by the steps of their insertions, oldest first."""
        self._counts: Floats = np.zeros(mechanism.domain)
        self._measured: Floats = np.zeros(0)
        self._old: set[int] = set()
        """Steps of the live items that no longer count."""
        self._most_old = 0

    def step(self, code: int) -> bool:
        self._next(code)
        if code > 0:
            self._live[self.t] = code - 1
            self._counts[code - 1] += 1
        elif code < 0:
            self._delete(-code)
        if self.t % self.mechanism.every:
            return False
        self._forget()
        self._measured = rounded(self._strategy.measure(self._counts), self._spacing) + self._noise()
        self.answers = np.maximum(self._strategy.answers(self._measured), 0.0)
        return True

    def _delete(self, step: int) -> None:
        """Delete the item of a step."""
        if step in self._live:
            self._counts[self._live.pop(step)] -= 1
        elif step in self._old:
            self._old.remove(step)
        else:
            self.ignored += 1

    def _forget(self) -> None:
        """Drop the items whose lifetime has passed at this answer."""
        every = self.mechanism.every
        gone = self.t // every - self.mechanism.longest  # an item of answer s counts before answer s + longest
        while self._live and -(-next(iter(self._live)) // every) <= gone:
            step, item = self._live.popitem(last=False)
            self._counts[item] -= 1
            self._old.add(step)
        self._most_old = max(self._most_old, len(self._old))

    def error_bound(self, items: int, beta: float) -> float:
        """Return a bound that the largest error so far exceeds with probability at most `beta`.

        A union bound over the queries and the answers; to it come the updates between two answers, and the largest
        number of live items that no longer counted. That number is exact: with a lifetime the bound is for the game,
        and is not private.
        """
        every, answers = self.mechanism.every, self.t // self.mechanism.every
        stale = every - 1 + self._most_old
        if not answers:
            return float(stale)
        each = beta / (answers * self.mechanism.family.number)
        return stale + self.mechanism.noise.quantile(self._strategy.gain, each)

    def published(self) -> list[float]:
        return self._measured.tolist()  # type: ignore[no-any-return]
