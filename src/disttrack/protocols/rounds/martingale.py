"""The martingale tracker: memoryless coins and polls, robust without privacy."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, log, log1p, pi, sqrt
from typing import ClassVar, Literal

import numpy as np

from disttrack.mechanisms.checks import Positive, Share
from disttrack.mechanisms.roots import root
from disttrack.protocols.base import Guarantee, RoundCost, bound_by_rounds
from disttrack.protocols.coins import Coins
from disttrack.protocols.rounds.base import RoundProtocol, bound_by_other
from disttrack.protocols.rounds.coin_rounds import bias, share_of, signals_of, words_of, worth_it
from disttrack.protocols.rounds.sites import CoinRule, RoundServer, RuleOf, SignalRule


@lru_cache(maxsize=4096)
def strength_for(failure: float, k: int) -> float:
    """Return the least lam with which a round fails with probability at most `failure`.

    Writing M = signals - p * items, a round fails only if |M| reaches p alpha N0 = lam sqrt k. Upwards, the
    variance by then is at most the k signals of a round: exp(-lam^2 / (2 (1 + lam / (3 sqrt k)))), by Freedman.
    Downwards, p * items may reach k + lam sqrt k, but the tail of a sum of coins is lighter there:
    exp(-lam^2 / (2 (1 + lam / sqrt k))), since E exp(-x(X - p)) <= exp(p x^2 / 2). The solver tries strengths at
    which both underflow, so their logarithms are added.
    """

    deviation, wanted = sqrt(k), log(failure)

    def excess(lam: float) -> float:
        up = -(lam**2) / (2 * (1 + lam / (3 * deviation)))
        down = -(lam**2) / (2 * (1 + lam / deviation))
        both = exp(up) + exp(down)
        return (log(both) if both else down + log1p(exp(up - down))) - wanted

    most = 4 * (1 + log(2 / failure))
    return root(excess, 1e-9, most)


@dataclass(frozen=True)
class Martingale(RoundProtocol):
    """Every item is signalled with the same probability p within a round; signals / p is unbiased for its items.

    The output is N0 + signals / p in a round begun with N0 items; signals - p * items is a martingale against any
    adversary, whatever it has seen, since no random state is kept. A poll of all sites ends the round.

    Parameters
    ----------
    alpha
        Relative error allowed, in (0, 1).
    delta
        Probability that the error ever exceeds it, in (0, 1), over infinitely many rounds.
    parameters
        Choice of constants. `tight`: the fewest words for which the walk of the signals leaves the lines of relative
        error alpha with at most a round's share of delta, computed exactly (`docs/proofs.md`); the poll carries the
        next p, computed from the server's estimate, and costs 2k. `simple`: p = lam sqrt k / (alpha N0) and k signals,
        with lam from Freedman's inequality, a share of 6 delta / (pi r)^2 for round r, and polls of 3k.
    strength
        The same lam in every round of `simple` instead; nothing is then guaranteed about delta.

    Source
    ------
    derived; bounds as in the abstract of Cohen, Shechner, Stemmer 2025.
    Their protocol (arXiv 2509.05870) was not read in full.
    """

    alpha: Share
    delta: Share = 0.05
    parameters: Literal["tight", "simple"] = "tight"
    strength: Positive | None = None

    kind: ClassVar[str] = "martingale"
    mark: ClassVar = ("#D55E00", "D")
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "each change shows that the last item was signalled, which does not help an adversary"
    kernel_form = RoundProtocol.round_form
    carries: ClassVar = "delays"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.strength is not None and self.parameters != "simple":
            raise ValueError(f"strength is for parameters: simple only; got {self.strength!r} with {self.parameters}")

    def strength_of(self, number: int, k: int) -> float:
        """Return the lam of a round of `simple` by its number, from 1."""
        if self.strength is not None:
            return self.strength
        return strength_for(6 * self.delta / (pi * number) ** 2, k)

    def need(self, number: int, k: int) -> float:
        """Return the items from which on a round of `simple` is worth its poll: p is this over N0."""
        return self.strength_of(number, k) * sqrt(k) / self.alpha

    def rule_of(self, k: int, coins: Coins) -> RuleOf:
        if self.parameters == "tight":
            return self._tight_rule_of(k, coins)
        needs: dict[int, float] = {}

        def rule(number: int, total: int) -> SignalRule | None:
            if number not in needs:
                needs[number] = self.need(number, k)
            need = needs[number]
            return CoinRule(need / total, coins) if total >= need else None

        return rule

    def _tight_rule_of(self, k: int, coins: Coins) -> RuleOf:
        def rule(number: int, total: int) -> SignalRule | None:
            share = share_of(k, self.alpha, self.delta, number)
            first = number == 1  # it begins with the exact count, as soon as it is worth its poll
            if first and not worth_it(k, self.alpha, share, total):
                return None
            return CoinRule(bias(k, self.alpha, share, total, exact=first), coins)

        return rule

    def server_by(self, rule_of: RuleOf, k: int, rng: np.random.Generator, total: int) -> RoundServer:
        return _Tight(self, rule_of, k, total) if self.parameters == "tight" else _Simple(rule_of, k, total)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the items until a round is worth its poll, then each round's signals and poll.

        For `simple`: 4k per round, the growth of N in a round being that of `words_of`, and k + 4 once: for the first
        announcement, and for what Lorden's inequality allows for the variance of rounds.
        """
        if self.parameters == "tight":
            return words_of(k, self.alpha, self.delta, items, start, last_whole=True)

        def round_of(number: int, total: float) -> RoundCost:
            need = self.need(number, k)
            p = need / max(total, need)
            return RoundCost(ceil(need), k, 3 * k + (k + 4 if number == 1 else 0), (k - (1 - p) / 2) / p)

        return bound_by_rounds(items, start, round_of)

    def quick_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the bound for `tight` from that of `simple`: computing the exact one takes a second."""
        if self.parameters != "tight":
            return self.cost_bound(k, items, start)
        simple = Martingale(self.alpha, self.delta, "simple")
        return bound_by_other(simple, ceil(simple.need(1, k)), k, items, start, more=32)


class _Simple(RoundServer):
    __slots__ = ()

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, CoinRule)
        self.unit = 1 / rule.p
        self.limit = self.k


class _Tight(RoundServer):
    """Ends a round after the largest number of signals that is safe, which depends on the exact count."""

    polls_ahead = True

    __slots__ = ("protocol",)

    def __init__(self, protocol: Martingale, rule_of: RuleOf, k: int, start: int) -> None:
        self.protocol = protocol
        super().__init__(rule_of, k, start)

    def enter(self, rule: SignalRule) -> None:
        assert isinstance(rule, CoinRule)
        alpha, delta = self.protocol.alpha, self.protocol.delta
        share = share_of(self.k, alpha, delta, self.rounds)
        self.unit = 1 / rule.p
        self.limit = signals_of(self.k, alpha, share, self.base, rule.p)
        if self.announced == self.base:  # then p was chosen so that awaiting one signal is safe
            self.limit = max(self.limit, 1)
        if self.signals:
            self.output = self.output_after(self.signals)
