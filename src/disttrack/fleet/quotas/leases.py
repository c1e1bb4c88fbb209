"""Quota protocols in which a request needs a permit, asked for one by one or in leases, also with fair shares."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, isfinite, log
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.fleet.quotas.amounts import LARGEST, granted_of, level_of
from disttrack.fleet.quotas.away import CentralSite
from disttrack.fleet.quotas.base import Quota, Shaped, fraction_of
from disttrack.fleet.quotas.forms import QuotaForm, deployed, fair_form, lease_form
from disttrack.fleet.quotas.lease_parts import LeaseServer, LeaseSite
from disttrack.fleet.quotas.shares import LoadServer, LoadSite
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import FromZero, UpToOne
from disttrack.protocols.base import Guarantee, ratio


@dataclass(frozen=True)
class Leases(Quota):
    """What these protocols share: each site begins a window with a part of the limit, and asks for more.

    The server never grants more than is left of the limit, and a permit is valid in its window only. So nothing is
    overshot, whatever happens to messages and sites, while clocks agree and no request costs more than its reserve.
    """

    guarantee: ClassVar[Guarantee] = "always"
    each: ClassVar[bool] = True
    """Whether a site may ask about a request while the answer to another one is still to come."""
    fraction: ClassVar[float] = 0.0
    """Part of what is left that a lease is, over the sites that ask, if that is above the price: a parameter."""
    low: ClassVar[float] = 0.0
    """Part of the last lease, with less of which left a site asks for the next one: a parameter."""

    hooks = frozenset({"each", "fraction", "granted", "low"})

    @abstractmethod
    def upfront_of(self, k: int) -> int:
        """Return the cost that each site may admit at the start of a window without asking."""

    def most(self, site: int, k: int) -> int:
        upfront = self.upfront_of(k)
        return min(max(upfront, self.pool - k * upfront), *(limit for limit, _ in self.longer), LARGEST)

    def granted(self, sites: int, left: int, price: int) -> int:
        """Return the lease that a site gets which asks about a request of this price; 0 for none.

        Parameters
        ----------
        sites
            Number of sites that have asked in this window; of all sites, for one that has not asked before.
        left
            What is left of the limit.
        """
        return lease_of(self.fraction, sites, left, price)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return lease_form(self, k)

    def waiting(self, trip: float) -> float:
        return trip if self.each else min(1.0, trip)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return LeaseSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return LeaseServer(self, k)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return a question and an answer per request, and per settling at a site, which may leave it a debt."""
        settlings = k * (items // self.settle) if self.settle else 0
        return 2.0 * (items + settlings)

    slack = Quota.slack


@dataclass(frozen=True)
class Central(Shaped, Leases):
    """Each request waits until the server admits or rejects it.

    In another shape than `window`, a site that was refused asks again in the next slot, and the server counts a request
    when it admits it, which may be up to `varies` steps nearer to another one than at the sites.

    Parameters
    ----------
    timeout
        Steps from one look for unanswered questions to the next, of which the second one finds a site cut off; 0 for
        none: requests then wait up to the end of the window.
    limits
        Further limits that are kept too, such as `250/3000`, per steps, with spaces between, or for a log with a step
        `250/day`; their windows are several times the window. A request takes from all or from none. Only with the
        shape `window`, clocks that agree and are those of the store, and without a reserve, `charge: asked` and a
        timeout.

    Source
    ------
    the usual practice where no overshoot is allowed.
    """

    limits: str | tuple[str, ...] = ""  # type: ignore[misc]

    kind: ClassVar[str] = "central"
    guarantee: ClassVar[Guarantee] = "always"

    @property
    def every(self) -> int | None:  # type: ignore[override]
        """The steps from one look of a site to the next."""
        return self.timeout or None

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return (CentralSite if self.timeout else LeaseSite)(self, number, k, answers)

    def upfront_of(self, k: int) -> int:
        return 0

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return what was asked in `varies` steps, if no window has a number; what fills a bucket; or all shares.

        No site is cut off if each question is answered within the timeout.
        """
        granted = self.dearest * varies if self.shape != "window" and varies else 0
        if self.shape == "bucket" and isfinite(granted):
            granted = -(-max(0, int(varies) - 2) * self.limit // self.window)
        if up + down <= self.timeout:
            return granted
        return granted + {"closed": 0, "open": inf, "share": self.limit}[self.away]

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per request and settling, and per look of a site."""
        return super().cost_bound(k, items) + (2.0 * k * (items // self.timeout + 1) if self.timeout else 0)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return deployed(lease_form(self, k), self, k)

    @property
    def keeps(self) -> bool:
        """Only what other prices, or reserves, have left at it; a late site is not answered, or its window begins."""
        return self.clock == "client" or bool(self.reserve) or self.listed.prices > 1


@dataclass(frozen=True)
class HybridQuota(Leases):
    """A site admits its share by itself, and asks the server about each further request.

    Parameters
    ----------
    share
        Part of the limit that is split evenly at the start of a window.

    Source
    ------
    the usual practice of an asynchronous mode with a synchronous one near the limit.
    """

    share: FromZero = 0.8

    kind: ClassVar[str] = "hybrid-quota"
    formerly: ClassVar[str] = "hybrid"

    def upfront_of(self, k: int) -> int:
        return fraction_of(self.limit, self.share, k)


@dataclass(frozen=True)
class Lease(Leases):
    """A site with little left asks for a lease, and gets a fraction of the server's rest of the limit.

    The fraction is shared by the sites that ask: a site's first lease in a window is one of k, and later ones are of as
    many as have asked by then, so that a site alone is soon given half of what is left at once.

    Parameters
    ----------
    upfront
        Part of the limit that is split evenly at the start of a window.
    fraction
        A lease is this part of what is left of the limit, over the sites that ask, and at least the request's price.
    low
        Low-water mark: a site asks for the next lease when it has less than this part of the last one left. With 0 it
        asks when a request does not fit, and the request waits.
    limits
        Further limits that are kept too, such as `250/3000`, per steps, with spaces between, or for a log with a step
        `250/day`; their windows are several times the window. A lease is of what is left of all; what a site has not
        used of it by the end of a window it returns, in a message. Only with clocks that agree, and without a reserve
        and `upfront`.

    Source
    ------
    the usual practice of leases of tokens; halving what is left is that of the threshold protocol `countdown`.
    """

    upfront: FromZero = 0.0
    fraction: UpToOne = 0.5  # type: ignore[misc]
    low: FromZero = 0.0  # type: ignore[misc]
    limits: str | tuple[str, ...] = ""  # type: ignore[misc]

    kind: ClassVar[str] = "lease"
    guarantee: ClassVar[Guarantee] = "always"
    each: ClassVar[bool] = False
    slack = Quota.slack
    kernel_form = Leases.kernel_form  # stated again: the form has further limits

    def upfront_of(self, k: int) -> int:
        return fraction_of(self.limit, self.upfront, k)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return two messages per lease, and of each price a refusal per site, for all windows."""
        leases = leases_until_none(self.fraction, k, self.limit)
        prices, windows = 1 if self.reserve else self.listed.prices, items / self.window + 1
        returns = k * windows if self.limits else 0.0
        return returns + min(2.0 * (leases + k * prices) * windows, super().cost_bound(k, items, start))


def lease_of(fraction: float, sites: int, left: int, price: int) -> int:
    """Return this fraction of what is left over the sites that ask, at least the price; 0 if that is too much."""
    return int(granted_of(left, *ratio(fraction), sites, price))


def leases_until_none(fraction: float, k: int, pool: float) -> float:
    """Return how many such leases are granted at most until nothing is left.

    With a = k / fraction, a lease of what is left, z, is at least l(z) = max(1, floor(z / a)), which grows with z. So
    each lease lowers the integral of 1 / l from 0 to what is left by at least 1, and that integral is z up to a, and
    at most a (2 + ln(z / a)) beyond. It is concave in z.
    """
    share = k / fraction
    return min(pool, share * (log(max(1.0, pool / share)) + 2))


UNIT: Final = 100 * 720_720
"""Parts of a request in which it is counted what sites are owed: exactly, up to 16 sites that share hundredths."""


@dataclass(frozen=True)
class FairLease(Leases):
    """Each site has a share by max-min fairness of what sites were asked, and leases the rest of the limit.

    Sites report what they were asked in a window, and get their shares in the next but one. They are the max-min fair
    shares of all but the free part of the limit, in whole requests: what is lacking to one is owed until later. What is
    not in shares is leased as by `lease`. In the first two windows shares are even.

    So whatever the other sites do, a site that is asked the same in each window admits at least its fair share but for
    the free part, and k requests in the whole game.

    It keeps no further limits: the shares of a window are decided before it is known what a longer one has left for it.

    Parameters
    ----------
    free
        Part of the limit that is in no share.
    fraction
        A lease is this part of what is left, over the sites that ask, and at least the request's price.

    Source
    ------
    max-min fairness as in Bertsekas and Gallager, Data Networks (1992), section 6.5.2; credits as in the deficit
    round robin of Shreedhar and Varghese (1996); the guarantee is proven here.
    """

    free: FromZero = 0.1
    fraction: UpToOne = 0.5  # type: ignore[misc]

    kind: ClassVar[str] = "fair-lease"
    guarantee: ClassVar[Guarantee] = "always"
    each: ClassVar[bool] = False

    def upfront_of(self, k: int) -> int:
        part, of = ratio(self.free)
        return self.limit * (of - part) // (of * k)

    def most(self, site: int, k: int) -> int:
        return max(self.limit - fraction_of(self.limit, self.free), self.limit - k * self.upfront_of(k))

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return FairSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Any = ()) -> QuotaServer:
        return FairServer(self, k)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return fair_form(self, k)

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return a load and a share per site and window, and the words of leases of all of the limit."""
        windows = items / self.window + 1
        prices = 1 if self.reserve else self.listed.prices
        leases = 2.0 * (leases_until_none(self.fraction, k, self.limit) + k * prices) * windows
        return 2.0 * k * windows + min(leases, Leases.cost_bound(self, k, items, start))

    slack = Quota.slack


class FairSite(LoadSite, LeaseSite):
    """Has its share, and asks for leases beyond it."""

    silence = QuotaSite.silence  # stated again: a load is no message


class FairServer(LoadServer, LeaseServer):
    """Keeps what each site was asked and is owed; leases what is in no share."""

    def __init__(self, rule: object, k: int) -> None:
        super().__init__(rule, k)
        self.asked = [0] * k
        """What each site was asked, by the loads since the last decision."""
        self.owed = [0] * k
        """The part of a share that was not whole, in units of 1 / `UNIT`."""

    def weighs(self, site: int, load: int) -> None:
        self.asked[site] += load

    def left_in(self, window: int) -> int:
        if window < 2:
            return super().left_in(window)
        return int(self.rule.limit - self.spent_in(window))

    def decided(self) -> list[int]:
        """Decide shares by what was asked, those first that are owed most."""
        rule, (part, of) = self.rule, ratio(self.rule.free)
        rest, sharing = level_of(self.asked, rule.limit)
        for site, asked in enumerate(self.asked):
            fair, among = (rest, sharing) if asked * sharing > rest else (asked, 1)
            self.owed[site] += fair * (of - part) * UNIT // (among * of)
        self.asked = [0] * self.k
        shares, left = [0] * self.k, rule.limit
        for site in sorted(range(self.k), key=lambda one: -self.owed[one]):
            shares[site] = min(self.owed[site] // UNIT, left)
            left -= shares[site]
            self.owed[site] -= shares[site] * UNIT
        self.spend(self._shared, rule.limit - left)
        return shares
