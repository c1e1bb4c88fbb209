"""Exact samples of the discrete Laplace and the discrete Gaussian distribution, many at a time.

A uniform number U is known by its first 53 bits: U lies in an interval, and nearly every interval lies within the set
of one outcome. This is decided in doubles with a bound on their errors. The rest, about one draw in a hundred million,
is decided by decimal arithmetic of growing precision, and by further bits if the interval contains an edge between two
outcomes. So each outcome has its exact probability, given independent fair bits. It is the same on every machine, and n
samples of size 1 equal one sample of size n.

Source: Canonne, Kamath, Steinke 2020, "The discrete Gaussian for differential privacy"; lazy bits are derived here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Candidates = tuple[Floats, NDArray[Any], list[int]]
"""Values, whether each is accepted (arbitrary if every word gives a draw), and indices of the undecided ones."""

RESOLUTION: Final = 20
"""A scale up to 2^21 has 2^20 to 2^21 steps of its grid; a larger one has more, of size 1."""
MOST: Final = 2.0**40
"""Largest scale: beyond it doubles could not represent exact sums of many draws on a grid that divides 1."""
BITS: Final = 53
"""Bits of a uniform number at a time."""
DIGITS: Final = 40
"""Decimal digits of the first exact comparison."""
BLOCK: Final = 4096
"""Candidates at a time, so that they stay in the cache."""
FEW: Final = 20
"""Number of draws up to which plain numbers are faster than arrays."""
CLOSE: Final = 2.0**-20
"""Distance of -ln U from a candidate's cost that is undecided: far above all errors if U is not below `SMALL`."""
SMALL: Final = 2.0**-30
LN2: Final = math.log(2)
LAST: Final = 1 - 2.0**-BITS
"""The largest uniform number."""


@lru_cache(maxsize=256)
def spacing(scale: float) -> float:
    """Return the step of the public grid for noise of this scale: a power of two, at most 1 and at most scale / 2^20.

    Integers lie on it. A sum of noises is exact below 2^53 steps: 2^32 scales or more, up to a scale of 2^21.

    Raises
    ------
    ValueError
        If `scale` is above 2^40.

    Examples
    --------
    >>> spacing(1.0) == 2.0**-20, spacing(1e7)
    (True, 1.0)
    """
    if scale > MOST:
        raise ValueError(f"scale of noise on a grid must be at most 2^40; got {scale:g}")
    return math.ldexp(1.0, max(-1000, min(0, math.frexp(scale)[1] - 1 - RESOLUTION)))


def discrete_laplace(rng: np.random.Generator, scale: float, size: int) -> Floats:
    """Return independent draws with probability (1 - q) / (1 + q) q^\\|k\\|, q = exp(-1 / scale), for each integer k.

    The magnitude is at least k >= 1 with probability p_k = 2 q^k / (1 + q), so it is the whole part of
    scale (ln(2 / (1 + q)) - ln U).

    Parameters
    ----------
    rng
        Generator of the bits.
    scale
        Any number above 0.
    size
        Number of draws.
    """
    sampler = _laplace(scale)
    if size != 1:
        return _in_turn(sampler, _Words(rng), size)
    word = rng.random()  # one by one, as in a pan-private mechanism
    value = sampler.sure(word)
    return np.array([sampler.exact(np.array([word]), _Words(rng))[0] if value is None else value])


def discrete_gaussian(rng: np.random.Generator, sigma: float, size: int) -> Floats:
    """Return independent draws with probability in proportion to exp(-k^2 / (2 sigma^2)) for each integer k.

    Parameters
    ----------
    rng
        Generator of the bits.
    sigma
        Any number above 0; nearly the standard deviation.
    size
        Number of draws.
    """
    return _in_turn(_Gaussian(sigma), _Words(rng), size)


class _Words:
    """Uniform numbers of 53 bits, in order; unused ones may be given back."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._back = np.empty(0)

    def take(self, size: int) -> Floats:
        taken, self._back = self._back[:size], self._back[size:]
        fresh = self._rng.random(size - len(taken))
        return np.concatenate((taken, fresh)) if len(taken) else fresh

    def give_back(self, words: Floats) -> None:
        self._back = np.concatenate((words, self._back))


def _in_turn(sampler: _Laplace | _Gaussian, words: _Words, size: int) -> Floats:
    """Return `size` draws, as if each had taken its words before the next one."""
    parts = []
    left = size
    while left:
        block = words.take(min(left, BLOCK) * sampler.width)
        values, taken, unsure = sampler.few(block) if left <= FEW else sampler.many(block)
        if len(unsure):
            stop = int(min(unsure))
            words.give_back(block[(stop + 1) * sampler.width :])
            values, taken = values[: stop + 1], taken[: stop + 1]
            values[stop], taken[stop] = sampler.exact(block[stop * sampler.width : (stop + 1) * sampler.width], words)
        parts.append(values if sampler.width == 1 else values[taken])
        left -= len(parts[-1])
    return parts[0] if len(parts) == 1 else np.concatenate(parts or [np.empty(0)])


class _Laplace:
    """Discrete Laplace: one word per draw, first bit for the sign; the rest is U / 2, or 1 - U / 2 for a plus.

    A draw is then numpy's own Laplace draw from the same word, rounded.
    """

    width: Final = 1

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self._shift = -math.log1p(math.expm1(-1 / scale) / 2)
        self._edge = 0.5 - scale * 2.0**-33

    def many(self, words: Floats) -> Candidates:
        """Return draws, and the indices of draws that doubles cannot decide."""
        middle = np.minimum(words, LAST - words)
        middle += 2.0 ** -(BITS + 1)  # U / 2, to within 2^-54
        reach = np.log(middle)
        reach *= -self.scale
        reach += self.scale * (self._shift - LN2)
        values = np.floor(reach)
        reach -= values
        reach -= 0.5
        doubtful = np.abs(reach, out=reach) > self._edge  # generous above U = 2^-17, and `sure` looks again
        if middle.min() < 2.0**-18:
            doubtful |= middle < 2.0**-18
        unsure = [place for place in np.flatnonzero(doubtful).tolist() if self.sure(float(words[place])) is None]
        np.copysign(values, words - 0.5, out=values)
        values += 0.0  # no negative zeros
        return values, words, unsure

    def few(self, words: Floats) -> Candidates:
        """Return the same without the cost of calls for arrays."""
        values = [self.sure(word) for word in words.tolist()]
        unsure = [place for place, value in enumerate(values) if value is None]
        return np.array(values, dtype=np.float64), words, unsure

    def sure(self, word: float) -> float | None:
        """Return the draw of a word, or None if its U, known to within 2^-53, and rounding allow two values."""
        middle = 2 * min(word, LAST - word) + 2.0**-BITS
        if middle < 2.0**-40:
            return None
        reach = self._shift - math.log(middle)
        # the uncertainty of U, and some units in the last place of each operation; here and above
        room = self.scale * (2.0**-51 / middle + (reach + 1) * 2.0**-48)
        reach *= self.scale
        magnitude = math.floor(reach + room)
        if magnitude and magnitude != math.floor(reach - room):
            return None
        return float(magnitude if word >= 0.5 else -magnitude)

    def exact(self, word: Floats, words: _Words) -> tuple[float, bool]:
        """Return a draw from its word and as many more as needed, and True: it is accepted."""
        known, bits = int(min(word[0], LAST - word[0]) * 2.0**BITS), BITS - 1
        while True:
            below, from_on = Fraction(known + 1, 1 << bits), Fraction(known, 1 << bits)
            reach = self._shift - (math.log(known + 1) - bits * math.log(2))
            magnitude = max(0, math.floor(self.scale * reach))
            while magnitude and not self._at_most(below, magnitude):
                magnitude -= 1
            while self._at_most(below, magnitude + 1):
                magnitude += 1
            if not self._at_most(from_on, magnitude + 1):
                return float(magnitude if word[0] >= 0.5 else -magnitude), True
            known, bits = _more(known, bits, words)

    def _at_most(self, number: Fraction, magnitude: int) -> bool:
        """Return whether a number is at most p_k."""
        one = 1 / Fraction(self.scale)

        def tail(digits: int) -> tuple[Fraction, Fraction]:
            (low, high), (ratio, above) = _exp(-magnitude * one, digits), _exp(-one, digits)
            return 2 * low / (1 + above), 2 * high / (1 + ratio)

        return _compared(number, tail)


@lru_cache(maxsize=256)
def _laplace(scale: float) -> _Laplace:
    return _Laplace(scale)


class _Gaussian:
    """Discrete Gaussian: candidates from the discrete Laplace of scale t = floor(sigma) + 1, each with a second word.

    A candidate k is taken with probability exp(-(\\|k\\| - sigma^2 / t)^2 / (2 sigma^2)).
    """

    width: Final = 2

    def __init__(self, sigma: float) -> None:
        self.sigma = sigma
        self.proposal = math.floor(sigma) + 1
        self._laplace, self._centre = _laplace(float(self.proposal)), sigma * (sigma / self.proposal)

    def many(self, words: Floats) -> Candidates:
        """Return candidates, whether each is accepted, and the indices of candidates that doubles cannot decide."""
        values, _, unsure = self._laplace.many(words[::2])
        middle = words[1::2] + 2.0 ** -(BITS + 1)
        height = -np.log(middle)
        away = np.abs(values)
        away -= self._centre
        away /= self.sigma
        cost = 0.5 * away * away
        gap = height - cost
        close = np.abs(gap) < CLOSE
        if middle.min() < SMALL:
            close |= middle < SMALL
        return values, gap > 0, unsure + np.flatnonzero(close).tolist()

    def few(self, words: Floats) -> Candidates:
        values: list[float] = []
        taken, unsure = [], []
        for candidate, word in words.reshape(-1, 2).tolist():
            value, middle = self._laplace.sure(candidate), word + 2.0 ** -(BITS + 1)
            away = (abs(value or 0.0) - self._centre) / self.sigma
            cost, height = away * away / 2, -math.log(middle)
            if value is None or abs(height - cost) < CLOSE or middle < SMALL:
                unsure.append(len(values))
            values.append(value or 0.0)
            taken.append(height > cost)
        return np.array(values), np.array(taken), unsure

    def exact(self, pair: Floats, words: _Words) -> tuple[float, bool]:
        """Return a candidate from its words and as many more as needed, and whether it is accepted."""
        words.give_back(pair[1:])
        candidate, _ = self._laplace.exact(pair[:1], words)
        known, bits = _more(0, 0, words)
        sigma = Fraction(self.sigma)
        cost = (abs(int(candidate)) - sigma**2 / self.proposal) ** 2 / (2 * sigma**2)
        while cost:
            if _compared(Fraction(known + 1, 1 << bits), lambda digits: _exp(-cost, digits)):
                return candidate, True
            if not _compared(Fraction(known, 1 << bits), lambda digits: _exp(-cost, digits)):
                return candidate, False
            known, bits = _more(known, bits, words)
        return candidate, True


def _more(known: int, bits: int, words: _Words) -> tuple[int, int]:
    """Return the bits of a uniform number with those of a further word."""
    return (known << BITS) + int(words.take(1)[0] * 2.0**BITS), bits + BITS


def _exp(power: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Return bounds on exp of a number that is not positive: `Decimal.exp` is rounded correctly."""
    with localcontext() as context:
        context.prec = digits
        value = Fraction((Decimal(power.numerator) / Decimal(power.denominator)).exp())
    room = value * (2 - power) * Fraction(10) ** (1 - digits)
    return value - room, value + room


def _compared(number: Fraction, bounds: Callable[[int], tuple[Fraction, Fraction]]) -> bool:
    """Return whether a rational number is at most an irrational one, given by bounds for any number of digits."""
    digits = DIGITS
    while True:
        low, high = bounds(digits)
        if number <= low or number >= high:
            return number <= low
        digits *= 2
