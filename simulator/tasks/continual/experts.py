"""The task `experts`: follow the perturbed leader, with and without private counters; the regret.

In a round the expert named as a site by the adversary's plan is charged 1; an adversary with a method
`costs(view, rounds)` charges any of them any cost from 0 to 1.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms import PerturbedLeader
from disttrack.simulator.game.streams import streams
from disttrack.simulator.points.point import Point
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import Answer
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.continual.stream import Mover, plans
from disttrack.simulator.tasks.sizes import Size

CHUNK = 4096
"""Rounds passed at once."""
ROLES = ("challenge", "head starts", "adversary", "noise")
"""Random streams: the coin tossed at a challenge, head starts, the adversary's moves, and the counters' noise."""


@dataclass(frozen=True)
class ExpertsGame:
    """One game of experts.

    Attributes
    ----------
    items
        Rounds played.
    cost, best
        Cost of the combiner, and of the best expert.
    plain_regret
        Regret of the same combiner with exact counters, on the same costs and head starts; None against
        adversaries that react, whose costs would differ.
    bound
        Bound on the mean regret without privacy.
    price
        Order of the regret added by privacy, ln(n) log2(T)^1.5 / epsilon; 0 without privacy.
    """

    items: int
    cost: float
    best: float
    plain_regret: float | None
    bound: float
    price: float
    output_changes: int
    engine: str
    engine_reason: str
    seconds: float = 0.0

    @property
    def regret(self) -> float:
        """Cost of the combiner above that of the best expert."""
        return self.cost - self.best

    @property
    def paid(self) -> float | None:
        """Regret added by privacy, in units of its price; None without privacy, or if it is unknown."""
        if not self.price or self.plain_regret is None:
            return None
        return (self.regret - self.plain_regret) / self.price


def charges(adversary: Adversary, view: clocked_points.ContinualView, rounds: int) -> Iterator[NDArray[np.float64]]:
    """Yield tables of the experts' costs, one row per round, for an adversary that does not react."""
    named = (plan.at(step) for plan, length in plans(adversary, view, rounds) for step in range(1, length + 1))
    for begin in range(0, rounds, CHUNK):
        size = min(CHUNK, rounds - begin)
        if hasattr(adversary, "costs"):
            table = np.asarray(adversary.costs(view, size), dtype=np.float64)
            view.steps += size
        else:
            table = np.zeros((size, view.sites))
            for row, charged in zip(table, islice(named, size), strict=True):
                if charged is not None:
                    row[charged] = 1
        yield table


def play_experts(leader: PerturbedLeader, adversary: Adversary, *, seed: int = 0, engine: str = "auto") -> ExpertsGame:
    """Play one game of experts and return its outcome.

    Parameters
    ----------
    leader
        The combiner; its horizon is the number of rounds.
    adversary
        Charges the experts. It sees which expert the combiner followed. It is copied.
    seed
        Root of all random streams of the game.
    engine
        auto, step, or bulk: bulk plays many rounds at once, for adversaries that do not react.

    Examples
    --------
    >>> from disttrack.adversaries import Biased
    >>> game = play_experts(PerturbedLeader(experts=4, horizon=1000), Biased())
    >>> game.regret == game.plain_regret <= game.bound
    True
    """
    begun = time.perf_counter()
    chosen, reason = clocked_points.engine_of(engine, adversary)
    adversary = copy.deepcopy(adversary)
    rngs = streams(seed, ROLES)
    rounds, experts = leader.horizon, leader.experts
    view = clocked_points.ContinualView(
        sites=experts, items=rounds, known=clocked_points.known(leader), rng=rngs["adversary"]
    )
    run = leader.start(rngs["head starts"], rngs["noise"])
    if chosen == "bulk":
        exact = PerturbedLeader(experts, rounds, leader.rate)
        twin = exact.start(streams(seed, ROLES)["head starts"], rngs["noise"]) if leader.epsilon is not None else run
        tally = _in_bulk(run, twin, charges(adversary, view, rounds), experts)
    else:
        tally = _by_rounds(run, Mover(adversary, view, rngs["challenge"]), rounds, experts)
    best = float(tally.totals.min())
    return ExpertsGame(
        rounds,
        tally.cost,
        best,
        None if tally.plain_cost is None else tally.plain_cost - best,
        leader.regret_bound(best),
        leader.privacy_price(),
        tally.changes,
        chosen,
        reason,
        time.perf_counter() - begun,
    )


@dataclass
class _Tally:
    """Sums of a game: each expert's cost, that of the expert followed, and the number of changes of expert.

    `plain_cost` is that of the same game without privacy, if that was played too.
    """

    totals: Any
    cost: float = 0.0
    plain_cost: float | None = None
    changes: int = 0


def _in_bulk(run: Any, twin: Any, tables: Iterable[Any], experts: int) -> _Tally:
    """Play many rounds at once; `twin` follows without privacy, and is `run` itself if that is the same."""
    tally = _Tally(np.zeros(experts), plain_cost=0.0)
    last, plain_cost = -1, 0.0
    for table in tables:
        rows = np.arange(len(table))
        followed = run.play(table)
        tally.cost += float(table[rows, followed].sum())
        plain = followed if twin is run else twin.play(table)
        plain_cost += float(table[rows, plain].sum())
        tally.changes += int(np.count_nonzero(np.diff(followed, prepend=last)))
        last = int(followed[-1])
        tally.totals += table.sum(axis=0)
    tally.plain_cost = plain_cost
    return tally


def _by_rounds(run: Any, mover: Mover, rounds: int, experts: int) -> _Tally:
    """Play round by round: after each the adversary sees which expert the combiner followed."""
    tally = _Tally(np.zeros(experts))
    for _ in range(rounds):
        charged = mover.move()  # chosen before the combiner's choice of this round is known
        followed = run.choose()
        costs = np.zeros(experts)
        if charged is not None:
            costs[charged] = 1
        run.learn(costs)
        tally.cost += float(costs[followed])
        tally.totals += costs
        mover.observe(followed)
    tally.changes = mover.view.changes
    return tally


class Experts(Task):
    """Combining experts' advice with private counters."""

    kind: ClassVar[str] = "experts"
    rules: ClassVar[int] = 2
    sizes: ClassVar[Sequence[Size]] = (
        Size("experts", "sites", "Experts whose advice is combined.", least=2, needed=True),
        Size("steps", "items", "Rounds in which one of them is followed.", needed=True),
    )
    columns: ClassVar[Sequence[str]] = ("regret", "plain_regret", "best", "cost", "bound", "price", "paid")
    answers: ClassVar[Sequence[Answer]] = (
        Answer("regret", "what was paid more than the best expert, on average over games", "regret", "mean", rank=0),
        Answer("without privacy", "mean regret on the same costs with exact counters", "plain_regret", "mean"),
        Answer("bound", "bound on the mean regret without privacy", "bound", "mean", rank=2),
        Answer("price", "shape of what privacy adds: ln(n) log2(T)^1.5 / epsilon", "price"),
        Answer("paid/price", "what privacy added to the regret, in units of its price", "paid", "mean", rank=2),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        self._leader(point)
        clocked_points.check_engine(point, adversary_of(point))

    def _leader(self, point: Point) -> Any:
        rounds = clocked_points.steps_of(point)
        return clocked_points.mechanism_of(point, PerturbedLeader, experts=point.sites, horizon=rounds)

    def play(self, point: Point, seed: int) -> Record:
        game = play_experts(self._leader(point), adversary_of(point), seed=seed, engine=point.engine)
        own = ("items", "engine", "output_changes", "seconds", *self.columns)
        row = {name: getattr(game, name) for name in own}
        # the bound is on the mean regret: a single game neither keeps nor breaks it
        return Record(row={**row, "ok": False, "verdict": "undecided"}, engine_reason=game.engine_reason)

    def demand(self, point: Point) -> Demand:
        experts = point.sites or 1
        seconds = clocked_points.steps_of(point) * max(1.0, experts / 30) / 250_000
        return Demand(seconds, memory=8e7 + 40.0 * CHUNK * experts)
