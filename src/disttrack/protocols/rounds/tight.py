"""The constants of a round of the robust tracker by numerical minimisation: the same proof without its slack.

In bits, and relative to the expected number of bits for the items so far, the estimate errs by at most

    upwards    shift + counter noise + generalisation + leaked
    downwards  phase length + threshold noise + counter noise + generalisation - shift

and the block size is alpha N0 over the larger of the two. `docs/proofs.md` derives each term.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, log, log1p
from typing import Any, Final, NamedTuple

import numpy as np

from disttrack.mechanisms.counters import counter
from disttrack.mechanisms.laplace_sums import Parts
from disttrack.mechanisms.noise import Floats
from disttrack.mechanisms.noise_union import NoiseUnion

NO_PRIVACY: Final = 1000.0
"""The loss used if k bits of error, which no adversary can exceed, cost less than privacy."""

_SHARES: Final = np.linspace(0.2, 0.96, 39)
"""Shares of the privacy loss to try for the counter."""
_GRID: Final = np.linspace(0.005, 0.995, 199)
"""Points at which moment generating functions are tabulated, as parts of their range."""


class Tight(NamedTuple):
    """A round: its constants, and the terms of its error in bits.

    Attributes
    ----------
    budget
        Error allowed: the block size is alpha N0 over it.
    phases, phase_length
        Number of phases, and bits of each before noise.
    shift
        Bits added to the estimate, so that both sides of the error use up the budget.
    loss
        Privacy loss between a bit sent and one not sent: threshold and counter together.
    share
        The counter's share of the loss.
    noise_up, noise_down
        Expected shortfalls of the counter's noise, and of threshold noise minus counter's noise, over all the phases.
    generalisation, leaked
        The two parts of the difference between the mean of the bits given the transcript, and the mean before the game.
    words
        Words while N grows by the factor e.
    """

    budget: float
    phases: int
    phase_length: float
    shift: float
    loss: float
    share: float
    noise_up: float
    noise_down: float
    generalisation: float
    leaked: float
    words: float

    @property
    def threshold_scale(self) -> float:
        """Scale of the Laplace noise on the length of a phase, in bits."""
        return 1 / ((1 - self.share) * self.loss)

    @property
    def counter_epsilon(self) -> float:
        """Privacy of the counter."""
        return self.share * self.loss


@lru_cache(maxsize=256)
def known_noise(kind: str) -> bool:
    """Return whether the noise of this counter is a sum of Laplace variables of known distribution."""
    instance = counter(kind, 1.0, 3)
    return instance.privacy == "pure" and all(instance.noise_parts(t) is not None for t in (1, 2, 3))


@lru_cache(maxsize=4096)
def tight_round(k: int, failure: float, alpha: float, kind: str) -> Tight:
    """Return the round that needs the fewest words while N grows by a factor.

    Parameters
    ----------
    k
        Number of sites.
    failure
        Probability that the round's error may exceed alpha times its first count.
    alpha
        Relative error allowed.
    kind
        Name of the counter; one for which `known_noise` holds.

    Source
    ------
    Lemma 5 and Theorem 7 of Xiong, Zhu, Huang 2023, sharpened as docs/proofs.md derives.
    """
    phases, choice = _cheapest(k, failure, alpha, kind)
    up, down = _exact_noise(kind, phases, choice.share, failure / 2)
    loss, private = _loss(k, up + down)
    loss = float(loss) if private + (phases - 1) / 2 < k + (up + down) / (2 * NO_PRIVACY) else NO_PRIVACY
    leaked = float(min(phases - 1, k))
    generalisation = k * float(np.tanh(loss / 4))
    if loss == NO_PRIVACY:
        generalisation, leaked = float(k), 0.0
    up, down = up / loss, down / loss
    rest = (up + down + leaked) / 2 + generalisation
    length, cost = _length(k, alpha, phases, rest, 1 / ((1 - choice.share) * loss))
    return Tight(
        budget=length / 2 + rest,
        phases=phases,
        phase_length=length,
        shift=(length + down - up - leaked) / 2,
        loss=loss,
        share=choice.share,
        noise_up=up,
        noise_down=down,
        generalisation=generalisation,
        leaked=leaked,
        words=cost,
    )


def _cheapest(k: int, failure: float, alpha: float, kind: str) -> tuple[int, _Choice]:
    """Return the number of phases with the fewest words, up to 1 %, and the choice made for it."""
    seen: dict[int, _Choice] = {}

    def words(phases: int) -> float:
        if phases not in seen:
            seen[phases] = _choice(k, failure, alpha, kind, phases)
        return seen[phases].words

    # the cost has one minimum in the number of phases, up to the steps of trees: beyond it, powers of two only rise
    best = phases = 1
    while phases <= 4 * best:
        best = min(best, phases, key=words)
        phases *= 2
    for part in (2, 4, 8):
        stride = best // part
        if stride:
            best = min(best, best - stride, best + stride, key=words)
    return best, seen[best]


class _Choice(NamedTuple):
    words: float
    share: float


def _choice(k: int, failure: float, alpha: float, kind: str, phases: int) -> _Choice:
    """Return the fewest words with `phases` phases, using Chernoff's bound for the noise, and the share chosen."""
    shares = _SHARES if phases > 1 else np.array([0.5])
    up, down = bounded_noise(kind, phases, shares, failure / 2)
    loss, private = _loss(k, up + down)
    rests = np.minimum(private + (phases - 1) / 2, k + (up + down) / (2 * NO_PRIVACY))
    best = int(rests.argmin())
    share = float(shares[best])
    _, words = _length(k, alpha, phases, float(rests[best]), 1 / ((1 - share) * float(loss[best])))
    return _Choice(words, share)


def _loss(k: int, noise: Any) -> tuple[Any, Any]:
    """Return the loss x with the least noise / (2 x) + k tanh(x / 4), and that sum.

    Where the derivative vanishes, x / cosh(x / 4) = sqrt(2 noise / k); every x is safe, an approximate one costs words.
    """
    wanted = np.sqrt(2 * noise / k)
    loss = wanted
    for _ in range(40):
        loss = np.minimum(wanted * np.cosh(loss / 4), 4.8)
    loss = np.maximum(loss, 1e-9)
    return loss, noise / (2 * loss) + k * np.tanh(loss / 4)


def _length(k: int, alpha: float, phases: int, rest: float, scale: float) -> tuple[float, float]:
    """Return the phase length that needs the fewest words for growth by a factor e, and these words.

    A round costs its bits and a poll of 2k words; the budget is half a phase and `rest`. A phase ends at
    the first whole number of bits from its noisy length on; a length below 0 counts as 0.
    """

    from scipy.optimize import minimize_scalar  # a slow import, only needed for tight constants

    def words(log_length: float) -> float:
        length = exp(log_length)
        bits = phases * (length + 0.5 + scale / 2 * exp(-length / scale))
        return (bits + 2 * k) / log1p(alpha * bits / (length / 2 + rest))

    best = minimize_scalar(words, bounds=(0.0, log(1000 * (rest + k))), method="bounded")
    return exp(float(best.x)), float(best.fun)


def _noise(kind: str, steps: int) -> list[Parts]:
    """Return the noise of the first `steps` estimates of a counter with that horizon and epsilon 1."""
    if not steps:
        return []
    instance = counter(kind, 1.0, steps)
    return [instance.noise_parts(t) or () for t in range(1, steps + 1)]


@lru_cache(maxsize=256)
def _table(kind: str, phases: int) -> tuple[float, Floats]:
    """Return the largest scale of the counter's noise, and ln sum_t E exp(s S_t) with s in parts of its inverse."""
    noise = NoiseUnion.of(_noise(kind, phases - 1))
    if not noise.scales:
        return 1.0, np.full(len(_GRID), -np.inf)
    largest = max(noise.scales)
    return largest, noise.log_moment(_GRID / largest)


def bounded_noise(kind: str, phases: int, shares: Floats, failure: float) -> tuple[Floats, Floats]:
    """Return Chernoff's bounds for `_exact_noise`, for each share: they also bound expected shortfalls."""
    largest, moments = _table(kind, phases)
    up = np.zeros(len(shares))
    if phases > 1:
        up = ((moments - log(failure)) / _GRID).min() * largest / shares
    ends = np.minimum(shares / largest, 1 - shares)  # s is below both inverse scales
    s = ends[:, None] * _GRID
    counters = np.interp(s * largest / shares[:, None], _GRID, moments, left=log(phases))
    both = np.logaddexp(0.0, counters) - np.log1p(-np.square(s / (1 - shares[:, None])))
    return up, ((both - log(failure)) / s).min(axis=1)


@lru_cache(maxsize=4096)
def _exact_noise(kind: str, phases: int, share: float, failure: float) -> tuple[float, float]:
    """Return the expected shortfalls at `failure` of the counter's noise, and of the threshold's minus the counter's.

    Over all the phases of a round, with a privacy loss of 1: the last release ends the round, so that there are
    phases - 1 estimates with noise, and `phases` noisy lengths, the first beside an estimate without noise.
    """
    sums = [[(scale / share, count) for scale, count in parts] for parts in _noise(kind, phases - 1)]
    threshold = (1 / (1 - share), 1)
    up = NoiseUnion.of(sums).shortfall(failure)
    down = NoiseUnion.of([[threshold], *([*parts, threshold] for parts in sums)]).shortfall(failure)
    return up, down
