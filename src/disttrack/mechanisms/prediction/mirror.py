"""JDP-Mirror: repeat the ones of a stream, from about the K-th on, so that no single one affects other answers much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.prediction.mirror_privacy import Steps, half_length, mended, printed

Bits = NDArray[np.bool_]
Literally = Literal["nothing", "start", "probabilities"]

EDGE: Final = 4
"""The first and the last step of the climb are delta over this."""


@dataclass(frozen=True)
class JdpMirror(Mechanism):
    """Answers top on a one with a probability that climbs from 0 to 1 between the K-th and the (K + 2L + 1)-th one.

    It always answers bottom on zeros. On the c-th one it answers top with probability pi(c - K), where pi(i) = 0 up to
    0, 1 beyond 2L, and pi(i + 1) is within e^eps' of pi(i), as 1 - pi(i + 1) is of 1 - pi(i), in between. The
    presence of a one moves 2L + 1 of the other answers by one step: L is the least for which their exact composition is
    (epsilon, delta)-private.

    Parameters
    ----------
    epsilon, delta
        Joint privacy: of the answers in all other steps, for streams that differ in one step.
    delay
        K: top is never answered before K ones.
    half
        L, half the length of the climb; None for the least that is (epsilon, delta)-private.
    literal
        Part of the published listing to follow literally: nothing, its start (the counter begins at K, which
        leaves no delay), or its probabilities (delta e^((2L - i) eps') for i > L, which fall again).

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Source
    ------
    Cohen, Lyu, Nelson, Sarlos, Stemmer 2024, Algorithm 2, mended.
    Claim 3 for pi. Mended: the counter begins at 0, and pi is corrected.

    Examples
    --------
    >>> mirror = JdpMirror(epsilon=1.0, delta=0.01, delay=3, half=5)
    >>> [round(mirror.chance(count), 3) for count in (3, 4, 8, 9, 13, 14)]
    [0.0, 0.003, 0.5, 0.5, 0.998, 1.0]
    """

    kind = "jdp-mirror"
    error = "at most 2L mistakes after K ones, L on average; L = O(log^2(1 / delta) / epsilon^2)"
    arithmetic = "coins"

    epsilon: Positive
    delta: Share = 0.01
    delay: Whole = 1
    half: Whole | None = None
    literal: Literally = "nothing"

    @property
    def edge(self) -> float:
        """Delta', the first step of the climb and its last."""
        return self.delta / EDGE

    @cached_property
    def length(self) -> int:
        """2L: ones after the delay on which it may err."""
        return 2 * (self.half or half_length(self.epsilon, self.delta, self.edge))

    @cached_property
    def steps(self) -> Steps:
        """The climb, pi(0) = 0 to pi(2L + 1) = 1."""
        climb = printed if self.literal == "probabilities" else mended
        return climb(self.length // 2, self.edge)

    @property
    def silent(self) -> int:
        """Ones before the climb: K, or none if the counter begins at K as printed."""
        return 0 if self.literal == "start" else self.delay

    @property
    def exact_delta(self) -> float:
        """The least delta for its epsilon, by exact composition."""
        return self.steps.delta(self.epsilon)

    @property
    def expected_mistakes(self) -> float:
        """Mistakes on average once K + 2L ones have come: the sum of 1 - pi(i), which is L."""
        return float(np.sum(1 - self.steps.chances[1 : self.length + 1]))

    def chance(self, count: int) -> float:
        """Return the probability of top on the `count`-th one."""
        return self.steps.values[min(max(0, count - self.silent), self.length + 1)]

    def start(self, rng: np.random.Generator) -> MirrorRun:
        """Return a fresh run."""
        return MirrorRun(self, rng)


class MirrorRun:
    """A running mirror: `step` for one bit, `release` for many.

    Comments quote the statements of Algorithm 2, whose lines have no numbers.
    """

    __slots__ = ("_answers", "_first", "count")

    def __init__(self, mechanism: JdpMirror, rng: np.random.Generator) -> None:
        chances = [mechanism.chance(count) for count in range(1, mechanism.silent + mechanism.length + 1)]
        # "r <- Bern(pi(max{0, C - K}))": one number per one of the climb, so that single steps and one call for a
        # stream give equal answers
        self._answers: Bits = np.append(rng.random(len(chances)) < chances, True)
        self._first = int(self._answers.argmax()) + 1
        self.count = 0  # "C <- K" in print, which would cancel the delay
        """Ones so far, C."""

    @property
    def first_top(self) -> int | None:
        """The number of the first one that was answered with top; None before it."""
        return self._first if self.count >= self._first else None

    def step(self, bit: bool) -> bool:
        """Answer one bit: True for top."""
        self.count += bit  # "if Delta_t = 1: C <- C + 1"
        return bit and bool(self._answers[min(self.count, len(self._answers)) - 1])  # "if r = 1: output top"

    def release(self, bits: Bits) -> Bits:
        """Answer many bits; equivalent to single steps."""
        answers, places = bits.copy(), np.flatnonzero(bits)
        drawn = self._answers[self.count : self.count + len(places)]
        answers[places[: len(drawn)]] = drawn  # top from then on
        self.count += len(places)
        return answers


def mirror_mistakes(ones: int, delay: int, answers: Bits) -> int:
    """Return the mistakes in the answers to the `ones` ones of a stream: bottom on a one after the first `delay`.

    Source
    ------
    Problem B.3 of Cohen, Lyu, Nelson, Sarlos, Stemmer 2024.
    """
    return int(np.count_nonzero(~answers[delay:ones]))
