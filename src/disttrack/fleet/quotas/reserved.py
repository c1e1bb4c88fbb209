"""A lease that keeps a share of the limit for each site: most of its fair share by what sites were asked before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.fleet.quotas.amounts import level_of
from disttrack.fleet.quotas.base import Quota, fraction_of
from disttrack.fleet.quotas.forms import QuotaForm, fair_form
from disttrack.fleet.quotas.lease_parts import LeaseServer, LeaseSite
from disttrack.fleet.quotas.leases import Leases, lease_of, leases_until_none
from disttrack.fleet.quotas.shares import LoadServer, LoadSite
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import FromZero, UpToOne
from disttrack.protocols.base import Guarantee, ratio

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
    fraction: UpToOne = 0.5

    kind: ClassVar[str] = "fair-lease"
    guarantee: ClassVar[Guarantee] = "always"
    each: ClassVar[bool] = False

    def upfront_of(self, k: int) -> int:
        part, of = ratio(self.free)
        return self.limit * (of - part) // (of * k)

    def most(self, site: int, k: int) -> int:
        return max(self.limit - fraction_of(self.limit, self.free), self.limit - k * self.upfront_of(k))

    def granted(self, sites: int, left: int, price: int) -> int:
        return lease_of(self.fraction, sites, left, price)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return FairSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Any = ()) -> QuotaServer:
        return FairServer(self, k)

    def kernel_form(self, k: int, *args: Any, **more: Any) -> QuotaForm | None:
        return fair_form(self.upfront_of(k), self.fraction)

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
