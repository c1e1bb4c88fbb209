"""The engines for games of quotas: those of tracking, with a fleet, and quotas as the rows of a trace meet them."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from disttrack.adversaries.base import Adversary
from disttrack.adversaries.quantities import duration
from disttrack.adversaries.recorded import Trace, pace_of
from disttrack.adversaries.rows import COST, LABEL, Rows
from disttrack.fleet.book import Book, most_noted
from disttrack.fleet.change import Change
from disttrack.fleet.fleet import Fleet
from disttrack.fleet.quotas.base import Quota
from disttrack.fleet.quotas.costs import RowCosts
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.engines.base import Engine, Judged
from disttrack.simulator.game.engines.leap import Leap
from disttrack.simulator.game.engines.step import Step
from disttrack.simulator.game.network import Network


class QuotaEngine(Engine):
    """What all have: the quota of a trace in its own time, and what a game says at its end."""

    protocol: Quota

    def in_own_time(
        self, protocol: Any, adversary: Adversary, network: Network | None, sites: int
    ) -> tuple[Quota, Network | None]:
        _, network = super().in_own_time(protocol, adversary, network, sites)
        self.pace = pace_of(adversary)
        try:
            return of_trace(protocol, adversary, sites), network
        except ValueError as error:
            raise ScenarioError(f"{protocol.kind}: {error}") from error

    @cached_property
    def book(self) -> Book:
        """The notes of the game."""
        return Book(self.protocol, self.consultation, lambda: self.now, most_noted(self.adversary))

    def judgement(self, steps: int) -> Judged:
        """Return that the game was judged if a request came: by windows, by the task, and not by a total."""
        return replace(super().judgement(steps), judged=bool(steps and self.sent(steps)), max_rel_error=None)

    def extra(self) -> dict[str, object]:
        """Return the rules, what the sites had done at steps spread over each window (`Fleet.looks`), and shares."""
        given = {"quota": self.protocol, "pace": self.pace, "network": self.network, "book": self.book}
        return {**given, **self.of_fleet(), "figure": "disttrack.fleet.figure:window_described"}

    @abstractmethod
    def of_fleet(self) -> dict[str, object]:
        """Return `looks`, the steps of deaths as `died`, and as `shares` what sites admitted and their fair shares."""


class FleetEngine(QuotaEngine):
    """What those with sites have: the fleet, its answers in the adversary's view, and sites that come and go."""

    by_mail: ClassVar[bool] = True
    fleet: Fleet

    def __init__(self, *sides: Any, **options: Any) -> None:
        super().__init__(*sides, **options)
        self.view.record(answers=self.fleet.answers)
        self.fleet.answers.book = self.book
        self._changed: Change | None = None

    def parts(self) -> Fleet:
        self.fleet = Fleet(self.protocol, self.k, self.rngs)
        return self.fleet

    def consult(self, step: int) -> None:
        super().consult(step)  # type: ignore[safe-super]  # of the engine beside it
        plan, begun = self.consultation.plan, self.consultation.begun
        if isinstance(plan, Change) and plan is not self._changed:
            self._changed = plan
            self.fleet.change(plan, begun + 1 if begun else 0)

    def close(self, last: int) -> None:
        super().close(last)  # type: ignore[safe-super]
        self.fleet.close(last)

    def of_fleet(self) -> dict[str, object]:
        self.fleet.answers.book = None
        return {"looks": self.fleet.looks, "died": self.fleet.died, "shares": self.fleet.shares()}


class QuotaStep(FleetEngine, Step):
    """The reference engine."""


class QuotaLeap(FleetEngine, Leap):
    """The engine that leaps from message to message."""


def of_trace(protocol: Quota, adversary: Adversary, sites: int) -> Quota:
    """Return a quota for an adversary: as it is, unless this is a trace with a time or with costs of its own.

    Raises
    ------
    ValueError
        It has no form with several requests a step, or the costs do not fit it.
    """
    if not isinstance(adversary, Trace) or (adversary.step is None and adversary.cost is None):
        _ = protocol.longer  # windows that are lengths of time are refused
        return protocol
    costs = None
    if adversary.cost is not None:
        costs = _costs(adversary.stream().rows, sites, adversary.deal is not None)
    return protocol.of_trace(adversary.pace, costs, duration(adversary.step))


@lru_cache(maxsize=2)
def _costs(rows: Rows, sites: int, dealt: bool) -> RowCosts:
    """Return the costs of rows by site; 16 bytes a row."""
    labels = rows.column(LABEL)
    return RowCosts(labels % sites if dealt else labels, rows.column(COST), sites)
