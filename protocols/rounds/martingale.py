"""The martingale tracker: memoryless coins and polls, robust without privacy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, log, log1p, pi, sqrt
from typing import Any, ClassVar

from protocols.base import in_unit_interval, positive
from protocols.coins import Coins
from protocols.rounds.base import RoundProtocol
from protocols.rounds.parts import RoundServer
from protocols.rounds.rules import CoinRule, RuleOf, SignalRule


@lru_cache(maxsize=4096)
def strength_for(failure: float, k: int) -> float:
    """Return the least lam with which a round fails with probability at most `failure`.

    Writing M = signals - p * items, a round fails only if |M| reaches p alpha N0 = lam sqrt k. Upwards, the
    variance by then is at most the k signals of a round: exp(-lam^2 / (2 (1 + lam / (3 sqrt k)))), by Freedman.
    Downwards, p * items may reach k + lam sqrt k, but the tail of a sum of coins is lighter there:
    exp(-lam^2 / (2 (1 + lam / sqrt k))), since E exp(-x(X - p)) <= exp(p x^2 / 2). The solver asks for strengths at
    which both are below the least float, so their logarithms are added there.
    """

    from scipy.optimize import brentq  # a third of a second of import, for those who play it only

    def excess(lam: float) -> float:
        up = -(lam**2) / (2 * (1 + lam / (3 * sqrt(k))))
        down = -(lam**2) / (2 * (1 + lam / sqrt(k)))
        both = exp(up) + exp(down)
        return (log(both) if both else down + log1p(exp(up - down))) - log(failure)

    most = 4 * (1 + log(2 / failure))
    return float(brentq(excess, 1e-9, most))


@dataclass(frozen=True)
class Martingale(RoundProtocol):
    """Every item is signalled with probability p = lam sqrt k / (alpha M), in rounds of k signals.

    The output is M + signals / p; signals - p * items is a martingale against any adversary, whatever it has
    seen, since nothing random is kept anywhere. A poll of 3k messages ends each round.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1); round r gets 6 delta / (pi r)^2 of it.
    strength
        The same lam in every round instead; nothing is then promised about delta.

    Source
    ------
    Derived here; bounds as in the abstract of Cohen, Shechner, Stemmer 2025 (arXiv 2509.05870), whose
    protocol was not read in full.
    """

    alpha: float
    delta: float = 0.05
    strength: float | None = None

    kind: ClassVar[str] = "martingale"
    source: ClassVar[str] = "derived; bounds as in the abstract of Cohen, Shechner, Stemmer 2025"
    guarantee: ClassVar[Any] = "adaptive"
    reveals: ClassVar[str] = "each change tells that the last item was signalled, which is of no use"
    reacting_bulk: ClassVar[Any] = "faster"

    def __post_init__(self) -> None:
        in_unit_interval("alpha", self.alpha)
        in_unit_interval("delta", self.delta)
        if self.strength is not None:
            positive("strength", self.strength)

    def strength_of(self, number: int, k: int) -> float:
        """Return the lam of a round by its number, from 1."""
        if self.strength is not None:
            return self.strength
        return strength_for(6 * self.delta / (pi * number) ** 2, k)

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        strengths: dict[int, float] = {}

        def rule(number: int, total: int) -> SignalRule | None:
            if number not in strengths:
                strengths[number] = self.strength_of(number, k)
            need = strengths[number] * sqrt(k) / self.alpha
            return CoinRule(need / total, coins) if total >= need else None

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: Any, total: int) -> RoundServer:
        return _Server(rule_of, k, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return 4k a round, of which each grows N by 1 + alpha sqrt k / lam on average, and the start-up's items."""
        early = ceil(self.strength_of(1, k) * sqrt(k) / self.alpha)
        total, end, cost, number = float(max(start, early)), start + items, float(max(0, early - start)), 0
        if end <= early:
            return float(items)
        while total < end:
            number += 1
            lam = self.strength_of(min(number, 1000), k)  # hardly changes from there on
            growth = 1 + self.alpha * sqrt(k) / lam
            if number >= 1000:
                return cost + 4 * k * (1 + log(end / total) / log(growth))
            cost += 4 * k
            total *= growth
        return cost


class _Server(RoundServer):
    __slots__ = ()

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, CoinRule)
        self.unit = 1 / rule.p
        self.limit = self.k
