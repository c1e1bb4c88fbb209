"""Audits of mechanisms that answer families of queries: releases, growing data, growing and shrinking data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import (
    DynamicMechanism,
    FullyDynamic,
    GrowingSparse,
    InsertedMinusDeleted,
    MultiplicativeWeights,
    StaticMechanism,
)
from disttrack.simulator.tasks.audit.case import Case
from disttrack.simulator.tasks.audit.event import Shape

DENSE: Final = 128
"""Steps of a stream in which a segment of a partition is likely to close."""


def _static(mechanism: StaticMechanism) -> Case:
    """No item, or one of value 0; if it can look empty, near the size at which it does."""
    counts = np.zeros(mechanism.domain)
    if isinstance(mechanism, MultiplicativeWeights):
        counts[0] = round(mechanism.inhabited_from(1.0))
    neighbour = counts.copy()
    neighbour[0] += 1
    family = mechanism.family

    def observe(other: bool, rng: np.random.Generator) -> Sequence[float]:
        answers = mechanism.release(neighbour if other else counts, rng).tolist()
        return [float(any(answers)), *answers]

    base, shifted = (family.evaluate(one).tolist() for one in (counts, neighbour))
    shape = Shape(base, shifted, normal=mechanism.privacy == "approximate", categories=True)
    inputs = f"{counts[0]:.0f} items of value 0 or one more, in one release"
    return Case(mechanism.epsilon, mechanism.delta, observe, shape, inputs)


def _updates(mechanism: DynamicMechanism, without: Sequence[int], update: int, inputs: str) -> Case:
    """Presence of an update at step 1 + `place`; the answers after each step are seen."""
    place = without.index(0)
    codes = list(without)
    codes[place] = update

    def observe(other: bool, rng: np.random.Generator) -> Sequence[float]:
        run = mechanism.start(rng)
        seen: list[float] = []
        for code in codes if other else without:
            run.step(code)
            seen.append(float(run.answers[0]))
        return seen

    base, shifted = _exact(without), _exact(codes)
    return Case(mechanism.epsilon, mechanism.delta, observe, Shape(base, shifted), inputs)


def _exact(codes: Sequence[int]) -> list[float]:
    """Return the number of items after each step."""
    live: set[int] = set()
    sizes = []
    for step, code in enumerate(codes, start=1):
        live |= {step} if code > 0 else set()
        live -= {-code} if code < 0 else set()
        sizes.append(float(len(live)))
    return sizes


def _growing(mechanism: DynamicMechanism) -> Case:
    """The first of four steps has an item or none."""
    return _updates(mechanism, (0, 1, 1, 1), 1, "4 steps; an item in the first or none; seen: the answers of all steps")


def _changing(mechanism: DynamicMechanism) -> tuple[Case, ...]:
    """An insertion, or a deletion, in short streams whose segments end by time."""
    inserted = "5 steps; an item in the first or none, which the fourth takes away; seen: the answers of all steps"
    deleted = "5 steps, items in the first two; the first of them is deleted in the third or not; seen: all answers"
    return (
        _updates(mechanism, (0, 1, 1, -1, 1), 1, inserted),
        _updates(mechanism, (1, 1, 0, 1, 1), -1, deleted),
    )


def _segments(mechanism: DynamicMechanism) -> Case:
    """A dense stream in which a segment is about to close; its end and its answer are seen."""

    def observe(other: bool, rng: np.random.Generator) -> Sequence[float]:
        run = mechanism.start(rng)
        for step in range(1, DENSE + 1):
            if run.step(int(step > 1 or other)):
                return [float(step // 8), float(run.answers[0]) - (step - 1)]
        return [0.0, 0.0]

    inputs = f"{DENSE} items or one more in front; seen: when the first segment closes, within 8 steps, and its answer"
    return Case(mechanism.epsilon, mechanism.delta, observe, Shape([0.0], [1.0], categories=True), inputs)


def _sparse(mechanism: GrowingSparse) -> Case:
    return _growing(mechanism) if mechanism.partition.horizon is None else _segments(mechanism)


DATA_CASES: Final[dict[type[Any], Callable[[Any], Any]]] = {
    StaticMechanism: _static,
    FullyDynamic: _changing,
    InsertedMinusDeleted: _changing,
    GrowingSparse: _sparse,
    DynamicMechanism: _growing,
}
"""The audit of each class; subclasses are audited like their base, and the first match counts."""

DATA_USUAL: Final[dict[str, dict[str, Any]]] = {
    "laplace": {"queries": "points", "domain": 2},
    "gaussian": {"queries": "points", "domain": 2},
    "pmw": {"queries": "points", "domain": 2, "rounds": 2},
    "growing-sparse": {"horizon": DENSE},
    "growing-sparse-infinite": {"horizon": None},
    "fully-dynamic": {"horizon": None},
    "inserted-minus-deleted": {"horizon": None},
}
"""Default parameters for their audits."""
