"""A load whose clients send a refused request again, instead of losing it."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Literal

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Rest, Schedule
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.change import Try
from disttrack.fleet.loads import PLAYS
from disttrack.mechanisms.checks import UpToOne, Whole


@dataclass
class Retrying(Scripted, Adversary):
    """New requests at a rate, to sites drawn uniformly; one that is refused comes again to its site.

    Requests that are due in the same step come one after the other. A client sees the last answer of its site, so
    messages that take time may make it send again what is still waiting.

    Parameters
    ----------
    rate
        New requests per step.
    backoff
        When a refused request comes again: `none`, never; `fixed`, after `wait` steps; `exponential`, after the n-th
        refusal in 1 to `wait` 2^(n − 1) steps, drawn uniformly (full jitter); `bucket`, when the clients' token bucket
        of this site has a token, which each try takes: it is filled at the site's share of the limit, to `wait` tokens.
    wait
        Steps of the first backoff, or the tokens.
    patience
        Steps after which a request is given up; None for a window.

    Source
    ------
    the usual practice of clients; a token bucket at the client as in Farkiani, Liu and Crowley, Rethinking HTTP API
    Rate Limiting: A Client-Side Approach (arXiv 2510.04516), with a constant rate in place of an adaptive one.
    """

    kind: ClassVar[str] = "retrying"
    rests: ClassVar[bool] = True
    plays: ClassVar[tuple[str, ...]] = PLAYS

    rate: UpToOne = 0.5
    backoff: Literal["none", "fixed", "exponential", "bucket"] = "exponential"
    wait: Whole = 20
    patience: Whole | None = None

    def script(self, view: View) -> Iterator[Schedule]:
        patience = self.patience or view.known["window"]
        each = view.sites * view.known["window"] / view.known["limit"]  # steps in which a client's bucket gets a token
        next_free = [0.0] * view.sites
        due: list[tuple[int, int, int, int, int]] = []
        """Step, and of the request its number, site, first step and refusals."""
        number, fresh = 0, int(view.rng.geometric(self.rate))

        def put(now: int, request: int, site: int, since: int, refusals: int) -> None:
            at = now
            if self.backoff == "bucket":
                at = max(now, ceil(next_free[site] - (self.wait - 1) * each))
            elif refusals and self.backoff == "fixed":
                at = now - 1 + self.wait
            elif refusals and self.backoff == "exponential":
                at = now - 1 + int(view.rng.integers(1, self.wait * 2 ** min(refusals - 1, 40), endpoint=True))
            if at - since <= patience and not (refusals and self.backoff == "none"):
                next_free[site] = max(next_free[site], now) + each
                heapq.heappush(due, (at, request, site, since, refusals))

        while True:
            now = view.steps + 1
            while fresh <= now:
                number += 1
                put(fresh, number, int(view.rng.integers(view.sites)), fresh, 0)
                fresh += int(view.rng.geometric(self.rate))
            if not due or due[0][0] > now:
                yield Rest(min([fresh, *(one[0] for one in due[:1])]) - now)
                continue
            _, request, site, since, refusals = heapq.heappop(due)
            yield Try(site, since)
            if view.answers[site] is False:
                put(now + 1, request, site, since, refusals + 1)
