"""Words while the items grow by a factor e, for each kind of tracker under the same guarantee, by formulas.

The guarantee: all steps are right with probability 1 - delta while the items grow by e^20. `oblivious` gives it for
inputs that do not react, `partial_privacy` against adversaries that see the outputs, `memoryless` against adversaries
that see the whole state, and `deterministic` always. Each has its best constants, after its start-up.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp, expm1, log, log1p, pi, sqrt
from typing import Final

from disttrack.protocols.rounds.coin_rounds import first_round, words_of
from disttrack.protocols.rounds.constants import CANDIDATES, tight_round
from disttrack.protocols.sampling.randomized import confidence_for

GROWTH: Final = 20.0
"""Powers of e by which the items grow."""


def deterministic(k: int, alpha: float) -> float:
    """Return k / ln((1 + alpha) / (1 - alpha)): one word from each site whenever its count has grown by that factor.

    This is the centred tracker with its items spread evenly, which is its worst input.
    """
    return k / log((1 + alpha) / (1 - alpha))


@lru_cache(maxsize=1024)
def oblivious(k: int, alpha: float, delta: float = 0.05) -> float:
    """Return the least words of the sampling tracker of Huang, Yi and Zhang with one p for each factor g of growth.

    1/p = alpha N0 / (c sqrt k) from a growth to N0 on; then k words announce the next p, and each site sends a
    correction, except every g-th. c is the least value that keeps delta (`protocols.sampling.randomized`), g the best.
    `randomized` pays more: its p are powers of two, and a doubling tracker beside it decides when p changes.
    """
    from scipy.optimize import minimize_scalar

    def words(log_factor: float) -> float:
        factor = exp(log_factor)
        confidence = confidence_for(k, alpha, delta * log_factor / GROWTH, factor)
        return (confidence * sqrt(k) / alpha * (factor - 1) + k + k * (1 - 1 / factor)) / log_factor

    best = minimize_scalar(lambda power: words(exp(power)), bounds=(log(0.003), log(8)), method="bounded")
    return float(best.fun)


@lru_cache(maxsize=1024)
def memoryless(k: int, alpha: float, delta: float = 0.05) -> float:
    """Return the words of `martingale` with tight constants, from ten times its first round on."""
    start = 10 * first_round(k, alpha, delta)
    return words_of(k, alpha, delta, int(start * expm1(GROWTH)), start) / GROWTH


@lru_cache(maxsize=1024)
def partial_privacy(k: int, alpha: float, delta: float = 0.05) -> float:
    """Return the words of `robust` with tight constants and its best counter, round by round."""
    grown, words, power = 0.0, 0.0, 0
    while grown < GROWTH:
        failure = (
            6 * delta / (pi**2 * (power + 1) ** 2 * 2**power)
        )  # of each of the rounds 2^power to 2^(power + 1) - 1
        of = min((tight_round(k, failure, alpha, kind) for kind in CANDIDATES), key=lambda one: one.words)
        each = log1p(alpha * of.phases * (of.phase_length + 0.5) / of.budget)
        some = min(2**power * each, GROWTH - grown)
        grown, words, power = grown + some, words + some * of.words, power + 1
    return words / GROWTH


def least_known(k: int, alpha: float) -> tuple[float, float]:
    """Return the orders of the known lower bounds: sqrt(k)/alpha for randomised trackers, k/alpha for deterministic.

    The first holds for k up to 1/alpha^2 and for inputs that do not react; the constants are not known.

    Source
    ------
    Huang, Yi, Zhang 2012, and Yi, Zhang 2009, both as cited in section 1 of Xiong, Zhu, Huang 2023.
    """
    return sqrt(k) / alpha, k / alpha
