"""Exact losses of mechanisms that answer families of queries, if the answers are a linear map of the noise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import DynamicMechanism, FullyDynamic, GrowingSparse, StaticMechanism
from disttrack.mechanisms.accounting import Ledger, Overdrawn
from disttrack.mechanisms.scripted_noise import ScriptedNoise
from disttrack.simulator.tasks.audit.exact.linear import linear_loss

STEPS: Final = 6
"""Maximum number of steps of a stream of insertions."""
UPDATES: Final = (1, 1, 1, 1, 1, -1, 1, -7, 1, *(0,) * 7, 1, -9)
"""Updates whose segments end by time, after steps 2, 4, 16 and 256: items leave in the third and fourth segment."""
SHORT: Final = 16
CUTS: Final = 256
"""Steps of that stream, short and long; steps without an entry have no update."""

ExactLoss = tuple[float, float, str]
"""A loss, its proved bound, and the neighbouring inputs in words."""


def release_loss(mechanism: StaticMechanism) -> ExactLoss | None:
    """Return the loss of a release, over data sets with one more item of any value; None if it is not linear."""
    counts = np.arange(mechanism.domain, dtype=np.float64)

    def play(item: int, rng: Any) -> Sequence[float]:
        data = counts.copy()
        if item:
            data[item - 1] += 1
        return list(mechanism.release(data, rng))

    if not _draws_noise_only(mechanism):
        return None
    delta = mechanism.delta if mechanism.privacy == "approximate" else 0.0
    loss = linear_loss(play, mechanism.domain, delta)
    return None if loss is None else (loss, mechanism.epsilon, "one item more, of any value; seen: all answers")


def updates_loss(mechanism: DynamicMechanism) -> ExactLoss | None:
    """Return the loss of the answers of a short stream, over the streams in which one step has no update.

    The proved bound is the spending in the ledger, without the partition: its segments end by time in any case.
    """
    static = mechanism.part(mechanism.epsilon, mechanism.delta)
    approximate = static.privacy == "approximate"
    if not _draws_noise_only(static) or (approximate and isinstance(mechanism, FullyDynamic)):
        return None  # no linear map, or one with both normal and Laplace noise
    stream = _stream(mechanism)
    places = [step for step, code in enumerate(stream, start=1) if code]

    def play(gone: int, rng: Any) -> Sequence[float]:
        run = mechanism.start(rng)
        seen: list[float] = []
        for step, code in enumerate(stream, start=1):
            if run.step(0 if gone and step == places[gone - 1] else code):
                seen += run.published()
        return seen

    ledger = Ledger(mechanism.kind, mechanism.epsilon, mechanism.delta)
    try:
        run = mechanism.start(ScriptedNoise(), ledger)  # type: ignore[arg-type]
        for code in stream:
            run.step(code)
    except Overdrawn as error:
        return inf, mechanism.epsilon, f"its own ledger refuses: {error}"
    loss = linear_loss(play, len(places), mechanism.delta if approximate else 0.0)
    if loss is None:
        return None
    return loss, _spent_on_data(ledger), f"one of {len(places)} updates is there or not; seen: all noisy numbers"


def _stream(mechanism: DynamicMechanism) -> Sequence[int]:
    """Return the stream: one whose segments end by time, if there are segments, and without deletions if necessary.

    The tree of nodes has three segments: in the fourth its nodes would have parts that no single update affects
    together.
    """
    if isinstance(mechanism, FullyDynamic):
        return UPDATES[: min(SHORT, mechanism.horizon or SHORT)]
    if mechanism.deletes or isinstance(mechanism, GrowingSparse):
        codes = UPDATES if mechanism.deletes else tuple(max(0, code) for code in UPDATES)
        return (*codes, *(0,) * (CUTS - len(codes)))[: mechanism.horizon]
    values = np.arange(min(mechanism.horizon or STEPS, STEPS)) % mechanism.domain
    return [int(value) + 1 for value in values]


def _spent_on_data(ledger: Ledger) -> float:
    """Return the spending of a ledger except for the tests of partitions."""
    tests = [part for part in ledger.parts if part.name == "partition"]
    rest = [part for part in ledger.parts if part.name != "partition"]
    if not tests and not ledger.uses and rest and all(part.name in ("inserted", "deleted") for part in rest):
        return sum(_spent_on_data(part) for part in rest)
    return ledger.spent[0] - sum(part.spent[0] for part in tests)


def _draws_noise_only(mechanism: StaticMechanism) -> bool:
    """Return whether a static mechanism only adds noise to exact answers."""
    return mechanism.kind in ("laplace", "gaussian")


def _dynamic(mechanism: DynamicMechanism) -> ExactLoss | None:
    """A partition of a known number of steps does not end its segments by time: there would be no answers."""
    if isinstance(mechanism, GrowingSparse) and mechanism.partition.horizon is not None:
        return None
    return updates_loss(mechanism)


DATA_KNOWN: Final[dict[type[Any], Callable[[Any], ExactLoss | None]]] = {
    StaticMechanism: release_loss,
    DynamicMechanism: _dynamic,
}
"""The computation of the loss for each class."""
