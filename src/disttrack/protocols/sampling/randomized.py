"""The randomised tracker of Huang, Yi and Zhang: right on inputs that do not react to it.

The standard deviations that it needs at all steps: let every site have many items. In time p n / k, in which each site
reports once on average, the items since a site's last report are k ages that grow at rate 1 and restart with each
report: independent exponential variables, with the sum Y, a Gamma variable of shape k. The estimate errs by (k - Y) /
p, so it is right while Y is within u k of k with u = alpha n p / k. Y goes up through a level y at the rate k f(y), f
its density, and returns soon, since reports are frequent. The number of such clusters matters. Near the level, Y rises
at rate k and falls by exponential jumps of mean m = y / k at rate k; a cluster goes on with probability 1/m above k and
m below. So errors begin at rates

    too low    k f(k (1 + u)) u / (1 + u)        too high    k f(k (1 - u)) u

and for many sites both are c phi(c), c = u sqrt k: that of the Gaussian process with the same covariance, exp(-time).
These rates are asymptotic and prove nothing; tests/protocols/sampling/test_confidence.py measures them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from math import ceil, log, log1p, log2, sqrt
from typing import Any, ClassVar, Literal

import numpy as np

from disttrack.mechanisms.checks import Odd, Positive, Share
from disttrack.mechanisms.roots import root
from disttrack.mechanisms.rules import SamplingRule, gap_scale, next_double, redrawn
from disttrack.protocols.base import Guarantee, Message, Protocol, Readmission, Server, Site, bound_by_doublings
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.sampling.kernel import SamplingForm
from disttrack.protocols.sampling.server import RandomizedServer


def at_rest(k: int, deviation: Any) -> Any:
    """Return the probability that the estimate errs by more than `deviation` standard deviations at a given step."""
    from scipy.special import gammainc, gammaincc  # importing scipy.stats would take another second

    u = deviation / sqrt(k)
    return gammaincc(k, k * (1 + u)) + gammainc(k, k * np.maximum(1 - u, 0.0))


def rate(k: int, deviation: Any) -> Any:
    """Return the rate of errors beyond `deviation` standard deviations, per time in which every site reports once."""
    u = deviation / sqrt(k)
    low = _density(k * (1 + u), k) * u / (1 + u)
    high = _density(k * np.maximum(1 - u, 0.0), k) * np.where(u < 1, u, 0.0)
    return k * (low + high)


def _density(value: object, k: int) -> object:
    """Return the density of the sum of k exponential variables of mean 1."""
    from scipy.special import gammaln, xlogy

    return np.exp(xlogy(k - 1.0, value) - value - gammaln(k))


def spoilt(k: int, alpha: float, confidence: float, factor: float = 2.0) -> float:
    """Return the probability of an error while the items grow by `factor` and p is constant.

    At the start sqrt(k) / p is alpha n / c for the given c; later the error allowed grows with n.
    """
    nodes, weights = _quadrature()
    grown = 1 + (factor - 1) * (nodes + 1) / 2
    begin = rate(k, confidence * grown) @ weights * (factor - 1) / 2
    return float(at_rest(k, confidence) + begin * confidence / (alpha * sqrt(k)))


@cache
def _quadrature() -> tuple[Any, Any]:
    return np.polynomial.legendre.leggauss(40)


@lru_cache(maxsize=1024)
def confidence_for(k: int, alpha: float, allowed: float, factor: float = 2.0) -> float:
    """Return the least c for which growth by `factor` at one p fails with probability at most `allowed`."""
    high = 4.0
    while spoilt(k, alpha, high, factor) > allowed:
        high *= 1.5
    low = 0.5
    if spoilt(k, alpha, low, factor) <= allowed:
        return low
    return root(lambda c: spoilt(k, alpha, c, factor) - allowed, low, high, 1e-6)


LARGEST_COUNT = 2**63
"""Bound on the number of items for which `delta` holds."""


@dataclass(frozen=True)
class Randomized(Protocol):
    """Each item makes its site send its count with probability p; the server estimates each site without bias.

    With L the count last sent, L - 1 + 1/p (0 if none was sent) has mean n and variance
    (1 - p)(1 - (1 - p)^n) / p^2. A doubling tracker beside it knows the number of items within a factor 4,
    and 1/p is the largest power of two not above alpha times that number / (c sqrt k). When p is lowered, each site
    redraws its L as if the new p had held from the beginning.

    Parameters
    ----------
    alpha
        Relative error aimed at, in (0, 1).
    confidence
        The c above: accuracy in standard deviations at any fixed step.
    copies
        Independent copies; the output is their median. An odd number.
    delta
        In place of both, which are then chosen so that all steps of a stream that does not react are right with
        probability 1 - delta (up to 2^63 items).
    parameters
        How they are chosen. `median`: enough copies for a proof by Chebyshev's inequality. `tight`: one copy, with the
        least c by the asymptotic distribution of the error (`protocols.sampling.randomized`); not proven.

    Source
    ------
    Huang, Yi, Zhang 2012, section 2.
    arXiv 1108.3413, recalled and completed; copies and checkpoints derived.
    """

    alpha: Share
    confidence: Positive = 3.0
    copies: Odd = 1
    delta: Share | None = None
    parameters: Literal["median", "tight"] = "median"

    kind: ClassVar[str] = "randomized"
    mark: ClassVar = ("#E69F00", "^")
    faults: ClassVar = {"coarse": "disttrack.protocols.faults:Coarse"}
    guarantee: ClassVar[Guarantee] = "oblivious"
    reveals: ClassVar[str] = "each change shows that the site fed last has just sent its count"
    carries: ClassVar = "copies"
    readmission: ClassVar[Readmission] = "anew"
    decides: ClassVar = {"delta": ("confidence", "copies")}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.parameters == "tight" and self.delta is None:
            raise ValueError("delta must be given with parameters: tight, which keep it")

    def tuned(self, k: int) -> tuple[float, int]:
        """Return the inner accuracy alpha / c, in items per standard deviation, and the number of copies."""
        if self.delta is None:
            return self.alpha / self.confidence, self.copies
        if self.parameters == "tight":  # p is lowered once in each doubling
            return self.alpha / confidence_for(k, self.alpha, self.delta / log2(LARGEST_COUNT)), 1
        # right at checkpoints a factor 1 + alpha/3 apart, each copy there with probability 0.9 (Chebyshev)
        inner = self.alpha / 3
        checkpoints = log(LARGEST_COUNT) / log1p(inner) + 2 * log2(LARGEST_COUNT)
        copies = ceil(log(checkpoints / self.delta) / log(1 / 0.6))  # (2 sqrt(0.1 * 0.9))^m = 0.6^m
        return inner / sqrt(10), copies + 1 - copies % 2

    def rule(self, k: int) -> SamplingRule:
        """Return the rule that determines p over the game, with k sites."""
        return SamplingRule(self.tuned(k)[0], k)

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        coins = Coins(rng)
        copies = self.tuned(k)[1]
        rule, known = self.rule(k), sum(start)
        return [_Site(rule, copies, coins, count, known) for count in start or [0] * k]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return RandomizedServer(self.rule(k), self.tuned(k)[1], start)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm | None:
        return SamplingForm(self.rule(k), OrderedCoins(site_rng), start) if self.tuned(k)[1] == 1 else None

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return, per doubling, 4 sqrt k / (alpha/c) reports per copy and 3k for doubling, broadcast and redraws."""
        copies, early = self.tuned(k)[1], self.rule(k).early
        each = 4 * copies * early + (2.5 + 0.5 * copies) * k
        return bound_by_doublings(items, start, early, each, known=2 * k, copies=copies)


class _Site(Site):
    __slots__ = (
        "_rule",
        "before",
        "coins",
        "copies",
        "count",
        "double",
        "due",
        "inverse",
        "last",
        "next",
        "scale",
    )

    def __init__(self, rule: SamplingRule, copies: int, coins: Coins, before: int, known: int) -> None:
        self._rule = rule
        self.coins = coins
        self.before = before
        """Items held before the game, known exactly and not sampled."""
        self.count = before
        self.double = next_double(before)
        """The count at which it reports to the doubling tracker."""
        self.inverse = rule.inverse_p(known)
        self.scale = gap_scale(1 / self.inverse)
        self.copies = range(copies)
        self.last = [0] * copies
        """The last sampled item reported, per copy; 0 for none."""
        self.due = [before + coins.gap(self.scale) for _ in range(copies)]
        self.next: int = min(*self.due, self.double)

    def silence(self) -> int:
        return self.next - self.count - 1

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        return ("due", "next")

    def take(self, items: int) -> Sequence[Message]:
        count = self.count = self.count + items
        if count < self.next:
            return ()
        sampled, due = count - self.before, self.due
        if len(due) == 1 and count < self.double:  # fast path of the code below, for one copy that reports
            self.last[0] = sampled
            following = due[0] = count + self.coins.gap(self.scale)
            self.next = following if following < self.double else self.double
            return (_new(Message, ("report", (0, sampled), 1)),)
        sent = []
        for copy in self.copies:
            if due[copy] == count:
                self.last[copy] = sampled
                sent.append(_new(Message, ("report", (copy, sampled), 1)))
                due[copy] = count + self.coins.gap(self.scale)
        double = self.double
        if count >= double:
            double = self.double = next_double(count)
            sent.append(Message("double", count))
        following = due[0] if len(due) == 1 else min(due)
        self.next = following if following < double else double
        return sent

    def hear(self, message: Message) -> Sequence[Message]:
        before, inverse = self.inverse, self._rule.inverse_p(message.value)
        if inverse <= before:  # a number that a later one has overtaken
            return ()
        self.inverse = inverse
        scale = self.scale = gap_scale(1 / inverse)
        sent = []
        for copy, last in enumerate(self.last):
            if last:
                anew = redrawn(last, before, inverse, self.coins)
                if anew != last:
                    self.last[copy] = anew
                    sent.append(Message("adjust", (copy, anew)))
            # coins of later items are tossed with the new p; earlier coins used the old one
            self.due[copy] = self.count + self.coins.gap(scale)
        self.next = min(*self.due, self.double)
        return sent


_new = tuple.__new__  # a fifth of the time of Message(…), and one message per report is made
