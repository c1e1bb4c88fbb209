"""Base class of quota protocols: a limit per window of steps, the requests that it is for, and the guarantee.

A limit has a shape. T is the `limit`, W the `window`, and b the `depth`.

- `window`: at most T in each window, from step 1 on.
- `sliding`: at most T in any W steps in a row.
- `weighted`: as `sliding`, but by counters of windows: the window before counts by the part of it that W steps reach.
- `bucket`: at most b + x T / W in any x steps in a row: a bucket of depth b that is filled at the rate T / W.

Deployed limiters differ in more than the shape (`Shaped`): whether refused requests are charged, whose clock numbers a
window, and what becomes of parts of a token.

Time is counted in steps, and a step brings at most one request. Guarantees and proofs: fleet/docs/quota-guarantees.md.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from math import ceil, inf, isfinite
from typing import Any, ClassVar, Literal, Self

import numpy as np

from disttrack.fleet.faults import Generous
from disttrack.fleet.quotas import limits
from disttrack.fleet.quotas.amounts import (
    LARGEST,
    carried_over,
    filled_in,
    first_flush,
    for_alone,
    late_by,
    part_of,
    slot_of,
)
from disttrack.fleet.quotas.costs import CycleCosts, RowCosts, cycle_costs
from disttrack.fleet.quotas.sites import Answers, QuotaServer, QuotaSite
from disttrack.mechanisms.checks import Natural, Whole
from disttrack.mechanisms.faults import FaultyPart
from disttrack.mechanisms.shortcuts import Shortcut
from disttrack.protocols.base import Guarantee, Protocol, ratio

Shape = Literal["window", "sliding", "weighted", "bucket"]
"""What the limit is kept in: each window, any window, the same by two counters, or any interval by a bucket."""
Charge = Literal["admitted", "asked"]
"""What is charged: requests that are admitted, or all that are asked about."""
Clock = Literal["store", "client"]
"""Whose clock says to which window a request belongs."""
Away = Literal["closed", "open", "share"]
"""What a site admits that is cut off from the server: nothing, everything, or its even share of the limit."""
Rounding = Literal["none", "down"]
"""What becomes of the part of a token by which a bucket is filled in a slot: it is kept, or lost."""


def exact(number: float) -> float:
    """Return a whole number as an int, with which sums are exact at any limit; anything else as it is.

    Examples
    --------
    >>> exact(3.0), exact(2.5), exact(inf)
    (3, 2.5, inf)
    """
    return int(number) if isfinite(number) and number == int(number) else number


def fraction_of(cost: int, share: float, parts: int = 1) -> int:
    """Return a share of a cost over some parts, rounded down; the share is the decimal number that is written.

    Examples
    --------
    >>> fraction_of(100, 0.29), int(100 * 0.29), fraction_of(2**53 + 1, 1.0) - 2**53
    (29, 28, 1)
    """
    return int(part_of(cost, *ratio(share), parts))


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
        Costs of requests, whole numbers with spaces between or in a list; each site goes through them again and again.
        Sites begin at places spread evenly, so that they do not have the dear ones together.
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
    costs: int | str | tuple[int, ...] | RowCosts = 1
    reserve: Natural = 0
    settle: Natural = 0
    skew: Natural = 0

    guarantee: ClassVar[Guarantee] = "always"
    guaranteed: ClassVar[str] = "within a proven bound, which may exceed the limit,"
    plays: ClassVar[tuple[str, ...]] = ("quota",)
    reveals: ClassVar[str] = "each site's answers"
    carries: ClassVar = "losses"
    every: ClassVar[int | None] = None
    """Steps from one flush of a site to the next, None for no flushes; a parameter of the kinds that have them."""
    faults: ClassVar[Mapping[str, type[FaultyPart]]] = {"coarse": Generous}
    conformance: ClassVar[str] = "disttrack.fleet.conformance"
    """Module with the conformance tests of its kind."""
    one_sum: ClassVar[bool] = False
    """Whether one sum over all sites stops them, and not a budget of each: what is unsettled then counts once."""
    shape: ClassVar[Shape] = "window"
    """A parameter of the kinds that have several."""
    depth: ClassVar[int] = 0
    """With the shape `bucket`, its depth b: a parameter."""
    charge: ClassVar[Charge] = "admitted"
    limits: ClassVar[str | tuple[str, ...]] = ""
    """Further limits, whose windows have several of the first one: a parameter of the kinds that keep them."""
    clock: ClassVar[Clock] = "store"
    away: ClassVar[Away] = "closed"
    timeout: ClassVar[int] = 0
    rounding: ClassVar[Rounding] = "none"
    in_steps: ClassVar[frozenset[str]] = frozenset({"window", "every", "settle", "skew", "timeout"})
    """The parameters that are numbers of steps."""
    slots: ClassVar[int] = 1
    """Parts into which clocks divide the time in which the limit comes back, if it has another shape than `window`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.costs, list):  # as files give it
            object.__setattr__(self, "costs", tuple(self.costs))
        try:
            cheapest = self.listed.cheapest
        except (TypeError, ValueError):
            cheapest = 0
        if cheapest < 1:
            got = f"{self.costs!r}"
            raise ValueError(f"costs must be whole numbers of at least 1 with spaces between; got {got[:60]}")
        for name in ("limit", "depth"):
            if (given := getattr(self, name)) > LARGEST:
                raise ValueError(f"{name} must be at most {LARGEST:,}; got {given:,}: count in a larger unit")
        bucket = self.shape == "bucket"
        if bucket != bool(self.depth):
            raise ValueError(f"depth must be given with the shape bucket, and only then; got {self.depth}")
        most = f"the {'depth' if bucket else 'limit'} of {self.pool}"
        if self.dearest > self.pool:
            raise ValueError(f"costs must be at most {most}; got {self.dearest}")
        if self.reserve > self.pool:
            raise ValueError(f"reserve must be at most {most}; got {self.reserve}")
        if bool(self.reserve) != bool(self.settle):
            raise ValueError(f"settle must be given with a reserve, and only then; got {self.settle}")
        if self.skew >= self.window:
            raise ValueError(f"skew must be less than the window of {self.window} steps; got {self.skew}")

        if isinstance(self.limits, list):
            object.__setattr__(self, "limits", tuple(self.limits))
        limits.check(self)
        self._check_deployed()

    @property
    def lasting(self) -> str:
        """The further limits whose windows are lengths of time, which only a trace with a step has in steps."""
        return limits.lasting_of(self.limits)

    @property
    def longer(self) -> list[tuple[int, int]]:
        """The further limits and their windows, in steps."""
        return limits.pairs_of(self.limits)

    @property
    def times(self) -> list[tuple[int, int]]:
        """The further limits, and how many windows one of their windows has."""
        return [(limit, window // self.window) for limit, window in self.longer]

    @property
    def singles(self) -> list[Self]:
        """The same quota with each of its limits alone, the first one first."""
        if not self.limits:
            return [self]
        pairs = ((self.limit, self.window), *self.longer)
        return [replace(self, limit=limit, window=window, limits="") for limit, window in pairs]  # type: ignore[call-arg]

    def _check_deployed(self) -> None:
        """Refuse what no clock, or no bucket, can do."""
        if self.clock == "client" and self.shape != "window":
            raise ValueError(f"clock must be store with the shape {self.shape}, whose slots no client numbers")
        if self.rounding != "none" and self.shape != "bucket":
            raise ValueError(f"rounding must be none with the shape {self.shape}; got {self.rounding!r}")
        if self.away != "closed" and not self.timeout:
            raise ValueError(f"timeout must be at least 1 with away {self.away}; got 0")
        if self.timeout and (self.skew or self.clock != "store"):
            raise ValueError(f"timeout must be 0 with the clock {self.clock} and skew {self.skew}; got {self.timeout}")
        if self.timeout and self.reserve and (self.shape != "window" or self.one_sum):
            raise ValueError(f"reserve must be 0 with a timeout: a correction may be lost; got {self.reserve}")
        if self.away == "share" and self.shape == "bucket":
            raise ValueError("away must be closed or open with the shape bucket, whose rate shares would double")
        if self.rounding != "none" and not self.filled:
            part = f"{self.limit:,} * {self.period:,} / {self.window:,}"
            raise ValueError(f"rounding must be none if a slot brings less than a token, here {part}; or lower slots")

    def of_trace(self, pace: int, costs: RowCosts | None = None, step: Fraction | None = None) -> Self:
        """Return the same quota for a trace: with the costs of its rows, and with steps divided into `pace` each.

        Parameters
        ----------
        step
            The seconds of a step, by which lengths of time are steps.

        Raises
        ------
        ValueError
            A class outside of this package has parameters that may be numbers of steps, or the costs do not fit.
        """
        if pace > 1:
            for one in (one for one in fields(self) if one.name not in self.in_steps):
                owner = next(each for each in type(self).__mro__ if one.name in vars(each).get("__annotations__", ()))
                if not owner.__module__.startswith("disttrack.") and "in_steps" not in vars(owner):
                    raise ValueError(
                        f"a step of the trace has up to {pace:,} requests, and {owner.__name__} promises for one a "
                        f"step: give a shorter step, or say by in_steps which parameters, as {one.name}, are steps"
                    )
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        changed: dict[str, Any] = {name: pace * value for name, value in given.items() if name in self.in_steps}
        if self.limits:
            changed["limits"] = limits.divided(self.limits, pace, step)
        if costs is not None:
            changed["costs"] = costs
        return replace(self, **changed)

    @property
    def listed(self) -> CycleCosts | RowCosts:
        """The costs of requests."""
        return self.costs if isinstance(self.costs, RowCosts) else cycle_costs(self.costs)

    @property
    def cycle(self) -> Any:
        """The costs of requests, in order."""
        return self.listed.cycle

    @property
    def dearest(self) -> int:
        """The largest cost of a request."""
        return self.listed.dearest

    @property
    def price(self) -> int:
        """The most that a request takes from the budget on arrival."""
        return max(self.dearest, self.reserve)

    @property
    def pool(self) -> int:
        """The cost that may be admitted at once."""
        return self.depth if self.shape == "bucket" else self.limit

    @property
    def span(self) -> int:
        """The steps after which all of `pool` may be admitted again."""
        return -(-self.window * self.depth // self.limit) if self.shape == "bucket" else self.window

    @property
    def rolls(self) -> bool:
        """Whether the limit is for any window of steps."""
        return self.shape in ("sliding", "weighted")

    @property
    def turn_name(self) -> str:
        """What begins at a turn of the clocks, which are what a server counts: a `window`, or a `slot` of a span."""
        return "window" if self.shape == "window" else "slot"

    @property
    def period(self) -> int:
        """The steps from one turn of the clocks to the next, g: a window, or a slot."""
        if self.shape == "weighted":
            return slot_of(self.window, self.slots)
        return self.window if self.shape == "window" else max(1, self.span // self.slots)

    @property
    def counted(self) -> int:
        """The slots of a window of the shape `weighted`, which has a few more steps if no number near divides it."""
        return -(-self.window // self.period)

    @property
    def filled(self) -> int:
        """By how much a slot fills a bucket that holds all its tokens, in units of 1 / (W b)."""
        return int(filled_in(self.pool, self.period, self.limit, self.window * self.depth, self.rounding == "down"))

    @property
    def rest(self) -> int:
        """The slots from one with an admission to the first that is a span later in all of its steps.

        With the shape `weighted` an admission counts up to the end of the next window.
        """
        if self.shape == "weighted":
            return 2 * self.counted
        return -(-(self.span + self.period - 1) // self.period)

    def most(self, site: int, k: int) -> int:
        """Return the largest price that a site of k can pay with all of its budget: one above it is never admitted.

        Nothing else may be spent: a smaller price may have to wait, and this says for ever. Of a later site it is never
        larger.
        """
        return self.pool

    def charged_on_arrival(self) -> Self:
        """Return the same quota without a reserve: a request is charged what it names, and its cost is committed."""
        return replace(self, reserve=0, settle=0)

    def late(self, site: int, k: int) -> int:
        """Return the steps by which the clock of a site is late."""
        return int(late_by(self.skew, site, k))

    def first_turn(self, site: int, k: int) -> int:
        """Return the step of the first turn of a site's clock; slots have no number that sites share, only a phase."""
        late = self.late(site, k)
        return self.period + late if self.shape == "window" else late % self.period or self.period

    def moments(self, site: int, k: int) -> dict[str, tuple[int, int]]:
        """Return the first step and the period of what a site does by its clock, in their order within a step."""
        moments = {"turn": (self.first_turn(site, k), self.period)}
        if self.settle:
            moments["learn_costs"] = self.settle, self.settle
        if self.every:
            moments["flush"] = first_flush(site, k, self.every), self.every
        return moments

    def worst(
        self, k: int, up: float = 0, down: float = 0, deaths: int = 0, away: bool = False, varies: float = 0
    ) -> float:
        """Return the largest cost that can be admitted in a window, whatever the adversary does.

        Of a bucket it is the limit, and the largest cost in any interval beyond b + x T / W. A message takes whole
        steps, so the bound is an int, exact at any limit; infinity if nothing is guaranteed.

        Parameters
        ----------
        k
            Number of sites.
        up, down
            Most steps of a message to the server, and of one to a site.
        deaths
            Sites that die in a window without a last message; for a bucket, in the game.
        away
            Whether a site is out of the fleet at any time.
        varies
            Steps by which the times of a round trip differ at most.
        """
        up, down, varies = (ceil(steps) if isfinite(steps) else steps for steps in (up, down, varies))
        dearest, waiting = self.dearest, exact(self.waiting(up + down))
        most = self.limit + exact(self.slack(k, up, down, deaths, away, varies))
        requests: float = self.window
        if self.rolls:
            requests += min(up + down, k * waiting)  # those that have waited
        if 0 < self.reserve < dearest:
            stops = deaths + exact(self.stops(k, up + down))
            answered = min(waiting, 2 * self.settle + varies + 2 * self.timeout)  # two looks until it is cut off
            unsettled, more = stops * (2 * self.settle + answered), dearest - self.reserve
            if self.shape == "bucket":
                return most + more * unsettled
            if isfinite(most):
                most = min(most * dearest // self.reserve, most + more * min(unsettled, requests))
        if self.shape == "bucket":
            return most
        if self.shape == "weighted" and isfinite(most):
            spread = int(varies) if isfinite(varies) else 0
            counted = self.counted * self.period
            most += carried_over(int(most), dearest, self.window + spread, counted, spread)
        if self.shape == "window" and (late := self.late(k - 1, k)):
            before = min(up + down, k * waiting, late + varies)  # of the window before, answered in this one
            lives = 1 if self.clock == "store" else 2  # a window that is numbered late is counted anew
            if self.forgets or self.counts_anew:
                lives = k - -(-(k - 1) // self.skew)  # by each site that is late
            anew = min(most, dearest * late) if self.counts_anew else 0
            most += min(lives * most, dearest * (before + (late if self.keeps else 0))) + anew
            requests += before
        return min(most, dearest * requests)

    def slack(self, k: int, up: float, down: float, deaths: int = 0, away: bool = False, varies: float = 0) -> float:
        """Return the largest cost beyond the limit, with clocks that agree and costs that are known on arrival.

        If reserves are below the costs, it is beyond the limit and what is not settled when the sites are stopped. It
        is 0 by default.
        """
        return 0

    def beyond(self, unknown: float) -> float:
        """Return the largest cost beyond the limit if a site has not heard of `unknown` requests, its last among them.

        What it knew left room for what that took on arrival.
        """
        return self.dearest * unknown - min(self.dearest, self.reserve or self.dearest)

    @property
    def keeps(self) -> bool:
        """Whether a site may admit a request in a window that is over by the clock of the server."""
        return True

    @property
    def forgets(self) -> bool:
        """Whether sites do not learn what is admitted in a window that is over by the clock of the server."""
        return False

    @property
    def counts_anew(self) -> bool:
        """Whether late sites admit before they hear of their window, and again when it is begun anew after its end."""
        return False

    def stops(self, k: int, trip: float) -> float:
        """Return by how many budgets sites are stopped in a window: for each, something is not settled then."""
        return 1 if self.one_sum else k

    def waiting(self, trip: float) -> float:
        """Return the most requests that wait at a site for an answer, if a round trip has this many steps."""
        return 0.0

    @classmethod
    def returns(cls, server: bool) -> bool:
        """Return whether a site without its state comes back, as a new one; the server does not."""
        return not server

    def sites(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> Sequence[QuotaSite]:
        answers = Answers(k)
        return [self.site(number, k, answers) for number in range(k)]

    def server(self, k: int, rng: np.random.Generator, start: Sequence[int] = ()) -> QuotaServer:
        return QuotaServer(self, k)

    @abstractmethod
    def site(self, number: int, k: int, answers: Answers) -> QuotaSite:
        """Return one site."""

    shortcuts: ClassVar = {"slack": Shortcut(lambda quota, k, up, down, deaths=0, away=False, varies=0: inf)}
    descriptions = frozenset({"conformance", "most", "worst"})
    hooks = frozenset(
        {
            "away",
            "charge",
            "clock",
            "depth",
            "counts_anew",
            "every",
            "forgets",
            "in_steps",
            "keeps",
            "limits",
            "rounding",
            "shape",
            "slots",
            "timeout",
        }
    )


@dataclass(frozen=True)
class Shaped(Quota):
    """A quota whose limit has any shape.

    Parameters
    ----------
    shape
        In what the limit is kept: each `window`; any window of as many steps, `sliding`; the same by the count of this
        window and that of the one before, by the part of it that is left, `weighted`; or a `bucket` that is filled at
        the rate of the limit per window, and holds `depth`.
    depth
        With the shape bucket, its depth b.
    slots
        With another shape than `window`, the slots in the time after which the limit comes back.
    charge
        What takes from the limit: requests that are `admitted`; or all that are `asked` about, refused ones too.
    clock
        With the shape `window`: the server forgets what is asked about a window that is over by its own clock,
        `store`; or the number that a site gives is that of the window, which the server begins anew if it was over,
        `client`.
    rounding
        With the shape `bucket`: a part of a token that comes in a slot is kept, `none`; or lost, `down`.
    away
        What a site admits while it is cut off, as it was not answered: `closed`, nothing; `open`, everything; `share`,
        its even share of the limit, in each window or by the shape in any steps.
    timeout
        Steps without an answer after which a site is cut off, up to the next time that it looks; 0 for never.
    """

    shape: Shape = "window"  # type: ignore[misc]
    depth: Natural = 0  # type: ignore[misc]
    slots: Whole = 64  # type: ignore[misc]
    charge: Charge = "admitted"  # type: ignore[misc]
    clock: Clock = "store"  # type: ignore[misc]
    rounding: Rounding = "none"  # type: ignore[misc]
    away: Away = "closed"  # type: ignore[misc]
    timeout: Natural = 0  # type: ignore[misc]

    def for_alone(self, k: int) -> int:
        """Return the cost that all sites together may admit without the server, in a window or by the shape."""
        return for_alone(self.away, self.limit, k, self.price * self.window)
