"""The audits of mechanisms that answer from data, fixed or changing: queries, releases, learners, updates.

On streams of updates the proved bound of the exact loss is the spending in the ledger, without the partition: its
segments end by time in any case.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import laplace_sum_log_tail
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import (
    DynamicMechanism,
    ExpertsPrivate,
    FactorisedDifference,
    FullyDynamic,
    GrowingSparse,
    JdpMirror,
    Learner,
    MultiplicativeWeights,
    PerturbedLeader,
    PointPredictor,
    ReleaseQueries,
    SparseVectorQueries,
    StaticMechanism,
)
from disttrack.privacy.mechanisms.accounting import Overdrawn, PrivacyLedger
from disttrack.privacy.mechanisms.prediction.base import ZERO
from disttrack.privacy.tasks.audit.case import Audit, Case, Exact, Shape, Watch, audit_of, exactly, one_more, within
from disttrack.privacy.tasks.audit.exact_losses import FAR, bracket, coin_loss, linear_loss
from disttrack.simulator.kinds.names import count

ROUNDS: Final = 4
"""Rounds of a learner that reveals hypotheses."""
EXACT_NOISE: Final = ("laplace", "gaussian")
"""Static mechanisms that only add noise to exact answers."""


@audit_of.register
def _(queries: SparseVectorQueries) -> Audit:
    """Half of the points lie below the query; in the neighbour one of them is on its other side.

    Exactly: far from both margins, so that the test is sure, and one answer is paid for.
    """

    def watch(data: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        run = queries.start(data, rng)
        answers = [run.answer(0.5), run.answer(0.6)]
        return [float(run.paid), *answers]

    def exact() -> Exact | None:
        room = min(half, queries.points - half) - 1 - queries.margin
        if room * queries.share / 8 <= 25:  # scales of the tests' noise, 6 / share and 2 / share together
            return None
        return exactly(linear_loss(watch, case.inputs), queries.share)

    half = queries.points // 2
    inputs = tuple([0.2] * below + [0.8] * (queries.points - below) for below in (half, half - 1))
    says = f"{half} or {half - 1} of {queries.points} points below both queries"
    case = Case(watch, inputs, says, Shape([half] * 2, [half - 1] * 2, categories=True))
    return Audit([case], exact, slow=True)


@audit_of.register
def _(queries: ReleaseQueries) -> Audit:
    def watch(data: Sequence[float], rng: np.random.Generator) -> Sequence[float]:
        return [queries.start(data, rng).answer(0.5)]

    case = Case(watch, ([], [0.1]), "no point or one; one query above it")
    return Audit([case], lambda: Exact(coin_loss(watch, case.inputs, queries.delta), 0.0))


@audit_of.register
def _(mechanism: StaticMechanism) -> Audit:
    """No item, or one of value 0; if it can look empty, near the size at which it does.

    Exactly: an item of any value.
    """

    def watch(counts: Floats, rng: np.random.Generator) -> Sequence[float]:
        answers = mechanism.release(counts, rng).tolist()
        return [float(any(answers)), *answers]

    def exact() -> Exact | None:
        if mechanism.kind not in EXACT_NOISE:
            return None
        loss = linear_loss(watch, one_more(1.0 + np.arange(mechanism.domain)), mechanism.delta if normal else 0.0)
        return exactly(loss, mechanism.epsilon)

    normal = mechanism.privacy == "approximate"
    size = round(mechanism.inhabited_from(1.0)) if isinstance(mechanism, MultiplicativeWeights) else 0
    counts, neighbour = one_more([size] + [0] * (mechanism.domain - 1))[:2]
    base, shifted = (mechanism.family.evaluate(one).tolist() for one in (counts, neighbour))
    shape = Shape(base, shifted, normal=normal, categories=True)
    says = f"{size} items of value 0 or one more, in one release"
    return Audit([Case(watch, (counts, neighbour), says, shape)], exact, slow=True)


@audit_of.register
def _(learner: Learner) -> Audit:
    """Examples (0, 1), in the neighbour (1, 1) first; all hypotheses, or all other predictions, are seen."""
    needed = learner.mirror.delay + learner.mirror.length + 1 if isinstance(learner, PointPredictor) else ROUNDS
    rounds = within(learner, needed)
    labels = np.ones(rounds, dtype=bool)

    def watch(points: NDArray[np.int64], rng: np.random.Generator) -> Sequence[float]:
        run = learner.start(rng)
        if learner.reveals == "predictions":
            return [float(np.polyval(run.play(points, labels)[1:], 2.0))]
        return [float(np.polyval(run.release(points, labels) - ZERO, 3.0))]

    seen = "all hypotheses" if learner.reveals == "hypotheses" else "the other predictions"
    says = f"{count(rounds, 'example')} of point 0 with label 1, or the first of point 1; seen: {seen}"
    inputs = one_more([0] * rounds)[:2].astype(np.int64)
    return Audit([Case(watch, inputs, says)], slow=isinstance(learner, ExpertsPrivate), claim=learner.privacy)


@audit_of.register
def _(mirror: JdpMirror) -> Audit:
    """Ones through the whole climb, the first missing in the neighbour; the other answers are seen."""
    steps = mirror.delay + mirror.length + 2

    def watch(bits: NDArray[np.bool_], rng: np.random.Generator) -> Sequence[float]:
        return [float(np.polyval(mirror.start(rng).release(bits)[1:], 2.0))]

    inputs = one_more([0] * steps)[:2] == 0
    return Audit([Case(watch, inputs, f"{steps} ones, or the first is missing; seen: the other answers")])


@audit_of.register
def _(leader: PerturbedLeader) -> Audit:
    """Two rounds of equal costs, except for one expert's in the first."""

    def watch(costs: Sequence[list[float]], rng: np.random.Generator) -> Sequence[float]:
        run = leader.start(rng, rng)
        for round_ in costs:
            run.learn(round_)
        return [float(run.choose())]

    inputs = tuple([[cost] + [0.5] * (leader.experts - 1)] for cost in (0.0, 1.0))
    case = Case(watch, inputs, "expert 0 costs 0 or 1 in round 1; seen: the choice in round 2")
    claim = (leader.epsilon or inf, 0.0)
    return Audit([case], lambda: _choice_loss(watch, leader), slow=True, claim=claim)


def _choice_loss(watch: Watch, leader: PerturbedLeader) -> Exact | None:
    """Return the loss of the choice of expert 0, with cost 1 in every round, or 0 in the last; None if unknown.

    The choice is right as long as a weighted sum of some draws stays below the difference of the experts' costs: the
    draws and the weights are measured on the running code. The difference of the head starts, two exponential
    variables, is one more term. The sum's tail is exact; far out it falls as fast as that of its heaviest term. The
    proved bound is that of one draw of the counter, which hides one item from one estimate.

    Parameters
    ----------
    watch
        Plays rounds of given costs, and returns the next choice.
    """
    rounds = leader.horizon
    if leader.experts != 2 or leader.epsilon is None:
        return None

    def wrong(draw: int, sign: float, size: float) -> bool:
        return watch([[1.0, 0.0]] * rounds, ScriptedNoise({draw: sign * size}))[0] == 0

    dry = ScriptedNoise()
    if watch([[1.0, 0.0]] * rounds, dry)[0] == 0:
        return None
    weights = []
    for draw in range(dry.taken):
        for sign in (1.0, -1.0):
            if wrong(draw, sign, FAR):
                weights.append(rounds / bracket(partial(wrong, draw, sign), 0.0)[1])
    parts = [(weight, 1) for weight in weights] + [(dry.waits[-1], 1)]
    scales = counter(leader.counter, leader.epsilon, rounds + 1).noise_parts(rounds + 1)
    proved = 1 / max(scale for scale, count in scales if count) if scales else leader.epsilon
    return Exact(laplace_sum_log_tail(parts, rounds - 1.0) - laplace_sum_log_tail(parts, float(rounds)), proved)


DENSE: Final = 128
"""Steps of a stream in which a segment of a partition is likely to close."""
INSERTIONS: Final = 6
"""Maximum number of steps of a stream of insertions, for an exact loss."""
UPDATES: Final = (1, 1, 1, 1, 1, -1, 1, -7, 1, *(0,) * 7, 1, -9)
"""Updates whose segments end by time, after steps 2, 4, 16 and 256: items leave in the third and fourth segment."""
SHORT: Final = 16
CUTS: Final = 256
"""Steps of that stream, short and long; steps without an entry have no update."""
GROWING: Final = (
    (
        ((0, 1, 1, 1), (1, 1, 1, 1)),
        "an item in the first or none",
        (0.0, 1.0, 2.0, 3.0),
        (1.0, 2.0, 3.0, 4.0),
        1,
    ),
)
"""Streams for runs without deletions: the inputs, what they are, the items after each step, the least steps."""
CHANGING: Final = (
    (
        ((0, 1, 1, -1, 1), (1, 1, 1, -1, 1)),
        "an item in the first or none, which the fourth takes away",
        (0.0, 1.0, 2.0, 2.0, 3.0),
        (1.0, 2.0, 3.0, 2.0, 3.0),
        4,
    ),
    (
        ((1, 1, 0, 1, 1), (1, 1, -1, 1, 1)),
        "items in the first two; the first of them is deleted in the third or not",
        (1.0, 2.0, 2.0, 3.0, 4.0),
        (1.0, 2.0, 1.0, 2.0, 3.0),
        3,
    ),
)
"""Streams for runs with deletions, whose segments end by time."""


@audit_of.register
def _dynamic(mechanism: DynamicMechanism) -> Audit:
    """The answers after each step of short streams; a dense one, if segments do not end by time."""

    def watch(codes: Sequence[int], rng: np.random.Generator) -> Sequence[float]:
        run = mechanism.start(rng)
        seen: list[float] = []
        for code in codes:
            run.step(code)
            seen.append(float(run.answers[0]))
        return seen

    def dense(codes: Sequence[int], rng: np.random.Generator) -> Sequence[float]:
        run = mechanism.start(rng)
        for step, code in enumerate(codes, start=1):
            if run.step(code):
                return [float(step // 8), float(run.answers[0]) - (step - 1)]
        return [0.0, 0.0]

    if isinstance(mechanism, GrowingSparse) and mechanism.partition.horizon is not None:
        items = within(mechanism, DENSE) - 1
        seen = "the first close of a segment, within 8 steps, and its answer"
        says = f"{count(items, 'item')} or one more in front; seen: {seen}"
        inputs = (0, *(1,) * items), (1,) * (1 + items)
        return Audit([Case(dense, inputs, says, Shape([0.0], [1.0], categories=True))], slow=True)
    # a stream that ends before its deletion is one of insertions
    streams = [one for one in CHANGING if mechanism.deletes and within(mechanism, one[-1]) == one[-1]] or GROWING
    cases = []
    for inputs, says, base, shifted, _ in streams:
        steps = within(mechanism, len(base))
        shape = Shape(base[:steps], shifted[:steps])
        text = f"{count(steps, 'step')}; {says}; seen: all answers"
        cases.append(Case(watch, [codes[:steps] for codes in inputs], text, shape))
    return Audit(cases, partial(_updates_loss, mechanism), slow=True)


@audit_of.register
def _(mechanism: FactorisedDifference) -> Audit:
    """Exactly: an item of value 0 that comes in the first step, and goes after some others, or never.

    A mechanism for more steps than are played has more noise than these need.
    """
    steps = within(mechanism, 2 * SHORT)

    def exact() -> Exact | None:
        stays = [1, *(0,) * (steps - 1)]
        ages = np.unique(np.geomspace(1, max(1, steps - 1), SHORT).astype(int)).tolist()
        lives = [stays, *([*stays[:age], -1, *stays[age + 1 :]] for age in ages if age < steps)]
        losses = [_updates_loss(mechanism, life) for life in lives]
        return exactly(max(each.loss for each in losses if each is not None), mechanism.epsilon)

    return _dynamic(mechanism)._replace(exact=exact)


def _updates_loss(mechanism: DynamicMechanism, stream: Sequence[int] | None = None) -> Exact | None:
    """Return the loss of all noisy numbers of a stream, over the streams in which one step has no update.

    The proved bound is the spending in the ledger; infinity if the ledger refuses the stream.
    """
    static = mechanism.part(mechanism.epsilon, mechanism.delta)
    approximate = static.privacy == "approximate"
    if static.kind not in EXACT_NOISE or (approximate and isinstance(mechanism, FullyDynamic)):
        return None  # no linear map, or one with both normal and Laplace noise

    def watch(codes: Sequence[int], rng: Any, ledger: PrivacyLedger | None = None) -> Sequence[float]:
        run = mechanism.start(rng, ledger)
        seen: list[float] = []
        for code in codes:
            if run.step(code):
                seen += run.published()
        return seen

    stream = _stream(mechanism) if stream is None else stream
    ledger = PrivacyLedger(mechanism.kind, mechanism.epsilon, mechanism.delta)
    try:
        watch(stream, ScriptedNoise(), ledger)
    except Overdrawn:
        return Exact(inf, mechanism.epsilon)
    without = [(*stream[:place], 0, *stream[place + 1 :]) for place, code in enumerate(stream) if code]
    loss = linear_loss(watch, [stream, *without], mechanism.delta if approximate else 0.0)
    return exactly(loss, _spent_on_data(ledger))


def _stream(mechanism: DynamicMechanism) -> Sequence[int]:
    """Return the stream: one whose segments end by time, if there are segments, and without deletions if necessary.

    The tree of nodes has three segments: in the fourth its nodes would have parts that no single update affects
    together.
    """
    if mechanism.deletes or isinstance(mechanism, GrowingSparse):
        codes = UPDATES if mechanism.deletes else tuple(max(0, code) for code in UPDATES)
        most = SHORT if isinstance(mechanism, FullyDynamic) else CUTS
        return (*codes, *(0,) * (CUTS - len(codes)))[: within(mechanism, most)]
    values = np.arange(within(mechanism, INSERTIONS)) % mechanism.domain
    return tuple((1 + values).tolist())


def _spent_on_data(ledger: PrivacyLedger) -> float:
    """Return the spending of a ledger except for the tests of partitions."""
    tests = [part.spent[0] for part in ledger.parts if part.name == "partition"]
    halves = [part for part in ledger.parts if part.name in ("inserted", "deleted")]
    return sum(map(_spent_on_data, halves)) or ledger.spent[0] - sum(tests)
