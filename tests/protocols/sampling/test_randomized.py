"""The tracker that samples: a game by hand, and every outcome of its coins in exact fractions, without sampling."""

from __future__ import annotations

from fractions import Fraction
from math import comb, log, log1p

import pytest
from enumeration import ScriptedCoins, every_outcome, moments

from disttrack.protocols import Randomized
from disttrack.protocols.base import Message


def site_variance(n: int, inverse: int) -> Fraction:
    """(1 - p)(1 - (1 - p)^n) / p^2 for p = 1 / inverse (papers, section 3.1)."""
    p = Fraction(1, inverse)
    return (1 - p) * (1 - (1 - p) ** n) / p**2


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(("n", "inverse"), [(1, 2), (5, 4), (6, 2), (7, 8)])
def test_one_site_at_a_fixed_p(n: int, inverse: int) -> None:
    """After n items with p = 1/inverse from the first on, the estimate has mean n and the variance above."""
    protocol = Randomized(alpha=0.5, confidence=0.5)  # one site: 1/p is the largest power of two up to the total

    def play(coins: ScriptedCoins) -> list[Fraction]:
        site = protocol.sites(1, coins)[0]
        assert not site.hear(Message("total", inverse))
        last = 0
        for _ in range(n):
            for message in site.take(1):
                if message.kind == "report":
                    last = message.value[1]
        return [Fraction(last - 1 + inverse if last else 0)]

    means, variances, leaves = moments(play, n)
    assert leaves > n
    assert means == [n]
    assert variances == [site_variance(n, inverse)]


@pytest.mark.quick_cases(1)
@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(
    ("sizes", "items"),
    [
        ([2, 4], [2, 4, 5]),  # halved twice
        ([2, 8], [3, 5, 6]),  # a jump by four, as after a leap of the total
        ([2, 4, 8], [1, 2, 3, 4]),
    ],
)
def test_lowering_p_gives_the_distribution_of_the_new_p(sizes: list[int], items: list[int]) -> None:
    """The last report l of n items is distributed as if the last p had been used from the first item on.

    That is, Pr[l] = p (1 - p)^(n - l), and (1 - p)^n for none (papers, section 3.4). A walk with the old p
    instead of the new one, or a coin of 1/2 for a jump by four, gives other fractions.
    """
    protocol = Randomized(alpha=0.5, confidence=0.5)

    def play(coins: ScriptedCoins) -> int:
        site = protocol.sites(1, coins)[0]
        last, done = 0, 0
        for upto, inverse in zip(items, [*sizes, None], strict=True):
            for item in range(done + 1, upto + 1):
                coins.reach(item)
                for message in site.take(1):
                    if message.kind == "report":
                        last = message.value[1]
            done = upto
            if inverse:
                for message in site.hear(Message("total", inverse)):
                    assert message.kind == "adjust"
                    last = message.value[1]
        return last

    n, p = items[-1], Fraction(1, sizes[-1])
    law = dict.fromkeys(range(n + 1), Fraction(0))
    for probability, last in every_outcome(play, n):
        law[last] += probability
    assert law == {0: (1 - p) ** n} | {last: p * (1 - p) ** (n - last) for last in range(1, n + 1)}


@pytest.mark.parametrize("delta", [0.5, 0.05, 1e-9])
@pytest.mark.parametrize("alpha", [0.01, 0.1, 0.9])
def test_as_many_copies_of_such_an_accuracy_as_the_proof_asks_for(alpha: float, delta: float) -> None:
    """Papers, section 3.6, each inequality by itself.

    Chebyshev: at a checkpoint a copy is off by alpha/3 with probability at most 0.1. Checkpoints: N up to 2^63 grows by
    1 + alpha/3 between them, and p changes, two of them each. Half of m copies are off with probability at most 0.6^m.
    """
    spread, copies = Randomized(alpha=alpha, delta=delta).tuned(7)
    assert (spread / (alpha / 3)) ** 2 == pytest.approx(0.1)
    checkpoints = log(2**63) / log1p(alpha / 3) + 2 * 63
    assert copies % 2 == 1
    assert checkpoints * 0.6**copies <= delta < checkpoints * 0.6 ** (copies - 2)
    half_are_off = sum(
        comb(copies, off) * 0.1**off * 0.9 ** (copies - off) for off in range(copies // 2 + 1, copies + 1)
    )
    assert checkpoints * half_are_off < delta
