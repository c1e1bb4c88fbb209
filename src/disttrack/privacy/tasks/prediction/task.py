"""The task `prediction`: online learners of point functions against adversaries that give examples.

An adversary that names sites names points; the label is then that of the point function of point 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries import Replay, View
from disttrack.adversaries.base import Adversary
from disttrack.privacy.adversaries import Examiner
from disttrack.privacy.adversaries.prediction import Constructed, Insertion
from disttrack.privacy.mechanisms.prediction.base import Learner
from disttrack.privacy.mechanisms.prediction.insertion import fewest_points
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.simulator.game.short_games import BRANCH, original
from disttrack.simulator.game.tasks.adversary import adversary_of, made_for_task
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import Duel, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Run, Sides, kept
from disttrack.simulator.game.timeline import checkpoints
from disttrack.simulator.kinds.point import Point, PointError
from disttrack.simulator.kinds.registry import registered

Example = tuple[int | None, Any]
"""The point of a round, None if it is skipped, and the label, or the function from the learner's output to it."""

SHOWN = ("hypotheses", "predictions", "nothing")
"""The powers of an adversary over a learner, in decreasing order."""


class LearnerView(View):
    """The view in games of online learning: `sites` are points, `items` rounds, `output` is what the learner has shown.

    Attributes
    ----------
    algorithm
        The learner's class and parameters, without its run and its coins.
    shows
        hypotheses, predictions or nothing.
    """

    _shown = ("algorithm", "shows")
    __slots__ = ("_algorithm", "_shows")

    algorithm: Any
    shows: str

    def __init__(self, *, algorithm: Any, shows: str, **given: Any) -> None:
        super().__init__(**given)
        self.record(algorithm=algorithm, shows=shows, output=None)

    def observe(self, answer: Any) -> None:
        """Record the shown part of the learner's output in a round; None if it was skipped."""
        self._steps += 1
        if answer is not None:
            self.show(answer[-1])


class Rounds(Run):
    """A run of a learner, which takes examples.

    Parameters
    ----------
    shows
        The part of the learner's output that is shown: hypotheses, predictions or nothing.
    points
        Points of the domain.
    """

    def __init__(self, learner: Learner, rng: np.random.Generator, shows: str, points: int) -> None:
        self.run = learner.start(rng)
        self._hypotheses = learner.reveals == "hypotheses"
        self._shows, self._points = shows, points

    def step(self, example: Example) -> tuple[int, bool, bool, Any] | None:
        """Play a round, and return its point, label and prediction, and what is shown of the learner's output.

        Neither has the adversary seen the hypothesis, nor the learner the point, when they choose.
        """
        point, label = example
        if point is None:
            return None
        self._check(point, point)
        hypothesis = self.run.hypothesis() if self._hypotheses else None
        predicted = self.run.predict(point) if hypothesis is None else hypothesis == point
        shown = int(predicted) if self._shows == "predictions" else hypothesis if self._shows == "hypotheses" else None
        label = bool(label(shown) if callable(label) else label)
        self.run.learn(point, label)
        return point, label, predicted, shown

    def release(self, examples: NDArray[np.int64]) -> tuple[Any, ...]:
        """Play all rounds of examples that do not react, and return their points, labels and predictions."""
        points, labels = examples[:, 0], examples[:, 1].astype(bool)
        if len(points):
            self._check(points.min(), points.max())
        return points, labels, self.run.play(points, labels)

    def _check(self, lowest: int, highest: int) -> None:
        """Raise ValueError if a point is not in the domain."""
        if lowest < 0 or highest >= self._points:
            wrong = lowest if lowest < 0 else highest
            raise ValueError(f"asked for point {wrong}; this game has 0 … {self._points - 1}")


class NamedPoints(Planned):
    """An adversary that names sites: a skipped step is no round."""

    def move(self, view: LearnerView) -> Example:
        point = super().move(view)
        return (None if point == SKIP else point), point == 0

    def stretches(self, view: LearnerView) -> Iterator[NDArray[np.int64]]:
        """Yield all examples at once, rows of point and label."""
        points = np.concatenate([np.empty(0, dtype=np.int64), *super().stretches(view)])
        named = points[points != SKIP]
        yield np.column_stack((named, named == 0))


class Rehearsed(Examiner):
    """Examples recorded in a separate game, for a replay: rows of point and label."""

    kind = Replay.kind
    source = Replay.source
    oblivious = True

    def __init__(self, examples: NDArray[np.int64]) -> None:
        self._examples = examples

    def plan(self, view: View) -> None:
        """Name no sites: the examples are given."""

    def stretches(self, view: LearnerView) -> Iterator[NDArray[np.int64]]:
        yield self._examples


def shown_of(learner: Any, sees: str | None) -> str:
    """Return the data shown to an adversary with power `sees`; outputs, or None, is all that the learner reveals.

    Raises
    ------
    ValueError
        There is no such power, or the learner reveals less.
    """
    if sees in (None, "outputs"):
        return str(learner.reveals)
    if sees not in SHOWN:
        raise ValueError(f"sees must be one of outputs, {', '.join(SHOWN)}; got {sees!r}")
    if SHOWN.index(sees) < SHOWN.index(learner.reveals):
        raise ValueError(f"sees must be predictions or nothing: {learner.kind} reveals {learner.reveals} only")
    return sees


FACTS = ("flag", "flag1_at", "flag2_at", "flag3_at", "fired_at", "placed", "escape", "direct", "least_mass")
"""Facts of learners and adversaries after the game; empty where they do not apply."""


class MistakesReferee(Referee[Any, Any]):
    """Counts the mistakes.

    Attributes
    ----------
    points, labels, predicted
        Of all rounds so far.
    """

    def __init__(self, learner: Learner, domain: int) -> None:
        self._limit, self._domain = learner.limit, domain
        self.points: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self.labels = self.predicted = np.empty(0, dtype=bool)

    def judge(self, moves: Any, answers: Any) -> None:
        """Take rounds as the learner returned them: point, label and prediction of each, or an array of each."""
        if isinstance(answers, list):
            rounds = [played[:3] for played in answers if played is not None]
            answers = np.array(rounds, dtype=np.int64).reshape(-1, 3).T
        points, labels, predicted = answers
        self.points = np.concatenate((self.points, points))
        self.labels = np.concatenate((self.labels, labels.astype(bool)))
        self.predicted = np.concatenate((self.predicted, predicted.astype(bool)))

    def row(self) -> Row:
        """Return the columns."""
        wrong = self.predicted != self.labels
        mistakes, consistent = int(wrong.sum()), explained(self.points, self.labels, self._domain)
        limit = None if self._limit is None else self._limit.mistakes
        return {
            "items": len(wrong),
            "mistakes": mistakes,
            "ones": int(self.labels.sum()),
            "false_ones": int((wrong & ~self.labels).sum()),
            "consistent": consistent,
            "limit": limit,
            "output_changes": int(np.count_nonzero(np.diff(self.predicted, prepend=False))),
            "verdict": kept(mistakes <= limit) if limit is not None and consistent and len(wrong) else "undecided",
        }

    def timeline(self) -> Columns:
        """Return round, labels 1 so far and mistakes so far, at some 200 checkpoints."""
        rounds = len(self.points)
        marks = np.array(checkpoints(0, rounds, down=True) if rounds else [], dtype=np.int64)
        blank = [None] * len(marks)
        return {
            "step": marks.tolist(),
            "items": np.cumsum(self.labels)[marks - 1].tolist(),
            "output": np.cumsum(self.predicted != self.labels)[marks - 1].tolist(),
            **dict.fromkeys(("rel_error", "messages", "words"), blank),
        }


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


class Prediction(Duel[Learner, Any]):
    """Online learning of point functions. A learner reveals hypotheses, or only its predictions; mistakes are the cost.

    Columns: `mistakes`; `ones`, the labels 1; `false_ones`, mistakes on labels 0; `consistent`, whether some point
    function explains all labels; `limit`, the learner's bound in that case. Of the predictor: `flag` at the end, and
    `flag1_at`, `flag2_at`, `flag3_at`, the rounds in which it was set. Of `private-proper`: `fired_at`. Of an adversary
    that constructs its examples: `placed`, the ones that it inserted; `escape`, the probability, as summed by the
    construction, that the learner shows their point before the last of them; `direct`, the same on the finished
    examples; `least_mass`, the learner's least mass at a point in its phase.
    """

    kind: ClassVar[str] = "prediction"
    labels: ClassVar = {"flag1_at": "round in which flag 1 is set", "flag2_at": "flag 2", "flag3_at": "flag 3"}
    rules: ClassVar[int] = 2
    roles: ClassVar[Sequence[str]] = ("learner", "adversary", "challenge")
    takes: ClassVar[tuple[type[object], ...]] = (Learner,)
    options: ClassVar[Sequence[str]] = ("sees",)
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValueError,)
    sizes: ClassVar[Sequence[Size]] = (
        Size("points", "sites", "Points of the domain; one more than rounds if left out.", least=2),
        Size("steps", "items", "Rounds.", needed=True),
    )
    columns: ClassVar[Sequence[str]] = ("mistakes", "ones", "false_ones", "consistent", "limit", *FACTS)
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which the mistakes stayed within the limit, of those in which the learner promises one"),
        Answer("mistakes", "rounds in which the learner predicted the wrong label", "mistakes", rank=0),
        Answer("most mistakes", "most mistakes of a game", "mistakes", "largest"),
        Answer("limit", "mistakes that the learner promises not to exceed on these labels", "limit"),
        Answer("ones", "labels 1", "ones", rank=2),
        Answer("false ones", "mistakes on labels 0", "false_ones", rank=2),
        Answer("placed", "ones that the adversary inserted", "placed", rank=2),
        Answer("escape", "probability that the learner shows their point in time, as constructed", "escape"),
        Answer("direct", "the same probability on the finished examples", "direct", rank=3),
    )

    def sized(self, sizes: Sizes) -> Sizes:
        points = sizes["steps"] + 1 if sizes["points"] is None else sizes["points"]
        return {"sees": None, **sizes, "points": points}

    def fits(self, mechanism: Learner, adversary: Adversary, sizes: Sizes) -> None:
        inner = original(adversary) if isinstance(adversary, Replay) else adversary
        if isinstance(inner, Constructed) and mechanism.reveals != "hypotheses":
            revealed = f"{mechanism.kind} reveals {mechanism.reveals}"
            reason = f"{inner.kind} needs a learner that reveals hypotheses; {revealed}"
            raise PointError(("adversary", "kind"), reason)
        if isinstance(inner, Constructed) and sizes["steps"] < inner.fewest_steps:
            reason = f"must be at least {inner.fewest_steps} for {inner.kind}; got {sizes['steps']}"
            raise PointError(("items",), reason)
        if isinstance(inner, Insertion) and sizes["points"] < (least := fewest_points(sizes["steps"])):
            reason = f"must be at least {least:,} for {sizes['steps']:,} steps of {inner.kind}; got {sizes['points']:,}"
            raise PointError(("sites",), reason)
        if registered("adversary", type(inner)) and not inner.oblivious and self.kind not in inner.plays:
            reason = (
                f"{inner.kind} reacts to outputs that are numbers; those of a learner are none (task count has some)"
            )
            raise PointError(("adversary", "kind"), reason)
        try:
            shown_of(mechanism, sizes["sees"])
        except ValueError as error:
            raise PointError(("adversary", "sees"), str(error).removeprefix("sees ")) from error
        for name, least in (("points", sizes["points"]), ("horizon", sizes["steps"])):
            given = getattr(mechanism, name, least)
            if given < least:
                raise PointError(("protocol", name), f"must be at least {least:,}, as the game has; got {given:,}")

    def begin(self, mechanism: Learner, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        points, steps, shows = sizes["points"], sizes["steps"], shown_of(mechanism, sizes["sees"])
        facts = {"sites": points, "items": steps, "known": known(mechanism), "rng": rngs["adversary"]}
        view = LearnerView(algorithm=mechanism, shows=shows, **facts)
        coin = rngs["challenge"]
        opponent = adversary if isinstance(adversary, Examiner) else NamedPoints(adversary, view, coin)
        rounds = Rounds(mechanism, rngs["learner"], shows, points)
        return Sides(rounds, opponent, MistakesReferee(mechanism, points), view, steps)

    def match(self, mechanism: Learner, adversary: Adversary, sizes: Sizes, *, seed: int, arrays: bool) -> Sides:
        if isinstance(adversary, Replay):
            tree = np.random.SeedSequence(seed, spawn_key=(BRANCH,))
            other = int(tree.generate_state(1, np.uint64)[0] >> np.uint64(1))
            rehearsal: Any = super().match(mechanism, original(adversary), sizes, seed=other, arrays=False).referee
            adversary = Rehearsed(np.column_stack((rehearsal.points, rehearsal.labels)))
        return super().match(mechanism, adversary, sizes, seed=seed, arrays=arrays)

    def finish(self, sides: Sides) -> Row:
        run: Any = sides.run
        referee: Any = sides.referee
        facts = dict(run.run.facts())
        case = getattr(sides.opponent, "construction", None)
        if case is not None:
            facts |= {"placed": len(case.ones), "escape": case.escape, "direct": case.direct}
            if case.least_mass == case.least_mass:
                facts["least_mass"] = case.least_mass
        if "flag" in facts:  # needed by the figure of flags
            referee.series = referee.timeline()
        return {**referee.row(), **{name: facts.get(name) for name in FACTS}}

    def sides(self, point: Point) -> tuple[Any, Any]:
        return self.mechanism_of(point), made_for_task(point)

    def sizes_of(self, point: Point) -> Sizes:
        granted = point.adversary.arguments.get("sees")
        return {**super().sizes_of(point), "sees": None if granted is None else str(granted)}

    def demand(self, point: Point) -> Demand:
        sizes = self.sizes_of(point)
        memory = 8e7 + 60.0 * sizes["steps"] + 24.0 * sizes["points"]
        slowness = getattr(point.protocol.maker(), "slowness", 1.0)
        rate = 4e6 if adversary_of(point).oblivious else 1.5e5  # one that reacts is asked in each round
        return Demand(seconds=sizes["steps"] * slowness / rate, memory=memory)
