"""Quota protocols for any interval: tokens that sites hold, each of which rests after its use.

There are as many tokens as may be admitted at once, the pool: T for the shape `sliding`, b for `bucket`. A request
takes as many as it costs. A token is at the server or at one site, and moves only when it is rested.

Sliding: a token that was used rests for W steps at its site. So no token is used twice in any W steps, and

    cost admitted in any W steps <= T.

Bucket: h tokens at a site are a bucket of depth h, filled at the rate h T / (b W). A token moves only if it is in the
bucket, and takes its part of depth and rate along. All buckets together hold at most b, and gain at most T / W per
step, so

    cost admitted in any x steps <= b + x T / W.

Neither bound asks anything of messages, nor that clocks agree. What a site was granted and what it has returned are
sums over its present *life*, which only grow: a message that comes twice, late or never does no harm that a later one
does not repair. A site uses its tokens for `term` slots after it sent the last message that was answered; then its life
is over, and it begins another one. The server counts from the arrival of that message, and takes the tokens back when
they must have rested: so those of a site that died come back too.

A site's clock counts slots of g steps. A token used in slot j was used at most g steps before the end of that slot, so
it may be used again from slot j + ceil((W + g - 1) / g) on. Hence the share of the limit that is lost with W = m g is
1 / (m + 1) under constant load. A bucket is filled at the ends of slots, and loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from disttrack.fleet.quotas.base import Quota, Shape
from disttrack.fleet.quotas.leases import lease_of, leases_until_none
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.fleet.quotas.token_parts import TokenServer, TokenSite
from disttrack.mechanisms.checks import Natural, UpToOne, Whole
from disttrack.protocols.base import Guarantee


@dataclass(frozen=True)
class Tokens(Quota):
    """What both kinds share: a site that has too few tokens asks, and gets a fraction of those at the server.

    When there are none, the site is refused, and gets those that come back. All sites are then asked for tokens that
    they did not need in the last sixteenth of a span.

    Parameters
    ----------
    fraction
        A site gets this part of the tokens at the server, over the sites that ask, and at least the request's price.
    slots
        Slots in the time after which the limit comes back.
    """

    fraction: UpToOne = 0.5
    slots: Whole = 64  # type: ignore[misc]

    guarantee: ClassVar[Guarantee] = "always"

    @property
    def term(self) -> int:
        """The slots for which a site may use its tokens after it sent the last message that was answered."""
        return 2 * self.rest

    @property
    def patience(self) -> int:
        """The slots after which a token counts as not needed; the server also waits for them if a clock stalls."""
        return max(1, self.rest // 16)

    def granted(self, sites: int, left: int, price: int) -> int:
        """Return the tokens for one of several sites that ask, if this many are left; 0 for none."""
        return lease_of(self.fraction, sites, left, price)

    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        return TokenSite(self, number, k, answers)

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return TokenServer(self, k)

    def waiting(self, trip: float) -> float:
        return min(1.0, trip)

    def stops(self, k: int, trip: float) -> float:
        """Return one a site, and one more for a life that ends because no answer comes in time."""
        if trip <= self.period * (self.rest - 1):
            return k
        return 2.0 * k if self.shape == "sliding" else inf

    def cost_bound(self, k: int, items: int, start: int = 0) -> float:
        """Return three words per request, or lease if these are fewer, and what each site sends and gets by the clock.

        It is for N steps, if no site leaves and messages take no time. Let g be the steps of a slot, n = N / g + 1, m
        the slots for which a token rests, and p = max(1, floor(m / 16)) those after which a site looks for tokens that
        it did not need. By the clock a site looks at most n / p times, and returns tokens in a message each time; it
        renews its life at most n / m times, with two messages. The server asks all for tokens at most n / p + 1 times,
        which are k words.

        A question that is granted costs two words. One that is refused costs two, and a third one if the site gets
        tokens later. A refused site asks again only after it got tokens or renewed its life. So with G leases the
        questions cost at most 3 G + 2 k (n / m + 1) words, and at most 3 N.

        Let F(z) be the most leases of a rest of z tokens, z up to a = k / fraction and a (2 + ln(z / a)) beyond: each
        lease lowers F of what is left by at least 1. F is concave, so tokens that come back raise it by F of their
        number at most. Those that come back within p slots were all idle at one moment, so they are at most the pool P,
        in at most k messages: G <= F(P) + (n / p + 1) k F(P / k).
        """
        slots = items / self.period + 1
        looks, renewals = slots / self.patience + 1, slots / self.rest + 1
        at_once, again = (leases_until_none(self.fraction, k, tokens) for tokens in (self.pool, self.pool / k))
        leases = at_once + looks * k * again
        return min(3.0 * items, 3.0 * leases + 2.0 * k * renewals) + 2.0 * k * (looks + renewals)

    slack = Quota.slack


@dataclass(frozen=True)
class SlidingLease(Tokens):
    """At most the limit in any window of steps, whatever happens to messages, sites and clocks.

    Source
    ------
    derived in its module: tokens that rest for a window after their use.
    """

    kind: ClassVar[str] = "sliding-lease"
    shape: ClassVar[Shape] = "sliding"
    guarantee: ClassVar[Guarantee] = "always"
    slack = Quota.slack
    cost_bound = Tokens.cost_bound


@dataclass(frozen=True)
class BucketLease(Tokens):
    """A bucket for the whole fleet, at most b + x T / W in any x steps, whatever happens to messages, sites and clocks.

    Parameters
    ----------
    depth
        Depth of the bucket, b; the limit per window is the rate at which it is filled.

    Source
    ------
    derived in its module: a token bucket, divided into buckets whose depths add up to its own.
    """

    depth: Natural = 0  # type: ignore[misc]

    kind: ClassVar[str] = "bucket-lease"
    shape: ClassVar[Shape] = "bucket"
    guarantee: ClassVar[Guarantee] = "always"
    slack = Quota.slack
    cost_bound = Tokens.cost_bound
