"""Follow the perturbed leader: combining experts' advice, with private counters of their costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Flag, Natural, Positive, Whole, at_least
from disttrack.mechanisms.counters import counter as counter_called
from disttrack.mechanisms.counters.base import Run
from disttrack.mechanisms.faults import DRAWN
from disttrack.mechanisms.noise import Floats, or_silence, real_numbers

CHUNK = 4096
"""Rounds processed at a time."""


@dataclass(frozen=True)
class PerturbedLeader(Mechanism):
    """Follow the perturbed leader: play the expert with the least cost so far minus a random head start.

    The head starts are exponential with mean 1 / rate, fresh in every round. The regret against the best
    expert is at most rate * best + ln(experts) / rate. With private counters it grows by the largest
    noise among the experts, O(ln(experts) log^1.5(horizon) / epsilon), if the noise has the same
    distribution in every round, as that of the pan-private counter.

    Parameters
    ----------
    experts
        Number of experts.
    horizon
        Number of rounds at most.
    rate
        Inverse mean of the head starts; None for sqrt(ln(experts) / horizon).
    epsilon
        Privacy loss for the cost of one expert in one round; None for exact costs and no privacy.
    counter
        Kind of the counters.
    within
        Largest error Delta of the totals that the combiner sees, without privacy; 0 for none.
    errors
        Who chooses them: ``adversarial``, so that an expert about to be charged looks better by Delta than
        it is, and another worse; ``frozen``, the totals at the last multiple of Delta rounds;
        ``independent``, uniform and fresh in every round; ``constant``, uniform and drawn once for all rounds.
    cautious
        True divides the rate of None by sqrt(1 + 2 Delta), which is best for errors of an adversary.
    weighted
        True for Randomized Weighted Majority: an expert is followed with a probability in proportion to
        e^(-rate cost). That is the same rule with head starts of Gumbel's distribution.

    Raises
    ------
    ValueError
        If a parameter is out of range, or `epsilon` and `within` are both given.

    Source
    ------
    Dwork, Naor, Pitassi, Rothblum 2010, section 6; Kalai, Vempala 2005. Gumbel head starts: derived, from the
    distribution of the largest of shifted Gumbel variables.
    """

    kind = "perturbed-leader"
    error = "regret <= rate best + ln(n) / rate + O(ln(n) log^1.5(horizon) / epsilon)"
    arithmetic = "rounded"
    faults: ClassVar = DRAWN
    decides: ClassVar = {"rate": ("cautious",)}

    experts: Annotated[int, at_least(2)]
    horizon: Whole
    rate: Positive | None = None
    epsilon: Positive | None = None
    counter: str = "pan-private"
    within: Natural = 0
    errors: Literal["adversarial", "frozen", "independent", "constant"] = "adversarial"
    cautious: Flag = False
    weighted: Flag = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon is not None and self.within:
            raise ValueError("epsilon and within exclude each other: a private counter has errors of its own")
        if self.epsilon is not None:
            counter = counter_called(self.counter, self.epsilon, self.horizon + 1)
            if counter.arithmetic != "grid":
                object.__setattr__(self, "arithmetic", counter.arithmetic)

    @property
    def mean_head_start(self) -> float:
        """Mean of the head starts."""
        rate = self.rate if self.rate is not None else math.sqrt(math.log(self.experts) / self.horizon)
        return math.sqrt(1 + 2 * self.within) / rate if self.cautious else 1 / rate

    def regret_bound(self, best: float) -> float:
        """Return a bound on the mean regret without privacy if the best expert's cost is `best`.

        Totals with errors move the lead that an expert needs by 2 Delta more, and so the chance to follow it by a
        factor e^(2 rate Delta): derived here, in privacy/docs/prediction.md.
        """
        if self.within:
            lead = (1 + math.log(self.experts)) * self.mean_head_start
            more = math.expm1(min((1 + 2 * self.within) / self.mean_head_start, 700.0))  # what floats hold
            return min(more * (best + lead) + lead, self.horizon)
        if self.weighted:  # (rate best + ln n) / (1 - e^-rate) is the bound on the cost: Littlestone, Warmuth 1994
            rate = 1 / self.mean_head_start
            return (rate * best + math.log(self.experts)) / -math.expm1(-rate) - best
        return best / self.mean_head_start + math.log(self.experts) * self.mean_head_start

    def privacy_price(self) -> float:
        """Return the order of the regret added by privacy: ln(experts) log2(horizon)^1.5 / epsilon, 0 without."""
        if self.epsilon is None:
            return 0.0
        return float(math.log(self.experts) * math.log2(max(2, self.horizon)) ** 1.5 / self.epsilon)

    def start(self, head_starts: np.random.Generator, noise: np.random.Generator, *, silent: bool = False) -> LeaderRun:
        """Return a fresh run.

        Parameters
        ----------
        head_starts
            Generator of the head starts.
        noise
            Generator of the counters' noise; a separate one, so that runs with and without privacy can
            share their head starts.
        silent
            True turns the counters' noise off.
        """
        return LeaderRun(self, head_starts, or_silence(noise, silent))


class LeaderRun:
    """A running combiner of experts: `choose`, then `learn`, in each round; `step` does both, `release` many rounds."""

    __slots__ = ("_counters", "_frozen", "_head_starts", "_noise", "_seen", "leader", "t")

    def __init__(self, leader: PerturbedLeader, head_starts: np.random.Generator, noise: np.random.Generator) -> None:
        self.leader = leader
        self._head_starts, self._noise = head_starts, noise
        self._frozen = np.zeros(leader.experts)
        if leader.within and leader.errors == "constant":
            self._frozen = noise.uniform(-leader.within, leader.within, leader.experts)
        self.t = 0
        """Rounds played so far."""
        self._counters: list[Run] = []
        if leader.epsilon is not None:
            rules = counter_called(leader.counter, leader.epsilon, leader.horizon + 1)
            self._counters = [rules.start(rng) for rng in noise.spawn(leader.experts)]
        # The counters take a zero before the first round, so that the noise has the same distribution in it.
        self._seen = np.array([run.step(0) for run in self._counters] or [0.0] * leader.experts)

    def choose(self, costs: ArrayLike | None = None) -> int:
        """Return the expert to follow in the next round; numbers are those of the leader in section 6.

        Parameters
        ----------
        costs
            The costs of this round, which only whoever sets the errors of totals knows: without errors they
            may be left out.
        """
        head_starts = self._perturbations(self.leader.experts)  # (1)
        shown = self._seen if costs is None else self._shown(self._seen[None], real_numbers(costs)[None], self.t)[0]
        return int(np.argmin(shown - head_starts))  # (2)

    def learn(self, costs: ArrayLike) -> None:
        """Take the experts' costs of the round, each from 0 to 1."""
        self._seen = self._estimates(self._checked(real_numbers(costs)[None]))[0]

    def step(self, costs: ArrayLike) -> int:
        """Play a round with these costs, and return the expert followed, chosen before they are known."""
        followed = self.choose(costs)
        self.learn(costs)
        return followed

    def release(self, costs: ArrayLike) -> NDArray[np.int64]:
        """Play the rounds of a table of costs, one row per round; return the experts followed.

        The costs must not depend on the choices. Equivalent to `step` for each row.
        """
        table = self._checked(costs)
        chosen = np.empty(len(table), dtype=np.int64)
        for at in range(0, len(table), CHUNK):
            block = table[at : at + CHUNK]
            begun, seen = self.t, self._seen
            estimates = self._estimates(block)
            shown = self._shown(np.vstack((seen, estimates[:-1])), block, begun)
            self._seen = estimates[-1]
            chosen[at : at + CHUNK] = np.argmin(shown - self._perturbations(block.shape), axis=1)
        return chosen

    def state(self) -> dict[str, object]:
        """Return the state that an intruder sees between two rounds, if the counters have a visible memory."""
        return {"round": self.t, "estimates": self._seen.tolist(), "counters": [run.state() for run in self._counters]}

    def _perturbations(self, shape: int | tuple[int, ...]) -> Floats:
        """Return the head starts of some rounds."""
        if not self.leader.weighted:
            return self._head_starts.exponential(self.leader.mean_head_start, shape)
        return -self.leader.mean_head_start * np.log(self._head_starts.exponential(1.0, shape))  # Gumbel's

    def _shown(self, totals: Floats, costs: Floats, begun: int) -> Floats:
        """Return the totals that the combiner sees before some rounds: `begun` were played, and errors added."""
        within = self.leader.within
        if not within:
            return totals
        if self.leader.errors == "constant":
            return totals + self._frozen
        if self.leader.errors == "independent":
            return totals + self._noise.uniform(-within, within, totals.shape)
        if self.leader.errors == "adversarial":
            favoured: Floats = np.sign(costs - costs.mean(axis=1, keepdims=True))
            return totals - within * favoured
        rounds = np.arange(len(totals))
        since = (begun + rounds) % within  # rounds since the totals were shown
        shown: Floats = np.where((since > rounds)[:, None], self._frozen, totals[np.maximum(rounds - since, 0)])
        self._frozen = shown[-1]
        return shown

    def _estimates(self, costs: Floats) -> Floats:
        """Pass the costs of some rounds to the counters; return the estimated totals after each."""
        self.t += len(costs)
        if not self._counters:
            totals = np.vstack((self._seen, costs))
            return np.cumsum(totals, axis=0)[1:]
        if len(costs) == 1:
            return np.array([[run.step(cost) for run, cost in zip(self._counters, costs[0], strict=True)]])
        columns = [run.release(costs[:, expert]) for expert, run in enumerate(self._counters)]
        return np.stack(columns, axis=1)

    def _checked(self, costs: ArrayLike) -> Floats:
        """Return the table of costs, or refuse it."""
        table = real_numbers(costs)
        if table.ndim != 2 or table.shape[1] != self.leader.experts:
            wanted = f"{self.leader.experts} columns, one an expert"
            raise ValueError(f"costs must have {wanted}; got the shape {table.shape}")
        if len(table) and not (table.min() >= 0 and table.max() <= 1):
            raise ValueError(f"costs must lie from 0 to 1; got {table.min():g} to {table.max():g}")
        if self.t + len(table) > self.leader.horizon:
            raise ValueError(f"round {self.t + len(table)} is past the horizon, {self.leader.horizon}")
        return table
