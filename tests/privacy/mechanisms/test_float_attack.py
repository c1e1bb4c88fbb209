"""The attack on the last digits of doubles: it finds real noise on data, and nothing on the grid.

A release y of real noise on a data set is often one that a neighbour cannot make: 1 + (y - 1) is not y (Mironov 2012,
On significance of the least significant bits for differential privacy). Where data and noise lie on one grid, y - 1
is exact, and each release on a data set is possible on every neighbour: all points of the grid are, on all of them.
Data off the grid are worse: each release shows their last digits. So they are rounded before they get noise.
"""

from __future__ import annotations

import re
from functools import singledispatch
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, Counter, PrivatePartition
from disttrack.mechanisms.base import Mechanism
from disttrack.privacy.mechanisms import (
    ContinualOutput,
    FactorisedDifference,
    QueryMechanism,
    StaticMechanism,
    ThresholdOut,
)
from disttrack.privacy.mechanisms.statistical.base import Members
from disttrack.privacy.tasks.audit.case import audit_of
from disttrack.privacy.tasks.audit.mechanism import usual
from disttrack.protocols import Robust
from disttrack.protocols.rounds.sites import BIT
from disttrack.simulator.kinds.facts import ARITHMETIC
from disttrack.simulator.kinds.registry import kinds, parameters

RUNS = 60
STEP = 2.0**-40
"""Every grid of these cases has steps that are multiples of this."""
ALL = {key: kind.load() for key, kind in kinds("protocol").items()}
PRIVATE = {key: cls for key, cls in ALL.items() if getattr(cls, "arithmetic", "")}
"""Every registered kind that states privacy."""
ON_GRIDS = [key for key, cls in PRIVATE.items() if cls.arithmetic in ("grid", "rounded") or issubclass(cls, Counter)]
LARGE = (
    *("robust", "continual-output"),
    *("sparse", "sparse-infinite", "sorted-queries", "sparse-vector-queries", "growing-sparse"),
    *("growing-sparse-infinite", "fully-dynamic", "inserted-minus-deleted"),
)
"""Those whose numbers are large or rare, so that the least digits of real noise are seldom left in 60 runs."""
OFF_GRID = 0.1
"""A number that no grid contains."""
BAD = (float("nan"), float("inf"), -float("inf"))


class RealNoise:
    """A generator whose noise is numpy's, in doubles."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def spawn(self, count: int) -> list[RealNoise]:
        return [RealNoise(rng) for rng in self._rng.spawn(count)]


def made(key: str) -> Any:
    cls = PRIVATE[key]
    given = usual(cls.kind, list(parameters(cls)))
    if issubclass(cls, QueryMechanism):
        given = {
            "epsilon": 5.0 if key == "online-pmw" else 0.5,
            "density": 8.0,
            "cells": 8,
            "threshold": 0.05,
            "budget": 50,
        }
    more = {"delta": 1e-6} if key == "gaussian" else {"alpha": 0.1} if cls is Robust else {}
    return cls(**{name: value for name, value in (given | more).items() if name in parameters(cls)})


def caught(releases: Any) -> float:
    """Return the share of the numbers that cannot come from a neighbour whose value is one less."""
    return float(np.mean(1.0 + (releases - 1.0) != releases))


@singledispatch
def released(mechanism: Any, rng: Any) -> list[float]:
    """Return the numbers that runs release, on data off the grid if it takes any: here, on the cases of its audit."""
    return [
        float(number)
        for case in audit_of(mechanism).cases
        for neighbour in (0, 1)
        for _ in range(RUNS)
        for number in case.watch(case.inputs[neighbour], rng)
    ]


@released.register
def _(counter: Counter, rng: Any) -> list[float]:
    one = [0, 1] if counter.only_bits else [OFF_GRID, 1 / 3]
    stream = [one[place % 2] for place in range(counter.horizon or 8)]
    large = [x if counter.only_bits else 300 * x for x in stream]  # ends the segments of counters for sparse streams
    stepped = [[run.step(x) for x in entries] for entries in (stream, large) for run in starts(counter, rng)]
    return np.concatenate([*stepped, *(run.release(large) for run in starts(counter, rng))]).tolist()  # type: ignore[no-any-return]


def starts(mechanism: Any, rng: Any) -> list[Any]:
    return [mechanism.start(rng) for _ in range(RUNS // 3)]


@released.register
def _(mechanism: ContinualOutput, rng: Any) -> list[float]:
    far = SimpleNamespace(step=lambda x: None, answer=lambda: 3 * mechanism.threshold + OFF_GRID)
    return [run.step(0) for run in (mechanism.start(far, rng) for _ in range(RUNS)) for _ in range(2)]


@released.register
def _(mechanism: StaticMechanism, rng: Any) -> list[float]:
    counts = np.full(mechanism.domain, 1 + OFF_GRID)
    return [number for _ in range(RUNS) for number in mechanism.release(counts, rng).tolist()]


@released.register
def _(mechanism: QueryMechanism, rng: Any) -> list[float]:
    """Return the answers that are paid for: means over 97 points of which a third are in a cell."""
    if not mechanism.answers:
        return []
    answers, points = [], np.arange(97) % 3
    if isinstance(mechanism, ThresholdOut):  # what it pays for is the second half, which differs from the first
        points = np.concatenate([0 * points + 7, points])
    for _ in range(RUNS):
        run = mechanism.start(points, 9, rng)
        for cell in (0, 1, 2):
            paid = getattr(run, "paid", -1)
            answer = run.answer(Members(np.arange(8) == cell))
            answers += [answer] if getattr(run, "paid", 0) > paid else []
    return answers


@released.register
def _(protocol: Robust, rng: Any) -> list[float]:
    """Return the outputs of a round: a count of bits with noise, times a block, and the round's first count."""
    outputs = set()
    for _ in range(RUNS // 3):
        server = protocol.server(4, rng, [500] * 4)
        for bit in range(1_000):
            server.hear(bit % 4, BIT)
            outputs.add(server.output)
    return sorted(outputs)


@released.register
def _(test: AboveThreshold, rng: Any) -> list[float]:
    return [float(run.step(test.threshold + OFF_GRID)) for run in starts(test, rng)]


@released.register
def _(partition: PrivatePartition, rng: Any) -> list[float]:
    return [float(run.step(300 + OFF_GRID) is None) for run in starts(partition, rng)]


def seen(mechanism: Any, rng: Any) -> Any:
    """Return the released numbers with a fractional part."""
    numbers = np.array(released(mechanism, rng))
    return numbers[numbers != np.rint(numbers)]


@pytest.mark.quick_cases(8)
@pytest.mark.parametrize("key", ON_GRIDS)
@pytest.mark.false_alarm(1e-6)
def test_what_is_released_on_a_grid_is_possible_on_each_neighbour(key: str) -> None:
    """Control: with real noise more than a third of the numbers are off the grid, and 3 to 34 in 100 are caught.

    What has no fractional part with real noise either names steps, points or yes and no.
    """
    real = seen(made(key), RealNoise(np.random.default_rng(1)))
    releases = seen(made(key), np.random.default_rng(1))
    if key == "randomized-response" or not len(real):
        assert PRIVATE[key].arithmetic == "coins" or not len(releases)
        return
    assert len(releases) >= 20
    assert caught(releases) == 0
    assert (releases % STEP == 0).all()
    assert np.mean(real % STEP != 0) > 0.3
    if key not in LARGE:
        assert caught(real) > 0


def test_the_attack_is_tried_on_whatever_states_privacy() -> None:
    """A walk over everything registered: what has an epsilon, or a stability, says in which numbers it holds."""
    assert len(ON_GRIDS) >= 35
    assert {"online-pmw", "threshold-out", "laplace-answers", "robust"} <= set(ON_GRIDS)
    for key, cls in ALL.items():
        stated = getattr(cls, "arithmetic", "")
        assert not stated or stated in ARITHMETIC, key
        stable = issubclass(cls, QueryMechanism) and cls.stability is not QueryMechanism.stability
        if stable or (issubclass(cls, Mechanism) and "epsilon" in parameters(cls)):
            assert stated, f"{key} must state its `arithmetic`: see mechanisms/base.py"


def test_a_mechanism_that_releases_what_no_case_watches_is_refused() -> None:
    """A kind of a new class needs a function `released` here, or an audit: without one nothing would be attacked."""
    for key in ON_GRIDS:
        dispatched = released.dispatch(PRIVATE[key]) is not released.dispatch(object)
        assert dispatched or audit_of(made(key)).cases, f"{key} has no row in the attack"


def test_the_section_on_audits_names_whatever_states_privacy() -> None:
    page = (Path(__file__).parents[3] / "src/disttrack/privacy/docs/audits.md").read_text(encoding="utf-8")
    lines = re.findall(r"^\| `(\w+)` \|(.*)$", page, re.MULTILINE)
    rows = {name: re.findall(r"`([\w-]+)`", rest) for name, rest in lines}
    for key, cls in PRIVATE.items():
        assert cls.kind in rows[cls.arithmetic], f"{key} is not in the row {cls.arithmetic} of docs/audits.md"
    named = [(name, kind) for name in ARITHMETIC for kind in rows[name]]
    there = {(cls.arithmetic, cls.kind) for cls in PRIVATE.values()}
    assert set(named) == there
    assert len(named) == len(set(named))


def test_what_is_not_linear_in_the_values_is_stated_so() -> None:
    measured = FactorisedDifference(1.0, 1e-6, "intervals", 64, horizon=8, static="laplace", strategy="spectral")
    assert measured.arithmetic == "real"


def test_releases_refuse_numbers_that_no_noise_hides() -> None:
    rng = np.random.default_rng(1)
    for bad in BAD:
        for act in (
            lambda bad: made("laplace").release(np.array([0.0, bad]), rng),
            lambda bad: made("gaussian").release(np.array([0.0, bad]), rng),
        ):
            with pytest.raises(ValueError, match="must be finite"):
                act(bad)
