"""The tasks `static-queries` and `dynamic-queries`: private answers to a family of queries on a data set."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.shortcuts import changed_since, stated
from disttrack.privacy.adversaries.updates.base import UpdateStream, UpdateView
from disttrack.privacy.mechanisms.accounting import PrivacyLedger, record
from disttrack.privacy.mechanisms.dynamic.base import DynamicMechanism, DynamicRun, counts_of
from disttrack.privacy.mechanisms.dynamic.growing import (
    GrowingFinite,
    GrowingInfinite,
    GrowingSparse,
    GrowingSparseInfinite,
)
from disttrack.privacy.mechanisms.static.base import StaticMechanism
from disttrack.privacy.tasks.dynamic.referee import DataReferee, QueryReferee
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.game.tasks.base import COST, OF_ERROR, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import DELTA, Duel, M, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Run, Sides, kept
from disttrack.simulator.kinds.point import Point, PointError

if TYPE_CHECKING:
    import pandas as pd

    from disttrack.simulator.game.tasks.answers import Numbers

DOMAIN: Final = Size("domain", "sites", "Values that an item may have, 0 to domain - 1.", needed=True)
COMMON: Final = ("size", "updates", "ignored", "number", "max_abs_error", "rms_error", "bound", "error_over_bound")
"""Columns of both tasks."""
LEDGER: Final = ("spent", "spent_delta", "ledger")
WITHIN: Final = held("games in which the error stayed within the bound throughout")
BOUND: Final = Answer("bound", "value that the largest error exceeds with the stated probability", "bound", rank=0)
SPENT: Final = Answer("spent", "epsilon that the mechanism has spent by the ledger", "spent", rank=2)


DEEPEST: Final = 5
"""Levels of a ledger stored with a game: down to the spending of a node of the tree in a round."""


_ORDERS: Final = {
    one.kind: one.counting_order for one in (GrowingFinite, GrowingInfinite, GrowingSparse, GrowingSparseInfinite)
}


def table_1(games: pd.DataFrame) -> Numbers:
    """Return the order of the error that Table 1 of Qiu and Yi 2022 states; KeyError for what is no row of it."""
    order = _ORDERS[str(games["protocol"].iloc[0])]
    epsilons = games["ledger"].map(lambda ledger: float(json.loads(ledger)["epsilon"]))
    orders = [order(steps, items) for steps, items in zip(games["items"], games["updates"], strict=True)]
    return orders / epsilons


TABLE_1: Final = (
    Answer("Table 1", "order of the error of basic counting in Qiu and Yi's Table 1", "counting", "fact", 0),
    Answer("value", "that order with logarithms to base 2", table_1, rank=0),
    replace(RMS, header="rms error", says="root mean squared error over all queries and steps", rank=0),
    Answer("ratio", "rms error over that value", lambda games: games["rms_error"] / table_1(games), rank=0),
)  # fmt: skip


class Updates(Run):
    """A run that takes updates; without a dynamic mechanism they are only checked, since the release is at the end."""

    def __init__(self, domain: int, adversary: str, run: DynamicRun | None = None) -> None:
        self._domain, self._adversary, self._steps = domain, adversary, 0
        self.run = run

    def step(self, code: int) -> Floats | None:
        """Take the code of an update; return the answers if they are new.

        Raises
        ------
        MoveError
            It inserts an item that is not among the values of the domain.
        """
        self._steps += 1
        if code > self._domain:
            reason = f"step {self._steps}: item {code - 1} is not among the {self._domain:,} values of the domain"
            raise MoveError(f"adversary {self._adversary}: {reason}")
        return self.run.answers if self.run is not None and self.run.step(code) else None


class ReleaseReferee(DataReferee):
    """Makes the release on the finished data set, and compares its answers with the exact ones."""

    def __init__(self, mechanism: StaticMechanism, rng: np.random.Generator) -> None:
        super().__init__(mechanism.family)
        self._mechanism, self._rng = mechanism, rng
        self.ledger = PrivacyLedger(mechanism.kind, mechanism.epsilon, mechanism.delta)

    def row(self) -> Row:
        """Return the columns."""
        mechanism, size, self.judged = self._mechanism, len(self.live), True  # the release, also without updates
        self.ledger.use("release", mechanism.epsilon, mechanism.delta)
        counts = counts_of(self.live.items.values(), mechanism.domain)
        truth = self.truth() if counts is None else mechanism.family.evaluate(counts)
        errors = np.abs(mechanism.release(counts, self._rng) - truth)
        return {
            "size": size,
            "sensitivity": mechanism.family.l1,
            "max_abs_error": float(errors.max()),
            "rms_error": float(np.sqrt(np.mean(errors**2))),
            "zero_error": float(truth.max()),
            "bound": stated(mechanism.error_bound, size, DELTA),
        }


class DataSetDuel(Duel[M, UpdateStream]):
    """Common parts of both tasks."""

    axes: ClassVar = {"queries": "number of queries, k"}
    empty: ClassVar[Collection[str]] = (*COST, *OF_ERROR, "kinds.csv")
    rules: ClassVar[int] = 2
    engines: ClassVar[Sequence[str]] = ("step",)

    def fits(self, mechanism: M, adversary: UpdateStream, sizes: Sizes) -> None:
        if not isinstance(adversary, UpdateStream):
            reason = f"{adversary.kind} feeds sites; task {self.kind} takes streams of updates, such as churn"
            raise PointError(("adversary", "kind"), reason)
        if adversary.domain is not None and adversary.domain != sizes["domain"]:
            raise PointError(("domain",), f"must be the {adversary.domain} values of {adversary.kind}")
        try:
            if hasattr(adversary, "check"):
                adversary.check()
        except ValueError as error:
            raise PointError(("adversary",), str(error)) from error

    def view_of(
        self, mechanism: StaticMechanism | DynamicMechanism, referee: DataReferee, sizes: Sizes, rngs: Rngs
    ) -> UpdateView:
        """Return the view of an adversary, before its first step."""
        game = {"sites": mechanism.domain, "items": sizes["steps"], "known": known(mechanism), "rng": rngs["adversary"]}
        return UpdateView(live=referee.live, exact=referee.truth, **game)

    def columns_of(self, sides: Sides, row: Row, ledger: PrivacyLedger) -> Row:
        """Return the columns of a game, with those that both tasks share; `row` has the error and its bound."""
        referee: Any = sides.referee
        error, bound = row["max_abs_error"], row["bound"]
        spent, spent_delta = ledger.spent
        return {
            **row,
            "updates": sides.view.sent,
            "ignored": referee.ignored,
            "number": len(sides.view.output),
            "error_over_bound": None if bound is None else error / bound if bound else math.inf,
            "spent": spent,
            "spent_delta": spent_delta,
            "ledger": json.dumps(record(ledger, DEEPEST), separators=(",", ":")),
            "verdict": kept(None if bound is None else error <= bound and error < math.inf),
        }


def _bound(run: DynamicRun, most: int) -> float | None:
    """Return the bound of a run; None if its mechanism changes a rule of the one whose runs state it.

    A module that changes the rule may state a bound of its own.
    """
    kind = getattr(type(run.mechanism), "intact", type(run.mechanism))
    if run.error_bound.__module__ != kind.__module__ and changed_since(kind, "start"):
        return None
    return stated(run.error_bound, most, DELTA)


class StaticQueries(DataSetDuel[StaticMechanism]):
    """One private release of the answers to all queries, on a data set that the adversary has made.

    Columns: `size` items in the data set, after `updates` of which `ignored` named no item; `number` of queries,
    `sensitivity` to one item; `max_abs_error` and `rms_error` over the family, `zero_error` that of answers of 0;
    the stated `bound`, and `error_over_bound`; `spent`, `spent_delta` and `ledger`, the privacy by the ledger.
    """

    kind: ClassVar[str] = "static-queries"
    empty: ClassVar = (*DataSetDuel.empty, "series.csv")
    takes: ClassVar[tuple[type[object], ...]] = (StaticMechanism,)
    reason: ClassVar[str] = "one release"
    sizes: ClassVar[Sequence[Size]] = (DOMAIN, Size("steps", "items", "Updates that make the data set.", needed=True))
    columns: ClassVar[Sequence[str]] = (*COMMON, "sensitivity", "zero_error", *LEDGER)
    answers: ClassVar[Sequence[Answer]] = (
        WITHIN,
        replace(LARGEST, says="largest error over the family of queries"),
        replace(RMS, says="root mean squared error over the family of queries"),
        BOUND,
        Answer("answers of 0", "largest error if every query were answered by 0", "zero_error"),
        SPENT,
    )

    def begin(self, mechanism: StaticMechanism, adversary: UpdateStream, sizes: Sizes, rngs: Rngs) -> Sides:
        referee = ReleaseReferee(mechanism, rngs["mechanism"])
        run = Updates(mechanism.domain, adversary.kind)
        return Sides(run, adversary, referee, self.view_of(mechanism, referee, sizes, rngs), sizes["steps"])

    def finish(self, sides: Sides) -> Row:
        assert isinstance(sides.referee, ReleaseReferee)
        return self.columns_of(sides, sides.referee.row(), sides.referee.ledger)

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.005 + self.sizes_of(point)["steps"] / 400_000)


class DynamicQueries(DataSetDuel[DynamicMechanism]):
    """Private answers to a family of queries, at all times, on a data set that grows and shrinks.

    The adversary sees all answers so far; the largest error over the family is recorded at every step. Columns: `size`
    at the end and `peak`, after `updates` of which `ignored` named no item; `number` of queries; `max_abs_error` over
    all steps, `rms_error`, `late_error` in the last tenth of the steps and `late_zero` that of answers of 0 there; the
    stated `bound`, and `error_over_bound`; `segments`, `nodes`, `restarts` and `most_rounds` of the mechanism; `spent`,
    `spent_delta` and `ledger`, the privacy by the ledger; `log_steps` for slopes.
    """

    kind: ClassVar[str] = "dynamic-queries"
    labels: ClassVar = {"late_error": "largest error in the last tenth"}
    takes: ClassVar[tuple[type[object], ...]] = (DynamicMechanism,)
    reason: ClassVar[str] = "an update at a time"
    sizes: ClassVar[Sequence[Size]] = (DOMAIN, Size("steps", "items", "Steps of the clock.", needed=True))
    answers: ClassVar[Sequence[Answer]] = (
        replace(WITHIN, rank=1),
        *TABLE_1,
        replace(LARGEST, says="largest error over all queries and steps", rank=1),
        Answer("late error", "largest error in the last tenth of the steps", "late_error"),
        replace(BOUND, rank=1),
        Answer("answers of 0", "largest error in the last tenth if every query were answered by 0", "late_zero"),
        Answer("items at the end", "size of the data set at the end", "size", rank=2),
        SPENT,
    )
    columns: ClassVar[Sequence[str]] = (
        *(*COMMON, "peak", "late_error", "late_zero", "log_steps", "segments", "nodes", "restarts", "most_rounds"),
        *LEDGER,
    )

    def fits(self, mechanism: DynamicMechanism, adversary: UpdateStream, sizes: Sizes) -> None:
        super().fits(mechanism, adversary, sizes)
        if adversary.deletes and not mechanism.deletes:
            reason = f"{adversary.kind} deletes items; {mechanism.kind} takes insertions only"
            raise PointError(("adversary", "kind"), reason)
        self.fits_horizon(mechanism, sizes["steps"])

    def begin(self, mechanism: DynamicMechanism, adversary: UpdateStream, sizes: Sizes, rngs: Rngs) -> Sides:
        run = Updates(mechanism.domain, adversary.kind, mechanism.start(rngs["mechanism"]))
        referee = QueryReferee(mechanism.family, sizes["steps"])
        return Sides(run, adversary, referee, self.view_of(mechanism, referee, sizes, rngs), sizes["steps"])

    def finish(self, sides: Sides) -> Row:
        view, row = sides.view, sides.referee.row()
        assert isinstance(sides.run, Updates)
        run = sides.run.run
        assert run is not None
        most = row["peak"] if run.mechanism.deletes else view.sent
        row |= {"bound": _bound(run, most), "output_changes": view.changes}
        row |= {"log_steps": math.log2(sides.steps), **run.facts()}
        return self.columns_of(sides, row, run.ledger)

    def demand(self, point: Point) -> Demand:
        """Return the memory of the live items, at most one per step, and of the matrix of the queries."""
        steps = self.sizes_of(point)["steps"]
        return Demand(
            seconds=steps * getattr(point.protocol.maker(), "slowness", 1.0) / 45_000, memory=1e8 + 400.0 * steps
        )
