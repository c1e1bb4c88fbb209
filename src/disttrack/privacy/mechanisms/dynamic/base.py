"""Base classes of dynamic mechanisms: a data set that changes step by step, cut into segments, and private answers.

In a step an item is inserted, an item is deleted, or nothing happens. An item is identified by the step of its
insertion, so that equal items are distinct and no identity is used twice; a deletion that names a step without a live
item changes nothing. Neighbouring streams differ in one step, in which one of them has an update and the other has
none; all other steps are the same, including a deletion that no longer has an item to delete.

If the streams differ in a deletion, and a later one names the same item, the item is deleted earlier or later: two
segments differ in one item each. This is no group of two, whose delta would be (1 + e^epsilon) delta. A release covers
a range of segments: if it contains both of them, it is the same; if one of them, it differs by one item. At most two
releases of a level differ, each by one item, and their budgets add up in either case: 2 epsilon and 2 delta of the
deletions. FullyDynamic has that much in each round (of its four parts only the deletions and their number differ;
before a restart between the two segments by one item only, and after it so do the size and the release), and
InsertedMinusDeleted gives half of its budget to the deletions, while the insertions are then the same. For
FactorisedDifference a missing update changes the live items by one item, over an interval of time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

import numpy as np

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import FromZero, Positive, Share, Whole, whole
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.partition import PrivatePartition
from disttrack.mechanisms.shortcuts import Shortcut, Shortcuts, state
from disttrack.privacy.mechanisms.accounting import PrivacyLedger
from disttrack.privacy.mechanisms.faults import AnswersZero
from disttrack.privacy.mechanisms.queries import Family, family
from disttrack.privacy.mechanisms.static import STATIC, static_mechanism
from disttrack.privacy.mechanisms.static.base import StaticMechanism

PAUSE: Final = 0
"""The code of a step in which nothing happens; x + 1 inserts item x, and -s deletes the item of step s."""


@dataclass(frozen=True)
class DynamicMechanism(Mechanism, ABC):
    """Parameters of a dynamic mechanism; makes its runs.

    Parameters
    ----------
    epsilon, delta
        Privacy of all answers together.
    queries
        The family of queries, by name: see `privacy.mechanisms.queries.family`.
    domain
        Number of values that an item may have.
    static
        The underlying static mechanism, by name: see `privacy.mechanisms.static`.
    horizon
        Number of steps at most; None for no end.
    beta
        Failure probability for which its thresholds are set.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    """

    memory: ClassVar[str] = ""
    """Growth of the state, as text."""
    arithmetic: ClassVar[str] = "grid"
    """As in `mechanisms.counters.Counter`; an instance takes that of its static mechanism."""
    needs_horizon: ClassVar[bool] = False
    """Whether the number of steps must be known beforehand."""
    deletes: ClassVar[bool] = False
    """Whether items may be deleted."""

    counting: ClassVar[str] = ""
    """Order of the error at one time of basic counting, as in the paper's Table 1, where that has the mechanism."""
    faults: ClassVar = {**DRAWN, "answers-zero": AnswersZero}

    epsilon: Positive
    delta: FromZero = 0.0
    queries: str = "count"
    domain: int = 1
    static: str = "laplace"
    horizon: Whole | None = None
    beta: Share = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.needs_horizon:
            whole("horizon", self.horizon)
        if STATIC.get(self.static, StaticMechanism).privacy == "approximate" and self.delta == 0:
            raise ValueError(f"delta must be above 0 for static {self.static}; got 0")
        state(self, DynamicMechanism, "arithmetic", self.part(self.epsilon, self.delta).arithmetic)

    @property
    def family(self) -> Family:
        """The family of queries."""
        return family(self.queries, self.domain)

    def part(self, epsilon: float, delta: float) -> StaticMechanism:
        """Return the static mechanism with this share of the budget."""
        return static_mechanism(self.static, epsilon, delta, self.queries, self.domain)

    @abstractmethod
    def start(self, rng: np.random.Generator, ledger: PrivacyLedger | None = None) -> DynamicRun:
        """Return a fresh run.

        Parameters
        ----------
        rng
            Generator of all noise.
        ledger
            The budget to use, in sequence; None for a new one.
        """

    def budget(self, ledger: PrivacyLedger | None) -> PrivacyLedger:
        """Return the ledger of a run."""
        return PrivacyLedger(self.kind, self.epsilon, self.delta) if ledger is None else ledger

    descriptions = frozenset({"counting", "deletes", "memory", "needs_horizon"})


class DynamicRun(Shortcuts, ABC):
    """A running dynamic mechanism. Steps count from 1.

    Parameters
    ----------
    mechanism
        Its parameters.
    ledger
        Records the budget spent.

    Attributes
    ----------
    t
        Steps taken.
    answers
        The present answers to all queries.
    ignored
        Updates that named no live item.
    ledger
        Record of the budget spent.
    """

    def __init__(self, mechanism: DynamicMechanism, ledger: PrivacyLedger) -> None:
        self.mechanism = mechanism
        self.ledger = ledger
        self.t = 0
        self.ignored = 0
        self.answers: Floats = np.zeros(mechanism.family.number)
        self._left = float("inf") if mechanism.horizon is None else mechanism.horizon

    @abstractmethod
    def step(self, code: int) -> bool:
        """Take the next step; return whether the answers changed.

        Parameters
        ----------
        code
            0 for a pause, x + 1 to insert item x, -s to delete the item that was inserted in step s.

        Raises
        ------
        ValueError
            If the horizon has been reached, the item is outside the domain, or the mechanism takes no deletions.
        """

    @abstractmethod
    def error_bound(self, items: int, beta: float) -> float:
        """Return a bound that the largest error of all steps so far exceeds with probability at most `beta`.

        Parameters
        ----------
        items
            Largest number of live items at any time; the insertions so far if nothing is deleted.
        """

    def published(self) -> list[float]:
        """Return the noisy numbers from which the present answers are computed: privacy covers all of them."""
        return self.answers.tolist()  # type: ignore[no-any-return]

    def facts(self) -> Mapping[str, float]:
        """Return counts of the run's events, by name."""
        return {}

    def _next(self, code: int) -> None:
        """Count a step, or refuse it past the horizon, with a deletion that is not taken, or outside the domain."""
        mechanism, step = self.mechanism, self.t + 1
        if step > self._left:
            raise ValueError(f"step {step} is past the horizon of this {mechanism.kind}, {self._left}")
        if code < 0 and not mechanism.deletes:
            raise ValueError(f"step {step}: {mechanism.kind} takes insertions only")
        if code > mechanism.domain:
            values = f"the {mechanism.domain:,} values of the domain"
            raise ValueError(f"step {step}: item {code - 1} is not among {values}")
        self.t = step

    def _no_error_bound(self, items: int, beta: float) -> float:
        raise NotImplementedError(f"{self.mechanism.kind} states no error bound")

    shortcuts: ClassVar = {"error_bound": Shortcut(_no_error_bound)}
    descriptions = frozenset({"facts", "published"})


def share(number: int) -> float:
    """Return the share of the `number`-th, from 1, of infinitely many: 6 / (pi number)^2, which add up to 1."""
    return 6 / (math.pi * number) ** 2


def counts_of(items: Iterable[int], domain: int) -> Floats | None:
    """Return the number of items of each value; None if there are none."""
    values = np.fromiter(items, dtype=np.int64)
    return np.bincount(values, minlength=domain).astype(np.float64) if len(values) else None


def together(one: Floats | None, other: Floats | None) -> Floats | None:
    """Return the counts of the union of two data sets."""
    if one is None or other is None:
        return other if one is None else one
    return one + other


class Cutter:
    """A running private partition of updates; every update counts 1, even if it names no live item.

    So the presence of one insertion changes one segment's count only, although a later deletion depends on it.

    Parameters
    ----------
    partition
        The partition.
    rng
        Generator of its noise.
    ledger
        Its budget, in parallel: each segment's test declares the steps that it has read.
    """

    __slots__ = ("_ledger", "_partition", "_run", "_t", "most")

    def __init__(self, partition: PrivatePartition, rng: np.random.Generator, ledger: PrivacyLedger) -> None:
        self._partition = partition
        self._ledger = ledger
        self._t = 0
        self.most = 2
        """The greatest T_j so far."""
        self._begin()
        self._run = partition.start(rng)

    @property
    def segments(self) -> int:
        """Segments closed so far."""
        return self._run.segments

    def step(self, update: bool) -> bool:
        """Take the next step; return whether the segment closes with it."""
        self._t += 1
        if self._run.step(update) is None:
            return False
        self._ledger.declare(self._t)
        self.most = max(self.most, self._t**2)
        self._begin()
        return True

    def most_items(self, beta: float) -> float:
        """Return a bound that the updates of any segment so far exceed with probability at most `beta`.

        Segment j has `share(j)` of beta, regardless of the past: the number of segments depends on the same noise.
        """
        deadline, number = self._partition.horizon or self.most, self.segments + 1
        return self._partition.most_items(number, deadline, beta * share(number))

    def _begin(self) -> None:
        self._ledger.use("segment", self._partition.epsilon, over=(self._t + 1, None))
