"""The robust tracker with tight constants (docs/proofs.md): the inequalities of its proof, and the game.

What a minimisation finds is given: the phases L, the length T of each, the privacy loss x and the counter's share of
it; any would be safe. The error W allowed in bits, the shift s, the block size and all else are worked out here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from decimal import Decimal, localcontext
from functools import lru_cache
from math import comb, exp, isqrt, log, pi, tanh
from typing import Any, NamedTuple

from reference_game import Tape
from reference_robust import binary_counter, in_phases
from reference_rounds import in_blocks, in_rounds

NO_PRIVACY = 1000.0
"""The loss of a round in which k bits, which nobody can exceed, stand in for privacy."""


class Choice(NamedTuple):
    """What a minimisation chooses for a round, and the kind of counter that it is for."""

    counter: str
    phases: int
    length: float
    loss: float
    share: float


ChoicesOf = Callable[[float], list[Choice]]
"""From a round's failure probability to the best choice for each kind of counter that may be taken."""


# ---------------------------------------------------------------------- counters: what noise is in an estimate


def digits(number: int) -> list[int]:
    """Return the digits, from -9 to 9, of a number in base 19, the lowest first."""
    found = []
    while number:
        digit = number % 19
        digit -= 19 * (digit > 9)
        found.append(digit)
        number = (number - digit) // 19
    return found


def node_noise(kind: str, horizon: int) -> float:
    """Return the scale of each noise for a privacy of 1: the most noises that an item has a part in."""
    if kind == "binary":
        return horizon.bit_length()
    if kind == "k-ary":
        return len(digits(horizon))
    return 2 if kind == "two-level" and 1 < isqrt(horizon - 1) + 1 <= horizon else 1


def noises(kind: str, horizon: int, t: int) -> int:
    """Return how many independent noises are in the estimate of step t."""
    if kind == "binary":
        return t.bit_count()
    if kind == "k-ary":
        return sum(map(abs, digits(t)))
    return sum(divmod(t, isqrt(horizon - 1) + 1)) if kind == "two-level" else t


def private_counter(kind: str, horizon: int, epsilon: float, noise: Tape) -> Callable[[float], float]:
    """Return a function that adds a number and returns the private sum so far."""
    scale = node_noise(kind, horizon) / epsilon
    if kind == "binary":
        return binary_counter(scale, noise)
    total, drawn, t = [0.0], [0.0], [0]
    nodes: dict[tuple[int, int], float] = {}
    block = isqrt(horizon - 1) + 1

    def node(level: int, begin: int) -> float:
        if (level, begin) not in nodes:
            nodes[level, begin] = noise.laplace(scale)
        return nodes[level, begin]

    def of_digits() -> float:
        """Nodes of positive digits are added, those of negative ones, which end too late, taken away."""
        found, reached = 0.0, t[0]
        for level, digit in enumerate(digits(t[0])):
            reached -= digit * 19**level
            for place in range(abs(digit)):
                begin = place if digit > 0 else -place - 1
                found += (1 if digit > 0 else -1) * node(level, reached + begin * 19**level)
        return found

    def add(x: float) -> float:
        t[0] += 1
        total[0] += x
        if kind == "k-ary":
            return total[0] + of_digits()
        if kind == "two-level" and t[0] % block == 0:  # the noise of a whole block in place of its items'
            drawn[:] = [drawn[0] + noise.laplace(scale)]
        elif kind == "two-level":
            drawn.append(noise.laplace(scale))
        else:
            drawn[0] += noise.laplace(scale)
        return total[0] + sum(drawn)

    return add


# ---------------------------------------------------------------------- expected shortfalls of sums of noises


def beyond(number: int, x: Decimal) -> list[tuple[Decimal, Decimal]]:
    """Return Pr[S > x] and E max(0, S - x), x >= 0, for the sum S of 0, 1, …, `number` Laplace variables of scale 1.

    A positive sum of m of them is an Erlang variable of order m - i with probability C(m - 1 + i, i) / 2^(m + i).
    """
    power, tails = (-x).exp(), [Decimal(0)]
    for order in range(number + 1):
        tails.append(tails[-1] + power)  # Pr[Erlang of order + 1 > x]
        power = power * x / (order + 1)
    found = [(Decimal(0), Decimal(0))]
    for m in range(1, number + 1):
        weights = [(m - i, Decimal(comb(m - 1 + i, i)) / 2 ** (m + i)) for i in range(m)]
        tail = sum((weight * tails[order] for order, weight in weights), Decimal(0))
        excess = sum((weight * (order * tails[order + 1] - x * tails[order]) for order, weight in weights), Decimal(0))
        found.append((tail, excess))
    return found


def beyond_with(
    number: int, scale: Decimal, other: Decimal, x: Decimal
) -> tuple[list[tuple[Decimal, Decimal]], list[tuple[Decimal, Decimal]]]:
    """Return the same for sums of one scale, and for these with one more variable of another scale.

    Of the generating functions, 1/((1 - b^2 s^2)^m (1 - c^2 s^2)) is (b^2 times the one without the other variable
    minus c^2 times the one with one variable fewer) over b^2 - c^2.
    """
    alone = [(tail, scale * excess) for tail, excess in beyond(number + 1, x / scale)]
    if scale == other:
        return alone[:-1], alone[1:]
    one = beyond(1, x / other)[1]
    both = [(one[0], other * one[1])]
    b, c = scale**2, other**2
    for m in range(1, number + 1):
        both.append(tuple((b * alone[m][i] - c * both[-1][i]) / (b - c) for i in (0, 1)))  # type: ignore[arg-type]
    return alone[:-1], both


def least(sums: Callable[[Decimal], tuple[Decimal, Decimal]], failure: Decimal, x: Decimal) -> Decimal:
    """Return a + E max(0, S - a) / failure at its least: where the tail is `failure`, by secants of its logarithm."""
    before, x = x, 2 * x
    last = sums(before)[0].ln()
    for _ in range(30):
        tail, excess = sums(x)
        if abs(tail / failure - 1) < Decimal("1e-9"):
            return x + excess / failure
        slope = (tail.ln() - last) / (x - before)
        before, last, x = x, tail.ln(), max(x / 4, x + (failure / tail).ln() / slope)
    raise ArithmeticError(f"no tail of {failure} near {x}")


@lru_cache(maxsize=256)
def shortfalls(kind: str, phases: int, share: float, failure: float) -> tuple[float, float]:
    """Return y_up and y_down at a privacy loss of 1: the sum of the chances is `failure` at a, and y is beyond it.

    Upwards of the counter's noise after phases 1 to L - 1, downwards of the phase's noise less the counter's after
    0 to L - 1.
    """
    horizon = phases - 1
    counts = Counter(noises(kind, horizon, t) for t in range(1, phases))
    scale = Decimal(node_noise(kind, max(horizon, 1))) / Decimal(share)
    other = 1 / (1 - Decimal(share))
    most = max(counts, default=0)
    found = []
    with localcontext() as context:
        context.prec = 60
        for which, of in ((0, counts), (1, counts + Counter([0]))):

            def sums(x: Decimal, which: int = which, of: Counter[int] = of) -> tuple[Decimal, Decimal]:
                each = beyond_with(most, scale, other, x)[which]
                return sum(n * each[m][0] for m, n in of.items()), sum(n * each[m][1] for m, n in of.items())  # type: ignore[return-value]

            if of:
                found.append(float(least(sums, Decimal(failure), scale + other)))
            else:
                found.append(0.0)
    return found[0], found[1]


# ---------------------------------------------------------------------- the proof's inequalities


def failure_of(delta: float, number: int) -> float:
    """Return the failure probability of round r: rounds 2^i to 2^(i+1) - 1 share 6 delta / (pi (i + 1))^2 evenly."""
    epoch = number.bit_length() - 1
    return 6 * delta / (pi * (epoch + 1)) ** 2 / 2**epoch


def two_sides(k: int, choice: Choice, failure: float) -> tuple[float, float]:
    """Return how far off the estimate may be upwards and downwards, in bits, with no shift."""
    up, down = shortfalls(choice.counter, choice.phases, choice.share, failure / 2)
    hidden = k * tanh(choice.loss / 4)
    leaked = choice.phases - 1
    if choice.loss == NO_PRIVACY:
        hidden, leaked = k, 0
    return up / choice.loss + hidden + leaked, choice.length + down / choice.loss + hidden


def budget(k: int, choice: Choice, failure: float) -> tuple[float, float]:
    """Return the least W, and the shift with which both sides are W."""
    up, down = two_sides(k, choice, failure)
    return (up + down) / 2, (down - up) / 2


def words(k: int, alpha: float, choice: Choice, failure: float) -> float:
    """Return the words while the items grow by the factor e: a round's bits and a poll of 2k, over what it brings.

    A phase has the least whole number of bits from T + noise on, none if that is below 0.
    """
    scale, length = 1 / ((1 - choice.share) * choice.loss), choice.length
    bits, i = 0.0, 0
    while i < length + 60 * scale:
        bits += exp(-(i - length) / scale) / 2 if i > length else 1 - exp(-(length - i) / scale) / 2
        i += 1
    bits *= choice.phases
    return (bits + 2 * k) / log(1 + alpha * bits / budget(k, choice, failure)[0])


# ---------------------------------------------------------------------- the game


def robust(
    k: int, start: list[int], alpha: float, delta: float, choices_of: ChoicesOf, tape: Tape, noise: Tape
) -> dict[str, Any]:
    """A bit at a random one of each D items of a site; a new output after each phase; the last one ends the round."""
    known: dict[int, Any] = {}

    def constants(number: int) -> tuple[Choice, float, float]:
        epoch = number.bit_length()
        if epoch not in known:
            failure = failure_of(delta, number)
            choice = min(choices_of(failure), key=lambda one: words(k, alpha, one, failure))
            known[epoch] = (choice, *budget(k, choice, failure))
        return known[epoch]  # type: ignore[no-any-return]

    def rule(number: int, told: int) -> dict[str, Any] | None:
        size = int(alpha * told / constants(number)[1])
        return {"size": size, "next": in_blocks(size, tape)} if size >= 1 else None

    def begin(rule: dict[str, Any], number: int, base: int, exact: bool) -> dict[str, Any]:
        choice, allowed, shift = constants(number)
        size, releases = rule["size"], choice.phases - 1
        spare = alpha * base / size - allowed  # the error allowed, now that the items are known exactly
        of = {
            "phases": choice.phases,
            "releases": releases,
            "length": choice.length + 2 * spare,
            "shift": shift + spare,
            "threshold_noise": 1 / ((1 - choice.share) * choice.loss),
        }
        counter = private_counter(choice.counter, releases, choice.share * choice.loss, noise) if releases else None
        return in_phases(base, size, of, counter, noise)

    return in_rounds(k, sum(start), rule, begin, ahead=True)
