"""Rounds of memoryless coins with the fewest words: number of signals, bias, and each round's share of delta.

The bias p of a round is computed from an estimate of the items so far, since the poll already carries it to the
sites; the number of signals that end the round from the exact count, which the server has after all answers. So a
round's failure probability is its share of delta, whatever the estimate was.
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import ceil, expm1, floor, log, log1p, log2, sqrt
from typing import Final, NamedTuple

from disttrack.mechanisms.roots import root
from disttrack.protocols.rounds.crossing import failure, most_signals, one_line
from disttrack.protocols.rounds.walk import COARSE, POISSON, Walk

EVEN: Final = 20.0
"""Growth, in powers of e, over which delta is spread almost evenly; from 1 to 2^62 items it is 43."""
_MARGIN: Final = 0.5
"""Standard deviations by which an estimate is assumed too high: a p too low costs more than one too high."""
_BIASES: Final = 64
"""Biases used per factor of 2, rounded up; few of them, so that few rounds are computed."""
_OFFSETS: Final = 1024
"""Offsets per factor of 2 for which signals are computed, rounded down."""
_SHARES: Final = 8
"""Failure probabilities per factor of 2, rounded down."""
_PLANS: Final = 2
"""The same for the choice of p, on which the guarantee does not depend."""


class Plan(NamedTuple):
    """A round of a coin with small bias.

    Attributes
    ----------
    signals
        Signals that end the round.
    offset
        Error allowed at its start, in signals: p = offset / (alpha N0).
    growth
        ln of the factor by which the items grow, on average.
    words
        Words while they grow by the factor e: signals and a poll of 2k.
    """

    signals: int
    offset: float
    growth: float
    words: float


@lru_cache(maxsize=4096)
def plan(k: int, alpha: float, allowed: float) -> Plan:
    """Return a round with the fewest words, up to 1 %, for growth by a factor; it fails with at most `allowed`.

    Brownian motion gives the approximate minimum, which is flat; the exact offsets are compared near it, by numbers of
    signals that differ by a fifth.
    """
    seen: dict[int, Plan] = {}

    def cost(signals: int) -> float:
        if signals not in seen:
            seen[signals] = _planned(k, alpha, signals, offset_for(alpha, signals, allowed))
        return seen[signals].words

    best = _about(k, alpha, allowed)
    for factor in (1.5, 1.2):
        while True:
            better = min((best, ceil(best * factor), max(1, floor(best / factor))), key=cost)
            if better == best:
                break
            best = better
    return seen[best]


def _planned(k: int, alpha: float, signals: int, offset: float) -> Plan:
    growth = log1p(alpha * signals / offset)
    return Plan(signals, offset, growth, (2 * k + signals) / growth)


def _about(k: int, alpha: float, allowed: float) -> int:
    """Return the best number of signals of a Brownian round, within a factor 2^(1/4)."""
    numbers = [max(1, round(k * 2 ** (power / 4))) for power in range(-20, 17)]
    return min(numbers, key=lambda signals: _planned(k, alpha, signals, _brownian(alpha, signals, allowed)).words)


def _brownian(alpha: float, signals: int, allowed: float) -> float:
    """Return the offset of a Brownian round that crosses its two lines with probabilities of sum `allowed`."""
    most = 1.0
    while 2 * one_line(most, alpha, signals) > allowed:
        most *= 2
    return root(lambda offset: 2 * one_line(offset, alpha, signals) - allowed, 0.0, most, 1e-3)


def offset_for(alpha: float, signals: int, allowed: float) -> float:
    """Return the offset with which a round of `signals` signals of a small coin fails with probability `allowed`."""

    @cache
    def excess(offset: float) -> float:
        return log(max(failure(Walk(alpha, offset, 0.0), signals), 1e-300)) - log(allowed)

    low = high = max(_brownian(alpha, signals, allowed), 1e-6)
    while excess(low) < 0:
        low /= 1.2
    while excess(high) > 0:
        high *= 1.2
    return root(excess, low, high, 1e-9) if low < high else low


# ---------------------------------------------------------------------- delta over the rounds


@lru_cache(maxsize=1024)
def even_rounds(k: int, alpha: float, delta: float) -> int:
    """Return the number of rounds over which delta is spread almost evenly: the rounds of growth by e^20."""
    rounds = 1
    for _ in range(3):  # a round's growth depends only weakly on its share
        rounds = max(1, ceil(EVEN / plan(k, alpha, _below(delta / (rounds + 1), _PLANS)).growth))
    return rounds


@lru_cache(maxsize=4096)
def share_of(k: int, alpha: float, delta: float, number: int) -> float:
    """Return the failure probability of the round with this number, from 1.

    With c = `even_rounds`, delta c / ((c + r - 1) (c + r)) for round r adds up to delta, however many rounds there are.
    """
    even = even_rounds(k, alpha, delta)
    return _below(delta * even / ((even + number - 1) * (even + number)), _SHARES)


def last_with_share(k: int, alpha: float, delta: float, number: int) -> int:
    """Return the number of the last round with the same share as this round."""
    share = share_of(k, alpha, delta, number)
    low, high = number, 2 * number + even_rounds(k, alpha, delta)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if share_of(k, alpha, delta, middle) == share else (low, middle)
    return low


def _below(value: float, steps: int) -> float:
    """Return the largest power of 2^(1/steps) up to `value`, so that few values occur."""
    return float(2 ** (floor(log2(value) * steps) / steps))


# ---------------------------------------------------------------------- one round


def plan_of(k: int, alpha: float, share: float) -> Plan:
    """Return the plan that the rounds with this share follow."""
    return plan(k, alpha, _below(share, _PLANS))


@lru_cache(maxsize=4096)
def bias(k: int, alpha: float, share: float, total: int, exact: bool) -> float:
    """Return the p of a round that begins with `total` items: an exact count, or the server's estimate.

    The plan's p = offset / (alpha N0) is for small p. A coin of bias p has variance p (1 - p), so an offset smaller by
    sqrt(1 - p) suffices: p^2 / (1 - p) = (offset / (alpha N0))^2.
    """
    best = plan_of(k, alpha, share)
    off = 0.0 if exact else _MARGIN * alpha * sqrt(best.signals) / (best.offset + alpha * best.signals)
    ratio = best.offset / (alpha * total) * (1 + off)
    p = 2 / (1 + sqrt(1 + 4 / ratio**2))
    # at least one signal must be awaited, or the round would end as it begins
    least = -expm1(log(share) / (floor(alpha * total / (1 - alpha)) + 1))
    return float(min(1.0, 2 ** (ceil(log2(max(p, least)) * _BIASES) / _BIASES)))


def worth_it(k: int, alpha: float, share: float, total: int) -> bool:
    """Return whether a round costs less than forwarding its items would."""
    signals = plan_of(k, alpha, share).signals
    p = bias(k, alpha, share, total, exact=True)
    return 2 * k + signals <= total * log1p(signals / (p * total))


def signals_of(k: int, alpha: float, share: float, total: int, p: float) -> int:
    """Return the number of signals that end a round begun with exactly `total` items; 0 if none is safe.

    The offset is rounded down, which brings the lines nearer; so is a small p, which adds to the variance.
    """
    offset = _below(alpha * total * p, _OFFSETS)
    planned = plan_of(k, alpha, share)
    most = min(2 * planned.signals, _worthwhile(k, alpha, offset)) + 8
    if p < COARSE:
        p = 0.0 if p < POISSON else _below(p, 4)
    return most_signals(Walk(alpha, offset, p), share, most, _expected(Walk(alpha, offset, p), planned, most))


def _expected(walk: Walk, planned: Plan, most: int) -> int:
    """Return about as many signals as are safe: those at which the line is as many deviations away as in the plan."""
    distance = (planned.offset + walk.alpha * planned.signals) * sqrt((1 - walk.p) / planned.signals)
    square = distance**2 - 4 * walk.alpha * walk.offset
    return min(most, round(((distance - sqrt(square)) / (2 * walk.alpha)) ** 2)) if square > 0 else most


@lru_cache(maxsize=4096)
def _worthwhile(k: int, alpha: float, offset: float) -> int:
    """Return the signals beyond which a round of this offset costs more words per growth, even if it were safe.

    The minimum of (2k + L) / ln(1 + x) at x = alpha L / offset, where (1 + x) ln(1 + x) - x = 2k alpha / offset.
    """
    wanted = 2 * k * alpha / offset
    x = sqrt(2 * wanted) + wanted  # above it; Newton's steps on a convex function fall from there
    for _ in range(60):
        step = ((1 + x) * log1p(x) - x - wanted) / log1p(x)
        if step <= 0 or x - step == x:  # only rounding is left
            break
        x -= step
    return ceil(x * offset / alpha)


# ---------------------------------------------------------------------- a whole game


def words_of(k: int, alpha: float, delta: float, items: int, start: int = 0, last_whole: bool = False) -> float:
    """Return the words of a game whose rounds grow by their mean logarithm: the mean, up to rounding.

    Items until a round is worth its poll, k words to announce the first, then each round's signals and 2k. The last
    round counts its signals before the end of the game, or all of them with `last_whole`. Rounds are grouped while
    their share of delta and their p hardly change.

    The items T of L signals have the mean L / p and the variance L (1 - p) / p^2; to their second order
    exp(E ln T) = (L - (1 - p) / 2) / p, which is below the truth for every p. ln(1 + T / N) is convex in ln T, so its
    mean is at least that of this T. Growth by the mean T would count too few rounds where a round has few signals.
    With `last_whole` the rounds have what Lorden's inequality allows for their variance, (1 - p) / L of a round.
    """
    first = first_round(k, alpha, delta)
    if start + items < first:  # with the last of these items the first round begins
        return float(items)
    # counted from the start, so that a few items after very many do not vanish in rounding
    grown, number = float(max(0, first - start)), 1
    cost, excess = grown + k if grown else 0.0, 0.0
    while grown < items:
        share, total = share_of(k, alpha, delta, number), start + int(grown)
        p = bias(k, alpha, share, total, exact=number == 1)
        signals = max(1, signals_of(k, alpha, share, total, p))
        if not last_whole and signals / p > items - grown:
            return cost + (items - grown) * p
        growth = log1p((signals - (1 - p) / 2) / (p * total))
        together = min(last_with_share(k, alpha, delta, number) - number + 1, int(0.1 / growth))
        together = max(1, min(together, int(log1p((items - grown) / total) / growth)))
        cost += together * (2 * k + signals)
        grown += total * expm1(together * growth)
        number += together
        excess = (2 * k + signals) * (1 - p) / signals
    return cost + excess if last_whole else cost


@lru_cache(maxsize=1024)
def first_round(k: int, alpha: float, delta: float) -> int:
    """Return the items from which on a round is worth its poll."""
    share = share_of(k, alpha, delta, 1)
    low, high = 0, 1
    while not worth_it(k, alpha, share, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if worth_it(k, alpha, share, middle) else (middle, high)
    return high
