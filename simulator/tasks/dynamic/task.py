"""The tasks `static-queries` and `dynamic-queries`: private answers to a family of queries on a data set."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from disttrack.adversaries.updates import UpdateStream
from disttrack.mechanisms.dynamic import DynamicMechanism
from disttrack.mechanisms.static import StaticMechanism
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import LARGEST, RMS, Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual.clocked_points import mechanism_of, only_usual, steps_of
from disttrack.simulator.tasks.dynamic.game import play_dynamic
from disttrack.simulator.tasks.dynamic.static_game import play_static
from disttrack.simulator.tasks.sizes import Size

DOMAIN: Final = Size("domain", "sites", "Values that an item may have, 0 to domain - 1.", needed=True)
FAMILIES: Final[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}
COMMON: Final = ("size", "updates", "ignored", "number", "max_abs_error", "rms_error", "bound", "error_over_bound")
"""Columns of both tasks."""
LEDGER: Final = ("spent", "spent_delta", "ledger")
WITHIN: Final = held("games in which the error stayed within the bound throughout")
BOUND: Final = Answer("bound", "what the largest error of a game exceeds with the stated probability", "bound", rank=0)
SPENT: Final = Answer("spent", "epsilon that the mechanism has spent by the ledger", "spent", rank=2)


class StaticQueries(Task):
    """One private release of the answers to all queries, on a data set that the adversary has made.

    Columns: `size` items in the data set, after `updates` of which `ignored` named no item; `number` of queries,
    `sensitivity` to one item; `max_abs_error` and `rms_error` over the family, `zero_error` that of answers of 0;
    the stated `bound`, and `error_over_bound`; `spent`, `spent_delta` and `ledger`, the privacy by the ledger.
    """

    kind: ClassVar[str] = "static-queries"
    rules: ClassVar[int] = 2
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
    families: ClassVar[Mapping[str, Family]] = FAMILIES

    def check(self, point: Point) -> None:
        only_usual(point)
        _sides(point, StaticMechanism)

    def play(self, point: Point, seed: int) -> Record:
        mechanism, adversary = _sides(point, StaticMechanism)
        game = play_static(mechanism, adversary, steps=steps_of(point), seed=seed)
        row = {name: getattr(game, name) for name in ("sensitivity", "zero_error", "seconds")}
        return Record(row={**row, **_common(game, point)}, engine_reason="one release")

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=0.005 + steps_of(point) / 650_000)


class DynamicQueries(Task):
    """Private answers to a family of queries, at all times, on a data set that grows and shrinks.

    The adversary sees all answers so far; the largest error over the family is recorded at every step. Columns: `size`
    at the end and `peak`, after `updates` of which `ignored` named no item; `number` of queries; `max_abs_error` over
    all steps, `rms_error`, `late_error` in the last tenth of the steps and `late_zero` that of answers of 0 there; the
    stated `bound`, and `error_over_bound`; `segments`, `nodes`, `restarts` and `most_rounds` of the mechanism; `spent`,
    `spent_delta` and `ledger`, the privacy by the ledger; `log_steps` for slopes.
    """

    kind: ClassVar[str] = "dynamic-queries"
    rules: ClassVar[int] = 2
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
    families: ClassVar[Mapping[str, Family]] = FAMILIES

    def check(self, point: Point) -> None:
        only_usual(point)
        mechanism, adversary = _sides(point, DynamicMechanism)
        if adversary.deletes and not mechanism.deletes:
            reason = f"{point.adversary.label} deletes items; {point.protocol.label} takes insertions only"
            raise PointError(("adversary", "kind"), reason)
        if mechanism.horizon is not None and mechanism.horizon < steps_of(point):
            raise PointError(("protocol", "horizon"), f"must be at least the {steps_of(point):,} steps of the game")

    def play(self, point: Point, seed: int) -> Record:
        mechanism, adversary = _sides(point, DynamicMechanism)
        game = play_dynamic(mechanism, adversary, steps=steps_of(point), seed=seed)
        names = ("peak", "late_error", "late_zero", "seconds")
        row: dict[str, Any] = {name: getattr(game, name) for name in names}
        row |= {"output_changes": game.releases, "log_steps": math.log2(game.steps), **game.facts}
        errors = game.series.pop("error")
        game.series["rel_error"] = [
            error / max(1, items) for error, items in zip(errors, game.series["items"], strict=True)
        ]
        return Record(row={**row, **_common(game, point)}, series=game.series, engine_reason="an update at a time")

    def demand(self, point: Point) -> Demand:
        """Return the memory of the live items, at most one per step, and of the matrix of the queries."""
        return Demand(seconds=steps_of(point) / 22_000, memory=1e8 + 400.0 * steps_of(point))


def _sides(point: Point, base: type[Any]) -> tuple[Any, UpdateStream]:
    """Return the mechanism and the stream of a point."""
    adversary = adversary_of(point)
    if not isinstance(adversary, UpdateStream):
        reason = f"{point.adversary.label} feeds sites; task {point.task.label} takes streams of updates, such as churn"
        raise PointError(("adversary", "kind"), reason)
    if adversary.domain is not None and adversary.domain != point.sites:
        raise PointError(("domain",), f"must be the {adversary.domain} values of {point.adversary.label}")
    try:
        if hasattr(adversary, "check"):
            adversary.check()
    except ValueError as error:
        raise PointError(("adversary",), str(error)) from error
    return mechanism_of(point, base, domain=point.sites, horizon=steps_of(point)), adversary


def _common(game: Any, point: Point) -> dict[str, Any]:
    """Return the columns that both tasks share."""
    row = {name: getattr(game, name) for name in (*COMMON, *LEDGER) if name not in ("number", "error_over_bound")}
    row |= {"number": game.queries, "error_over_bound": game.max_abs_error / game.bound if game.bound else math.inf}
    row |= {"ledger": json.dumps(game.ledger, separators=(",", ":")), "items": steps_of(point), "sites": point.sites}
    return {**row, "engine": "step", "ok": game.ok, "verdict": "ok" if game.ok else "failed"}
