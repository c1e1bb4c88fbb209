"""The task `mirror`, repeat ones late so that none is revealed; and `joint-privacy`, its exact loss on short inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary, Opponent, View
from disttrack.privacy.mechanisms.prediction.enumeration import joint_delta, mirror_law, predictor_law
from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror, MirrorRun, mirror_mistakes
from disttrack.privacy.mechanisms.prediction.predictor import PointPredictor
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.simulator.game.engine_choice import ARRAYS
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import STEPS, Duel, MechanismGame, Rngs, Sizes, known
from disttrack.simulator.game.tasks.loop import Referee, Sides, kept
from disttrack.simulator.kinds.point import Point, PointError

Bits = NDArray[np.bool_]


class MirrorReferee(Referee[Bits, Bits]):
    """Compares the answers on ones and zeros with those allowed: at most 2L mistakes, no top at the first K ones."""

    def __init__(self, mirror: JdpMirror, run: MirrorRun) -> None:
        self._mirror = mirror
        self._run = run
        self._false_tops = 0
        self._on_ones: list[Bits] = [np.empty(0, dtype=bool)]

    def judge(self, moves: Bits, answers: Bits) -> None:
        """Take bits and the answers on them."""
        self._false_tops += int(np.count_nonzero(answers & ~moves))
        self._on_ones.append(answers[moves])

    def row(self) -> Row:
        """Return the columns."""
        mirror, on_ones = self._mirror, np.concatenate(self._on_ones)
        mistakes, chances = mirror_mistakes(len(on_ones), mirror.delay, on_ones), mirror.steps.chances
        early = self._false_tops or on_ones[: mirror.delay].any()
        return {
            "mistakes": mistakes,
            "sites": 1,
            "ones": len(on_ones),
            "first_top": self._run.first_top,
            "delay": mirror.delay,
            "length": mirror.length,
            "expected_mistakes": mirror.expected_mistakes,
            "claimed": mirror.epsilon,
            "claimed_delta": mirror.delta,
            "exact_delta": mirror.exact_delta,
            "largest_step": mirror.steps.largest_step,
            "uneven": float(np.abs(chances + chances[::-1] - 1).max()),
            "verdict": kept(not early and mistakes <= mirror.length),
        }


class Mirror(Duel[JdpMirror, Adversary]):
    """The mirror problem.

    Columns: `mistakes`, ones after the first K (`delay`) with the answer bottom, out of `ones`; `first_top`,
    the number of the first one with the answer top; `length`, 2L; `expected_mistakes`, L if the whole climb was
    passed; `claimed` and `claimed_delta`, the claimed joint privacy; `exact_delta`, the least delta at that
    epsilon by exact composition; `largest_step`, the largest loss of a step of the climb, and `uneven`, the largest
    asymmetry of pi.
    """

    kind: ClassVar[str] = "mirror"
    labels: ClassVar = {"exact_delta": "delta"}
    rules: ClassVar[int] = 1
    takes: ClassVar[tuple[type[object], ...]] = (JdpMirror,)
    engines: ClassVar[Sequence[str]] = (ARRAYS,)
    reason: ClassVar[str] = "a mirror answers each one by a coin of its own"
    sizes: ClassVar[Sequence[Size]] = (STEPS,)
    columns: ClassVar[Sequence[str]] = (
        *("mistakes", "ones", "first_top", "delay", "length", "expected_mistakes"),
        *("claimed", "claimed_delta", "exact_delta", "largest_step", "uneven"),
    )
    answers: ClassVar[Sequence[Answer]] = (
        held("games with no top at a zero or among the first K ones, and at most 2L mistakes"),
        Answer("mistakes", "ones after the first K that were answered with bottom", "mistakes", "mean", rank=0),
        Answer("expected", "mistakes expected of a game that goes on long enough, L", "expected_mistakes"),
        Answer("first top", "number of the first one that was answered with top", "first_top", rank=2),
        Answer("exact delta", "least delta at that epsilon, by exact composition", "exact_delta"),
    )

    def fits(self, mechanism: JdpMirror, adversary: Adversary, sizes: Sizes) -> None:
        if not adversary.oblivious:
            raise PointError(("adversary", "kind"), "must be oblivious in task mirror")

    def begin(self, mechanism: JdpMirror, adversary: Adversary, sizes: Sizes, rngs: Rngs) -> Sides:
        steps = sizes["steps"]
        view = View(sites=1, items=steps, known=known(mechanism), rng=rngs["adversary"])
        ones = Planned(adversary, view, form=lambda site: site != SKIP)
        run = mechanism.start(rngs["mechanism"])
        return Sides(run, ones, MirrorReferee(mechanism, run), view, steps)

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=self.sizes_of(point)["steps"] / 4_000_000)


LETTERS: Final = {JdpMirror: 2, PointPredictor: 3}
"""Possible examples of a step: a bit; or one of two points, the first with either label, the second with label 0."""
MOST: Final = {JdpMirror: 12, PointPredictor: 9}
"""Maximum number of steps: there are letters^steps inputs, with 2^steps outputs each."""


@lru_cache(maxsize=64)
def enumerated(mechanism: JdpMirror | PointPredictor, steps: int) -> float:
    """Return the least delta for a mechanism's epsilon on inputs of `steps` steps."""
    law = mirror_law(mechanism) if isinstance(mechanism, JdpMirror) else predictor_law(mechanism)
    return joint_delta(law, LETTERS[type(mechanism)], steps, mechanism.epsilon)


class JointPrivacy(MechanismGame[JdpMirror | PointPredictor, Opponent]):
    """Joint privacy by enumeration: all inputs of a number of steps, all outputs, all changes of one step.

    The adversary is not used. Columns: `claimed` and `claimed_delta` are the claim, `exact_delta` is the least delta
    at that epsilon, without the output of the changed step; `exceeds` whether the claim is refuted.
    """

    kind: ClassVar[str] = "joint-privacy"
    labels: ClassVar = {"exact_delta": "delta"}
    rules: ClassVar[int] = 2
    roles: ClassVar[Sequence[str]] = ()
    takes: ClassVar[tuple[type[object], ...]] = tuple(MOST)
    reason: ClassVar[str] = "all inputs and outputs are enumerated"
    sizes: ClassVar[Sequence[Size]] = (
        replace(STEPS, says="Steps of an input: at most 12 bits for a mirror, 9 examples for a predictor."),
    )
    columns: ClassVar[Sequence[str]] = ("claimed", "claimed_delta", "exact_delta", "exceeds")
    answers: ClassVar[Sequence[Answer]] = (
        held("whether the exact delta is at most delta", "stands"),
        Answer("exact delta", "least delta at that epsilon, over all inputs and outputs", "exact_delta", rank=0),
    )
    idle: ClassVar[Sequence[str]] = ("adversary",)

    def fits(self, mechanism: JdpMirror | PointPredictor, adversary: Opponent, sizes: Sizes) -> None:
        most, steps = MOST[type(mechanism)], sizes["steps"]
        if steps > most:
            raise PointError(("steps",), f"must be at most {most} for {mechanism.kind}; got {steps}")

    def result(
        self, mechanism: JdpMirror | PointPredictor, adversary: Opponent, sizes: Sizes, *, seed: int, arrays: bool
    ) -> tuple[Row, Columns]:
        exact = enumerated(mechanism, sizes["steps"])
        exceeds = exact > mechanism.delta * (1 + 1e-9)
        row: Row = {"claimed": mechanism.epsilon, "claimed_delta": mechanism.delta, "exact_delta": exact}
        return {**row, "exceeds": exceeds, "verdict": kept(not exceeds)}, {}

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=1.4, memory=8e8)
