"""Loads of a fleet with a quota: who sends requests where, refused ones again too, and which sites come and go.

They know what the protocol knows: the limit and the window, `view.known`. A step brings at most one request.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, Final, Literal

import numpy as np
import numpy.typing as npt

from disttrack.adversaries.base import Adversary, View
from disttrack.adversaries.schedules import Burst, Labels, Rest, Schedule
from disttrack.adversaries.scripts import Scripted
from disttrack.fleet.change import Change, Try
from disttrack.fleet.load_rules import CHURN, GREEDY, NO_RULE, PROBING, STARVING, late_part
from disttrack.mechanisms.checks import Flag, Natural, UpToOne, Whole
from disttrack.mechanisms.shortcuts import Shortcut

__all__ = ["Autoscaling", "Boundary", "ChurnOfSites", "FlashCrowd", "Greedy", "Probing", "Starving"]
BLOCK: Final = 2**20
"""Most requests whose sites are drawn at once."""


class Load(Scripted, Adversary):
    """What all have: their game, and the rule on numbers that is their script; one with another script has no rule."""

    plays: ClassVar[tuple[str, ...]] = ("quota",)
    ruled: ClassVar[int] = NO_RULE
    shortcuts: ClassVar = {"ruled": Shortcut(NO_RULE)}


def steps_left(view: View) -> int:
    """Return the steps up to the end of the present window."""
    window: int = view.known["window"]
    return window - view.steps % window


def in_blocks(requests: int, sites: int, labels: Callable[[int, int], npt.NDArray[np.int64]]) -> Iterator[Labels]:
    """Yield requests in blocks; `labels` returns the sites of those from a first one up to before another."""
    for begin in range(0, requests, BLOCK):
        yield Labels(labels(begin, min(begin + BLOCK, requests)), sites)


def drawn(requests: int, few: int, view: View) -> Iterator[Labels]:
    """Yield requests to the first few sites, drawn uniformly."""
    return in_blocks(requests, view.sites, lambda begin, end: view.rng.integers(few, size=end - begin))


@dataclass
class Greedy(Load):
    """Sends to a site for as long as it admits, then to the next; when all reject, it waits at the last.

    Parameters
    ----------
    stay
        Most requests to a site before it goes on; None for as long as the site admits.

    Source
    ------
    derived: a client that retries elsewhere.
    """

    kind: ClassVar[str] = "greedy"
    ruled: ClassVar[int] = GREEDY

    stay: Whole | None = None

    def script(self, view: View) -> Iterator[Schedule]:
        site = 0
        while True:
            refused = 0
            while refused < view.sites:
                yield from self._stay(site, view)
                refused = refused + 1 if view.answers[site] is False else 0
                site = (site + 1) % view.sites
            site = (site - 1) % view.sites
            yield Burst(site, steps_left(view))

    def _stay(self, site: int, view: View) -> Iterator[Schedule]:
        """Yield requests to a site until it rejects one, or for its time."""
        until = view.steps + (self.stay or view.items)
        yield Burst(site, 1)
        while view.answers[site] is not False and view.steps < until:
            yield Burst(site, until - view.steps)


@dataclass
class Probing(Load):
    """Sends one request to each site, spends the limit at the first, then uses what is left at the others.

    So each site holds what it was granted for one request, and all of it is spent at the end.

    Source
    ------
    derived: the worst order for permits that are handed out ahead.
    """

    kind: ClassVar[str] = "probing"
    ruled: ClassVar[int] = PROBING

    def script(self, view: View) -> Iterator[Schedule]:
        while True:
            window = view.steps // view.known["window"]
            for site in range(view.sites):
                yield Burst(site, 1)
            for site in range(view.sites):
                yield Burst(site, 1)
                while view.answers[site] is not False and view.steps // view.known["window"] == window:
                    yield Burst(site, steps_left(view))
            if view.steps // view.known["window"] == window:
                yield Burst(view.sites - 1, steps_left(view))


@dataclass
class Starving(Load):
    """Spends the limit at the other sites, and has the last site asked only in the last steps of a window.

    There are as many of these steps as an even share of the limit has units. So that share is what the site is owed,
    and all that it gets is what is still kept for it.

    Parameters
    ----------
    pause
        Windows in a row in which the last site is asked nothing, before each in which it is.

    Source
    ------
    derived: who comes last finds nothing; who comes seldom is not expected.
    """

    kind: ClassVar[str] = "starving"
    ruled: ClassVar[int] = STARVING

    pause: Natural = 0

    def script(self, view: View) -> Iterator[Schedule]:
        limit, window, last = view.known["limit"], view.known["window"], view.sites - 1
        site = refused = 0
        there = False
        while True:
            left = steps_left(view) - late_part(limit, view.sites, window, view.steps // window, self.pause)
            if left <= 0:
                refused, there = 0, False
                yield Burst(last, steps_left(view))
                continue
            if there and view.answers[site] is False:
                site, refused, there = (site + 1) % last, refused + 1, False
            elif there:
                refused = 0
            stays = there or refused >= last
            there = refused < last
            yield Burst(site, left if stays else 1)


@dataclass
class ChurnOfSites(Load):
    """Feeds a site some requests, makes it leave and return, and goes on to the next.

    Parameters
    ----------
    stay
        Requests to a site before it goes.
    dies
        Whether it goes without a last message.

    Source
    ------
    derived: each site that dies takes with it what it has not reported.
    """

    kind: ClassVar[str] = "churn-of-sites"
    rests: ClassVar[bool] = True
    ruled: ClassVar[int] = CHURN

    stay: Whole = 10
    dies: Flag = True

    def script(self, view: View) -> Iterator[Schedule]:
        while True:
            for site in range(view.sites):
                yield from Greedy(self.stay)._stay(site, view)
                yield Change("die" if self.dies else "leave", (site,))
                yield Change("join", (site,))


@dataclass
class Autoscaling(Load):
    """Requests to sites drawn uniformly, while the fleet grows after one third of the requests and shrinks after two.

    Parameters
    ----------
    few
        Part of the sites that are there at the beginning and at the end.
    dies
        Whether sites go without a last message.

    Source
    ------
    the usual day of a service.
    """

    kind: ClassVar[str] = "autoscaling"
    rests: ClassVar[bool] = True
    oblivious: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    few: UpToOne = 0.25
    dies: Flag = False

    def script(self, view: View) -> Iterator[Schedule]:
        few = max(1, round(self.few * view.sites))
        others = tuple(range(few, view.sites))
        how: Literal["leave", "die"] = "die" if self.dies else "leave"
        changes: tuple[Literal["leave", "die", "join"], ...] = (how, "join", how)
        for third, (change, sites) in enumerate(zip(changes, (few, view.sites, few), strict=True), start=1):
            yield Change(change, others)
            yield from drawn(view.items * third // 3 - view.sent, sites, view)

    def steps_of(self, requests: int, window: int) -> int:
        """Return the steps in which it has sent its requests: each change takes one."""
        return requests + 3


@dataclass
class FlashCrowd(Load):
    """Rests for most of each window, then sends a request in each step, to sites drawn uniformly.

    Parameters
    ----------
    part
        Part of the window with requests, the last one.

    Source
    ------
    the usual peak.
    """

    kind: ClassVar[str] = "flash-crowd"
    rests: ClassVar[bool] = True
    oblivious: ClassVar[bool] = True
    each_item: ClassVar[bool] = True

    part: UpToOne = 0.5

    def script(self, view: View) -> Iterator[Schedule]:
        window: int = view.known["window"]
        crowd = max(1, round(self.part * window))
        while True:
            if crowd < window:
                yield Rest(window - crowd)
            yield from drawn(crowd, view.sites, view)

    def steps_of(self, requests: int, window: int) -> int:
        """Return the steps in which it has sent its requests, at most."""
        return window * -(-requests // max(1, round(self.part * window)))


@dataclass
class Boundary(Load):
    """Requests to the sites in turn around the end of every second window, and rests in between.

    A limit per window lets twice as much through about that boundary as within a window.

    Parameters
    ----------
    part
        Part of a window with requests, before the boundary and after it.

    Source
    ------
    derived: the burst of fixed windows.
    """

    kind: ClassVar[str] = "boundary"
    rests: ClassVar[bool] = True
    oblivious: ClassVar[bool] = True

    part: UpToOne = 0.5

    def script(self, view: View) -> Iterator[Schedule]:
        window: int = view.known["window"]
        crowd = max(1, round(self.part * window))
        while True:
            if crowd < window:
                yield Rest(window - crowd)
            yield from in_blocks(2 * crowd, view.sites, lambda begin, end: np.arange(begin, end) % view.sites)
            if crowd < window:
                yield Rest(window - crowd)

    def steps_of(self, requests: int, window: int) -> int:
        """Return the steps in which it has sent its requests, at most."""
        return 2 * window * -(-requests // (2 * max(1, round(self.part * window))))


@dataclass
class Retrying(Load):
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
