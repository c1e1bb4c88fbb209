"""The task `statistical-queries`: answers to an analyst that reacts, compared with the distribution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Final

from disttrack.adversaries.analysts import Analyst
from disttrack.mechanisms.statistical import Empirical, GaussianAnswers, QueryMechanism, Splitting
from disttrack.mechanisms.statistical.noisy import overfitting_gap
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.analysis.game import play_analysis
from disttrack.simulator.tasks.answers import RMS, Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.sizes import Size

BETA: Final = 0.05
"""Probability that a mechanism exceeds its own bound in a game."""
QUERIES: Final = Size("queries", "items", "Queries at most.", needed=True)
SAMPLES: Final = Size("samples", "start", "Points of the sample.", needed=True)
FEATURES: Final = Size("features", "sites", "Features of a point, or cells; as many as queries if left out.")


def sides(point: Point) -> tuple[QueryMechanism, Analyst]:
    """Return mechanism and analyst of a point.

    Raises
    ------
    PointError
        If they are not compatible.
    """
    mechanism, analyst = point.protocol.make(), point.adversary.make()
    if not isinstance(mechanism, QueryMechanism):
        taken = f"task {point.task.label} takes a mechanism that answers statistical queries"
        reason = f"{taken}; {point.protocol.label} is none"
        raise PointError(("protocol", "kind"), reason)
    if not mechanism.answers and not analyst.selects:
        reason = f"{point.protocol.label} only selects among queries, and {point.adversary.label} wants answers"
        raise PointError(("protocol", "kind"), reason)
    return mechanism, analyst


def only_usual(point: Point) -> None:
    """Refuse options that apply only to games with messages."""
    if point.network is not None:
        raise PointError(("network",), f"must be left out: task {point.task.label} sends no messages")
    if point.engine not in ("auto", "step"):
        raise PointError(("engine",), f"must be auto or step: task {point.task.label} asks a query at a time")


def features_of(point: Point) -> int:
    """Return the features of a point, or cells."""
    return point.sites or point.items or 1


class StatisticalQueries(Task):
    """An analyst asks for means over a distribution, and a mechanism answers from a sample.

    Columns: `max_abs_error` and `rms_error` compare the answers with the distribution, `empirical_error` with the
    sample. `gap` is the excess of the last query's mean over the sample above its true value, and `final_error` that
    of the last answer; `predicted_gap` is the theoretical value of `gap` for the analyst `sign-correlation`.
    `bound` is the mechanism's bound on all errors with probability 0.95, and `within_bound` whether it holds.
    """

    kind: ClassVar[str] = "statistical-queries"
    rules: ClassVar[int] = 2
    sizes: ClassVar[Sequence[Size]] = (FEATURES, SAMPLES, QUERIES)
    columns: ClassVar[Sequence[str]] = (
        "samples", "max_abs_error", "rms_error", "empirical_error", "gap", "final_error", "predicted_gap",
        "bound", "within_bound",
    )  # fmt: skip
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which all answers were within alpha of the distribution"),
        Answer("largest error", "largest error of an answer against the distribution", "max_abs_error", rank=0),
        replace(RMS, says="root mean squared error over all answers", rank=3),
        Answer("bound", "the mechanism's bound on all errors with probability 0.95", "bound"),
        Answer("gap", "mean of the last query over the sample above its true value", "gap", "mean", rank=0),
        Answer("predicted gap", "theoretical value of that gap", "predicted_gap", "mean"),
        Answer("sample error", "largest error of an answer against the sample", "empirical_error", rank=2),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "curator", "adversary": "analyst"}

    def check(self, point: Point) -> None:
        only_usual(point)
        mechanism, _ = sides(point)
        assert point.items is not None
        if isinstance(mechanism, Splitting) and point.start < point.items:
            raise PointError(
                ("start",), f"must be at least the queries, {point.items:,}, to be split; got {point.start:,}"
            )

    def play(self, point: Point, seed: int) -> Record:
        mechanism, analyst = sides(point)
        assert point.items is not None
        queries, samples = point.items, point.start
        game = play_analysis(
            mechanism, analyst, samples=samples, queries=queries, features=features_of(point), seed=seed
        )
        own = ("max_abs_error", "rms_error", "empirical_error", "gap", "final_error", "seconds")
        row: dict[str, Any] = {name: getattr(game, name) for name in own}
        bound = mechanism.bound(samples, queries, BETA)
        ok = game.max_abs_error <= mechanism.alpha
        row |= {"sites": features_of(point), "items": queries, "samples": samples, "alpha": mechanism.alpha}
        row |= {"bound": bound, "within_bound": None if bound is None else game.max_abs_error <= bound}
        row |= {"predicted_gap": _predicted(mechanism, samples, queries), "engine": "step"}
        row |= {"ok": ok, "verdict": "ok" if ok else "failed"}
        return Record(row=row, engine_reason="a query at a time")

    def demand(self, point: Point) -> Demand:
        _, analyst = sides(point)
        features, samples = features_of(point), point.start
        entries = features + samples if analyst.points == "cells" else features * samples
        return Demand(seconds=(point.items or 0) * (1 + samples / 2000) / 16_000, memory=5e7 + 8.0 * entries)


def _predicted(mechanism: QueryMechanism, samples: int, queries: int) -> float | None:
    """Return the theoretical gap of `sign-correlation`, for any analyst; None if there is no formula."""
    if isinstance(mechanism, Empirical):
        return overfitting_gap(queries - 1, samples)
    if isinstance(mechanism, GaussianAnswers):
        return overfitting_gap(queries - 1, samples, mechanism.noise(samples, queries).std)
    return None
