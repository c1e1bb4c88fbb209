"""The audits of mechanisms on data that grow and shrink, on short streams.

The proved bound of the exact loss is the spending in the ledger, without the partition: its segments end by time in any
case.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf
from typing import Any, Final

import numpy as np

from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.privacy.mechanisms import DynamicMechanism, FactorisedDifference, FullyDynamic, GrowingSparse
from disttrack.privacy.mechanisms.accounting import Overdrawn, PrivacyLedger
from disttrack.privacy.tasks.audit.case import Audit, Case, Exact, audit_of, exactly, within
from disttrack.privacy.tasks.audit.data_cases import EXACT_NOISE
from disttrack.privacy.tasks.audit.event import Shape
from disttrack.privacy.tasks.audit.exact.linear import linear_loss
from disttrack.simulator.kinds.names import count

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
