"""The task `mirror`: repeat the ones of a stream, late but seldom wrong, so that no single one of them is revealed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from disttrack.adversaries.base import Adversary, View
from disttrack.privacy.mechanisms.prediction import JdpMirror
from disttrack.privacy.mechanisms.prediction.mirror import MirrorRun, mirror_mistakes
from disttrack.privacy.tasks.planned import SKIP, Planned
from disttrack.simulator.game.engine_choice import ARRAYS
from disttrack.simulator.game.tasks.answers import Answer, held
from disttrack.simulator.game.tasks.base import Demand, Row, Size
from disttrack.simulator.game.tasks.duel import STEPS, Duel, Rngs, Sizes, known
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
