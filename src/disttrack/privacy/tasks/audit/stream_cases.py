"""The audits of mechanisms that take a stream: counters, sparse-vector tests, monitors and transformations.

Neighbouring streams of counters differ in the entries of one user: in one, or in several that lie apart.

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
from itertools import accumulate, combinations, pairwise, product
from math import log, sqrt
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import (
    AboveThreshold,
    Counter,
    Hybrid,
    PrivatePartition,
    RandomizedResponse,
    Sparse,
    Unbounded,
)
from disttrack.mechanisms.counters.linear import UserLevelCounter
from disttrack.mechanisms.counters.toeplitz import Toeplitz
from disttrack.mechanisms.noise import Floats
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
    Shape,
    Watch,
    audit_of,
    closings,
    exactly,
    one_more,
    within,
)
from disttrack.privacy.tasks.audit.exact_losses import (
    MeasuredTest,
    coin_loss,
    draw_loss,
    halting_loss,
    linear_loss,
    measured_test,
    normal_loss,
)
from disttrack.simulator.kinds.names import count

STEPS: Final = 4
"""Steps of a stream for runs, unless a mechanism needs others."""
EXACT_STEPS: Final = 8
"""Maximum number of steps of a stream for an exact loss."""


def _estimates(
    counter: Counter, stream: Sequence[float], rng: np.random.Generator, look: int | None = None
) -> Sequence[float]:
    """Watch the estimates of a counter, and its memory after step `look`, unless None."""
    run = counter.start(rng)
    if look is None:
        return run.release(stream).tolist()  # type: ignore[no-any-return]
    seen = [run.step(x) for x in stream[:look]]
    state = run.state()
    return [*seen, *(run.step(x) for x in stream[look:]), state["count"], *state.get("noise", ())]


def _users(counter: Counter) -> tuple[int, int]:
    """Return the number of entries of one user at most, and the steps from one to the next at least."""
    return (counter.entries, counter.separation) if isinstance(counter, UserLevelCounter) else (1, 1)


def _neighbours(counter: Counter, steps: int) -> Floats:
    """Return an empty stream and its neighbours: all in which the entries of one user change by one, up or down.

    The first of them changes upwards: the loss is that of the opposite changes.
    """
    most, separation = _users(counter)
    streams = [np.zeros(steps)]
    for number in range(1, most + 1):
        for places in combinations(range(steps), number):
            if all(after - before >= separation for before, after in pairwise(places)):
                for signs in product((1, -1), repeat=number - 1):
                    streams.append(np.zeros(steps))
                    streams[-1][list(places)] = 1, *signs
    return np.array(streams)


def _items(counter: Counter, steps: int, places: Sequence[int], look: int | None = None) -> Case:
    """Presence of the items of one user; the memory is seen after step `look`, unless None."""
    watch = partial(_estimates, counter, look=look)
    inputs = [[0.0] * steps, [float(place in places) for place in range(steps)]]
    base, shifted = ([*accumulate(stream), *([] if look is None else [sum(stream[:look])])] for stream in inputs)
    noises = [0.0] * (len(watch(inputs[0], np.random.default_rng(0))) - len(base))
    watched = "outputs" if look is None else f"outputs, and the memory after step {look}"
    named = f"item{'s' * (len(places) > 1)} {', '.join(str(place + 1) for place in places)} of {steps}"
    says = f"{named} {'are' if len(places) > 1 else 'is'} there or not; all others are not; seen: {watched}"
    shape = Shape([*base, *noises], [*shifted, *noises], normal=counter.privacy == "approximate")
    return Case(watch, inputs, says, shape)


@audit_of.register
def _counter(counter: Counter) -> Audit:
    """Presence of the first or the last items of a short stream; for a private memory of the third, with one look.

    Exactly: presence of any items of one user; a private memory is seen once, after any of the steps.
    """
    steps, longer = within(counter, STEPS), within(counter, EXACT_STEPS)
    delta = float(getattr(counter, "delta", 0.0)) if counter.privacy == "approximate" else 0.0
    if counter.pan_private:
        cases = [_items(counter, steps, [min(2, steps - 1)], steps - 1)]
    else:
        most, separation = _users(counter)
        first = tuple(range(0, steps, separation)[:most])
        last = tuple(steps - 1 - place for place in reversed(first))
        cases = [_items(counter, steps, places) for places in sorted({first, last})]

    def exact() -> Exact | None:
        looks = range(longer + 1) if counter.pan_private else (None,)
        watches = [partial(_estimates, counter, look=look) for look in looks]
        losses = [linear_loss(watch, _neighbours(counter, longer), delta) for watch in watches]
        known = [loss for loss in losses if loss is not None]
        return Exact(max(known), counter.epsilon) if len(known) == len(losses) else None

    return Audit(cases, exact, slow=isinstance(counter, Hybrid | Toeplitz))


@audit_of.register
def _(counter: Unbounded) -> Audit:
    """Exactly: the claim is for a stream without end, of which a short one loses its part of the sensitivity."""
    audit = _counter(counter)

    def exact() -> Exact | None:
        known, steps = audit.exact(), within(counter, EXACT_STEPS)
        move = sqrt(counter.column_norm(steps)) / counter.std
        return exactly(known and known.loss, normal_loss(move, counter.delta))

    return audit._replace(exact=exact)


@audit_of.register
def _(counter: RandomizedResponse) -> Audit:
    """Exactly: item 1 of 2, with a look at the memory after it."""
    watch = partial(_estimates, counter, look=1)
    rest = [0.0] * (within(counter, 2) - 1)
    return _counter(counter)._replace(
        exact=lambda: Exact(coin_loss(watch, ([0.0, *rest], [1.0, *rest])), counter.epsilon)
    )


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
