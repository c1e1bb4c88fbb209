"""The tasks `second-moment`, `distinct-count` and `frequency`: a sketch of a stream against an adversary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from disttrack.adversaries.sketching import Attacker
from disttrack.mechanisms.sketches import Goal, Sketch
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.answers import OVER_ALPHA, Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual.clocked_points import only_usual
from disttrack.simulator.tasks.sizes import Size
from disttrack.simulator.tasks.sketching.game import play_sketch
from disttrack.simulator.tasks.sketching.truth import Norm

UPDATES = Size("updates", "items", "Updates of the stream at most.", needed=True)


class Sketching(Task):
    """Common parts of the tasks of sketches, which differ in the quantity estimated.

    Columns: `total_rows` are the rows of all copies, `built_for` the planned changes of the output (or rounds) of a
    robust form, `exhausted_at` the update at which it had used them up, `held` whether it was right until then, and
    `fell_after` the updates from then to its first failure. `least_ratio`, `most_ratio` and `last_ratio` are ratios of
    the estimate to the truth; `half_at` is the first update after which the estimate was below half of the truth.
    `made` is the number of updates, and `touched` of different items among them. `words` is the memory.
    """

    goal: ClassVar[Goal]
    rules: ClassVar[int] = 2
    sizes: ClassVar[Sequence[Size]] = (UPDATES,)
    columns: ClassVar[Sequence[str]] = (
        "total_rows", "built_for", "exhausted_at", "held", "fell_after",
        "least_ratio", "most_ratio", "last_ratio", "half_at", "made", "touched",
    )  # fmt: skip
    answers: ClassVar[Sequence[Answer]] = (
        held("games in which the estimate stayed within 1 ± alpha of the truth at every update"),
        OVER_ALPHA,
        Answer("least ratio", "least ratio of the estimate to the truth", "least_ratio", rank=0),
        Answer("most ratio", "largest ratio of the estimate to the truth", "most_ratio", rank=0),
        Answer("broken at", "first update at which the error exceeded alpha, where it did", "first_failure"),
        Answer("worn out at", "update at which a robust form had used up the changes it was built for", "exhausted_at"),
        Answer("words", "memory of the sketch", "words"),
    )
    families: ClassVar[Mapping[str, Family]] = {"protocol": "sketch", "adversary": "attacker"}

    def check(self, point: Point) -> None:
        only_usual(point)
        sketch, attacker = self._sides(point)
        if point.engine == "bulk" and (not attacker.oblivious or sketch.built_for is not None):
            raise PointError(("engine",), "bulk plays plain sketches of streams that are fixed in advance only")

    def _sides(self, point: Point) -> tuple[Sketch, Attacker]:
        sketch = point.protocol.make()
        if not isinstance(sketch, Sketch) or sketch.goal != self.goal:
            reason = f"task {self.kind} takes a sketch for it; {point.protocol.label} is none"
            raise PointError(("protocol", "kind"), reason)
        return sketch, point.adversary.make()

    def norm(self, sketch: Sketch) -> Norm:
        """Return the norm for the relative error of a frequency."""
        return "two"

    def play(self, point: Point, seed: int) -> Record:
        sketch, attacker = self._sides(point)
        assert point.items is not None  # the key is needed, which the scenario has checked
        game = play_sketch(
            sketch, attacker, updates=point.items, norm=self.norm(sketch), seed=seed, engine=point.engine
        )
        row: dict[str, Any] = {name: getattr(game, name) for name in _OWN}
        row |= {
            "items": point.items,
            "made": game.items,
            "alpha": sketch.alpha,
            "words": sketch.words,
            "total_rows": sketch.total_rows,
        }
        row |= {"built_for": sketch.built_for, "ok": game.ok, "verdict": "ok" if game.ok else "failed"}
        if game.exhausted_at is not None and game.first_failure is not None and game.held:
            row["fell_after"] = game.first_failure - game.exhausted_at
        reason = "a stream that is fixed in advance" if game.engine == "bulk" else "an update at a time"
        return Record(row=row, series=game.series, engine_reason=reason)

    def demand(self, point: Point) -> Demand:
        rows = self._sides(point)[0].active_rows
        each = 2 + (rows / 1000 if self.goal == "second-moment" else 0)
        return Demand(seconds=(point.items or 0) * each / 100_000, memory=2e8 + 16.0 * rows)


_OWN = (
    "max_rel_error", "first_failure", "failing_fraction", "output_changes", "least_ratio", "most_ratio",
    "last_ratio", "half_at", "touched", "exhausted_at", "held", "engine", "seconds",
)  # fmt: skip


class SecondMomentTask(Sketching):
    """The second moment of a turnstile stream, under an adversary that sees every estimate."""

    kind: ClassVar[str] = "second-moment"
    rules: ClassVar[int] = 2
    goal: ClassVar[Goal] = "second-moment"


class DistinctCount(Sketching):
    """The number of distinct items of a stream; the adversary may begin new streams under the same hash functions."""

    kind: ClassVar[str] = "distinct-count"
    goal: ClassVar[Goal] = "distinct"


class FrequencyTask(Sketching):
    """The frequency of one item, number 0; errors are relative to the 1-norm for count-min, to the 2-norm otherwise."""

    kind: ClassVar[str] = "frequency"
    goal: ClassVar[Goal] = "frequency"

    def norm(self, sketch: Sketch) -> Norm:
        inner = getattr(sketch, "inner", sketch)
        return "one" if inner.kind.endswith("count-min") else "two"
