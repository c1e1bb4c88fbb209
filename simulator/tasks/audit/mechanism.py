"""The audit of a mechanism: the lower bound on epsilon from its runs on two neighbouring inputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.faults import broken
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.audit.accounting import accounted
from disttrack.simulator.tasks.audit.bound import FALSE_ALARM, epsilon_bound
from disttrack.simulator.tasks.audit.case import sample
from disttrack.simulator.tasks.audit.cases import cases_of
from disttrack.simulator.tasks.audit.event import learn
from disttrack.simulator.tasks.audit.exact.known import Exact, exact_loss

RUNS: Final = 20_000
"""Runs on each input, in each half."""
ROUNDING: Final = 1e-6
"""Largest error of a computed loss."""
ROLES: Final = ("training", "training neighbour", "testing", "testing neighbour")
"""Random streams: the runs of each half, on the input and on its neighbour."""


@dataclass(frozen=True)
class MechanismAudit:
    """Outcome of an audit.

    Attributes
    ----------
    name
        The mechanism's kind.
    epsilon, delta
        The claim.
    epsilon_low
        Lower bound on epsilon, wrong with probability at most `false_alarm`.
    accounted
        The loss of the declared draws at `delta`, by composition; None if the mechanism does not declare them or
        dp-accounting is missing.
    hits, other_hits, runs
        Occurrences of the event in the testing half on each input, and the number of runs of each.
    inputs
        The neighbouring inputs of the runs, in words.
    arithmetic
        Arithmetic in which the privacy holds: on a grid, with rounded data, for coins or in real numbers.
    exact
        The exact loss on its own inputs, with the bound proved there; None if it cannot be computed.
    """

    name: str
    epsilon: float
    delta: float
    epsilon_low: float
    accounted: float | None
    hits: int
    other_hits: int
    runs: int
    false_alarm: float
    inputs: str
    arithmetic: str
    exact: Exact | None = None

    @property
    def loss(self) -> float:
        """The loss: the exact one, or else the lower bound from runs."""
        return self.exact.loss if self.exact is not None else self.epsilon_low

    @property
    def allowed(self) -> float:
        """The largest allowed loss on the inputs of `loss`: the bound proved there, or else the claim."""
        return self.exact.proved if self.exact is not None else self.epsilon

    @property
    def exceeds(self) -> bool:
        """Whether the mechanism is refuted: by the runs, by the accounting of the declared draws, or exactly."""
        by_draws = self.accounted is not None and self.accounted > self.epsilon * (1 + 1e-3)
        return self.epsilon_low > self.epsilon or by_draws or self.loss > self.allowed + ROUNDING


def audit_mechanism(
    mechanism: Any, *, runs: int = RUNS, seed: int = 0, false_alarm: float = FALSE_ALARM
) -> MechanismAudit:
    """Audit a mechanism and return the outcome.

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
    total, exact = accounted(mechanism, case.delta), exact_loss(mechanism)
    numbers = getattr(mechanism, "arithmetic", "real")
    return MechanismAudit(
        name, case.epsilon, case.delta, low, total, hits, other, runs, false_alarm, case.inputs, numbers, exact
    )


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
    return audit_mechanism(copy, **options).loss if exact is None else exact.loss
