"""JDP-Mirror: repeat the ones of a stream, from about the K-th on, so that no single one affects other answers much."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from disttrack.mechanisms.base import Mechanism
from disttrack.mechanisms.checks import Positive, Share, Whole
from disttrack.mechanisms.noise import Floats

CELLS: Final = 64
"""Cells of the grid of losses per step of the climb."""


@dataclass(frozen=True)
class Steps:
    """A climb pi(0) = 0 ... pi(n) = 1.

    Attributes
    ----------
    values
        The probabilities, including both ends.
    """

    values: tuple[float, ...]

    @property
    def chances(self) -> Floats:
        """The probabilities as an array."""
        return np.array(self.values)

    @property
    def largest_step(self) -> float:
        """The largest loss of an inner step: of pi and of 1 - pi, in either direction; infinite if one of them is 0."""
        inner = self.chances[1:-1]
        with np.errstate(divide="ignore", invalid="ignore"):
            losses = [np.abs(np.diff(np.log(part))) for part in (inner, 1 - inner)]
        return float(np.nan_to_num(np.concatenate(losses), nan=math.inf).max(initial=0.0))

    def delta(self, epsilon: float) -> float:
        """Return the least delta at which all steps together are (epsilon, delta)-private.

        An additional one moves the answers to later ones from pi(j) to pi(j + 1) or back, at worst for all j.
        """
        lower, higher = self.values[:-1], self.values[1:]
        return max(composed_delta(lower, higher, epsilon), composed_delta(higher, lower, epsilon))


@lru_cache(maxsize=256)
def mended(half: int, edge: float) -> Steps:
    """Return the climb in 2L + 1 steps: from 0 to `edge`, by equal factors to 1/2, and symmetrically up to 1.

    pi(i) = edge e^((i - 1) e1) for 1 <= i <= L, and 1 - edge e^((2L - i) e1) for L < i <= 2L, with e1 such that both
    are 1/2 in the middle. The inner steps lose e1 = ln(1 / (2 edge)) / (L - 1) at most.
    """
    factor = math.log(1 / (2 * edge)) / (half - 1) if half > 1 else 0.0
    lower = [min(0.5, edge * math.exp(place * factor)) for place in range(half)]
    return Steps((0.0, *lower, *(1 - chance for chance in reversed(lower)), 1.0))


@lru_cache(maxsize=256)
def printed(half: int, edge: float) -> Steps:
    """Return the probabilities as printed: edge e^((i + 1) e1) up to L, and then edge e^((2L - i) e1).

    e1 solves edge (1 + e^e1 + ... + e^((L - 1) e1)) = 1/2, as in the proof of Claim 3.
    """
    from scipy import optimize  # a slow import, only needed here

    def excess(factor: float) -> float:
        return edge * float(np.exp(factor * np.arange(half)).sum()) - 0.5

    factor = float(optimize.brentq(excess, 0.0, math.log(1 / edge))) if half > 1 and half * edge < 0.5 else 0.0
    lower = [min(1.0, edge * math.exp((place + 1) * factor)) for place in range(1, half + 1)]
    upper = [min(1.0, edge * math.exp((2 * half - place) * factor)) for place in range(half + 1, 2 * half + 1)]
    return Steps((0.0, *lower, *upper, 1.0))


@lru_cache(maxsize=256)
def half_length(epsilon: float, delta: float, edge: float) -> int:
    """Return the least L for which the corrected climb is (epsilon, delta)-private.

    Raises
    ------
    ValueError
        If there is none, since the two steps of size `edge` alone cost more than delta.
    """

    def private(half: int) -> bool:
        return mended(half, edge).delta(epsilon) <= delta

    most = 2
    while not private(most):
        if most > 1 << 20:
            raise ValueError(f"epsilon must be large enough for delta = {delta!r}; got {epsilon!r}")
        most *= 2
    between = range(most // 2 + 1, most)
    return between.start + bisect_left(between, True, key=private)


@lru_cache(maxsize=1024)
def composed_delta(here: tuple[float, ...], there: tuple[float, ...], epsilon: float) -> float:
    """Return the hockey-stick divergence at epsilon of independent coins with chances `here` from those of `there`.

    The losses are added up on a grid. A loss between two cells is split so that its mass is preserved under both
    distributions, which gives an upper bound with an error of the square of a cell's width (Doroshenko, Ghazi,
    Kamath, Kumar, Manurangsi 2022, connect the dots; recalled).
    """
    losses = [_losses(p, q) for p, q in zip(here, there, strict=True) if p != q]
    width = max((abs(loss) for atoms in losses for _, loss in atoms), default=0.0) / CELLS or 1.0
    law, low = np.ones(1), 0
    for atoms in losses:
        law, low = _added(law, low, atoms, width)
    cells = (low + np.arange(len(law))) * width
    lost = 1 - float(law.sum())  # mass of outcomes that `there` cannot give
    over = cells > epsilon
    return lost + float((law[over] * -np.expm1(epsilon - cells[over])).sum())


def _losses(p: float, q: float) -> list[tuple[float, float]]:
    """Return the outcomes of a coin possible with both biases: the probability with p, and ln of its ratio to q's."""
    pairs = ((p, q), (1 - p, 1 - q))
    return [(one, math.log(one / other)) for one, other in pairs if one > 0 and other > 0]


def _added(law: Floats, low: int, atoms: list[tuple[float, float]], width: float) -> tuple[Floats, int]:
    """Return the distribution of the losses including one more coin, and its first cell."""
    parts = []
    for mass, loss in atoms:
        cell = math.floor(loss / width)
        # weights that preserve the mass, and the mass times e^-loss
        upper = math.expm1(cell * width - loss) / math.expm1(-width)
        parts += [(cell, mass * (1 - upper)), (cell + 1, mass * upper)]
    if not parts:
        return np.zeros(1), 0
    first = min(cell for cell, _ in parts)
    last = max(cell for cell, _ in parts)
    added = np.zeros(len(law) + last - first)
    for cell, mass in parts:
        added[cell - first : cell - first + len(law)] += mass * law
    return added, low + first


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
