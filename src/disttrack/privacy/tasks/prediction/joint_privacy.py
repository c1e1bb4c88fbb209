"""The task `joint-privacy`: the exact joint privacy of a mirror or a predictor on all short inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import ClassVar, Final

from disttrack.adversaries.base import Opponent
from disttrack.privacy.mechanisms.prediction import JdpMirror, PointPredictor
from disttrack.privacy.mechanisms.prediction.enumeration import joint_delta, mirror_law, predictor_law
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import Columns, Demand, Row, Size
from disttrack.simulator.game.tasks.duel import STEPS, MechanismGame, Sizes
from disttrack.simulator.game.tasks.loop import kept
from disttrack.simulator.kinds.point import Point, PointError

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
