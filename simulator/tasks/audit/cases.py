"""The audits of each mechanism: its cases, and the parameters for audits.

Each case uses inputs for which the mechanism is close to its limit: short streams, a first item that is in all
intervals of a tree, queries at the threshold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import (
    AboveThreshold,
    Blt,
    ContinualOutput,
    Counter,
    CounterMonitor,
    DynamicMechanism,
    ExpertsPrivate,
    Hybrid,
    JdpMirror,
    Learner,
    PanPrivateDensity,
    PerturbedLeader,
    PrivatePartition,
    ReleaseMonitor,
    ReleaseQueries,
    SortedQueries,
    Sparse,
    SparseVectorMonitor,
    SparseVectorQueries,
    SquareRoot,
    StaticMechanism,
)
from disttrack.simulator.tasks.audit.case import Case, closings
from disttrack.simulator.tasks.audit.data_cases import DATA_CASES, DATA_USUAL
from disttrack.simulator.tasks.audit.event import Shape
from disttrack.simulator.tasks.audit.learner_cases import USUAL as USUAL_OF_LEARNERS
from disttrack.simulator.tasks.audit.learner_cases import learner_case, mirror_case

STEPS: Final = 4
"""Steps of a stream, unless a mechanism needs others."""
SLOW: Final = (
    *(Hybrid, SquareRoot, Blt, Sparse, PrivatePartition, SortedQueries, SparseVectorQueries, PerturbedLeader),
    *(ExpertsPrivate, StaticMechanism, DynamicMechanism),
)
"""Mechanisms with slow runs; only a quarter of the runs are played."""

Cases = Case | tuple[Case, ...]


def _counter(counter: Counter) -> Cases:
    """Presence of the first or the last item of a short stream; for a private memory of the third, with one look."""
    if isinstance(counter, Sparse):
        return _sparse_counter(counter)
    steps = min(STEPS, counter.horizon or STEPS)
    if counter.pan_private:
        return _one_item(counter, steps, min(2, steps - 1), steps - 1)
    return tuple(_one_item(counter, steps, place, None) for place in {0, steps - 1})


def _one_item(counter: Counter, steps: int, place: int, look: int | None) -> Case:
    """Presence of one item; the memory is seen after step `look`, unless None."""
    without = [0.0] * steps
    with_item = [float(t == place) for t in range(steps)]

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = counter.start(rng)
        stream = with_item if neighbour else without
        if look is None:
            return run.release(stream).tolist()  # type: ignore[no-any-return]
        seen = [run.step(x) for x in stream[:look]]
        state = run.state()
        return [*seen, *(run.step(x) for x in stream[look:]), state["count"], *state.get("noise", ())]

    base, shifted = _sums(without), _sums(with_item)
    watched = "outputs"
    if look is not None:
        rng = np.random.default_rng(0)
        noises = len(observe(False, rng)) - steps - 1
        base, shifted = [*base, 0.0, *[0.0] * noises], [*shifted, float(look > place), *[0.0] * noises]
        watched = f"outputs, and the memory after step {look}"
    delta = float(getattr(counter, "delta", 0.0)) if counter.privacy == "approximate" else 0.0
    shape = Shape(base, shifted, normal=counter.privacy == "approximate")
    item = f"item {place + 1} of {steps} is there or not; all others are not; seen: {watched}"
    return Case(counter.epsilon, delta, observe, shape, item)


def _sparse_counter(counter: Sparse) -> Case:
    """A stream whose segments are about to close at every step; the neighbour's first entry is larger by one."""
    segment = counter.partition.threshold(1, counter.horizon or 2) / 2
    without = [segment] * STEPS
    with_item = [segment + 1, *without[1:]]
    exact = _sums(without)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = counter.start(rng)
        return closings(run.release(with_item if neighbour else without).tolist(), exact, STEPS)

    shape = Shape([0.0] * STEPS, [1.0] * STEPS, categories=True)
    return Case(counter.epsilon, 0.0, observe, shape, f"entry 1 of {STEPS} is {segment:.0f} or one more")


def _above_threshold(test: AboveThreshold) -> Case:
    """Queries just below the threshold, or just above it."""
    here, there = [test.threshold - 0.5] * 8, [test.threshold + 0.5] * 8

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        fired = test.start(rng).first(there if neighbour else here)
        return [-1.0 if fired is None else float(fired)]

    inputs = "8 queries half below the threshold, or half above it"
    return Case(test.epsilon, 0.0, observe, Shape(categories=True), inputs)


def _partition(partition: PrivatePartition) -> Case:
    """A first segment that is about to close, and small entries after it."""
    first = partition.threshold(1, partition.horizon or 2)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = partition.start(rng)
        stream = (first + neighbour, 0.0, 0.0, 0.0)
        return [float(sum((run.step(x) is not None) << t for t, x in enumerate(stream)))]

    inputs = f"entry 1 of 4 is {first:.0f} or one more, the others are 0; seen: which steps close a segment"
    return Case(partition.epsilon, 0.0, observe, Shape(categories=True), inputs)


def _monitor(monitor: Any, epsilon: float, delta: float) -> Case:
    """A stream without an item, or with one at the first step."""

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        halt = monitor.halt((1,) if neighbour else (), STEPS, rng)
        return [float(halt or 0)]

    inputs = f"{STEPS} steps without an item, or with one at step 1; seen: when it halts"
    return Case(epsilon, delta, observe, Shape(categories=True), inputs)


def _sorted_queries(queries: SortedQueries) -> Case:
    """A data set as large as a segment of the counter inside, with one more point or without it."""
    from disttrack.mechanisms import SparseInfinite

    points = round(SparseInfinite(queries.epsilon, beta=queries.beta).partition.threshold(1, 2))
    without, with_point = [0.1] * points, [0.1] * (points + 1)
    asked = (0.2, 0.4, 0.6, 0.8)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = queries.start(with_point if neighbour else without, rng)
        return closings([run.answer(query) for query in asked], [float(points)] * len(asked), len(asked))

    shape = Shape([0.0] * len(asked), [1.0] * len(asked), categories=True)
    return Case(queries.epsilon, 0.0, observe, shape, f"{points} points at 0.1 or one more; 4 queries above them")


def _sparse_vector_queries(queries: SparseVectorQueries) -> Case:
    """Half of the points lie below the query; in the neighbour one of them is on its other side."""
    half = queries.points // 2
    here = [0.2] * half + [0.8] * (queries.points - half)
    there = [0.2] * (half - 1) + [0.8] * (queries.points - half + 1)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = queries.start(there if neighbour else here, rng)
        answers = [run.answer(0.5), run.answer(0.6)]
        return [float(run.paid), *answers]

    shape = Shape([half, half], [half - 1, half - 1], categories=True)
    inputs = f"{half} or {half - 1} of {queries.points} points below both queries"
    return Case(queries.epsilon, queries.delta, observe, shape, inputs)


def _release_queries(queries: ReleaseQueries) -> Case:
    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        return [queries.start([0.1] if neighbour else [], rng).answer(0.5)]

    return Case(0.0, queries.delta, observe, Shape(categories=True), "no point or one; one query above it")


def _density(density: PanPrivateDensity) -> Case:
    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = density.start(rng)
        run.step(0 if neighbour else None)
        return [float(run.state()["bits"][0])]

    inputs = "user 0 appears or not; seen: the memory once"
    return Case(density.epsilon, 0.0, observe, Shape(categories=True), inputs)


class _Total:
    """A one-shot estimator of sensitivity 1: the sum so far, exactly."""

    def __init__(self) -> None:
        self._sum = 0.0

    def step(self, x: Any) -> None:
        self._sum += x

    def answer(self) -> float:
        return self._sum


def _continual_output(transformation: ContinualOutput) -> Case:
    """An estimator whose answer is as far from the published one as the threshold allows, or one more."""
    size = transformation.threshold
    moved = transformation.sensitivity
    steps = min(2, transformation.horizon)

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = transformation.start(_Total(), rng)
        answers = [run.step((size + moved * neighbour) if t == 0 else 0.0) for t in range(steps)]
        return closings(answers, [size] * steps, steps)

    shape = Shape([0.0] * steps, [moved] * steps, categories=True)
    inputs = f"the estimator's answer is {size:.0f}, or more by its sensitivity; the estimator itself hides nothing"
    return Case(3 * transformation.epsilon, 0.0, observe, shape, inputs)


def _leader(leader: PerturbedLeader) -> Case:
    """Two rounds of equal costs, except for one expert's in the first."""
    here = np.full((2, leader.experts), 0.5)
    here[0, 0] = 0.0
    there = here.copy()
    there[0, 0] = 1.0

    def observe(neighbour: bool, rng: np.random.Generator) -> Sequence[float]:
        run = leader.start(rng, rng)
        run.learn((there if neighbour else here)[0])
        return [float(run.choose())]

    inputs = "expert 0 costs 0 or 1 in round 1; seen: the choice in round 2"
    return Case(leader.epsilon or float("inf"), 0.0, observe, Shape(categories=True), inputs)


def _sums(stream: Sequence[float]) -> list[float]:
    return list(accumulate(stream))


CASES: Final[dict[type[Any], Callable[[Any], Cases]]] = {
    Counter: _counter,
    AboveThreshold: _above_threshold,
    PrivatePartition: _partition,
    SparseVectorMonitor: lambda monitor: _monitor(monitor, monitor.epsilon, 0.0),
    ReleaseMonitor: lambda monitor: _monitor(monitor, 0.0, monitor.delta),
    CounterMonitor: lambda monitor: _monitor(monitor, monitor.epsilon, 0.0),
    SortedQueries: _sorted_queries,
    SparseVectorQueries: _sparse_vector_queries,
    ReleaseQueries: _release_queries,
    PanPrivateDensity: _density,
    ContinualOutput: _continual_output,
    PerturbedLeader: _leader,
    JdpMirror: mirror_case,
    Learner: learner_case,
    **DATA_CASES,
}
"""The audit of each class of mechanism; subclasses are audited like their base."""

USUAL: Final[dict[str, dict[str, Any]]] = {
    "above-threshold": {"threshold": 0.0},
    "private-partition": {"horizon": 4},
    "sparse-vector-monitor": {"k": 2, "cut": 0.0},
    "release-monitor": {"k": 1, "delta": 0.01},
    "counter-monitor": {"k": 2, "cut": 0.0, "horizon": STEPS},
    "sparse-vector-queries": {"epsilon": 10.0, "points": 2500, "queries": 2},
    "release-queries": {"delta": 0.01},
    "pan-private-density": {"users": 2},
    "continual-output": {"horizon": 2, "sensitivity": 1.0, "changes": 1, "variation": 1.0},
    "perturbed-leader": {"experts": 2, "horizon": 62, "rate": 100.0, "epsilon": 12.0},
    "k-ary": {"base": 3},
    **DATA_USUAL,
    **USUAL_OF_LEARNERS,
}
"""Default parameters for audits: those for which little hides a mechanism's loss."""


def usual(kind: str, taken: Sequence[str]) -> dict[str, Any]:
    """Return the default parameters for the audit of a kind, restricted to the ones that it takes."""
    common = {"epsilon": 1.0, "horizon": STEPS}
    given = {**{name: common[name] for name in common if name in taken}, **USUAL.get(kind, {})}
    return {name: value for name, value in given.items() if name in taken}


def cases_of(mechanism: Any) -> tuple[Case, ...]:
    """Return the pairs of inputs for the audit of a mechanism; none if it is of no known class."""
    for base, make in CASES.items():
        if isinstance(mechanism, base):
            made = make(mechanism)
            share = 0.25 if isinstance(mechanism, SLOW) else 1.0
            return tuple(replace(case, share=share) for case in (made if isinstance(made, tuple) else (made,)))
    return ()
