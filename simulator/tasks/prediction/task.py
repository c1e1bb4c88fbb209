"""The task `prediction`: online learners of point functions against adversaries that give examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from disttrack.adversaries import Replay
from disttrack.adversaries.base import Adversary
from disttrack.adversaries.prediction.constructed import Constructed
from disttrack.mechanisms.prediction import Learner
from disttrack.simulator.errors import MoveError, ScenarioError
from disttrack.simulator.game.rehearsal import original
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.answers import Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.prediction.examples import shown_of
from disttrack.simulator.tasks.prediction.game import check_fits, play_prediction
from disttrack.simulator.tasks.sizes import Size

FACTS = ("flag", "flag1_at", "flag2_at", "flag3_at", "fired_at", "placed", "escape", "direct", "least_mass")
"""Facts of learners and adversaries after the game; empty where they do not apply."""


class Prediction(Task):
    """Online learning of point functions. A learner reveals hypotheses, or only its predictions; mistakes are the cost.

    Columns: `mistakes`; `ones`, the labels 1; `false_ones`, mistakes on labels 0; `consistent`, whether some point
    function explains all labels; `limit`, the learner's bound in that case. Of the predictor: `flag` at the end, and
    `flag1_at`, `flag2_at`, `flag3_at`, the rounds in which it was set. Of `private-proper`: `fired_at`. Of an adversary
    that constructs its examples: `placed`, the ones that it inserted; `escape`, the probability, as summed by the
    construction, that the learner shows their point before the last of them; `direct`, the same on the finished
    examples; `least_mass`, the learner's least mass at a point in its phase.
    """

    kind: ClassVar[str] = "prediction"
    rules: ClassVar[int] = 2
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
        Answer("placed", "ones that the adversary put in", "placed", rank=2),
        Answer("escape", "probability that the learner shows their point in time, as constructed", "escape"),
        Answer("direct", "the same probability on the finished examples", "direct", rank=3),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        learner, adversary = self._learner(point), self._adversary(point)
        inner = original(adversary) if isinstance(adversary, Replay) else adversary
        if isinstance(inner, Constructed) and learner.reveals != "hypotheses":
            reason = f"{inner.kind} needs a learner that reveals hypotheses; {learner.kind} reveals {learner.reveals}"
            raise PointError(("adversary", "kind"), reason)
        if inner.sees != "outputs":
            reason = f"{inner.kind} needs to see the {inner.sees}; a learner shows outputs only"
            raise PointError(("adversary", "kind"), reason)
        try:
            shown_of(learner, self._sees(point))
        except ValueError as error:
            raise PointError(("adversary", "sees"), str(error).removeprefix("sees ")) from error
        try:
            check_fits(learner, self._domain(point), clocked_points.steps_of(point))
        except ValueError as error:
            name, _, rest = str(error).partition(" ")
            raise PointError(("protocol", name), rest) from error
        clocked_points.check_engine(point, adversary)

    def _domain(self, point: Point) -> int:
        return clocked_points.steps_of(point) + 1 if point.sites is None else point.sites

    def _learner(self, point: Point) -> Any:
        usual = {"points": self._domain(point), "horizon": clocked_points.steps_of(point)}
        return clocked_points.mechanism_of(point, Learner, **usual)

    def _adversary(self, point: Point) -> Adversary:
        made: Adversary = point.adversary.make(without=("sees",))
        return made

    def _sees(self, point: Point) -> str | None:
        granted = point.adversary.arguments.get("sees")
        return None if granted is None else str(granted)

    def play(self, point: Point, seed: int) -> Record:
        learner = self._learner(point)
        try:
            game = play_prediction(
                learner,
                self._adversary(point),
                points=self._domain(point),
                steps=clocked_points.steps_of(point),
                seed=seed,
                engine=point.engine,
                sees=self._sees(point),
            )
        except (MoveError, ValueError) as error:
            raise ScenarioError(f"{point.describe()}: {error}") from error
        own = ("items", "engine", "output_changes", "seconds", "mistakes", "ones", "false_ones", "consistent", "limit")
        row = {name: getattr(game, name) for name in own}
        row |= {name: game.facts.get(name) for name in FACTS}
        row |= {"sites": self._domain(point), "verdict": game.verdict, "ok": game.verdict == "ok"}
        series = {}
        if "flag" in game.facts:  # needed by the figure of flags
            blank = [None] * len(game.series["step"])
            series = {**game.series, **dict.fromkeys(("rel_error", "messages", "words"), blank)}
        return Record(row=row, series=series, engine_reason=game.engine_reason)

    def demand(self, point: Point) -> Demand:
        steps = clocked_points.steps_of(point)
        return Demand(seconds=steps / 1.5e6, memory=8e7 + 60.0 * steps + 24.0 * self._domain(point))
