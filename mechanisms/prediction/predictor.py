"""The online predictor of point functions: joint privacy, and mistakes that do not grow with time."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Final, Literal

import numpy as np

from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.noise import Laplace
from disttrack.mechanisms.prediction.base import ZERO, Labels, Learner, LearnerRun, Limit, Points
from disttrack.mechanisms.prediction.histogram import SparseHistogram
from disttrack.mechanisms.prediction.mirror import JdpMirror, Literally

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
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Algorithm 3; the proof's "Flag = 0 in step C" is Flag 3.
    """

    kind = "point-predictor"
    source = "Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Algorithm 3"
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
    def privacy(self) -> tuple[float, float]:
        return self.epsilon, self.delta

    @property
    def limit(self) -> Limit:
        """K + 2L, unless the histogram chooses nothing or the noise alone looks like fakes."""
        failure = 1 - self.histogram.named(self.needed) + self.noise.tail(self.most_fakes)
        return Limit(self.mirror.delay + self.mirror.length, failure)

    def start(self, rng: np.random.Generator) -> PredictorRun:
        return PredictorRun(self, rng)


class PredictorRun(LearnerRun):
    """A running predictor."""

    __slots__ = (
        "_counts", "_fakes", "_labels", "_mirror", "_noise", "_past", "_rng", "_rules",
        "flag", "flagged", "point", "t",
    )  # fmt: skip

    def __init__(self, rules: PointPredictor, rng: np.random.Generator) -> None:
        self._rng, mirror, noise = rng.spawn(PARTS)
        self._rules = rules
        self._mirror = rules.mirror.start(mirror)
        self._noise = float(rules.noise.draw(noise, 1)[0])
        self._counts: Counter[int] = Counter()
        self._labels = 0
        self._past: list[tuple[Points, Labels]] = []
        self._fakes: list[bool] = []
        """For the first occurrences of x*, whether the label was 0."""
        self.flag = 0
        self.flagged: dict[int, int] = {}
        """The round in which each flag was set."""
        self.point = ZERO
        """x*, once it is chosen."""
        self.t = 0
        """Rounds so far."""

    def predict(self, point: int) -> bool:
        if self.flag in (0, 3):
            return False
        top = self._mirror.step(point == self.point)
        if top and self.flag == 1:
            self._judge(self.t + 1)
        return top and self.flag == 2

    def learn(self, point: int, label: bool) -> None:
        self.t += 1
        if self.flag == 0:
            self._note(np.array([point]), np.array([label]))
        elif self.flag == 1 and point == self.point and len(self._fakes) < self._rules.looks:
            self._fakes.append(not label)

    def play(self, points: Points, labels: Labels) -> Labels:
        predicted = np.zeros(len(points), dtype=bool)
        at = 0
        if self.flag == 0:
            due = np.flatnonzero(labels)[: self._rules.needed - self._labels]
            at = int(due[-1]) + 1 if len(due) == self._rules.needed - self._labels else len(points)
            self.t += at
            self._note(points[:at], labels[:at])
        begun, self.t = self.t, self.t + len(points) - at
        if self.flag in (1, 2) and at < len(points):
            here = points[at:] == self.point
            answers = self._mirror.release(here)
            if self.flag == 1:
                tops = np.flatnonzero(answers)
                upto = int(tops[0]) if len(tops) else len(here)
                more = np.flatnonzero(here[:upto])[: self._rules.looks - len(self._fakes)]
                self._fakes += (~labels[at + more]).tolist()
                if len(tops):
                    self._judge(begun + upto + 1)
            if self.flag == 2:
                predicted[at:] = answers
        return predicted

    def facts(self) -> dict[str, Any]:
        return {"flag": self.flag, **{f"flag{flag}_at": self.flagged.get(flag) for flag in (1, 2, 3)}}

    def _note(self, points: Points, labels: Labels) -> None:
        """Take examples under Flag 0, up to the k-th label 1, and choose x* with it."""
        positive = points[labels]
        self._past.append((points, labels))
        self._counts.update(positive.tolist())
        self._labels += len(positive)
        if self._labels < self._rules.needed:
            return
        self.point = self._rules.histogram.choose(self._counts, self._rng)
        early = False
        for past, past_labels in self._past:
            here = past == self.point
            early |= bool(self._mirror.release(here).any())
            self._fakes += (~past_labels[here]).tolist()
        del self._fakes[self._rules.looks :]
        self._past.clear()
        self._set(3 if early else 1, self.t)

    def _judge(self, step: int) -> None:
        """Count the fakes, at the first top: is x* a point that has label 1?"""
        self._set(3 if sum(self._fakes) + self._noise >= self._rules.most_fakes else 2, step)

    def _set(self, flag: int, step: int) -> None:
        self.flag = flag
        self.flagged[flag] = step
