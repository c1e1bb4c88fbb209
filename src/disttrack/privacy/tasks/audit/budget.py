"""The division of the epsilon of a mechanism or tracker, as a ledger; and the composed loss of a counter's draws.

Dynamic mechanisms keep their own ledger as they run. A counter declares its noisy sums (its encoder), so the ledger of
the entry that is used most follows from it: one use for each draw that the entry affects. The robust tracker's follows
from the constants of its first round: two phases have a loss, and two entries of the counter.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from math import fsum, inf, log1p
from typing import Any, Final

import numpy as np

from disttrack.mechanisms import Counter, Sparse
from disttrack.mechanisms.counters import counter as counter_of
from disttrack.mechanisms.counters.linear import UserLevelCounter
from disttrack.mechanisms.noise import Floats
from disttrack.privacy.mechanisms import DynamicMechanism, StaticMechanism
from disttrack.privacy.mechanisms.accounting import Overdrawn, PrivacyLedger, lines
from disttrack.privacy.tasks.audit.exact_losses import normal_loss
from disttrack.protocols import Robust
from disttrack.simulator.errors import ScenarioError

STEPS: Final = 64
"""Maximum number of steps of a stream whose draws are composed or shown."""
SITES: Final = 64
"""Sites of the tracker whose ledger is shown."""
TAIL: Final = 1e-9
"""Delta at which pure losses are composed exactly: the accountant truncates tails, so delta 0 would give infinity."""
PARTS: Final = 20_000
"""Fewest intervals of the grid over the sum of all losses, on which the accountant keeps their distribution."""


def exact_available() -> bool:
    """Return whether dp-accounting, the extra `audit`, is installed."""
    return find_spec("dp_accounting") is not None


def missing() -> str:
    """Return a message if dp-accounting is not installed; empty if it is."""
    message = "dp-accounting is missing, so nothing is composed: pip install 'disttrack[audit]'"
    return "" if exact_available() else message


def accounted(mechanism: object, delta: float) -> float | None:
    """Return the privacy loss at `delta` of the user for whom the draws of a counter lose most.

    An entry affects the draws of a column of the counter's encoder; these are independent, so their losses
    compose. A user with several entries, as close as they may be, affects those of the sum of their columns. None if
    the mechanism declares no such matrix, or without dp-accounting.
    """
    if not isinstance(mechanism, Counter) or not exact_available() or (rows := _encoder(mechanism)) is None:
        return None
    encoder = _of_users(mechanism, rows)
    if mechanism.privacy == "approximate":
        return normal_loss(float(np.sqrt((encoder**2).sum(axis=0)).max()), delta)
    column = encoder[:, int(encoder.sum(axis=0).argmax())]
    return composed_loss([float(weight) for weight in column if weight], delta or TAIL)


def composed_loss(losses: Sequence[float], delta: float = TAIL) -> float:
    """Return the epsilon at `delta` of independent Laplace draws together, to within 1e-6.

    A single draw has a closed form. Several are composed by dp-accounting, on a grid in proportion to their losses; the
    result is at most the sum of the losses.

    Parameters
    ----------
    losses
        The loss of each draw: its sensitivity over its scale.
    delta
        The failure probability of all together.

    Source
    ------
    A Laplace draw of loss e spends delta = 1 - exp((epsilon - e) / 2).
    """
    if len(losses) == 1:
        return max(0.0, losses[0] + 2 * log1p(-delta))
    from dp_accounting import ComposedDpEvent, LaplaceDpEvent
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant(value_discretization_interval=_interval(losses))
    composed = accountant.compose(ComposedDpEvent([LaplaceDpEvent(1 / loss) for loss in losses]))
    return min(fsum(losses), float(composed.get_epsilon(delta)))


def _interval(losses: Sequence[float]) -> float:
    """Return the interval of a grid on which each loss lies almost: those between its points are rounded up."""
    total, parts = fsum(losses), np.arange(PARTS, 2 * PARTS)
    places = np.unique(losses)[:, None] / total * parts
    return float(total / parts[np.abs(places - np.rint(places)).max(axis=0).argmin()])


def budget_of(thing: Any, *, sites: int = SITES) -> PrivacyLedger:
    """Return the ledger of a mechanism or of one round of the robust tracker.

    Raises
    ------
    ScenarioError
        It claims no privacy with an epsilon.
    disttrack.privacy.mechanisms.accounting.Overdrawn
        Its draws lose more than it claims.

    Examples
    --------
    >>> from disttrack.mechanisms import Binary
    >>> from disttrack.privacy.mechanisms.accounting import lines
    >>> print(*lines(budget_of(Binary(epsilon=1.0, horizon=4))), sep="\\n")
    binary: 1 of epsilon 1, in sequence
      sum of step 1: 0.3333
      sum of steps 1 to 2: 0.3333
      sum of steps 1 to 4: 0.3333
    """
    if isinstance(thing, Robust):
        return _tracker(thing, sites)
    epsilon = getattr(thing, "epsilon", None)
    if not isinstance(epsilon, int | float) or not 0 < epsilon < inf:
        name = getattr(thing, "kind", "") or type(thing).__name__
        raise ScenarioError(f"{name} claims no epsilon, so there is no budget to show")
    if isinstance(thing, DynamicMechanism):
        run = thing.start(np.random.default_rng(0))
        for _ in range(min(STEPS, thing.horizon or STEPS)):
            run.step(1)
        return run.ledger
    delta = float(getattr(thing, "delta", 0.0)) if getattr(thing, "privacy", "") == "approximate" else 0.0
    ledger = PrivacyLedger(thing.kind, epsilon, delta)
    if isinstance(thing, Counter):
        _counter(thing, ledger, delta)
    else:
        ledger.use("release" if isinstance(thing, StaticMechanism) else "all answers", epsilon, delta)
    return ledger


def budget_lines(thing: object, sites: int = SITES) -> list[str]:
    """Return the ledger as text.

    Raises
    ------
    ScenarioError
        There is no ledger, or the draws lose more than is claimed.
    """
    try:
        return list(lines(budget_of(thing, sites=sites)))
    except Overdrawn as error:
        raise ScenarioError(str(error)) from error


def _counter(counter: Counter, ledger: PrivacyLedger, delta: float = 0.0) -> None:
    """Enter the loss of a counter's draws for the user whose entries are used most."""
    if isinstance(counter, Sparse):
        partition, inner = counter.partition, counter.inner
        segments = ledger.part("partition", partition.epsilon, rule="parallel")
        segments.use("segment", partition.epsilon, over=(1, counter.horizon))
        _counter(inner, ledger.part("counter of segments", inner.epsilon))
        return
    rows = None if delta else _encoder(counter)
    if rows is None:
        ledger.use("all estimates", counter.epsilon, delta)
        return
    losses = _of_users(counter, rows)
    for row, loss in zip(rows, losses[:, losses.sum(axis=0).argmax()], strict=True):
        if loss:
            steps_in = np.flatnonzero(row) + 1
            first, last = int(steps_in[0]), int(steps_in[-1])
            ledger.use(f"sum of step {first}" if first == last else f"sum of steps {first} to {last}", float(loss))


def _encoder(counter: Counter) -> Floats | None:
    """Return the absolute weights of a counter's noisy sums, one row per draw; None if it declares none."""
    encoder = counter.encoder(min(STEPS, counter.horizon or STEPS))
    return None if encoder is None else np.abs(np.asarray(encoder))


def _of_users(counter: Counter, rows: Floats) -> Any:
    """Return the sums of the columns of one user's entries, as close as they may be, one column per first entry."""
    steps = rows.shape[1]
    entries, separation = (counter.entries, counter.separation) if isinstance(counter, UserLevelCounter) else (1, steps)
    later = np.hstack((rows, np.zeros_like(rows)))
    return sum(later[:, at : at + steps] for at in range(0, min(entries * separation, steps), separation))


def _tracker(protocol: Robust, sites: int) -> PrivacyLedger:
    """Enter the loss of one threshold in a round: moving a bit to another phase changes two phases and two counts."""
    of = protocol.constants(sites, 1)
    ledger = PrivacyLedger(f"one threshold in a round of {protocol.kind}", of.epsilon)
    for phase in ("the phase that its bit left", "the phase that its bit joined"):
        ledger.use(f"end of {phase}", 1 / of.threshold_scale)
    counter = counter_of(of.counter, of.counter_epsilon, max(1, of.releases))
    for phase in ("left", "joined"):
        _counter(counter, ledger.part(f"counter, the phase that it {phase}", of.counter_epsilon))
    return ledger
