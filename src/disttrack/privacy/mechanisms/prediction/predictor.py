"""The online predictor of point functions: joint privacy, and mistakes that do not grow with time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.noise import Laplace
from disttrack.privacy.mechanisms.prediction.base import ZERO, Labels, Learner, LearnerRun, Limit, Points
from disttrack.privacy.mechanisms.prediction.mirror import JdpMirror, Literally
from disttrack.privacy.mechanisms.prediction.proper import SparseHistogram

PARTS: Final = 3
"""Private parts that see the input: histogram, mirror, and the count of fakes."""
DELAYS: Final = 20
"""K over k, as published."""
WINDOWS: Final = 10
"""Occurrences examined for fakes, over k, as published."""


@dataclass(frozen=True)
class PointPredictor(Learner):
    """Predicts 0 until k labels 1 have come, chooses their point privately, and from then on mirrors its occurrences.

    Flag 0: predict 0. After the k-th label 1 a sparse histogram of the points with label 1 names x*, and a mirror with
    delay K takes all occurrences of x* so far; Flag 1 if it has answered bottom to all, else Flag 3. Flag 1:
    predict the mirror's answer to "is it x*?"; at its first top the labels 0 among the first occurrences of x* are
    counted, with noise. If there are too many, the flag is 3, else 2. Flag 2: predict the mirror's answer. Flag 3:
    predict 0.

    Parameters
    ----------
    epsilon, delta
        Joint privacy of everything: each of the three parts has a third.
    count
        k, labels 1 before the choice; None for the least that chooses an only point except with probability delta / 12.
    delay
        K; None for 20 k.
    window
        Occurrences of x* to examine for labels 0, at most K; None for 10 k.
    half
        L of the mirror; None for the least that is private.
    literal
        Part of the mirror's published listing to follow literally: nothing, start or probabilities.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Algorithm 3.
    The proof's "Flag = 0 in step C" is Flag 3.
    """

    kind = "point-predictor"
    error = "at most K + 2L mistakes, K + L on average, whatever T"
    arithmetic = "coins"
    reveals: ClassVar[Literal["hypotheses", "predictions"]] = "predictions"

    epsilon: Positive
    delta: Share = 0.01
    count: Whole | None = None
    delay: Whole | None = None
    window: Whole | None = None
    half: Whole | None = None
    literal: Literally = "nothing"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.looks > self.mirror.delay:
            raise ValueError(f"window must be at most the delay of {self.mirror.delay}; got {self.window!r}")

    @property
    def share(self) -> tuple[float, float]:
        """Epsilon and delta of each part."""
        return self.epsilon / PARTS, self.delta / PARTS

    @cached_property
    def histogram(self) -> SparseHistogram:
        """The choice of x*."""
        return SparseHistogram(*self.share)

    @cached_property
    def needed(self) -> int:
        """k, by default 1 + (4 / epsilon') ln(2 / delta') with the epsilon' and delta' of a part, rounded up."""
        return self.count or math.ceil(self.histogram.enough(self.share[1] / 4) - 1e-9)

    @cached_property
    def mirror(self) -> JdpMirror:
        """The mirror of the occurrences of x*."""
        return JdpMirror(*self.share, self.delay or DELAYS * self.needed, self.half, self.literal)

    @property
    def looks(self) -> int:
        """Occurrences examined for labels 0."""
        return self.window or WINDOWS * self.needed

    @property
    def noise(self) -> Laplace:
        """Noise of the count of fakes."""
        return Laplace(1 / self.share[0])

    @property
    def most_fakes(self) -> float:
        """Noisy count of fakes from which it sets Flag 3: ln(1 / delta') / epsilon'."""
        return math.log(1 / self.share[1]) / self.share[0]

    @property
    def limit(self) -> Limit:
        """K + 2L, unless the histogram chooses nothing or the noise alone looks like fakes."""
        failure = 1 - self.histogram.named(self.needed) + self.noise.tail(self.most_fakes)
        return Limit(self.mirror.delay + self.mirror.length, failure)

    def start(self, rng: np.random.Generator) -> PredictorRun:
        return PredictorRun(self, rng)


class PredictorRun(LearnerRun):
    """A running predictor; numbers and letters are those of the steps in Algorithm 3."""

    __slots__ = (
        "_counts", "_fakes", "_mirror", "_noise", "_past", "_rng", "_rules", "flag", "flagged", "point", "t",
    )  # fmt: skip

    def __init__(self, rules: PointPredictor, rng: np.random.Generator) -> None:
        self._rng, mirror, noise = rng.spawn(PARTS)
        self._rules = rules
        self._mirror = rules.mirror.start(mirror)  # 1
        self._noise = float(rules.noise.draw(noise, 1)[0])
        self._counts: Counter[int] = Counter()
        self._past: list[tuple[Points, Labels]] = []
        self._fakes: list[bool] = []
        """For the first occurrences of x*, whether the label was 0."""
        self.flag = 0  # 2
        self.flagged: dict[int, int] = {}
        """The round in which each flag was set."""
        self.point = ZERO
        """x*, once it is chosen."""
        self.t = 0
        """Rounds so far."""

    def predict(self, point: int) -> bool:
        if self.flag in (0, 3):  # 3(b)i and 3(d)
            return False
        top = self._mirror.step(point == self.point)  # 3(c)i
        if top and self.flag == 1:  # 3(c)ii: is x* a point that has label 1?
            fake = sum(self._fakes[: self._rules.looks]) + self._noise
            self._set(3 if fake >= self._rules.most_fakes else 2, self.t + 1)
        return top and self.flag == 2  # 3(c)ii and 3(c)iii

    def learn(self, point: int, label: bool) -> None:
        self.t += 1
        if self.flag == 0:
            self._note(np.array([point]), np.array([label]))
        elif self.flag == 1 and point == self.point:
            self._fakes.append(not label)

    def _note(self, points: Points, labels: Labels) -> None:
        """Take examples under Flag 0, up to the k-th label 1, and choose x* with it."""
        self._past.append((points, labels))
        self._counts.update(points[labels].tolist())  # 3(b)ii
        if self._counts.total() < self._rules.needed:
            return
        self.point = self._rules.histogram.choose(self._counts, self._rng)  # 3(b)iii A
        points, labels = (np.concatenate(parts) for parts in zip(*self._past, strict=True))
        here = points == self.point
        early = self._mirror.release(here).any()  # B
        self._fakes = (~labels[here]).tolist()
        self._past.clear()
        self._set(3 if early else 1, self.t)  # C

    def _set(self, flag: int, step: int) -> None:
        self.flag = flag
        self.flagged[flag] = step

    def play(self, points: Points, labels: Labels) -> Labels:
        predicted, begun, at = np.zeros(len(points), dtype=bool), self.t, 0
        if self.flag == 0:
            due = np.flatnonzero(labels)[self._rules.needed - self._counts.total() - 1 :]
            at = int(due[0]) + 1 if len(due) else len(points)
            self.t += at
            self._note(points[:at], labels[:at])
        here = at + np.flatnonzero(points[at:] == self.point)
        passed = 0
        while self.flag == 1 and passed < len(here):  # one by one up to the first top
            place = int(here[passed])
            self.t = begun + place
            predicted[place] = self.predict(self.point)
            self.learn(self.point, bool(labels[place]))
            passed += 1
        if self.flag == 2:
            predicted[here[passed:]] = self._mirror.release(np.ones(len(here) - passed, dtype=bool))
        self.t = begun + len(points)
        return predicted

    def facts(self) -> dict[str, int | None]:
        return {"flag": self.flag, **{f"flag{flag}_at": self.flagged.get(flag) for flag in (1, 2, 3)}}
