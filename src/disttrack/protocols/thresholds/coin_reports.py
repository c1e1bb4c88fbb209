"""The threshold protocol with coins: its cost does not depend on the number of sites."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share
from disttrack.mechanisms.rules import gap_scale
from disttrack.protocols.base import Guarantee, Message, Server, Site
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.thresholds.base import Threshold
from disttrack.protocols.thresholds.kernel import COIN, CoinForm, share_of

_ONE_COIN: Final = (COIN,)


@dataclass(frozen=True)
class CoinReports(Threshold):
    """Each item is reported with probability p, as one bit; the alarm is raised at the m-th report.

    The number of reports among n items is binomial, whichever sites receive them, so that an adversary that reacts
    gains nothing. m is the least number of reports for which a p exists with
    P[Bin(tau, p) < m] <= delta / 2 (late) and P[Bin(earliest - 1, p) >= m] <= delta / 2 (early), and p the least
    such p, by exact quantiles. m is about (2 z / epsilon)^2 (1 - p) for any number of sites, z being the normal
    quantile of delta / 2.

    Parameters
    ----------
    delta
        The alarm is early or late with at most this probability.

    Source
    ------
    Cormode, Muthukrishnan, Yi 2011, for the problem; p, m and cost are derived in docs/proofs.md.
    """

    delta: Share = 0.05

    kind: ClassVar[str] = "coin-reports"
    guarantee: ClassVar[Guarantee] = "adaptive"
    reveals: ClassVar[str] = "the number of reports: which sites have sent them stays hidden"

    def coins(self, start: int = 0) -> tuple[float, int]:
        """Return p and m for a game with `start` items before it."""
        return _least_coins(self.threshold - start, self.earliest - 1 - start, self.delta / 2)

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        scale, coins = gap_scale(self.coins(sum(start))[0]), Coins(rng)
        return [_CoinSite(coins, scale) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _CoinServer(self.coins(sum(start))[1], sum(start), self.earliest)

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        p, needed = self.coins(sum(start))
        return CoinForm(k, _CoinServer(needed, sum(start), self.earliest), OrderedCoins(site_rng), gap_scale(p))

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the expected number of reports."""
        return items * self.coins(start)[0]


@cache
def _least_coins(last: int, before: int, tail: float) -> tuple[float, int]:
    """Return p and m with P[Bin(last, p) < m] <= tail and P[Bin(before, p) >= m] <= tail, m the least and then p."""
    from scipy.stats import beta, binom

    if before < 0:
        return 1.0, 0  # an alarm is due from the start

    def least(reports: int) -> float:
        # P[Bin(n, p) < m] = P[Beta(m, n - m + 1) > p]
        return float(beta.isf(tail, reports, last - reports + 1))

    low, high = 1, before + 1  # every item is reported at the latter
    while low < high:
        middle = (low + high) // 2
        if binom.sf(middle - 1, before, least(middle)) <= tail:
            high = middle
        else:
            low = middle + 1
    return (1.0 if low == before + 1 else least(low)), low


class _CoinSite(Site):
    """Tosses a coin per item."""

    __slots__ = ("coins", "due", "scale")

    def __init__(self, coins: Coins, scale: float) -> None:
        self.coins = coins
        self.scale = scale
        self.due: int = coins.gap(scale)

    def silence(self) -> int:
        return self.due - 1

    @property
    def tossed_ahead(self) -> tuple[str, ...]:
        return ("due",)

    def take(self, items: int) -> Sequence[Message]:
        self.due -= items
        if self.due:
            return ()
        self.due = self.coins.gap(self.scale)
        return _ONE_COIN


class _CoinServer(Server):
    """Puts out the share of the m reports that have come in, as items: `earliest` at the m-th."""

    __slots__ = ("earliest", "known", "needed", "output", "reports")

    def __init__(self, needed: int, known: int, earliest: int) -> None:
        self.needed = needed
        self.known = known
        self.earliest = earliest
        self.reports = 0
        self.output: int = known

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.reports += 1
        self.output = share_of(self.reports, self.needed, self.known, self.earliest)
        return ()
