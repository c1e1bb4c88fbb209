"""One game on a fixed data set: updates first, then one release."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from disttrack.adversaries.updates import UpdateStream
from disttrack.mechanisms.accounting import Ledger
from disttrack.mechanisms.dynamic.base import counts_of
from disttrack.mechanisms.static import StaticMechanism
from disttrack.simulator.game.streams import streams
from disttrack.simulator.tasks.continual.clocked_points import DELTA
from disttrack.simulator.tasks.dynamic.game import ROLES, feed_of, spending


@dataclass
class StaticGame:
    """One release on a data set.

    Attributes
    ----------
    size, updates, ignored
        Items in the data set, the updates that made it, and the number of updates that named no item.
    queries, sensitivity
        Number of queries, and the contribution of one item to all answers together.
    max_abs_error, rms_error
        Over the family.
    zero_error
        The largest error of answers of 0.
    bound
        The mechanism's bound on its largest error, exceeded with probability 0.05 at most.
    """

    size: int
    updates: int
    ignored: int
    queries: int
    sensitivity: float
    max_abs_error: float
    rms_error: float
    zero_error: float
    bound: float
    spent: float = 0.0
    spent_delta: float = 0.0
    ledger: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the error stayed within the stated bound."""
        return self.max_abs_error <= self.bound and self.max_abs_error < math.inf


def play_static(mechanism: StaticMechanism, adversary: UpdateStream, *, steps: int, seed: int = 0) -> StaticGame:
    """Let an adversary make a data set, release the answers once, and return the outcome.

    Parameters
    ----------
    mechanism
        Answers the queries.
    adversary
        Makes the data set; it sees nothing during the game. It is copied.
    steps
        Number of steps of updates.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries import Grow
    >>> from disttrack.mechanisms import LaplaceQueries
    >>> play_static(LaplaceQueries(epsilon=1.0, queries="points", domain=8), Grow(), steps=100).size
    100
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    feed = feed_of(mechanism, adversary, steps, rngs["adversary"])
    for code in feed.codes():
        feed.apply(code)
    counts = counts_of(feed.view.live.items.values(), mechanism.domain)
    ledger = Ledger(mechanism.kind, mechanism.epsilon, mechanism.delta)
    ledger.use("release", mechanism.epsilon, mechanism.delta)
    answers = mechanism.release(counts, rngs["mechanism"])
    family, size = mechanism.family, len(feed.view.live)
    truth = np.zeros(family.number) if counts is None else family.evaluate(counts)
    errors = np.abs(answers - truth)
    return StaticGame(
        size,
        feed.view.sent,
        feed.ignored,
        family.number,
        family.l1,
        float(errors.max()),
        float(np.sqrt(np.mean(errors**2))),
        float(truth.max()),
        mechanism.error_bound(size, DELTA),
        **spending(ledger),
        seconds=time.perf_counter() - begun,
    )
