"""The task `mirror`: repeat the ones of a stream, late but seldom wrong, so that no single one of them is revealed."""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from disttrack.adversaries.base import Adversary
from disttrack.mechanisms.prediction import JdpMirror
from disttrack.mechanisms.prediction.mirror import mirror_mistakes
from disttrack.simulator.game.streams import streams
from disttrack.simulator.points.point import Point, PointError
from disttrack.simulator.points.registry import Family
from disttrack.simulator.tasks.adversary import adversary_of
from disttrack.simulator.tasks.answers import Answer, held
from disttrack.simulator.tasks.base import Demand, Record, Task
from disttrack.simulator.tasks.continual import clocked_points
from disttrack.simulator.tasks.continual.stream import stretches
from disttrack.simulator.tasks.sizes import Size

ROLES = ("", "mechanism", "adversary")
"""Random streams: the mirror's coins, and the adversary's moves."""


@dataclass(frozen=True)
class MirrorGame:
    """One game of a mirror.

    Attributes
    ----------
    items, ones
        Steps, and ones among them.
    mistakes
        Ones after the first K with the answer bottom.
    first_top
        The number of the first one with the answer top, None if there is none.
    allowed
        Whether no zero, and none of the first K ones, had the answer top, and there were at most 2L mistakes.
    """

    items: int
    ones: int
    mistakes: int
    first_top: int | None
    allowed: bool
    seconds: float = 0.0


def play_mirror(mirror: JdpMirror, adversary: Adversary, *, steps: int, seed: int = 0) -> MirrorGame:
    """Play one game of a mirror and return its outcome.

    Parameters
    ----------
    mirror
        The mirror.
    adversary
        Sends the ones: items of site 0. It must not react. It is copied.
    steps
        Steps of the clock.
    seed
        Root of all random streams of the game.

    Examples
    --------
    >>> from disttrack.adversaries import RoundRobin
    >>> play_mirror(JdpMirror(epsilon=1.0, delay=5), RoundRobin(), steps=100).allowed
    True
    """
    begun = time.perf_counter()
    rngs = streams(seed, ROLES)
    view = clocked_points.ContinualView(sites=1, items=steps, known=clocked_points.known(mirror), rng=rngs["adversary"])
    run = mirror.start(rngs["mechanism"])
    answers, on_zeros = [], 0
    for items in stretches(copy.deepcopy(adversary), view, steps):
        bits = items > 0
        answered = run.release(bits)
        on_zeros += int(np.count_nonzero(answered & ~bits))
        answers.append(answered[bits])
    on_ones = np.concatenate([np.empty(0, dtype=bool), *answers])
    mistakes = mirror_mistakes(len(on_ones), mirror.delay, on_ones)
    allowed = not on_zeros and not on_ones[: mirror.delay].any() and mistakes <= mirror.length
    return MirrorGame(steps, len(on_ones), mistakes, run.first_top, bool(allowed), time.perf_counter() - begun)


class Mirror(Task):
    """The mirror problem.

    Columns: `mistakes`, ones after the first K (`delay`) with the answer bottom, out of `ones`; `first_top`,
    the number of the first one with the answer top; `length`, 2L; `expected_mistakes`, L if the whole climb was
    passed; `claimed` and `claimed_delta`, the claimed joint privacy; `exact_delta`, the least delta at that
    epsilon by exact composition; `largest_step`, the largest loss of a step of the climb, and `uneven`, the largest
    asymmetry of pi.
    """

    kind: ClassVar[str] = "mirror"
    rules: ClassVar[int] = 1
    sizes: ClassVar[Sequence[Size]] = (clocked_points.STEPS,)
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
    families: ClassVar[Mapping[str, Family]] = {"protocol": "mechanism", "adversary": "adversary"}

    def check(self, point: Point) -> None:
        clocked_points.only_usual(point)
        clocked_points.mechanism_of(point, JdpMirror)
        if not adversary_of(point).oblivious:
            raise PointError(("adversary", "kind"), "must be one that does not react, in task mirror")

    def play(self, point: Point, seed: int) -> Record:
        mirror: JdpMirror = clocked_points.mechanism_of(point, JdpMirror)
        game = play_mirror(mirror, adversary_of(point), steps=clocked_points.steps_of(point), seed=seed)
        row: dict[str, Any] = {
            name: getattr(game, name) for name in ("items", "ones", "mistakes", "first_top", "seconds")
        }
        row |= {"sites": 1, "engine": "bulk", "ok": game.allowed, "verdict": "ok" if game.allowed else "failed"}
        chances = mirror.steps.chances
        row |= {
            "delay": mirror.delay,
            "length": mirror.length,
            "expected_mistakes": mirror.expected_mistakes,
            "claimed": mirror.epsilon,
            "claimed_delta": mirror.delta,
            "exact_delta": mirror.exact_delta,
            "largest_step": mirror.steps.largest_step,
            "uneven": float(np.abs(chances + chances[::-1] - 1).max()),
        }
        return Record(row=row, engine_reason="a mirror answers each one by a coin of its own")

    def demand(self, point: Point) -> Demand:
        return Demand(seconds=clocked_points.steps_of(point) / 560_000)
