"""Base class of quota protocols: a limit per window of steps, the requests that it is for, and the guarantee.

Time is counted in steps, and a step brings at most one request. Guarantees and their proofs: docs/quota-guarantees.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar

import numpy as np

from disttrack.fleet.faults import Generous
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import Natural, Whole
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.protocols.base import Guarantee, Protocol
from disttrack.simulator.faults.mixins import FaultyPart


@dataclass(frozen=True)
class Quota(Protocol):
    """What quota protocols share: the limit, and the requests that it is for.

    Parameters
    ----------
    limit
        Cost that may be admitted in a window, tau.
    window
        Steps of a window, W.
    costs
        Costs of requests, whole numbers with spaces between; each site goes through them again and again, and site i
        begins at place i.
    reserve
        What a request takes from the budget on arrival if its cost is known only later; 0 if it is known on arrival.
    settle
        With a reserve, the steps from one settling of costs to the next. The cost of a request is known by the second
        one after its arrival, and replaces its reserve if the window is still the same. A site that leaves in order has
        finished its requests, and settles all of them first.
    skew
        Steps by which the clock of the last site is late; those between are late in proportion.
    """

    limit: Whole
    window: Whole
    costs: int | str = 1
    reserve: Natural = 0
    settle: Natural = 0
    skew: Natural = 0

    guarantee: ClassVar[Guarantee] = "always"
    plays: ClassVar[tuple[str, ...]] = ("quota",)
    reveals: ClassVar[str] = "each site's answers"
    every: ClassVar[int | None] = None
    """Steps from one flush of a site to the next, None for no flushes; a parameter of the kinds that have them."""
    faults: ClassVar[Mapping[str, type[FaultyPart]]] = {"coarse": Generous}
    one_sum: ClassVar[bool] = False
    """Whether one sum over all sites stops them, and not a budget of each: what is unsettled then counts once."""

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            cycle = self.cycle
        except ValueError:
            cycle = []
        if not cycle or min(cycle) < 1:
            raise ValueError(f"costs must be whole numbers of at least 1 with spaces between; got {self.costs!r}")
        if max(cycle) > self.limit:
            raise ValueError(f"costs must be at most the limit of {self.limit}; got {max(cycle)}")
        if self.reserve > self.limit:
            raise ValueError(f"reserve must be at most the limit of {self.limit}; got {self.reserve}")
        if bool(self.reserve) != bool(self.settle):
            raise ValueError(f"settle must be given with a reserve, and only then; got {self.settle}")
        if self.skew >= self.window:
            raise ValueError(f"skew must be less than the window of {self.window} steps; got {self.skew}")

    @property
    def cycle(self) -> list[int]:
        """The costs of requests, in order."""
        return [int(cost) for cost in str(self.costs).split()]

    @property
    def dearest(self) -> int:
        """The largest cost of a request."""
        return max(self.cycle)

    def late(self, site: int, k: int) -> int:
        """Return the steps by which the clock of a site is late."""
        return self.skew * site // max(1, k - 1)

    def worst(
        self, k: int, up: float = 0, down: float = 0, deaths: int = 0, away: bool = False, varies: float = 0
    ) -> float:
        """Return the largest cost that can be admitted in a window, whatever the adversary does.

        Parameters
        ----------
        k
            Number of sites.
        up, down
            Most steps of a message to the server, and of one to a site.
        deaths
            Sites that die in a window without a last message.
        away
            Whether a site is out of the fleet at any time.
        varies
            Steps by which the times of a round trip differ at most.
        """
        dearest, waiting = self.dearest, self.waiting(up + down)
        most = self.limit + self.slack(k, up, down, deaths, away, varies)
        if 0 < self.reserve < dearest:
            stops = deaths + (1 if self.one_sum else k)
            answered = min(waiting, 2 * self.settle + varies)
            unsettled = min(stops * (2 * self.settle + answered), self.window)
            most = min(most * dearest / self.reserve, most + (dearest - self.reserve) * unsettled)
        requests: float = self.window
        if late := self.late(k - 1, k):
            before = min(up + down, k * waiting, late + varies)  # of the window before, answered in this one
            most += min(most, dearest * (late + before))
            requests += before
        return min(most, dearest * requests)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return the largest cost beyond the limit, with clocks that agree and costs that are known on arrival.

        If reserves are below the costs, it is beyond the limit and what is not settled when the sites are stopped. It
        is 0 by default.
        """
        return 0.0

    def waiting(self, trip: float) -> float:
        """Return the most requests that wait at a site for an answer, if a round trip has this many steps."""
        return 0.0

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[QuotaSite]:
        answers = Answers(k)
        return [self.site(number, k, answers) for number in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return QuotaServer(self, k)

    @abstractmethod
    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        """Return one site."""

    shortcuts: ClassVar = {"slack": Shortcut(lambda quota, k, up, down, deaths=0, away=False: inf)}
    descriptions = frozenset({"worst"})
