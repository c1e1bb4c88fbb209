"""The task `experts`: follow the perturbed leader, with and without private counters; the regret.

In a round the expert named as a site by the adversary's plan is charged 1; an adversary with a method
`costs(view, rounds)` charges any of them any cost from 0 to 1. It sees which expert the combiner followed.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from disttrack.adversaries.base import Adversary, View
from disttrack.privacy.mechanisms import PerturbedLeader
from disttrack.privacy.mechanisms.perturbed_leader import LeaderRun
from disttrack.privacy.tasks.planned import Planned
from disttrack.simulator.game.tasks.adversary import adversary_of
from disttrack.simulator.game.tasks.answers import Answer
from disttrack.simulator.game.tasks.base import Demand, Row, Size
from disttrack.simulator.game.tasks.duel import Duel, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Sides
from disttrack.simulator.kinds.point import Point, PointError

CHUNK = 4096
"""Rounds passed at once."""

SECONDS_A_ROUND, SECONDS_AN_EXPERT = {True: 1.3e-7, False: 3e-5}, {True: 1.3e-7, False: 4e-8}
"""By whether the adversary is oblivious, so that rounds are passed in chunks; and, besides, by whether counters err."""

Costs = NDArray[np.float64]


class Charges(Planned):
    """An adversary whose move is the experts' costs of a round."""

    def move(self, view: View) -> object:
        if not hasattr(self.adversary, "costs"):
            return charged([super().move(view)], view.sites)[0]
        chunk = CHUNK if self.adversary.oblivious else 1  # one that reacts sees each answer before it charges again
        if view.steps % chunk == 0:
            self._costs = self._charge(view, chunk)
        return self._costs[view.steps % chunk]

    def stretches(self, view: View) -> Iterator[Costs]:
        """Yield tables of costs, one row per round."""
        named = chain.from_iterable(super().stretches(view))
        for begin in range(0, view.items, CHUNK):
            if hasattr(self.adversary, "costs"):
                view.record(steps=begin)
                yield self._charge(view, CHUNK)
            else:
                size = min(CHUNK, view.items - begin)
                yield charged(np.fromiter(islice(named, size), dtype=np.int64), view.sites)

    def _charge(self, view: View, rounds: int) -> Costs:
        """Return the costs that the adversary states itself, for some rounds at most."""
        adversary: Any = self.adversary
        return np.asarray(adversary.costs(view, min(rounds, view.items - view.steps)), dtype=np.float64)


def charged(named: ArrayLike, experts: int) -> Costs:
    """Return the costs of rounds, each with a cost of 1 for the expert named, or for none if it is `SKIP`."""
    costs: Costs = (np.asarray(named)[:, None] == np.arange(experts)).astype(np.float64)
    return costs


class RegretReferee(Referee[ArrayLike, ArrayLike]):
    """Adds up the costs of the combiner, of each expert, and of a twin without privacy.

    Parameters
    ----------
    leader
        The combiner.
    twin
        A run of the same combiner with exact counters; None without privacy, where it would be the same.
    reacts
        Whether the adversary reacts: against a twin its costs would then differ.
    """

    def __init__(self, leader: PerturbedLeader, twin: LeaderRun | None, reacts: bool) -> None:
        self._leader, self._twin, self._reacts = leader, twin, reacts
        self._totals = np.zeros(leader.experts)
        self._cost = self._plain_cost = 0.0
        self._changes, self._last = 0, -1

    def judge(self, moves: ArrayLike, answers: ArrayLike) -> None:
        """Take the costs of some rounds, and the experts followed."""
        table, followed = np.asarray(moves), np.asarray(answers)
        rows = np.arange(len(table))
        self._cost += float(table[rows, followed].sum())
        if not self._reacts:
            plain = followed if self._twin is None else self._twin.release(table)
            self._plain_cost += float(table[rows, plain].sum())
        self._changes += int(np.count_nonzero(np.diff(followed, prepend=self._last)))
        self._last = int(followed[-1])
        self._totals += table.sum(axis=0)

    def row(self) -> Row:
        """Return the columns."""
        best = float(self._totals.min())
        regret, price = self._cost - best, self._leader.privacy_price()
        plain = None if self._reacts else self._plain_cost - best
        return {
            "regret": regret,
            "plain_regret": plain,
            "best": best,
            "cost": self._cost,
            "bound": self._leader.regret_bound(best),
            "price": price,
            "paid": (regret - plain) / price if price and plain is not None else None,
            "output_changes": self._changes,
            "verdict": "undecided",  # the bound is on the mean regret: a single game neither keeps nor breaks it
        }


class Experts(Duel[PerturbedLeader, Adversary]):
    """Combining experts' advice with private counters.

    Columns: `cost` of the combiner and of the `best` expert, and the `regret`, their difference; `plain_regret`, that
    of the same combiner with exact counters, on the same costs and head starts (empty against adversaries that react);
    `bound` on the mean regret without privacy; `price`, the order of the regret added by privacy,
    ln(n) log2(T)^1.5 / epsilon, and `paid`, the regret that it added in units of its price.
    """

    kind: ClassVar[str] = "experts"
    empty: ClassVar = (*Duel.empty, "verdict")
    labels: ClassVar = {
        "regret": "regret, in units of loss",
        "paid": "regret that privacy adds, over the bound's shape",
    }
    axes: ClassVar = {"experts": "number of experts, n"}
    rules: ClassVar[int] = 2
    roles: ClassVar[Sequence[str]] = ("challenge", "head starts", "adversary", "noise")
    takes: ClassVar[tuple[type[object], ...]] = (PerturbedLeader,)
    sizes: ClassVar[Sequence[Size]] = (
        Size("experts", "sites", "Experts whose advice is combined.", least=2, needed=True),
        Size("steps", "items", "Rounds in which one of them is followed.", needed=True),
    )
    columns: ClassVar[Sequence[str]] = ("regret", "plain_regret", "best", "cost", "bound", "price", "paid")
    answers: ClassVar[Sequence[Answer]] = (
        Answer("regret", "loss beyond that of the best expert, on average over games", "regret", "mean", rank=0),
        Answer("without privacy", "mean regret on the same costs with exact counters", "plain_regret", "mean"),
        Answer("bound", "bound on the mean regret without privacy", "bound", "mean", rank=2),
        Answer("price", "shape of what privacy adds: ln(n) log2(T)^1.5 / epsilon", "price"),
        Answer("paid/price", "regret added by privacy, in units of its price", "paid", "mean", rank=2),
    )

    def fits(self, mechanism: PerturbedLeader, adversary: Adversary, sizes: Sizes) -> None:
        for name, size in (("experts", sizes["experts"]), ("horizon", sizes["steps"])):
            given = getattr(mechanism, name)
            if given != size:
                raise PointError(("protocol", name), f"must be the {size:,} of the game; got {given:,}")

    def begin(self, mechanism: PerturbedLeader, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        experts, steps = sizes["experts"], sizes["steps"]
        view = View(sites=experts, items=steps, known=known(mechanism), rng=rngs["adversary"])
        twin = None
        if mechanism.epsilon is not None or mechanism.within:
            exact = PerturbedLeader(experts, mechanism.horizon, mechanism.rate, weighted=mechanism.weighted)
            twin = exact.start(copy.deepcopy(rngs["head starts"]), rngs["noise"])
        run = mechanism.start(rngs["head starts"], rngs["noise"])
        charges = Charges(adversary, view, rngs["challenge"])
        return Sides(run, charges, RegretReferee(mechanism, twin, not adversary.oblivious), view, steps)

    def demand(self, point: Point) -> Demand:
        sizes = self.sizes_of(point)
        given, step = point.protocol.given(), SECONDS_A_ROUND[adversary_of(point).oblivious]
        expert = SECONDS_AN_EXPERT[bool(given.get("epsilon") or given.get("within"))]
        seconds = sizes["steps"] * (step + expert * sizes["experts"])
        return Demand(seconds, memory=8e7 + 40.0 * CHUNK * sizes["experts"])
