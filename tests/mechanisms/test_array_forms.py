"""Every registered array form gives what a loop over its entries gives, and leaves the same state after any pieces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from disttrack.mechanisms import AboveThreshold, Draws, Gaussian, Laplace, PerItem, PrivatePartition  # fmt: skip
from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.counters.base import Run
from disttrack.mechanisms.counters.linear import LinearRun, NoisePath
from disttrack.mechanisms.segments import SegmentNoise
from disttrack.privacy.mechanisms import LEARNERS, JdpMirror, Learner, PerturbedLeader
from disttrack.privacy.mechanisms.sketches import SKETCHES, AmsMedian, Sketch
from disttrack.privacy.mechanisms.statistical import CURATORS, QueryMechanism
from disttrack.privacy.mechanisms.statistical.queries import FeatureMean, Selection

STEPS = 2_500
"""More than two batches of noise."""
POINTS, ROUNDS = 40, 400


@dataclass(frozen=True)
class Form:
    """One mechanism's two forms.

    Attributes
    ----------
    start
        Makes a run from a generator.
    entries
        Makes the input from a generator.
    step, many
        Give the outputs of a run for an entry and for several.
    state
        What a run shows of its state.
    """

    start: Callable[[np.random.Generator], Any]
    entries: Callable[[np.random.Generator], Sequence[Any]]
    step: Callable[[Any, Any], Any]
    many: Callable[[Any, Any], Sequence[Any]]
    state: Callable[[Any], Any] = lambda run: None


def bits(rng: np.random.Generator) -> np.ndarray:
    return (rng.random(STEPS) < 0.4).astype(float)


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


def of_leader(epsilon: float | None) -> Form:
    leader = PerturbedLeader(5, ROUNDS, epsilon=epsilon)
    return Form(
        lambda rng: leader.start(*rng.spawn(2)), lambda rng: rng.integers(0, 2, (ROUNDS, 5)) * np.linspace(0.8, 1, 5),
        lambda run, costs: run.step(costs), lambda run, costs: run.release(costs),
    )  # fmt: skip


def examples(rng: np.random.Generator) -> np.ndarray:
    """Return points and labels; the target comes often, and in every other game one label in fifty is wrong."""
    points = np.where(rng.random(ROUNDS) < 0.5, 7, rng.integers(0, POINTS, ROUNDS))
    return np.stack((points, (points == 7) ^ (rng.random(ROUNDS) < 0.02 * rng.integers(2))), axis=1)


def predict_and_learn(run: Any, example: np.ndarray) -> bool:
    predicted = run.predict(int(example[0]))
    run.learn(int(example[0]), bool(example[1]))
    return bool(predicted)


def of_learner(learner: Learner) -> Form:
    return Form(
        learner.start, examples, predict_and_learn, lambda run, pairs: run.play(pairs[:, 0], pairs[:, 1].astype(bool)),
        lambda run: run.facts(),
    )  # fmt: skip


def of_sketch(sketch: Sketch) -> Form:
    changes = (-2, 1, 3) if sketch.goal == "second-moment" else (1, 3)
    return Form(
        sketch.start, lambda rng: np.stack((rng.integers(0, 90, STEPS // 5), rng.choice(changes, STEPS // 5)), axis=1),
        lambda run, update: run.step(tuple(update.tolist())), lambda run, updates: run.release(updates),
        lambda run: (run.estimate(), run.scale(), run.exhausted),
    )  # fmt: skip


def of_curator(curator: QueryMechanism) -> Form:
    """Queries of single features, or selections among two if it answers none."""
    data = np.random.default_rng(1).choice([-1, 1], (POINTS, ROUNDS))

    def queries(rng: np.random.Generator) -> list[Any]:
        asked = [FeatureMean(feature) for feature in rng.integers(0, POINTS, ROUNDS).tolist()]
        return asked if curator.answers else [Selection(pair) for pair in pairwise(asked)]

    return Form(
        lambda rng: curator.start(data, ROUNDS, rng), queries, lambda run, query: run.step(query),
        lambda run, several: run.release(several), lambda run: getattr(run, "paid", None),
    )  # fmt: skip


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


LEARNED: dict[str, dict[str, Any]] = {
    "plain": {},
    "guessing": {"points": POINTS, "rate": 0.7},
    "private-proper": {"epsilon": 8.0, "horizon": ROUNDS, "delta": 0.1},
    "exponential": {"epsilon": 8.0, "points": POINTS, "horizon": ROUNDS},
    "experts-private": {"epsilon": 2.0, "points": POINTS, "horizon": ROUNDS, "counter": "per-item"},
    "point-predictor": {"epsilon": 60.0, "delta": 0.3},
}
SKETCHED: dict[str, dict[str, Any]] = {
    "ams": {"rows": 9},
    "ams-median": {"groups": 3, "rows": 9},
    "switched": {"copies": 9, "size": 16},
    "private-median": {"changes": 3, "copies": 9, "rows": 8},
    "ams-difference": {"rounds": 9, "rows": 16},
    "rounded": {"size": 16},
    "computation-paths": {"changes": 3, "updates": 4},
    "reset-sample": {"size": 40},
    "private-sample": {"horizon": 40},
    "estimator-corrector": {"updates": 40, "rows": 8},
    "kmv": {"size": 16},
    "hyperloglog": {"registers": 128},
    "salted": {"size": 128},
    "count-sketch": {"width": 8},
    "count-min": {"width": 8},
    "datasketches-hll": {},
    "datasketches-theta": {},
    "datasketches-count-min": {"width": 8},
}
CURATED: dict[str, dict[str, Any]] = {"laplace-answers": {"epsilon": 0.5}, "noisy-argmax": {"epsilon": 0.5}}
"""Parameters of registered classes. A new one that needs some is missing here, and fails."""

FORMS: dict[str, Form] = {
    **{kind: of_counter(kind) for kind in ("binary", "hybrid", "pan-private", "sparse-infinite", "blt")},
    "the way of all counters": of_counter("binary", Run.release),
    "the way of all noise paths": Form(
        of_path, bits, lambda run, x: run.step(x), lambda run, x: run.release(x), lambda run: run.state()
    ),
    "partition": of_partition(None),
    "partition with a horizon": of_partition(STEPS),
    "leader": of_leader(None),
    "private leader": of_leader(0.5),
    **{
        f"learner {kind}": of_learner(learner(**LEARNED[kind])) for kind, learner in LEARNERS.items()
    },
    **{f"sketch {name}": of_sketch(sketch(**SKETCHED[name])) for name, sketch in SKETCHES.items()
       if find_spec("datasketches") or not name.startswith("datasketches")},
    **{f"curator {name}": of_curator(curator(**CURATED.get(name, {})))
       for name, curator in CURATORS.items()},
    "above-threshold": Form(
        AboveThreshold(0.05, 400.0).start, lambda rng: np.arange(STEPS), answer, answer_all,
        lambda run: (run.t, run.halted),
    ),
    "mirror": Form(
        JdpMirror(2.0, delay=3).start, lambda rng: bits(rng).astype(bool), lambda run, bit: run.step(bool(bit)),
        lambda run, several: run.release(several), lambda run: (run.count, run.first_top),
    ),
    "sketch of hashed signs": of_sketch(AmsMedian(groups=3, rows=9, signs="hashed")),
    **{f"segments of {levels} levels": Form(
        lambda rng, levels=levels: SegmentNoise(levels, Draws(Laplace(1.0), rng, 1)), lambda rng: range(STEPS),
        lambda run, _: run.one(), lambda run, steps: run.many(len(steps)), lambda run: (run.t, run.in_force),
    ) for levels in (0, 4, 12)},
    **{f"draws of {batch}": of_draws(law, batch) for law, batch in ((Laplace(1.5), 1), (Gaussian(1.5), 17))},
}  # fmt: skip


@pytest.mark.quick_cases(10)
@pytest.mark.parametrize("name", FORMS)
def test_an_array_is_a_loop_over_its_entries(name: str) -> None:
    """Pieces of 0, 1 and many entries, taken by turns at once and one by one; `blt` adds up in another order."""
    form, seen = FORMS[name], set()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        entries = form.entries(rng)
        single, mixed = (form.start(np.random.default_rng(seed)) for _ in range(2))
        expected = [form.step(single, x) for x in entries]
        cuts = {0, 1, len(entries), *rng.integers(0, len(entries), 4).tolist(), *rng.integers(0, 50, 4).tolist()}
        outputs = list(form.many(mixed, entries[:0]))
        for turn, (begin, end) in enumerate(pairwise(sorted(cuts))):
            piece = entries[begin:end]
            outputs += list(form.many(mixed, piece)) if turn % 3 else [form.step(mixed, x) for x in piece]
        if name == "blt":
            assert outputs == pytest.approx(expected, rel=1e-9, abs=1e-9)
        else:
            assert outputs == expected
            assert form.state(mixed) == form.state(single)
        seen |= {*expected}
    assert len(seen) > 1 or name == "segments of 0 levels"
