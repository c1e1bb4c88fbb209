"""The audits of mechanisms that take a stream: sparse counters, sparse-vector tests, monitors and transformations.

The inputs for runs are such that a mechanism is close to its limit: short streams, a first item that is in all
intervals of a tree, queries at the threshold. The proved bound of an exact loss is the claim, except for inputs on
which the mechanism loses less than it can: sums of one stream all move in one direction, so that a sparse-vector test
loses half of its epsilon; a published answer is one of several that share the budget. There the claim is generous: half
of the noise would still satisfy it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import log
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import AboveThreshold, PrivatePartition, Sparse
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    ClockMonitor,
    ContinualOutput,
    CounterMonitor,
    ExactMonitor,
    PanPrivateDensity,
    ReleaseMonitor,
    SortedQueries,
    SparseVectorMonitor,
)
from disttrack.privacy.tasks.audit.case import (
    Audit,
    Case,
    Exact,
    Watch,
    audit_of,
    closings,
    exactly,
    one_more,
    within,
)
from disttrack.privacy.tasks.audit.counter_cases import EXACT_STEPS
from disttrack.privacy.tasks.audit.counter_cases import STEPS as STEPS
from disttrack.privacy.tasks.audit.exact.coins import coin_loss, draw_loss
from disttrack.privacy.tasks.audit.exact.halting import MeasuredTest, halting_loss, measured_test
from disttrack.privacy.tasks.audit.exact.linear import linear_loss
from disttrack.simulator.kinds.names import count

MOST_COINS: Final = 12
"""Maximum number of coins whose outcomes are enumerated."""


@audit_of.register
def _(counter: Sparse) -> Audit:
    """A stream whose segments are about to close at every step."""

    def watch(entries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        run = counter.start(rng)
        return [run.step(entry) for entry in entries]

    segment = float(round(counter.partition.threshold(1, counter.horizon or 2) / 2))
    steps = within(counter, STEPS)
    says = f"entry 1 of {steps} is {segment:.0f} or one more"
    return _segments(watch, [segment] * steps, says, counter.partition, within(counter, EXACT_STEPS))


@audit_of.register
def _(queries: SortedQueries) -> Audit:
    """A data set as large as a segment of the counter inside; an entry is the points between two queries."""

    def watch(entries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        data = np.repeat(np.arange(len(entries)) + 0.5, np.array(entries, dtype=np.int64))
        run = queries.start(data, rng)
        return [run.answer(float(place + 1)) for place in range(len(entries))]

    partition = PrivatePartition(queries.epsilon / 2, None, queries.beta)
    points = round(partition.threshold(1, 2))
    says = f"{points} points below 4 queries or one more"
    return _segments(watch, [points, 0, 0, 0], says, partition, EXACT_STEPS)


def _segments(watch: Watch, stream: Sequence[float], says: str, partition: PrivatePartition, steps: int) -> Audit:
    """A counter of segments; exactly, one entry of many is larger by one.

    The exact loss is that of the ends of the segments and that of their counts. The segments' test has half of the
    budget, of which silence loses half; the counter has the other half. In a transcript in which the entry's segment
    stays open for long and the counter's draws lie on one side, both are lost. For entries so large that each closes
    its segment, only the counts lose anything.
    """

    def exact() -> Exact | None:
        size = round(partition.threshold(steps, partition.horizon or steps**2) + 60 * 4 / partition.epsilon)
        counts = linear_loss(watch, one_more([size] * steps))
        test = measured_test(watch, 5.0)
        return exactly(None if counts is None else counts + halting_loss(test), 1.5 * partition.epsilon)

    return Audit([closings(watch, stream, says)], exact, slow=True)


@audit_of.register
def _(test: AboveThreshold) -> Audit:
    """Queries just below the threshold, or just above it."""

    def watch(queries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        fired = test.start(rng).first(queries)
        return [0.0 if fired is None else 1.0 + fired]

    inputs = [test.threshold - 0.5] * 8, [test.threshold + 0.5] * 8
    case = Case(watch, inputs, "8 queries half below the threshold, or half above it")
    return Audit([case], lambda: Exact(halting_loss(measured_test(watch, test.threshold), fires=True), test.epsilon))


@audit_of.register
def _(partition: PrivatePartition) -> Audit:
    """A first segment that is about to close, and small entries after it; exactly, it stays open for 100 steps."""

    def watch(entries: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        run = partition.start(rng)
        return [float(sum((run.step(x) is not None) << t for t, x in enumerate(entries)))]

    first = partition.threshold(1, partition.horizon or 2)
    rest = [0.0] * (within(partition, STEPS) - 1)
    inputs = [first, *rest], [first + 1, *rest]
    others = ", the others are 0" if rest else ""
    says = f"entry 1 of {1 + len(rest)} is {first:.0f} or one more{others}; seen: which steps close a segment"
    case = Case(watch, inputs, says)
    return Audit([case], lambda: Exact(halting_loss(measured_test(watch, first)), partition.epsilon / 2), slow=True)


@audit_of.register
def _(monitor: ClockMonitor | CounterMonitor | ExactMonitor | ReleaseMonitor | SparseVectorMonitor) -> Audit:
    """A stream without an item, or with one at the first step."""

    def watch(ones: Sequence[int], rng: np.random.Generator) -> Sequence[float]:
        return [float(monitor.halt(ones, max(steps, len(ones)), rng) or 0)]

    def coins() -> Exact | None:
        """Exactly: the items at which it halts if all are revealed, or one fewer."""
        assert isinstance(monitor, ReleaseMonitor)
        ones = range(1, monitor.needed + 1)
        return Exact(coin_loss(watch, (ones[:-1], ones), monitor.delta), 0.0) if len(ones) <= MOST_COINS else None

    steps = within(monitor, STEPS)
    says = f"{count(steps, 'step')} without an item, or with one at step 1; seen: when it halts"
    case = Case(watch, ((), (1,)), says)
    if isinstance(monitor, CounterMonitor):
        return Audit([case])
    if isinstance(monitor, ClockMonitor | ExactMonitor):
        return Audit([case], lambda: Exact(draw_loss(watch, case.inputs), monitor.epsilon))
    return Audit([case], coins if isinstance(monitor, ReleaseMonitor) else partial(_silent, monitor, watch))


def _silent(monitor: SparseVectorMonitor, watch: Watch) -> Exact | None:
    """Return the loss of not halting for 100 steps.

    The chance that a query fires, which is the tail of its noise, shows the threshold of the test.
    """
    test = monitor.test()
    aim = (10 * test.query_noise.scale - test.threshold) / test.threshold_noise.scale

    def depth(ones: tuple[int, ...], hidden: float) -> float:
        noise = ScriptedNoise({0: hidden})
        watch(ones, noise)
        return -log(2 * noise.chances[0]) if noise.chances else 0.0

    first, higher, raised = depth((), aim), depth((1,), aim), depth((), aim + 1)
    if not (first > higher > 0 and raised):
        return None
    scale = 1 / (first - higher)
    of_threshold = scale * (raised - first)
    measured = MeasuredTest(scale * first - of_threshold * aim, of_threshold, scale)
    return Exact(halting_loss(measured), monitor.epsilon / 2)


@audit_of.register
def _(density: PanPrivateDensity) -> Audit:
    density = replace(density, users=min(2, density.users))  # other users' bits do not depend on this user

    def watch(user: int | None, rng: np.random.Generator) -> Sequence[float]:
        run = density.start(rng)
        run.step(user)
        return [float(run.state()["bits"][0])]

    case = Case(watch, (None, 0), "user 0 appears or not; seen: the memory once")
    return Audit([case], lambda: Exact(coin_loss(watch, case.inputs), density.epsilon))


@audit_of.register
def _(transformation: ContinualOutput) -> Audit:
    """An estimator whose answer is as far from the published one as the threshold allows, or one more.

    Exactly: answers so far from the published ones that each is published, as long as publications are allowed.
    """

    def watch(stream: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        taken: list[float] = []  # the estimator is their exact sum, of sensitivity 1
        estimator: Any = SimpleNamespace(step=taken.append, answer=lambda: sum(taken))
        run = transformation.start(estimator, rng)
        return [run.step(x) for x in stream]

    size, moved = transformation.threshold, transformation.sensitivity
    steps = within(transformation, 2)
    says = f"the estimator's answer is {size:.0f}, or more by its sensitivity; the estimator itself hides nothing"

    def exact() -> Exact | None:
        longer = within(transformation, min(transformation.changes + 1, EXACT_STEPS))
        far = [1e4 * (size + moved)] * longer
        loss = linear_loss(watch, (far, [far[0] + moved, *far[1:]]))
        return exactly(loss, longer * transformation.epsilon / (2 * (transformation.changes + 1)))

    cases = [closings(watch, [size] + [0.0] * (steps - 1), says, moved)]
    return Audit(cases, exact, claim=(3 * transformation.epsilon, 0.0))
