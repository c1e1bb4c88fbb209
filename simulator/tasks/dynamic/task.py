"""The tasks `static-queries` and `dynamic-queries`: private answers to a family of queries on a data set."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.adversaries.updates import UpdateStream, UpdateView
from disttrack.mechanisms.accounting import Ledger, record
from disttrack.mechanisms.dynamic import DynamicMechanism, DynamicRun
from disttrack.mechanisms.dynamic.base import counts_of
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.static import StaticMechanism
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.tasks.base import Demand
from disttrack.simulator.tasks.duel import DELTA, Duel, Rngs, Sizes
from disttrack.simulator.tasks.dynamic.opponents import DataSet, Update, Updates, view_of
from disttrack.simulator.tasks.dynamic.referee import QueryReferee
from disttrack.simulator.tasks.loop import Referee, Run, Sides, kept
from disttrack.simulator.tasks.sizes import Size

DOMAIN: Final = Size("domain", "sites", "Values that an item may have, 0 to domain - 1.", needed=True)
COMMON: Final = ("size", "updates", "ignored", "number", "max_abs_error", "rms_error", "bound", "error_over_bound")
"""Columns of both tasks."""
LEDGER: Final = ("spent", "spent_delta", "ledger")
WITHIN: Final = held("games in which the error stayed within the bound throughout")
BOUND: Final = Answer("bound", "what the largest error of a game exceeds with the stated probability", "bound", rank=0)
SPENT: Final = Answer("spent", "epsilon that the mechanism has spent by the ledger", "spent", rank=2)


FEW: Final = 64
"""Steps judged at a time, each with as many answers as there are queries."""
DEEPEST: Final = 5
"""Levels of a ledger stored with a game: down to the spending of a node of the tree in a round."""


class Releases(Run):
    """A run of a dynamic mechanism: it returns the answers after an update if they are new, and None if they stay."""

    def __init__(self, run: DynamicRun) -> None:
        self.run = run

    def step(self, update: Update) -> Floats | None:
        """Take an update."""
        return self.run.answers if self.run.step(update[0]) else None


class OneRelease(Run):
    """A static mechanism that releases the answers on one data set."""

    def __init__(self, mechanism: StaticMechanism, rng: np.random.Generator) -> None:
        self._mechanism, self._rng = mechanism, rng
        self.ledger = Ledger(mechanism.kind, mechanism.epsilon, mechanism.delta)

    def step(self, items: Sequence[int]) -> Floats:
        """Return private answers to all queries."""
        mechanism = self._mechanism
        self.ledger.use("release", mechanism.epsilon, mechanism.delta)
        return mechanism.release(counts_of(items, mechanism.domain), self._rng)


class ReleaseReferee(Referee):
    """Compares the answers on a data set with the exact ones."""

    def __init__(self, mechanism: StaticMechanism) -> None:
        self._mechanism = mechanism

    def judge(self, moves: Any, answers: Any) -> None:
        """Take the data set and the released answers."""
        mechanism, items = self._mechanism, moves[0]
        counts = counts_of(items, mechanism.domain)
        truth = np.zeros(mechanism.family.number) if counts is None else mechanism.family.evaluate(counts)
        errors = np.abs(answers[0] - truth)
        self._row = {
            "size": len(items),
            "sensitivity": mechanism.family.l1,
            "max_abs_error": float(errors.max()),
            "rms_error": float(np.sqrt(np.mean(errors**2))),
            "zero_error": float(truth.max()),
            "bound": mechanism.error_bound(len(items), DELTA),
        }

    def row(self) -> dict[str, Any]:
        """Return the columns."""
        return self._row


class DataSetDuel(Duel):
    """Common parts of both tasks."""

    rules: ClassVar[int] = 2
    engines: ClassVar[Sequence[str]] = ("step",)

    def fits(self, mechanism: Any, adversary: Any, sizes: Sizes) -> None:
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

    def columns_of(self, sides: Sides, row: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
        """Return the columns of a game, with those that both tasks share; `row` has the error and its bound."""
        view: Any = sides.view
        opponent: Any = sides.opponent
        error, bound = row["max_abs_error"], row["bound"]
        spent, spent_delta = ledger.spent
        return {
            **row,
            "updates": view.sent,
            "ignored": opponent.ignored,
            "number": len(view.output),
            "error_over_bound": error / bound if bound else math.inf,
            "spent": spent,
            "spent_delta": spent_delta,
            "ledger": json.dumps(record(ledger, DEEPEST), separators=(",", ":")),
            "items": view.items,
            "sites": view.sites,
            "verdict": kept(error <= bound and error < math.inf),
        }


class StaticQueries(DataSetDuel):
    """One private release of the answers to all queries, on a data set that the adversary has made.

    Columns: `size` items in the data set, after `updates` of which `ignored` named no item; `number` of queries,
    `sensitivity` to one item; `max_abs_error` and `rms_error` over the family, `zero_error` that of answers of 0;
    the stated `bound`, and `error_over_bound`; `spent`, `spent_delta` and `ledger`, the privacy by the ledger.
    """

    kind: ClassVar[str] = "static-queries"
    takes: ClassVar[tuple[type[Any], ...]] = (StaticMechanism,)
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
        run = OneRelease(mechanism, rngs["mechanism"])
        view = view_of(mechanism, sizes["steps"], rngs["adversary"])
        return Sides(run, DataSet(adversary), ReleaseReferee(mechanism), view, 1)

    def finish(self, sides: Sides) -> dict[str, Any]:
        assert isinstance(sides.run, OneRelease)
        return self.columns_of(sides, sides.referee.row(), sides.run.ledger)

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.005 + self.sizes_of(point)["steps"] / 650_000)


class DynamicQueries(DataSetDuel):
    """Private answers to a family of queries, at all times, on a data set that grows and shrinks.

    The adversary sees all answers so far; the largest error over the family is recorded at every step. Columns: `size`
    at the end and `peak`, after `updates` of which `ignored` named no item; `number` of queries; `max_abs_error` over
    all steps, `rms_error`, `late_error` in the last tenth of the steps and `late_zero` that of answers of 0 there; the
    stated `bound`, and `error_over_bound`; `segments`, `nodes`, `restarts` and `most_rounds` of the mechanism; `spent`,
    `spent_delta` and `ledger`, the privacy by the ledger; `log_steps` for slopes.
    """

    kind: ClassVar[str] = "dynamic-queries"
    takes: ClassVar[tuple[type[Any], ...]] = (DynamicMechanism,)
    reason: ClassVar[str] = "an update at a time"
    sizes: ClassVar[Sequence[Size]] = (DOMAIN, Size("steps", "items", "Steps of the clock.", needed=True))
    answers: ClassVar[Sequence[Answer]] = (
        WITHIN,
        replace(LARGEST, says="largest error over all queries and steps"),
        Answer("late error", "largest error in the last tenth of the steps", "late_error"),
        BOUND,
        Answer("answers of 0", "largest error in the last tenth if every query were answered by 0", "late_zero"),
        Answer("items at the end", "size of the data set at the end", "size", rank=2),
        SPENT,
    )
    columns: ClassVar[Sequence[str]] = (
        *(*COMMON, "peak", "late_error", "late_zero", "log_steps", "segments", "nodes", "restarts", "most_rounds"),
        *LEDGER,
    )

    def fits(self, mechanism: DynamicMechanism, adversary: Any, sizes: Sizes) -> None:
        super().fits(mechanism, adversary, sizes)
        steps = sizes["steps"]
        if adversary.deletes and not mechanism.deletes:
            reason = f"{adversary.kind} deletes items; {mechanism.kind} takes insertions only"
            raise PointError(("adversary", "kind"), reason)
        if mechanism.horizon is not None and mechanism.horizon < steps:
            raise PointError(("protocol", "horizon"), f"must be at least the {steps:,} steps of the game")

    def begin(self, mechanism: DynamicMechanism, adversary: UpdateStream, sizes: Sizes, rngs: Rngs) -> Sides:
        run = Releases(mechanism.start(rngs["mechanism"]))
        view = view_of(mechanism, sizes["steps"], rngs["adversary"])
        referee = QueryReferee(mechanism.family, view.items)
        if adversary.oblivious:
            referee.block = FEW
        updates = Updates(adversary, None if adversary.oblivious else referee)
        return Sides(run, updates, referee, view, view.items)

    def finish(self, sides: Sides) -> dict[str, Any]:
        view, row = sides.view, sides.referee.row()
        assert isinstance(sides.run, Releases)
        assert isinstance(view, UpdateView)
        run = sides.run.run
        most = row["peak"] if run.mechanism.deletes else view.sent
        row |= {"bound": run.error_bound(most, DELTA), "output_changes": view.changes}
        row |= {"log_steps": math.log2(sides.steps), **run.facts()}
        return self.columns_of(sides, row, run.ledger)

    def demand(self, point: Point) -> Demand:
        """Return the memory of the live items, at most one per step, and of the matrix of the queries."""
        steps = self.sizes_of(point)["steps"]
        return Demand(seconds=steps / 22_000, memory=1e8 + 400.0 * steps)
