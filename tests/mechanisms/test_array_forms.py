"""Array forms of counters, draws and tests give what a loop over the entries gives, and leave the same state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from array_forms import STEPS, Form, bits, hold_forms_equal

from disttrack.mechanisms import AboveThreshold, Draws, Gaussian, Laplace, PerItem, PrivatePartition  # fmt: skip
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.counters.base import Run
from disttrack.mechanisms.counters.linear import LinearRun, NoisePath
from disttrack.mechanisms.segments import SegmentNoise


def of_counter(kind: str, many: Callable[..., Any] = lambda run, x: run.release(x)) -> Form:
    return Form(counter(kind, 0.7, STEPS).start, bits, lambda run, x: run.step(x), many, lambda run: run.state())


class OneByOne(NoisePath):
    """A noise path that states no array form."""

    def __init__(self, draws: Draws) -> None:
        self.one = draws.one  # type: ignore[method-assign]


def of_path(rng: np.random.Generator) -> LinearRun:
    return LinearRun(PerItem(0.7, STEPS), OneByOne(Draws(Laplace(1.5), rng)))


def closings(run: Any, numbers: np.ndarray) -> list[Any]:
    found: list[Any] = [None] * len(numbers)
    for place, items in run.closings(numbers):
        found[place] = items
    return found


def of_partition(horizon: int | None) -> Form:
    partition = PrivatePartition(2.0, horizon, 0.1)
    return Form(
        partition.start, bits, lambda run, x: run.step(x), closings, lambda run: (run.t, run.count, run.segments)
    )


def answer(run: Any, query: float) -> bool:
    """Return whether a test has fired by this query."""
    return run.halted or bool(run.step(query))


def answer_all(run: Any, queries: Any) -> list[bool]:
    fired = None if run.halted else run.first(queries)
    silent = 0 if run.halted and fired is None else len(queries) if fired is None else fired
    return [False] * silent + [True] * (len(queries) - silent)


def of_draws(law: Any, batch: int) -> Form:
    return Form(
        lambda rng: Draws(law, rng, batch), lambda rng: range(STEPS), lambda run, _: run.one(),
        lambda run, places: run.many(len(places)),
    )  # fmt: skip


FORMS: dict[str, Form] = {
    **{kind: of_counter(kind) for kind in ("binary", "hybrid", "pan-private", "sparse-infinite")},
    **{kind: of_counter(kind) for kind in ("blt", "gaussian-tree", "square-root")},
    "the way of all counters": of_counter("binary", Run.release),
    "the way of all noise paths": Form(
        of_path, bits, lambda run, x: run.step(x), lambda run, x: run.release(x), lambda run: run.state()
    ),
    "partition": of_partition(None),
    "partition with a horizon": of_partition(STEPS),
    "above-threshold": Form(
        AboveThreshold(0.05, 400.0).start, lambda rng: np.arange(STEPS), answer, answer_all,
        lambda run: (run.t, run.halted),
    ),
    **{f"segments of {levels} levels": Form(
        lambda rng, levels=levels: SegmentNoise(levels, Draws(Laplace(1.0), rng, 1)), lambda rng: range(STEPS),
        lambda run, _: run.one(), lambda run, steps: run.many(len(steps)), lambda run: (run.t, run.in_force),
    ) for levels in (0, 4, 12)},
    **{f"draws of {batch}": of_draws(law, batch) for law, batch in ((Laplace(1.5), 1), (Gaussian(1.5), 17))},
}  # fmt: skip


@pytest.mark.quick_cases(5)
@pytest.mark.parametrize("name", FORMS)
def test_an_array_is_a_loop_over_its_entries(name: str) -> None:
    """`blt` adds up in another order."""
    seen = hold_forms_equal(FORMS[name], exactly=name != "blt")
    assert len(seen) > 1 or name == "segments of 0 levels"
