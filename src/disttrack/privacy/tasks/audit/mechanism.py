"""The audit of a mechanism: the lower bound on epsilon from its runs on two neighbouring inputs, and its exact loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from disttrack.privacy.tasks.audit import data_cases, stream_cases
from disttrack.privacy.tasks.audit.budget import accounted
from disttrack.privacy.tasks.audit.case import FALSE_ALARM, Exact, audit_of, learn, outcome
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.tasks.base import Record
from disttrack.simulator.kinds.faults import broken

RUNS: Final = 20_000
"""Runs on each input, in each half."""
ROUNDING: Final = 1e-6
"""Largest error of a computed loss."""
ROLES: Final = ("training", "training neighbour", "testing", "testing neighbour")
"""Random streams: the runs of each half, on the input and on its neighbour."""

COMMON: Final[dict[str, object]] = {"epsilon": 1.0, "horizon": stream_cases.STEPS}
USUAL: Final[dict[str, dict[str, object]]] = {
    "above-threshold": {"threshold": 0.0},
    "private-partition": {"horizon": 4},
    "sparse-vector-monitor": {"k": 2, "cut": 0.0},
    "release-monitor": {"k": 1, "delta": 0.01},
    "clock-monitor": {"k": 2},
    "exact-monitor": {"k": 2, "horizon": 4},
    "counter-monitor": {"k": 2, "cut": 0.0, "horizon": 4},
    "sparse-vector-queries": {"epsilon": 10.0, "points": 2500, "queries": 2},
    "release-queries": {"delta": 0.01},
    "pan-private-density": {"users": 2},
    "continual-output": {"horizon": 2, "sensitivity": 1.0, "changes": 1, "variation": 1.0},
    "perturbed-leader": {"experts": 2, "horizon": 62, "rate": 100.0, "epsilon": 12.0},
    "k-ary": {"base": 3},
    "laplace": {"queries": "points", "domain": 2},
    "gaussian": {"queries": "points", "domain": 2},
    "pmw": {"queries": "points", "domain": 2, "rounds": 2},
    "growing-sparse": {"horizon": data_cases.DENSE},
    "growing-sparse-infinite": {"horizon": None},
    "factorised-difference": {"horizon": 5},
    "fully-dynamic": {"horizon": None},
    "inserted-minus-deleted": {"horizon": None},
    "guessing": {"points": 2},
    "exponential": {"points": 2},
    "experts-private": {"points": 2},
    "jdp-mirror": {"delta": 0.1},
    "point-predictor": {"epsilon": 18.0, "delta": 0.15, "count": 3, "delay": 6, "window": 6, "half": 2},
}
"""Default parameters for audits: those for which little hides a mechanism's loss."""


def usual(kind: str, taken: Sequence[str]) -> dict[str, object]:
    """Return the default parameters for the audit of a kind, restricted to the ones that it takes."""
    return {name: value for name, value in (COMMON | USUAL.get(kind, {})).items() if name in taken}


def exact_loss(mechanism: object) -> Exact | None:
    """Return the exact loss of a mechanism; None if there is no method for it."""
    return audit_of(mechanism).exact()


def audit_mechanism(mechanism: object, *, runs: int = RUNS, seed: int = 0, false_alarm: float = FALSE_ALARM) -> Record:
    """Audit a mechanism and return its record, with the columns of the task `audit` except `halved`.

    An event is chosen from `runs` runs on each of two neighbouring inputs, and tested on the same number of fresh runs.
    If there are several pairs of inputs, the pair whose event proves most in the training half is tested.

    Parameters
    ----------
    mechanism
        An instance of a class with an audit, or of a subclass.
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
    audit = audit_of(mechanism)
    name = str(getattr(mechanism, "kind", "") or type(mechanism).__name__)
    if not audit.cases:
        raise ScenarioError(f"{name}: no audit is known for it (accepted: the shipped mechanisms and their subclasses)")
    pure = getattr(mechanism, "privacy", "") == "pure"
    stated = getattr(mechanism, "epsilon", 0.0), 0.0 if pure else float(getattr(mechanism, "delta", 0.0))
    epsilon, delta = claim = audit.claim or stated
    runs = max(1, round(runs / 4)) if audit.slow else runs
    rngs = streams(seed, ROLES)
    learned = []
    for each in audit.cases:
        training = each.sample(False, runs, rngs["training"]), each.sample(True, runs, rngs["training neighbour"])
        learned.append((*learn(each.shape, *training, delta, false_alarm), each))
    event, score, _, case = max(learned, key=lambda one: one[2])
    here = score(case.sample(False, runs, rngs["testing"]))
    there = score(case.sample(True, runs, rngs["testing neighbour"]))
    low, hits, other_hits = event.proved(here, there, delta, false_alarm)
    composed, exact = accounted(mechanism, delta), exact_loss(mechanism)
    loss, allowed = (low, epsilon) if exact is None else exact
    row = {
        "accounted": composed,
        "hits": hits,
        "other_hits": other_hits,
        "arithmetic": getattr(mechanism, "arithmetic", "real"),
        "exact": exact is not None,
        "loss": loss,
        "allowed": allowed,
    }
    by_draws = composed is not None and composed > epsilon * (1 + 1e-3)
    return outcome(row, low > epsilon or by_draws or loss > allowed + ROUNDING, claim, low, runs, case.says)


def loss_with_half_the_noise(
    mechanism: object, *, runs: int = RUNS, seed: int = 0, false_alarm: float = FALSE_ALARM
) -> float | None:
    """Return the `loss` of a copy with half of the noise, which an audit has to detect; None if there is no such copy.

    Parameters
    ----------
    runs, seed, false_alarm
        As in `audit_mechanism`, for a mechanism without an exact loss.
    """
    try:
        copy = broken(mechanism, "half-noise")
    except ScenarioError:
        return None
    exact = exact_loss(copy)
    if exact is not None:
        return exact.loss
    return float(audit_mechanism(copy, runs=runs, seed=seed, false_alarm=false_alarm).loss)
