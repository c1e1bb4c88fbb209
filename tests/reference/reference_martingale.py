"""The martingale tracker with the constants that its walk needs (docs/proofs.md), played and computed item by item.

What a minimisation finds, the number of signals and the offset of a round of a light coin that costs least, is given:
any would be safe. All else is worked out here, first of all how many signals may be awaited.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil, exp, floor, log1p, log2, sqrt
from typing import Any

from reference_game import Tape
from reference_rounds import adding, in_rounds

PlanOf = Callable[[float], tuple[int, float]]
"""From a failure probability to the signals and the offset alpha N0 p of the cheapest round of a light coin."""


def power_below(value: float, steps: int) -> float:
    """Return the largest power of 2^(1/steps) up to a value, and so on the safe side where little is good."""
    return 2.0 ** (floor(log2(value) * steps) / steps)


def share_of(delta: float, even: int, number: int) -> float:
    """Return delta c / ((c + r - 1) (c + r)), rounded down: the failure probability of round r."""
    return power_below(delta * even / ((even + number - 1) * (even + number)), 8)


def failures(alpha: float, base: float, p: float, least: float, most: int) -> list[float]:
    """Return the failure probabilities of rounds of 1, 2, … signals, up to `most` or to the first above `least`.

    Item by item, with the probability of each number of signals that has not failed yet: a toss, then the question
    whether the output base + signals / p is off by more than alpha times the items. Who fails with j signals fails
    rounds of more than j; the last signal brings a poll.
    """
    failed = [0.0] * (most + 1)
    alive, low, items, sure, total = [1.0], 0, 0, 0, 0.0
    found: list[float] = []
    while alive and low < most:
        items += 1
        allowed = alpha * (base + items)
        stay, fall = [q * (1 - p) for q in alive] + [0.0], [0.0] + [q * p for q in alive]
        alive = [one + other for one, other in zip(stay, fall, strict=True)][: most - low]
        while alive and (low + len(alive) - 1) / p - items > allowed:
            failed[low + len(alive) - 1] += alive.pop()
        while alive and items - low / p > allowed:
            failed[low] += alive.pop(0)
            low += 1
        while sure < min(low, most):
            total += failed[sure]
            found.append(total)
            sure += 1
            if total > least:
                return found
    for one in failed[sure:most]:
        total += one
        found.append(total)
    return found


@lru_cache(maxsize=4096)
def safe_signals(alpha: float, offset: float, p: float, share: float, most: int) -> int:
    """Return the most signals, up to `most`, of a round that fails with at most `share`."""
    return sum(one <= share for one in failures(alpha, offset / (alpha * p), p, share, most))


def cheapest_if_safe(k: int, alpha: float, offset: float) -> int:
    """Return the signals from which on (2k + L) / ln(1 + alpha L / offset) rises, by its slope; rounded up."""
    low, high = 0.0, 1e12
    for _ in range(200):
        signals = (low + high) / 2
        x = alpha * signals / offset
        falls = log1p(x) * (1 + x) < (2 * k + signals) * alpha / offset
        low, high = (signals, high) if falls else (low, signals)
    return ceil(high)


def bias(alpha: float, share: float, plan: tuple[int, float], total: int, exact: bool) -> float:
    """Return the p for so many items, where they were estimated for half a standard deviation fewer.

    A coin of variance p (1 - p) needs an offset smaller by sqrt(1 - p). One signal must be safe: none at all
    comes in the first items with which an output of no signals is too low with probability `share` at most. Rounded up
    to one of 64 in each factor of 2.
    """
    signals, offset = plan
    fewer = 0.0 if exact else 0.5 * alpha * sqrt(signals) / (offset + alpha * signals)
    light = (offset / (alpha * total) * (1 + fewer)) ** 2
    p = (sqrt(light**2 + 4 * light) - light) / 2  # p^2 / (1 - p) = light
    silent = floor(alpha * total / (1 - alpha)) + 1
    p = max(p, 1 - share ** (1 / silent))
    return min(1.0, 2.0 ** (ceil(log2(p) * 64) / 64))


def martingale(
    k: int, start: list[int], alpha: float, delta: float, even: int, plan_of: PlanOf, tape: Tape
) -> dict[str, Any]:
    """A bit at every item with probability p, worth 1/p; as many signals as are safe for this p and the exact count."""

    def planned(number: int) -> tuple[float, tuple[int, float]]:
        share = share_of(delta, even, number)
        return share, plan_of(power_below(share, 2))

    def rule(number: int, told: int) -> dict[str, Any] | None:
        share, plan = planned(number)
        p = bias(alpha, share, plan, told, exact=number == 1)
        if number == 1 and 2 * k + plan[0] > told * log1p(plan[0] / (p * told)):
            return None  # to forward the items that the round would bring costs less
        return {"p": p, "next": lambda due: due + tape.gap(p)}

    def begin(rule: dict[str, Any], number: int, base: int, exact: bool) -> dict[str, Any]:
        share, plan = planned(number)
        p = rule["p"]
        offset = power_below(alpha * base * p, 1024)
        most = min(2 * plan[0], cheapest_if_safe(k, alpha, offset)) + 8
        limit = safe_signals(alpha, offset, power_below(p, 4) if p < 0.01 else p, share, most)
        if exact:
            limit = max(limit, 1)
        return adding({"unit": 1 / p, "over": lambda bits: bits >= limit}, number, base, exact)

    return in_rounds(k, sum(start), rule, begin, ahead=True)


def light_failure(alpha: float, offset: float, signals: int) -> float:
    """Return the failure probability of a round of a light coin, whose signals are a Poisson process of rate 1.

    From one time to the next at which an output with j signals is first too low, (j + a) / (1 - alpha), or last too
    high, (j - a) / (1 + alpha).
    """
    late = [((j + offset) / (1 - alpha), j, False) for j in range(signals)]
    early = [((j - offset) / (1 + alpha), j, True) for j in range(signals) if j > offset]
    alive, before, failed = {0: 1.0}, 0.0, 0.0
    for time, j, high in sorted(late + early):
        chances = [exp(before - time)]
        while len(chances) <= signals and (chances[-1] > 1e-18 or len(chances) <= time - before):
            chances.append(chances[-1] * (time - before) / len(chances))
        moved: dict[int, float] = {}
        for now, q in alive.items():
            rest = signals - now  # all who have heard the last one are together
            for more, chance in enumerate([*chances[:rest], 1 - sum(chances[:rest])]):
                moved[now + more] = moved.get(now + more, 0.0) + q * chance
        wrong = [now for now in moved if (now >= j if high else now == j)]
        failed += sum(moved.pop(now) for now in wrong)
        alive, before = moved, time
    return failed


def least_offset(alpha: float, signals: int, allowed: float) -> float:
    """Return the offset with which so many signals of a light coin fail with probability `allowed`, within 1e-3."""
    low, high = 0.0, 1.0
    while light_failure(alpha, high, signals) > allowed:
        low, high = high, 2 * high
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if light_failure(alpha, middle, signals) > allowed else (low, middle)
    return high


def words(k: int, alpha: float, signals: int, offset: float) -> float:
    """Return the words while the items grow by the factor e: signals and a poll of 2k."""
    return (2 * k + signals) / log1p(alpha * signals / offset)
