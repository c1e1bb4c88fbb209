"""The tasks `second-moment`, `distinct-count`, `frequency`, `resettable-sum`: a sketch against an adversary."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar, Final

import numpy as np

from disttrack.privacy.adversaries.sketching import rules
from disttrack.privacy.adversaries.sketching.attacks import AmsAttack
from disttrack.privacy.adversaries.sketching.base import STRETCH, Attacker, StreamView, Stretching
from disttrack.privacy.adversaries.sketching.rules import Rule
from disttrack.privacy.mechanisms.sketches import kernel
from disttrack.privacy.mechanisms.sketches.base import RESET, Goal, Move, Sketch, SketchRun
from disttrack.privacy.tasks.sketching import truth
from disttrack.privacy.tasks.sketching.truth import Norm, Truth, UpdateReferee, follow_moves
from disttrack.simulator.game.engine_choice import UncompiledError
from disttrack.simulator.game.engines.compiled import functions_in_time
from disttrack.simulator.game.reference import own_code
from disttrack.simulator.game.tasks.answers import OVER_ALPHA, Answer, held
from disttrack.simulator.game.tasks.base import COST, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import Duel, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Run, Sides
from disttrack.simulator.kinds.point import Point

_MOST: Final = 2**63
"""Items are below it: sketches hash them as 64 bits."""
EACH: Final = 5e-6
"""Seconds of an update without compiled functions."""
HEARING: Final = (Stretching, AmsAttack)
"""Attackers whose moves between two looks at the estimates are made at once."""


class Moves(Run):
    """A run that takes moves only, and notes when a robust form has used up its budget of changes."""

    def __init__(self, run: SketchRun, goal: Goal, truth: Truth, seconds: float) -> None:
        self._run, self._truth, self._seconds = run, truth, seconds
        self._resets = goal == "sum"
        self._form: Any = None
        self._by: Callable[..., int] | None = None
        self._reacts: Callable[..., int] | None = None
        self._steps = 0
        self.exhausted_at: int | None = None

    def step(self, move: Move) -> float:
        """Make a move.

        Raises
        ------
        ValueError
            It is no move.
        """
        run, (item, change) = self._run, move
        if change.__class__ is not int or not change or item.__class__ is not int or not 0 <= item < _MOST:
            self._check(move, "move")
        output = run.step(move)
        self._steps += 1
        if run.exhausted and self.exhausted_at is None:
            self.exhausted_at = self._steps
        return output

    def release(self, moves: Any) -> Any:
        """Make many moves, rows of item and change; ValueError if one of them is none."""
        whole = moves.dtype.kind == "i"
        if not whole or moves[:, 0].min(initial=0) < 0 or not (self._resets or moves[:, 1].all()):
            for move in moves.tolist():
                self._check(tuple(move), "stretch")
        if not self._steps and self._seconds:
            self._begin()
        self._steps += len(moves)
        moves = np.ascontiguousarray(moves, dtype=np.int64)
        if self._by is None:
            return self._run.release(moves)
        answers = self._form.release(self._by, moves)
        if len(answers) < len(moves):
            refused = tuple(moves[len(answers)].tolist())
            self._run.step(refused)  # raises the error of the sketch
            raise ValueError(f"stretches() returned {refused}; accepted: changes of at most {kernel.MOST:,}")
        return answers

    def follow(self, stretch: Any, most: int) -> tuple[Any, Any] | None:
        """Make the first moves of a stretch; those of a `Rule` are made by compiled functions, or not at all."""
        if not isinstance(stretch, Rule):
            return stretch[:most], self.release(stretch[:most])
        if not self._steps and self._seconds:
            self._begin(stretch)
        if self._reacts is None:
            return None
        moves = np.zeros((min(most, STRETCH), 2), dtype=np.int64)
        made, answers = self._form.react(self._reacts, moves, stretch.arrays(len(moves)))
        if made < len(moves) and not stretch.over:
            refused = tuple(moves[made].tolist())
            raise ValueError(f"rule() chose {refused}; accepted: changes of at most {kernel.MOST:,}")
        self._steps += made
        return moves[:made], answers[:made]

    def _begin(self, rule: Rule | None = None) -> None:
        """Take the compiled forms of the sketch and of the truth, where they are at hand in time."""
        with suppress(UncompiledError):
            self._truth.by = functions_in_time(follow_moves, truth.types, {}, self._seconds)
            self._form = self._run.form()
            if self._form is None:
                return
            if rule is None and type(self._run).release is SketchRun.release:
                self._by = functions_in_time(self._form.kernel, kernel.types, {}, self._seconds)
            elif rule is not None:
                parts = {"choose": rule.choose, "answer": self._form.kernel}
                self._reacts = functions_in_time(rules.react, rules.types, parts, self._seconds)

    def _check(self, move: Move, method: str) -> None:
        """Raise ValueError unless a method of the adversary has returned a move."""
        item, change = move
        wrong = not (change or self._resets)
        whole = item.__class__ is int and change.__class__ is int
        if move != RESET and (not whole or wrong or not 0 <= item < _MOST):
            changes = "a change" if self._resets else "a change that is not 0"
            accepted = f"accepted: an item from 0 to 2^63 - 1 and {changes}, both whole numbers; RESET; None"
            raise ValueError(f"{method}() returned {move!r}; {accepted}")


class Sketching(Duel[Sketch, Attacker]):
    """Common parts of the tasks of sketches, which differ in the quantity estimated.

    Columns: `total_rows` are the rows of all copies, `built_for` the planned changes of the output (or rounds) of a
    robust form, `exhausted_at` the update at which it had used them up, `held` whether it was right until then, and
    `fell_after` the updates from then to its first failure. `least_ratio`, `most_ratio` and `last_ratio` are ratios of
    the estimate to the truth; `half_at` is the first update after which the estimate was below half of the truth.
    `made` is the number of updates, and `touched` of different items among them. `words` is the memory.
    """

    goal: ClassVar[Goal]
    labels: ClassVar = {"touched": "different items", "last_ratio": "estimate over truth at the last update"}
    axes: ClassVar = {"rows": "rows of the sketch, t"}
    rules: ClassVar[int] = 2
    empty: ClassVar = (*(name for name in COST if name != "words"), "kinds.csv")
    roles: ClassVar[Sequence[str]] = ("sketch", "adversary")
    takes: ClassVar[tuple[type[object], ...]] = (Sketch,)
    wanted: ClassVar[str] = "sketch for it"
    refusals: ClassVar[tuple[type[Exception], ...]] = (ValueError, NotImplementedError)
    sizes: ClassVar[Sequence[Size]] = (Size("updates", "items", "Updates of the stream at most.", needed=True),)
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
    bases: ClassVar[Mapping[str, str]] = {
        "protocol": "disttrack.privacy.mechanisms.sketches.base:Sketch",
        "adversary": "disttrack.privacy.adversaries.sketching.base:Attacker",
    }

    @classmethod
    def meant_for(cls, maker: type) -> bool:
        return super().meant_for(maker) and cls.goal in getattr(maker, "goals", [getattr(maker, "goal", None)])

    def accepts(self, mechanism: object) -> bool:
        return isinstance(mechanism, Sketch) and mechanism.goal == self.goal

    def obstacle(self, mechanism: Sketch, adversary: Attacker) -> str:
        reason = "a robust form is asked after each update" if mechanism.built_for is not None else ""
        return super().obstacle(mechanism, adversary) or reason

    def begin(self, mechanism: Sketch, adversary: Attacker, sizes: Sizes, rngs: Rngs) -> Sides:
        updates = sizes["updates"]
        view = StreamView(updates=updates, rng=rngs["adversary"], known=known(mechanism))
        norm: Norm = "one" if getattr(mechanism, "inner", mechanism).kind.endswith("count-min") else "two"
        exact = Truth(mechanism.goal, norm)
        referee = UpdateReferee(mechanism, exact, updates)
        # by classes of the user's, numbers may be larger than 64 bits
        seconds = 0.0 if own_code(mechanism) or own_code(adversary) else updates * EACH
        run = Moves(mechanism.start(rngs["sketch"]), mechanism.goal, exact, seconds)
        return Sides(run, adversary, referee, view, updates, hears=isinstance(adversary, HEARING))

    def in_stretches(self, mechanism: Sketch, adversary: Attacker) -> bool:
        shipped = not (own_code(mechanism) or own_code(adversary))
        return shipped and isinstance(adversary, HEARING) and mechanism.built_for is None

    def finish(self, sides: Sides) -> Row:
        assert isinstance(sides.run, Moves)
        row, worn = sides.referee.row(), sides.run.exhausted_at
        failed = row["first_failure"]
        row["held"] = failed is None or (worn is not None and failed > worn)
        if worn is not None and failed is not None and row["held"]:
            row["fell_after"] = failed - worn
        return {**row, "exhausted_at": worn}

    def demand(self, point: Point) -> Demand:
        rows = self.mechanism_of(point).active_rows
        each = 1 + rows / 2000 if self.goal == "second-moment" else 2 if self.goal == "frequency" else 1
        return Demand(seconds=(point.items or 0) * each / 160_000, memory=2e8 + 16.0 * rows)


class SecondMomentTask(Sketching):
    """The second moment of a turnstile stream, under an adversary that sees every estimate."""

    kind: ClassVar[str] = "second-moment"
    goal: ClassVar[Goal] = "second-moment"


class DistinctCount(Sketching):
    """The number of distinct items of a stream; the adversary may begin new streams under the same hash functions."""

    kind: ClassVar[str] = "distinct-count"
    rules: ClassVar[int] = 3  # hyperloglog has another estimate
    goal: ClassVar[Goal] = "distinct"


class FrequencyTask(Sketching):
    """The frequency of one item, number 0; errors are relative to the 1-norm for count-min, to the 2-norm otherwise."""

    kind: ClassVar[str] = "frequency"
    goal: ClassVar[Goal] = "frequency"


class ResettableSum(Sketching):
    """The sum of counters, which are incremented or reset to 0; errors are relative to the largest sum so far."""

    kind: ClassVar[str] = "resettable-sum"
    goal: ClassVar[Goal] = "sum"
