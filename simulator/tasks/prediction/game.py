"""One game of online learning: points and labels against hypotheses or predictions, and the mistakes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import Replay
from disttrack.adversaries.base import Adversary
from disttrack.mechanisms.prediction import Learner, LearnerRun
from disttrack.simulator.game.rehearsal import BRANCH, original
from disttrack.simulator.game.streams import streams
from disttrack.simulator.game.timeline import checkpoints
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.prediction.examples import (
    Asker,
    LearnerView,
    Rehearsed,
    copied,
    fixed_examples,
    shown_of,
)

ROLES = ("learner", "adversary", "challenge")
"""Random streams: the learner's coins, the adversary's moves, and the coin tossed at a challenge."""


@dataclass(frozen=True)
class PredictionGame:
    """One game of online learning.

    Attributes
    ----------
    items
        Rounds played.
    mistakes, ones, false_ones
        Rounds with a wrong prediction, rounds with label 1, and mistakes in the others.
    consistent
        Whether some point function explains all labels.
    limit
        The learner's bound on its mistakes on such examples, up to a stated probability; None if it states none.
    output_changes
        Number of changes of the learner's output.
    facts
        Facts about the learner's internal state, and about the adversary's construction.
    series
        Round, labels 1 so far and mistakes so far, at some 200 checkpoints.
    """

    items: int
    mistakes: int
    ones: int
    false_ones: int
    consistent: bool
    limit: float | None
    output_changes: int
    engine: str
    engine_reason: str
    facts: dict[str, Any] = field(default_factory=dict)
    series: dict[str, list[Any]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """Whether the learner kept its limit: ok or failed, and undecided if it promises nothing."""
        if self.limit is None or not self.consistent:
            return "undecided"
        return "ok" if self.mistakes <= self.limit else "failed"


def play_prediction(
    learner: Learner,
    adversary: Adversary,
    *,
    points: int,
    steps: int,
    seed: int = 0,
    engine: str = "auto",
    sees: str | None = None,
) -> PredictionGame:
    """Play one game of online learning and return its outcome.

    Parameters
    ----------
    learner
        The learner.
    adversary
        Gives the examples. If it names sites, they are the points, and point 0 has label 1. It is copied.
    points
        Points 0 ... points - 1 of the domain.
    steps
        Rounds.
    seed
        Root of all random streams of the game.
    engine
        auto, step, or bulk: bulk plays all rounds at once, for adversaries that do not react.
    sees
        What the adversary sees: hypotheses, predictions or nothing; None for all that the learner reveals.

    Examples
    --------
    >>> from disttrack.adversaries import Contrary
    >>> from disttrack.mechanisms import Plain
    >>> play_prediction(Plain(), Contrary(), points=10, steps=50).mistakes
    1
    """
    begun = time.perf_counter()
    check_fits(learner, points, steps)
    shows = shown_of(learner, sees)
    if isinstance(adversary, Replay):
        adversary = _rehearsed(learner, adversary, points, steps, seed, shows)
    chosen, reason = clocked_points.engine_of(engine, adversary)
    mine = copied(adversary)
    tally = _play(learner, mine, points, steps, seed, shows, chosen == "bulk")
    case = getattr(mine, "construction", None)
    built = {"placed": len(case.ones), "escape": case.escape, "direct": case.direct} if case is not None else {}
    if case is not None and case.least_mass == case.least_mass:
        built["least_mass"] = case.least_mass
    return tally.outcome(learner, chosen, reason, {**tally.run.facts(), **built}, time.perf_counter() - begun)


def check_fits(learner: Learner, points: int, steps: int) -> None:
    """Raise ValueError if a learner is made for fewer points, or for fewer rounds, than a game has."""
    for name, least in (("points", points), ("horizon", steps)):
        given = getattr(learner, name, least)
        if given < least:
            raise ValueError(f"{name} must be at least {least:,}, as the game has; got {given:,}")


def _rehearsed(learner: Learner, replay: Replay, points: int, steps: int, seed: int, shows: str) -> Rehearsed:
    """Return the examples that the replayed adversary gives in a game with separate coins."""
    tree = np.random.SeedSequence(seed, spawn_key=(BRANCH,))
    other = int(tree.generate_state(1, np.uint64)[0] >> np.uint64(1))
    tally = _play(learner, copied(original(replay)), points, steps, other, shows, in_bulk=False)
    return Rehearsed(tally.points.tolist(), tally.labels.tolist())


@dataclass
class _Tally:
    """Sums of a game, round by round."""

    run: LearnerRun
    domain: int
    points: NDArray[np.int64]
    labels: NDArray[np.bool_]
    predicted: NDArray[np.bool_]
    changes: int

    def outcome(
        self, learner: Learner, engine: str, reason: str, facts: dict[str, Any], seconds: float
    ) -> PredictionGame:
        """Return the outcome of the game."""
        wrong = self.predicted != self.labels
        limit = learner.limit
        rounds = len(wrong)
        marks = np.array(checkpoints(0, rounds, down=True), dtype=np.int64) if rounds else np.empty(0, dtype=np.int64)
        series = {
            "step": marks.tolist(),
            "items": np.cumsum(self.labels)[marks - 1].tolist(),
            "output": np.cumsum(wrong)[marks - 1].tolist(),
        }
        return PredictionGame(
            rounds,
            int(wrong.sum()),
            int(self.labels.sum()),
            int((wrong & ~self.labels).sum()),
            explained(self.points, self.labels, self.domain),
            None if limit is None else limit.mistakes,
            self.changes,
            engine,
            reason,
            facts,
            series,
            seconds,
        )


def explained(points: NDArray[np.int64], labels: NDArray[np.bool_], domain: int) -> bool:
    """Return whether some point function of the domain explains all labels.

    Examples
    --------
    >>> [explained(np.array([0, 1]), np.array(labels), 2) for labels in ([True, False], [True, True], [False, False])]
    [True, False, False]
    """
    positive = np.unique(points[labels])
    if len(positive) == 1:
        return not np.any(points[~labels] == positive[0])
    return len(positive) == 0 and len(np.unique(points)) < domain


def _play(
    learner: Learner, adversary: Adversary, points: int, steps: int, seed: int, shows: str, in_bulk: bool
) -> _Tally:
    """Play the rounds, all at once or one by one."""
    rngs = streams(seed, ROLES)
    known = clocked_points.known(learner)
    view = LearnerView(algorithm=learner, shows=shows, sites=points, items=steps, known=known, rng=rngs["adversary"])
    run = learner.start(rngs["learner"])
    if in_bulk:
        asked, labels = fixed_examples(adversary, view)
        predicted = run.play(asked, labels)
        return _Tally(run, points, asked, labels, predicted, int(np.count_nonzero(np.diff(predicted, prepend=False))))
    asker = Asker(adversary, view, rngs["challenge"])
    rows: list[tuple[int, bool, bool]] = []
    for _ in range(steps):
        point = asker.point()
        if point is None:
            continue
        # chosen simultaneously: the adversary has not seen it, nor the learner the point
        hypothesis = run.hypothesis() if learner.reveals == "hypotheses" else None
        predicted_one = run.predict(point) if hypothesis is None else hypothesis == point
        shown = {"hypotheses": hypothesis, "predictions": int(predicted_one), "nothing": None}[shows]
        label = asker.label(point, shown)
        run.learn(point, label)
        rows.append((point, label, predicted_one))
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    predicted = table[:, 2].astype(bool)
    changes = int(np.count_nonzero(np.diff(predicted, prepend=False)))
    return _Tally(run, points, table[:, 0], table[:, 1].astype(bool), predicted, changes)
