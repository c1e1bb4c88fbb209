"""Mechanisms with an exactly computed privacy loss: the inputs, and the proved bound on these inputs.

The proved bound is the claim, except for inputs on which the mechanism loses less than it can: sums of one stream
all move in one direction, so that a sparse-vector test loses half of its epsilon; a published answer is one of several
that share the budget. There the claim is generous: half of the noise would still satisfy it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import (
    AboveThreshold,
    ContinualOutput,
    Counter,
    PanPrivateDensity,
    PerturbedLeader,
    PrivatePartition,
    RandomizedResponse,
    ReleaseMonitor,
    ReleaseQueries,
    SortedQueries,
    Sparse,
    SparseVectorMonitor,
    SparseVectorQueries,
)
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.simulator.tasks.audit.exact import leader as choices
from disttrack.simulator.tasks.audit.exact.coins import coin_loss
from disttrack.simulator.tasks.audit.exact.data import DATA_KNOWN
from disttrack.simulator.tasks.audit.exact.halting import MeasuredTest, firing_loss, measured_test, silence_loss
from disttrack.simulator.tasks.audit.exact.linear import linear_loss

STEPS: Final = 8
"""Maximum number of steps of a stream."""
MOST_COINS: Final = 12
"""Maximum number of coins whose outcomes are enumerated."""

Answers = Callable[[Sequence[float], Any], Sequence[float]]
"""Passes entries to a run with this generator, and returns its estimate after each."""


@dataclass(frozen=True)
class Exact:
    """An exact privacy loss.

    Attributes
    ----------
    loss
        The loss, at the delta of the claim.
    proved
        Its proved upper bound on these inputs.
    inputs
        The neighbouring inputs, in words.
    """

    loss: float
    proved: float
    inputs: str


def exact_loss(mechanism: Any) -> Exact | None:
    """Return the exact loss of a mechanism; None if there is no method for it."""
    for cls, compute in KNOWN.items():
        if isinstance(mechanism, cls):
            return compute(mechanism)
    for cls, data_loss in DATA_KNOWN.items():
        if isinstance(mechanism, cls):
            exact = data_loss(mechanism)
            return None if exact is None else Exact(*exact)
    return None


def _counter(counter: Counter) -> Exact | None:
    """Presence of any item of a short stream; a private memory is seen once, after any of the steps."""
    steps = min(STEPS, counter.horizon or STEPS)
    delta = float(getattr(counter, "delta", 0.0)) if counter.privacy == "approximate" else 0.0
    losses: list[float] = []
    for look in range(1, steps + 1) if counter.pan_private else (None,):

        def play(item: int, rng: Any, look: int | None = look) -> Sequence[float]:
            run = counter.start(rng)
            seen: list[float] = []
            for t in range(1, steps + 1):
                seen.append(run.step(float(t == item)))
                if t == look:
                    state = run.state()
                    seen += [state["count"], *state.get("noise", ())]
            return seen

        loss = linear_loss(play, steps, delta)
        if loss is None:
            return None
        losses.append(loss)
    seen = "all estimates, and the memory once" if counter.pan_private else "all estimates"
    return Exact(max(losses), counter.epsilon, f"one item of {steps} is there or not; seen: {seen}")


def _response(counter: RandomizedResponse) -> Exact:
    def play(moved: bool, rng: Any) -> Sequence[float]:
        run = counter.start(rng)
        return [run.step(float(moved)), run.state()["count"], run.step(0)]

    return Exact(coin_loss(play), counter.epsilon, "item 1 of 2 is there or not; seen: estimates and memory")


def _sparse(counter: Sparse) -> Exact | None:
    def answers(entries: Sequence[float], rng: Any) -> Sequence[float]:
        run = counter.start(rng)
        return [run.step(entry) for entry in entries]

    return _closings(answers, counter.partition, min(STEPS, counter.horizon or STEPS), counter.epsilon)


def _sorted(queries: SortedQueries) -> Exact | None:
    def answers(entries: Sequence[float], rng: Any) -> Sequence[float]:  # of points between a query and the next
        data = np.repeat(np.arange(len(entries)) + 0.5, np.array(entries, dtype=np.int64))
        run = queries.start(data, rng)
        return [run.answer(float(place + 1)) for place in range(len(entries))]

    return _closings(answers, PrivatePartition(queries.epsilon / 2, None, queries.beta), STEPS, queries.epsilon)


def _closings(answers: Answers, partition: PrivatePartition, steps: int, epsilon: float) -> Exact | None:
    """A stream with one entry larger by one: the loss from the ends of the segments, and from their counts.

    The segments' test has half of the budget, of which silence loses half; the counter has the other half. In a
    transcript in which the entry's segment stays open for long and the counter's draws lie on one side, both are lost.
    For entries so large that each closes its segment, only the counts lose anything.
    """
    size = partition.threshold(steps, partition.horizon or steps**2) + 60 * 4 / partition.epsilon

    def play(entry: int, rng: Any) -> Sequence[float]:
        return answers([round(size) + float(t == entry) for t in range(1, steps + 1)], rng)

    counts = linear_loss(play, steps)
    test = measured_test(lambda items, rng: answers([items], rng)[0] != 0, 5.0)
    if counts is None:
        return None
    inputs = "one entry is larger by one or not; seen: the ends of segments, and their counts"
    return Exact(silence_loss(test) + counts, 0.75 * epsilon, inputs)


def _above_threshold(test: AboveThreshold) -> Exact:
    measured = measured_test(lambda query, rng: test.start(rng).step(query), test.threshold)
    inputs = "100 queries at the threshold or one above it, and one that fires, at it or one below"
    return Exact(firing_loss(measured), test.epsilon, inputs)


def _partition(partition: PrivatePartition) -> Exact:
    first = partition.threshold(1, partition.horizon or 2)
    measured = measured_test(lambda items, rng: partition.start(rng).step(items) is not None, first)
    inputs = "entry 1 is larger by one or not; seen: that the segment stays open for 100 steps"
    return Exact(silence_loss(measured), partition.epsilon / 2, inputs)


def _monitor(monitor: SparseVectorMonitor) -> Exact | None:
    """The chance that a query fires, which is the tail of its noise, shows the threshold of the test."""
    test = monitor.test()
    aim = (10 * test.query_noise.scale - test.threshold) / test.threshold_noise.scale

    def depth(ones: tuple[int, ...], hidden: float) -> float | None:
        noise = ScriptedNoise({0: hidden})
        monitor.halt(ones, 1, noise)  # type: ignore[arg-type]
        return -log(2 * noise.chances[0]) if noise.chances else None

    first, higher, raised = depth((), aim), depth((1,), aim), depth((), aim + 1)
    if first is None or higher is None or raised is None or not first > higher > 0:
        return None
    scale = 1 / (first - higher)
    of_threshold = scale * (raised - first)
    measured = MeasuredTest(scale * first - of_threshold * aim, of_threshold, scale)
    inputs = "no item, or one at step 1; seen: that it does not halt for 100 steps"
    return Exact(silence_loss(measured), monitor.epsilon / 2, inputs)


def _release_monitor(monitor: ReleaseMonitor) -> Exact | None:
    if monitor.needed > MOST_COINS:
        return None
    ones = tuple(range(1, monitor.needed + 1))

    def play(moved: bool, rng: Any) -> Sequence[float]:
        return [float(monitor.halt(ones if moved else ones[:-1], len(ones), rng) or 0)]

    inputs = f"{len(ones)} items or one fewer; seen: when it halts"
    return Exact(coin_loss(play, monitor.delta), 0.0, inputs)


def _released_sample(queries: ReleaseQueries) -> Exact:
    def play(moved: bool, rng: Any) -> Sequence[float]:
        return [queries.start([0.1] if moved else [], rng).answer(0.5)]

    return Exact(coin_loss(play, queries.delta), 0.0, "no point or one; one query above it")


def _density(density: PanPrivateDensity) -> Exact:
    def play(moved: bool, rng: Any) -> Sequence[float]:
        run = density.start(rng)
        run.step(0 if moved else None)
        return [float(run.state()["bits"][0])]

    density = replace(density, users=min(2, density.users))  # other users' bits do not depend on this user
    return Exact(coin_loss(play), density.epsilon, "user 0 appears or not; seen: the memory once")


def _queries(queries: SparseVectorQueries) -> Exact | None:
    """Half of the points lie below the query, far from both margins: the test is sure, and one answer is paid for."""
    half = queries.points // 2
    room = min(half, queries.points - half) - 1 - queries.margin
    sure = room * queries.share / 8 > 25  # scales of the tests' noise, 6 / share and 2 / share together

    def play(moved: int, rng: Any) -> Sequence[float]:
        data = [0.2] * (half - moved) + [0.8] * (queries.points - half + moved)
        return [queries.start(data, rng).answer(0.5)]

    loss = linear_loss(play, 1)
    inputs = f"{half} or {half - 1} of {queries.points} points below the query; seen: the one answer that is paid for"
    return Exact(loss, queries.share, inputs) if sure and loss is not None else None


class _Given:
    """A one-shot estimator that returns its last input."""

    def __init__(self) -> None:
        self.value = 0.0

    def step(self, x: float) -> None:
        self.value = x

    def answer(self) -> float:
        return self.value


def _continual_output(transformation: ContinualOutput) -> Exact | None:
    """Answers so far from the published ones that each is published, as long as publications are allowed."""
    steps = min(transformation.horizon, transformation.changes + 1, STEPS)
    far = 1e4 * (transformation.threshold + transformation.sensitivity)

    def play(moved: int, rng: Any) -> Sequence[float]:
        run = transformation.start(_Given(), rng)
        return [run.step(t * far + moved * transformation.sensitivity) for t in range(1, steps + 1)]

    loss = linear_loss(play, 1)
    proved = steps * transformation.epsilon / (2 * (transformation.changes + 1))
    inputs = f"{steps} answers far apart, or all of them more by the sensitivity; seen: that all are published"
    return Exact(loss, proved, inputs) if loss is not None else None


def _leader(leader: PerturbedLeader) -> Exact | None:
    loss = choices.choice_loss(leader)
    if loss is None:
        return None
    inputs = f"expert 0 costs 1 in {leader.horizon} rounds, or 0 in the last; seen: whether it is chosen next"
    return Exact(loss, choices.proved(leader), inputs)


KNOWN: Final[dict[type[Any], Callable[[Any], Exact | None]]] = {
    RandomizedResponse: _response,
    Sparse: _sparse,
    Counter: _counter,
    AboveThreshold: _above_threshold,
    PrivatePartition: _partition,
    SparseVectorMonitor: _monitor,
    ReleaseMonitor: _release_monitor,
    SortedQueries: _sorted,
    SparseVectorQueries: _queries,
    ReleaseQueries: _released_sample,
    PanPrivateDensity: _density,
    ContinualOutput: _continual_output,
    PerturbedLeader: _leader,
}
"""The computation of the loss for each class of mechanism; the first match counts."""
