"""The attack on the last digits of doubles: it finds real noise on integers, and nothing on the grid.

A release y of real noise on a data set is often one that a neighbour cannot make: 1 + (y - 1) is not y (Mironov 2012,
On significance of the least significant bits for differential privacy). Where integers and noise lie on one grid, y - 1
is exact, and each release on a data set is possible on every neighbour: all points of the grid are, on all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import MECHANISMS
from disttrack.mechanisms.noise import RealGaussian
from disttrack.mechanisms.statistical import CURATORS
from disttrack.mechanisms.statistical.queries import Members
from disttrack.simulator.points.facts import ARITHMETIC
from disttrack.simulator.points.registry import parameters
from disttrack.simulator.tasks.audit.case import audit_of
from disttrack.simulator.tasks.audit.mechanism import usual

RUNS = 60
STEP = 2.0**-40
"""Every grid of these cases has steps that are multiples of this."""
ON_GRIDS = [kind for kind, cls in MECHANISMS.items() if getattr(cls, "arithmetic", "") == "grid"]
SILENT = ("above-threshold", "counter-monitor", "experts-private", "private-partition", "private-proper")
"""Of those the ones that release names, times and answers yes or no; what they compare is on the grid."""
LARGE = (
    *("sparse", "sparse-infinite", "sorted-queries", "sparse-vector-queries", "growing-sparse"),
    *("growing-sparse-infinite", "fully-dynamic", "inserted-minus-deleted"),
)
"""Those whose numbers are large or rare, so that the least digits of real noise are seldom left in 60 runs."""


class RealNoise:
    """A generator whose noise is numpy's, in doubles."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def spawn(self, count: int) -> list[RealNoise]:
        return [RealNoise(rng) for rng in self._rng.spawn(count)]


def made(kind: str) -> Any:
    more = {"delta": 1e-6} if kind == "gaussian" else {}
    return MECHANISMS[kind](**usual(kind, list(parameters(MECHANISMS[kind]))), **more)


def caught(releases: Any) -> float:
    """Return the share of the numbers that cannot come from a neighbour whose value is one less."""
    return float(np.mean(1.0 + (releases - 1.0) != releases))


def seen(mechanism: Any, rng: Any) -> np.ndarray:
    """Return the numbers that runs on all cases of an audit release, as far as they have a fractional part."""
    runs = [case.watch(case.inputs[neighbour], rng) for case in audit_of(mechanism).cases for neighbour in (0, 1)
            for _ in range(RUNS)]  # fmt: skip
    numbers = np.concatenate([np.asarray(one, dtype=np.float64) for one in runs])
    return numbers[numbers != np.rint(numbers)]


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("kind", [kind for kind in ON_GRIDS if kind not in SILENT])
@pytest.mark.false_alarm(1e-6)
def test_what_is_released_on_a_grid_is_possible_on_each_neighbour(kind: str) -> None:
    """Control: with real noise more than half of the numbers are off the grid, and 3 to 34 in 100 are caught."""
    releases = seen(made(kind), np.random.default_rng(1))
    assert len(releases) >= 50
    assert caught(releases) == 0
    assert (releases % STEP == 0).all()
    real = seen(made(kind), RealNoise(np.random.default_rng(1)))
    assert np.mean(real % STEP != 0) > 0.5
    if kind not in LARGE:
        assert caught(real) > 0


def test_the_attack_is_tried_on_whatever_claims_a_grid() -> None:
    assert len(ON_GRIDS) >= 24
    assert set(SILENT) < set(ON_GRIDS)
    for kind, cls in MECHANISMS.items():
        assert getattr(cls, "arithmetic", "") in ARITHMETIC, kind


@pytest.mark.parametrize("kind", ["square-root", "blt", "unbounded"])
@pytest.mark.false_alarm(1e-6)
def test_sums_with_real_coefficients_are_rounded_to_a_grid(kind: str) -> None:
    """They claim real-number arithmetic only; their last digits say nothing all the same."""
    counter = made(kind)
    assert counter.arithmetic == "real"
    releases = seen(counter, np.random.default_rng(1))
    assert caught(releases) == 0
    assert (releases % RealGaussian(counter.std).spacing == 0).all()
    assert caught(seen(counter, RealNoise(np.random.default_rng(1)))) > 0.01


def test_real_data_are_rounded_before_they_get_noise() -> None:
    """A mean of about 1/3: all answers lie on the grid of the noise, and none does with real noise."""
    rng = np.random.default_rng(2)
    points = rng.integers(0, 3, 97)
    query = Members(np.array([True, False, False]))
    for kind in ("laplace", "gaussian"):
        rules: Any = CURATORS[kind](epsilon=0.1)
        assert rules.arithmetic == "rounded"
        for source, share in ((rng, 0.0), (RealNoise(rng), 1.0)):
            run = rules.start(points, 10, source)
            answers = np.array([run.answer(query) for _ in range(100)])
            assert np.mean(answers % rules.noise(97, 10).spacing != 0) == share
