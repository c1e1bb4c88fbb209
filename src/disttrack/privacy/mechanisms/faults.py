"""Faults of mechanisms on private data: a test with other noise, coins of another delta, answers that are all 0."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from disttrack.mechanisms.above_threshold import AboveThreshold
from disttrack.mechanisms.faults import FaultyPart, OtherPromise


class QuieterTest(FaultyPart):
    """A monitor that computes its chances by a test: the test has less noise, and the same threshold."""

    noise_share: ClassVar[float]

    def test(self) -> Any:
        mechanism: Any = super()
        test = mechanism.test()
        return AboveThreshold(test.epsilon / self.noise_share, test.threshold)


class NoTestNoise(QuieterTest):
    """The noise of the test has a billionth of its scale, and its threshold stays the same."""

    noise_share = 1e-9  # its scale must be above 0


class HalfTestNoise(QuieterTest):
    """The noise of the test has half of its scale, and its threshold stays the same."""

    noise_share = 0.5


class TenfoldTestNoise(QuieterTest):
    """The noise of the test has ten times its scale, and its threshold stays the same."""

    noise_share = 10.0


TESTED: Final[Mapping[str, type[FaultyPart]]] = {
    "no-noise": NoTestNoise,
    "half-noise": HalfTestNoise,
    "tenfold-noise": TenfoldTestNoise,
}
"""The faults of a monitor that computes its chances by a test."""


class TwiceDelta(OtherPromise):
    """Private coins are tossed with twice the promised delta, and at most 0.999."""

    noise_promise = "delta"
    times = 2.0
    most_promised = 0.999


class AnswersZero(FaultyPart):
    """All answers on a data set are 0, whatever its contents."""

    def start(self, *given: object, **more: object) -> Any:
        mechanism: Any = super()
        run = mechanism.start(*given, **more)
        take = run.step

        def step(code: int) -> Any:
            news = take(code)
            run.answers = 0 * run.answers
            return news

        run.step = step
        return run
