"""The audit of a mechanism: the lower bound on epsilon from its runs on two neighbouring inputs."""

from __future__ import annotations

from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.faults import broken
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.audit.accounting import accounted
from disttrack.simulator.tasks.audit.bound import FALSE_ALARM, epsilon_bound
from disttrack.simulator.tasks.audit.case import outcome, sample
from disttrack.simulator.tasks.audit.cases import cases_of
from disttrack.simulator.tasks.audit.event import learn
from disttrack.simulator.tasks.audit.exact.known import exact_loss
from disttrack.simulator.tasks.base import Record

RUNS: Final = 20_000
"""Runs on each input, in each half."""
ROUNDING: Final = 1e-6
"""Largest error of a computed loss."""
ROLES: Final = ("training", "training neighbour", "testing", "testing neighbour")
"""Random streams: the runs of each half, on the input and on its neighbour."""


def audit_mechanism(mechanism: Any, *, runs: int = RUNS, seed: int = 0, false_alarm: float = FALSE_ALARM) -> Record:
    """Audit a mechanism and return its record, with the columns of the task `audit` except `halved`.

    An event is chosen from `runs` runs on each of two neighbouring inputs, and tested on the same number of fresh runs.
    If there are several pairs of inputs, the pair whose event proves most in the training half is tested.

    Parameters
    ----------
    mechanism
        An instance of a class in `CASES`, or of a subclass.
    runs
        Runs on each input, in each half; a quarter of them for slow runs.
    seed
        Root of all randomness.
    false_alarm
        Probability that a mechanism that keeps its claim is reported to exceed it.

    Raises
    ------
    ScenarioError
        If there is no audit for the class.
    """
    cases = cases_of(mechanism)
    name = str(getattr(mechanism, "kind", "") or type(mechanism).__name__)
    if not cases:
        raise ScenarioError(f"{name}: no audit is known for it (accepted: the shipped mechanisms and their subclasses)")
    runs = max(1, round(runs * cases[0].share))
    rngs = streams(seed, ROLES)
    learned = []
    for each in cases:
        training = sample(each, False, runs, rngs["training"]), sample(each, True, runs, rngs["training neighbour"])
        learned.append((learn(each.shape, *training, each.delta, false_alarm), each))
    event, case = max(learned, key=lambda pair: pair[0].promise)
    here = int(event.happened(sample(case, False, runs, rngs["testing"])).sum())
    there = int(event.happened(sample(case, True, runs, rngs["testing neighbour"])).sum())
    hits, other = (here, there) if event.reverse else (there, here)
    low = epsilon_bound(hits, runs, other, runs, case.delta, false_alarm)
    composed, exact = accounted(mechanism, case.delta), exact_loss(mechanism)
    loss, allowed = (low, case.epsilon) if exact is None else (exact.loss, exact.proved)
    by_draws = composed is not None and composed > case.epsilon * (1 + 1e-3)
    row = {
        "accounted": composed,
        "hits": hits,
        "other_hits": other,
        "arithmetic": getattr(mechanism, "arithmetic", "real"),
        "exact": exact is not None,
        "loss": loss,
        "allowed": allowed,
    }
    refuted = low > case.epsilon or by_draws or loss > allowed + ROUNDING
    return outcome(row, refuted, (case.epsilon, case.delta), low, runs, case.inputs)


def loss_with_half_the_noise(mechanism: Any, **options: Any) -> float | None:
    """Return the `loss` of a copy with half of the noise, which an audit has to detect; None if there is no such copy.

    Parameters
    ----------
    options
        Options of `audit_mechanism`, for a mechanism without an exact loss.
    """
    try:
        copy = broken(mechanism, "half-noise")
    except ScenarioError:
        return None
    exact = exact_loss(copy)
    return float(audit_mechanism(copy, **options).loss if exact is None else exact.loss)
