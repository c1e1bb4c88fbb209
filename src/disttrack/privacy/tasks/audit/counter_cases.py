"""The audits of counters whose estimates are linear in their noise, or those of coins.

Their neighbouring streams differ in the entries of one user: in one, or in several that lie apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import accumulate, combinations, pairwise, product
from math import sqrt
from typing import Final

import numpy as np

from disttrack.mechanisms import Counter, Hybrid, RandomizedResponse, Unbounded
from disttrack.mechanisms.counters.linear import UserLevelCounter
from disttrack.mechanisms.counters.toeplitz import Toeplitz
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.tasks.audit.case import Audit, Case, Exact, audit_of, exactly, within
from disttrack.privacy.tasks.audit.event import Shape
from disttrack.privacy.tasks.audit.exact.coins import coin_loss
from disttrack.privacy.tasks.audit.exact.linear import linear_loss, normal_loss

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
