"""Insertions and deletions: noisy measurements of the live items, by a factorisation over time and over the domain."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Whole, one_of
from disttrack.mechanisms.noise import Floats, rounded
from disttrack.mechanisms.shortcuts import state
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism, DynamicRun
from disttrack.privacy.mechanisms.dynamic.live_noise import LaplaceNoise, LiveNoise, NormalNoise
from disttrack.privacy.mechanisms.queries.strategies import Strategy, strategy

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
