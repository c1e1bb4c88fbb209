"""Threshold protocols: sites report when they hold enough items, always as many or fewer and fewer, or by coins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import floor, log2
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.checks import Share, Whole
from disttrack.mechanisms.rules import gap_scale
from disttrack.protocols.base import EVERYONE, Guarantee, Message, Protocol, Server, Site, ratio
from disttrack.protocols.coins import Coins, OrderedCoins
from disttrack.protocols.kernel import KernelForm
from disttrack.protocols.thresholds.kernel import COIN, BatchForm, CoinForm, is_due, share_of


@dataclass(frozen=True)
class Threshold(Protocol):
    """What the threshold protocols share: the threshold, and the count from which an alarm is not early.

    Parameters
    ----------
    threshold
        The count tau at which the alarm must have been raised, items of the start included.
    epsilon
        The alarm may be raised from (1 - epsilon) tau on.
    """

    threshold: Whole
    epsilon: Share

    plays: ClassVar[tuple[str, ...]] = ("threshold",)

    @property
    def earliest(self) -> int:
        """The least whole number of items that is at least (1 - epsilon) tau."""
        return earliest(self.threshold, self.epsilon)


def earliest(threshold: int, epsilon: float) -> int:
    """Return the least whole number that is at least (1 - epsilon) threshold.

    Examples
    --------
    >>> earliest(60_000, 0.037), earliest(10, 0.25)
    (57780, 8)
    """
    part, whole = ratio(epsilon)
    return -(-threshold * (whole - part) // whole)


@dataclass(frozen=True)
class Batch(Threshold):
    """Each site reports `size` items at a time, always; the baseline of deployed rate limiters.

    The server's sum lags by at most k (size - 1) items, so that the alarm is not late if that is at most epsilon tau.

    Parameters
    ----------
    size
        Items of a report; None for the largest with which the alarm is never late.

    Source
    ------
    the usual practice; the bound is derived here.
    """

    size: Whole | None = None

    kind: ClassVar[str] = "batch"
    guarantee: ClassVar[Guarantee] = "always"  # "none" for an instance with a `size` of its own
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size is not None:
            object.__setattr__(self, "guarantee", "none")

    def reported(self, k: int) -> int:
        """Return the items of a report in a game of k sites."""
        return (self.threshold - self.earliest) // k + 1 if self.size is None else self.size

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_BatchSite(self.reported(k)) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _Sum(sum(start))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        return BatchForm(k, _Sum(sum(start)), self.reported(k), self.earliest)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return the items over the size of a report."""
        return float(items // self.reported(k))


@dataclass(frozen=True)
class Countdown(Threshold):
    """Each site reports floor(slack / 2k) items at a time; the server halves the slack after k reports.

    The server knows R items and the slack is S = tau - R when a report size q = max(1, floor(S / 2k)) is announced.
    A site reports when it holds q items or more. Once k q items have been reported, the server announces the next
    size. Unreported are at most k (q - 1) items, so that N < tau while the alarm is off; and R <= N, so that an
    alarm at R >= (1 - epsilon) tau is not early. Proof in docs/proofs.md.

    Source
    ------
    Cormode, Muthukrishnan, Yi 2011, for the problem; sizes, rounding and cost are derived in docs/proofs.md.
    """

    kind: ClassVar[str] = "countdown"
    guarantee: ClassVar[Guarantee] = "always"
    reveals: ClassVar[str] = "everything: an adversary that keeps count knows the site of each change"
    one_sided: ClassVar[bool] = True

    def size(self, k: int, known: int) -> int:
        """Return the items of a report if the server knows `known` items when it announces the size."""
        return max(1, (self.threshold - known) // (2 * k))

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[Site]:
        return [_BatchSite(self.size(k, sum(start))) for _ in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Server:
        return _CountdownServer(self, k, sum(start))

    def kernel_form(
        self, k: int, site_rng: np.random.Generator, server_rng: np.random.Generator, start: Sequence[int] = ()
    ) -> KernelForm:
        server = _CountdownServer(self, k, sum(start))
        return BatchForm(k, server, server.size, self.earliest, server.end)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return 2k per round of a size above 1, 4k messages after those, and one per item after the threshold.

        A round of slack S >= 4k leaves a slack S' with S' - 2k < (S - 2k) / 2.
        """
        slack = max(0, self.threshold - start)
        rounds = floor(log2((slack - 2 * k) / (2 * k))) + 1 if slack >= 4 * k else 0
        return min(2.0 * k * rounds + 4.0 * k, 2.0 * items) + max(0, start + items - self.threshold)


class _BatchSite(Site):
    """Reports the items that it holds once they are `size` or more."""

    __slots__ = ("held", "size")

    def __init__(self, size: int) -> None:
        self.size = size
        self.held = 0

    def silence(self) -> int:
        return self.size - self.held - 1

    def take(self, items: int) -> Sequence[Message]:
        self.held += items
        return self._report()

    def hear(self, message: Message) -> Sequence[Message]:
        self.size = message.value
        return self._report()

    def _report(self) -> Sequence[Message]:
        if self.held < self.size:
            return ()
        report = Message("report", self.held)
        self.held = 0
        return (report,)


class _Sum(Server):
    """The sum of the items reported."""

    __slots__ = ("output",)

    def __init__(self, known: int) -> None:
        self.output: int = known

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += message.value
        return ()


class _CountdownServer(_Sum):
    """Announces the next size once k reports of the present size have come in."""

    __slots__ = ("end", "k", "rounds", "rule", "size")

    def __init__(self, rule: Countdown, k: int, known: int) -> None:
        super().__init__(known)
        self.rule = rule
        self.k = k
        self.rounds: int = 1
        self.size = rule.size(k, known)
        self.end = known + k * self.size

    def hear(self, sender: int, message: Message) -> Sequence[tuple[int, Message]]:
        self.output += message.value
        return self.announced()

    def announced(self) -> Sequence[tuple[int, Message]]:
        """Announce the next size if it is due."""
        if not is_due(self.output, self.size, self.end, self.rule.earliest):
            return ()
        self.size = self.rule.size(self.k, self.output)
        self.end = self.output + self.k * self.size
        self.rounds += 1
        return ((EVERYONE, Message("size", self.size)),)


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
    formerly: ClassVar[str] = "coin"
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
