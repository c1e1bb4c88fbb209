"""Private multiplicative weights: a synthetic histogram that is corrected on queries where it is wrong."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Final

import numpy as np

from disttrack.mechanisms.checks import at_least
from disttrack.mechanisms.gaussian import concentrated
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms.static.base import Paid, Parts, StaticMechanism

TOTAL_SHARE: Final = 0.1
"""Share of the budget for the number of items, unless that is already paid for."""
FEW: Final = 1e-10
"""Probability that noise alone makes an empty data set look nonempty: small, since a game has many releases."""
MOST_ROUNDS: Final = 100


@dataclass(frozen=True)
class MultiplicativeWeights(StaticMechanism):
    """Private multiplicative weights, offline: answers from a histogram that is fitted to one query per round.

    It begins with A_0 = n / \\|X\\| everywhere, n a private number of items. Each of R rounds picks a query on which A
    is far off (exponential mechanism, score \\|q(A) - q(D)\\|), measures it with noise, m, and multiplies every A(x) by
    exp(q(x) (m - q(A)) / (2 n)), normalised to n. The answers are those of the mean of A_0 ... A_(R-1). The error
    grows like n^(2/3) (pure) or n^(1/2) (approximate), and with ln \\|Q\\| only. If the private number of items is
    within the range of noise alone, the answer is 0: the error is then that number, of the order of 1 / epsilon.

    Pure: picking and measuring take epsilon / (2 R) each per round. Approximate: the rounds share the zero-concentrated
    budget rho of (epsilon, delta), a picking at e costs e^2 / 8 and a measuring with deviation s costs 1 / (2 s^2).

    Parameters
    ----------
    epsilon, delta
        Privacy of a release; with delta = 0 pure.
    queries
        The family of queries, by name.
    domain
        Number of values that an item may have.
    rounds
        R; 0 for the number that minimises the stated error.

    Source
    ------
    Hardt, Ligett, McSherry 2012; Hardt, Rothblum 2010; Qiu, Yi 2022, Appendix A.
    MWEM. Cost of the exponential mechanism: Cesar, Rogers 2021; rho: Bun, Steinke 2016, Proposition 1.3. The stated
    error is derived in privacy/docs/dynamic.md.
    """

    kind = "pmw"
    error = "n^(2/3) (ln |X| ln |Q| / epsilon)^(1/3) pure, n^(1/2) (...)^(1/2) approximate, up to constants"

    rounds: Annotated[int, at_least(0)] = 0

    def release(self, counts: Floats | None, rng: np.random.Generator, paid: Paid | None = None) -> Floats:
        family = self.family
        plan = _plan(self.epsilon, self.delta, None if paid is None else paid.scale)
        if paid is None:
            there = 0.0 if counts is None else float(counts.sum())
            total = there + float(rng.laplace(0.0, plan.scale))
        else:
            total = paid.value
        if total <= 0 or total < plan.looks_empty:
            return np.zeros(family.number)
        truth = np.zeros(family.number) if counts is None else family.evaluate(counts)
        rounds = self.rounds_for(total, plan)
        pick, measure = plan.pick(rounds), plan.measure(rounds)
        weights = np.full(self.domain, total / self.domain)
        mean = np.zeros(family.number)
        for _ in range(rounds):
            answers = family.evaluate(weights)
            mean += answers
            # the exponential mechanism by the Gumbel trick: score * pick / 2 plus a Gumbel draw, the largest wins
            scores = np.abs(answers - truth) * (pick / 2)
            query = int((scores + rng.gumbel(0.0, 1.0, len(scores))).argmax())
            drawn = rng.normal(0.0, 1.0) if self.delta else rng.laplace(0.0, 1.0)
            measured = min(max(truth[query] + measure * drawn, 0.0), total)
            weights *= np.exp(family.row(query) * ((measured - answers[query]) / (2 * total)))
            weights *= total / weights.sum()
        return mean / rounds

    def rounds_for(self, total: float, plan: Plan) -> int:
        """Return the number of rounds for `total` items: the given one, or the one that minimises the stated error."""
        return self.rounds or _best_rounds(plan, self.domain, self.family.number, round(math.log2(1 + total), 1))

    def error_of_sum(self, parts: Parts, items: float, beta: float) -> float:
        """Return the sum of the releases' bounds, each at its share of beta, for the worst split of the items.

        A release that looks empty errs by its items, so all such releases together err by `items` at most, and each by
        the largest number that may look empty. The bound of one with more items is the least of several that are linear
        in its items, so it is concave in them: an even split among the largest possible number of releases is the
        worst.
        """
        releases = sum(count for _, count in parts)
        empty = total = 0.0
        for part, count in parts:
            assert isinstance(part, MultiplicativeWeights)
            empty += count * part.empty_up_to(beta / releases) if count else 0.0
            inhabited = part.inhabited_from(beta / releases)
            many = min(count, int(items / inhabited) if inhabited > 0 else count)
            total += many * part.fitting_error(items / many, beta / releases) if many else 0.0
        return min(float(items), empty) + total

    def empty_up_to(self, beta: float) -> float:
        """Return the number of items above which a release does not look empty, except with probability `beta` / 3."""
        plan = _plan(self.epsilon, self.delta, None)
        return plan.looks_empty + math.log(3 / beta) * plan.scale

    def inhabited_from(self, beta: float) -> float:
        """Return the number of items below which the answer is 0, except with probability `beta` / 3."""
        plan = _plan(self.epsilon, self.delta, None)
        return max(0.0, plan.looks_empty - math.log(3 / beta) * plan.scale)

    def fitting_error(self, items: float, beta: float) -> float:
        """Return a bound that the error of a release that does not look empty exceeds with probability `beta` at most.

        2 n sqrt(ln \\|X\\| / R) by the potential argument, the noise of the measurings and of the pickings, and four
        times the error of the number of items (once in each of them and in the answers).
        """
        plan = _plan(self.epsilon, self.delta, None)
        off = math.log(3 / beta) * plan.scale
        rounds = self.rounds_for(items + off, plan)
        return plan.stated(self.domain, self.family.number, items + off, rounds, beta * 2 / 3) + 4 * off


@dataclass(frozen=True)
class Plan:
    """The division of a budget.

    Attributes
    ----------
    scale
        Scale of the noise of the number of items.
    epsilon, delta
        Budget of the rounds.
    """

    scale: float
    epsilon: float
    delta: float

    @property
    def looks_empty(self) -> float:
        """Noisy number of items below which the answer is 0: exceeded by noise alone with probability `FEW`."""
        return math.log(1 / (2 * FEW)) * self.scale

    def pick(self, rounds: int) -> float:
        """Return the epsilon of one picking."""
        return math.sqrt(4 * self.rho / rounds) if self.delta else self.epsilon / (2 * rounds)

    def measure(self, rounds: int) -> float:
        """Return the scale of the noise of one measuring: a standard deviation, or the scale of a Laplace variable."""
        return math.sqrt(rounds / self.rho) if self.delta else 2 * rounds / self.epsilon

    @property
    def rho(self) -> float:
        """The zero-concentrated budget with rho + 2 sqrt(rho ln(1 / delta)) = epsilon."""
        return concentrated(self.epsilon, self.delta)

    def stated(self, domain: int, queries: int, total: float, rounds: int, beta: float) -> float:
        """Return the stated error of the rounds for a known number of items."""
        noise = math.sqrt(2 * math.log(4 * rounds / beta)) if self.delta else math.log(2 * rounds / beta)
        picking = 2 / self.pick(rounds) * math.log(2 * queries * rounds / beta)
        return 2 * total * math.sqrt(math.log(max(2, domain)) / rounds) + self.measure(rounds) * noise + picking


@lru_cache(maxsize=4096)
def _plan(epsilon: float, delta: float, paid: float | None) -> Plan:
    """Return the plan of a budget; `paid` is the noise scale of a number of items that is already paid for."""
    if paid is not None:
        return Plan(paid, epsilon, delta)
    return Plan(1 / (TOTAL_SHARE * epsilon), (1 - TOTAL_SHARE) * epsilon, delta)


@lru_cache(maxsize=4096)
def _best_rounds(plan: Plan, domain: int, queries: int, log_total: float) -> int:
    """Return the number of rounds that minimises the stated error at beta = 0.05, for 2^log_total items."""
    low, high = 1, MOST_ROUNDS
    while low < high:  # the stated error falls, then rises
        middle = (low + high) // 2
        here, there = (plan.stated(domain, queries, 2.0**log_total, rounds, 0.05) for rounds in (middle, middle + 1))
        low, high = (low, middle) if here <= there else (middle + 1, high)
    return low
