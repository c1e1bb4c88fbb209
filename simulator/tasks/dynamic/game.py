"""One game on a data set that changes: the adversary's updates, the mechanism's answers, the referee."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from disttrack.adversaries.updates import Live, UpdateStream, UpdateView
from disttrack.mechanisms.accounting import Ledger, record
from disttrack.mechanisms.dynamic import DynamicMechanism, DynamicRun
from disttrack.simulator.errors import MoveError
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.continual.clocked_points import DELTA, known
from disttrack.simulator.tasks.dynamic.referee import QueryReferee

ROLES: Final = ("", "mechanism", "adversary")
"""Random streams: the mechanism's noise, and the adversary's moves."""
DEEPEST: Final = 5
"""Levels of a ledger stored with a game: down to the spending of a node of the tree in a round."""


@dataclass
class DynamicGame:
    """One game on a data set that changes.

    Attributes
    ----------
    steps, updates, ignored
        Steps played, updates in them, and updates that named no live item.
    size, peak
        Items at the end, and the maximum.
    queries
        Number of queries.
    max_abs_error, rms_error
        Of the largest error over the family: the largest over all steps, and the root mean square over them.
    late_error, late_zero
        The largest error in the last tenth of the steps, and the largest that answers of 0 would have had there.
    bound
        The mechanism's bound on its largest error, exceeded with probability 0.05 at most.
    releases
        Number of changes of the answers.
    facts
        Counts of the mechanism's events: segments, nodes, restarts, the most rounds of a node.
    spent, spent_delta
        The loss actually spent, by the ledger.
    ledger
        The ledger as plain values: see `mechanisms.accounting.lines`.
    series
        Step, items and error at some 200 checkpoints.
    """

    steps: int
    updates: int = 0
    ignored: int = 0
    size: int = 0
    peak: int = 0
    queries: int = 0
    max_abs_error: float = 0.0
    rms_error: float = 0.0
    late_error: float = 0.0
    late_zero: float = 0.0
    bound: float = math.inf
    releases: int = 0
    facts: dict[str, float] = field(default_factory=dict)
    spent: float = 0.0
    spent_delta: float = 0.0
    ledger: dict[str, Any] = field(default_factory=dict)
    series: dict[str, list[Any]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the error stayed within the stated bound at all steps."""
        return self.max_abs_error <= self.bound and self.max_abs_error < math.inf


class Feed:
    """An adversary's updates as they are applied: its data set, and the views of both sides.

    Parameters
    ----------
    stream
        This game's copy of the adversary.
    view
        Its view.
    """

    def __init__(self, stream: UpdateStream, view: UpdateView) -> None:
        self._stream, self.view = stream, view
        self.ignored = 0
        self.replan = False

    def codes(self) -> Iterator[int]:
        """Yield the code of each step of the game; a plan is dropped when the adversary has seen new answers."""
        view = self.view
        while view.steps < view.items:
            planned = self._stream.updates(view)
            if planned is None or not len(planned):
                planned = np.zeros(view.items - view.steps, dtype=np.int64)
            for code in np.asarray(planned)[: view.items - view.steps].tolist():
                view.steps += 1
                yield code
                if self.replan:
                    self.replan = False
                    break

    def apply(self, code: int) -> tuple[int, int] | None:
        """Apply the update of the present step; return the item and the sign of the change."""
        view = self.view
        if code == 0:
            return None
        view.sent += 1
        if code > 0:
            if code > view.sites:
                reason = f"step {view.steps}: item {code - 1} is not among the {view.sites:,} values of the domain"
                raise MoveError(f"adversary {self._stream.kind}: {reason}")
            view.live.insert(view.steps, code - 1)
            return code - 1, 1
        item = view.live.delete(-code)
        if item is None:
            self.ignored += 1
            return None
        return item, -1


def feed_of(mechanism: Any, adversary: UpdateStream, steps: int, rng: np.random.Generator) -> Feed:
    """Return the feed of a game; the adversary is copied."""
    facts = {"sites": mechanism.domain, "items": steps, "known": known(mechanism), "rng": rng}
    view = UpdateView(live=Live(), **facts)
    view.output = view.truth = np.zeros(mechanism.family.number)
    return Feed(copy.deepcopy(adversary), view)


def play_dynamic(mechanism: DynamicMechanism, adversary: UpdateStream, *, steps: int, seed: int = 0) -> DynamicGame:
    """Play one game on a data set that changes, and return its outcome.

    Parameters
    ----------
    mechanism
        Answers the queries.
    adversary
        Inserts and deletes items; it sees all answers, and may react to them unless it is oblivious. It is copied.
    steps
        Steps of the game.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries import Churn
    >>> from disttrack.mechanisms import FullyDynamic
    >>> game = play_dynamic(FullyDynamic(epsilon=1.0), Churn(peak=500), steps=5000)
    >>> game.size, game.updates, game.spent <= 1
    (500, 5000, True)
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    run = mechanism.start(rngs["mechanism"])
    feed = feed_of(mechanism, adversary, steps, rngs["adversary"])
    referee = QueryReferee(mechanism.family, steps)
    releases = _play(run, feed, referee, reacts=not adversary.oblivious)
    referee.close()
    items = referee.peak if mechanism.deletes else feed.view.sent
    names = ("size", "peak", "max_abs_error", "rms_error", "late_error", "late_zero", "series")
    return DynamicGame(
        steps,
        updates=feed.view.sent,
        ignored=feed.ignored,
        queries=mechanism.family.number,
        bound=run.error_bound(items, DELTA),
        releases=releases,
        facts=dict(run.facts()),
        **spending(run.ledger),
        **{name: getattr(referee, name) for name in names},
        seconds=time.perf_counter() - begun,
    )


def _play(run: DynamicRun, feed: Feed, referee: QueryReferee, *, reacts: bool) -> int:
    """Play all steps; return the number of changes of the answers."""
    view, releases = feed.view, 0
    for code in feed.codes():
        changed = feed.apply(code)
        if changed is not None:
            referee.change(view.steps, *changed)
        if not run.step(code):
            continue
        releases += 1
        referee.answer(view.steps, run.answers)
        view.output = run.answers
        view.changes, view.changed_at = releases, view.steps
        if reacts:
            view.truth = referee.truth
            feed.replan = True
    return releases


def spending(ledger: Ledger) -> dict[str, Any]:
    """Return the columns of a ledger for a game."""
    spent, delta = ledger.spent
    return {"spent": spent, "spent_delta": delta, "ledger": record(ledger, DEEPEST)}
