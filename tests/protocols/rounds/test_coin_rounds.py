"""How a game of memoryless coins is planned: the shares of delta, the choice of p and of signals, the words."""

from __future__ import annotations

from statistics import fmean

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Martingale
from disttrack.protocols.rounds.coin_rounds import (
    bias,
    first_round,
    share_of,
    signals_of,
    words_of,
    worth_it,
)
from disttrack.protocols.rounds.crossing import failure
from disttrack.protocols.rounds.walk import walk_of
from disttrack.simulator import play

POINTS = [
    (64, 0.03),
    (256, 0.1),
    (256, 1 / 16),
    (1024, 0.03),
    (4096, 1 / 64),
    (4096, 0.01),
    (65_536, 1 / 256),
    (65_536, 0.03),
    (2**20, 0.01),
]


# ---------------------------------------------------------------------- delta over the rounds


# ---------------------------------------------------------------------- the plan


# ---------------------------------------------------------------------- a round at hand


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.3), (5, 0.02), *POINTS])
def test_a_round_fails_with_its_share_whatever_the_estimate_was(k: int, alpha: float) -> None:
    """The server knows the exact count: from half to twice the estimate, the signals are those that are safe."""
    share = share_of(k, alpha, 0.05, 7)
    for estimate in (10 * first_round(k, alpha, 0.05), 10**13):
        p = bias(k, alpha, share, estimate, exact=False)
        for total in (estimate // 2, round(0.97 * estimate), estimate, round(1.03 * estimate), 2 * estimate):
            signals = signals_of(k, alpha, share, total, p)
            assert signals >= 0
            assert failure(walk_of(alpha, total, p), signals) <= share * (1 + 2e-3)
        assert signals_of(k, alpha, share, estimate, p) >= 1


def test_an_estimate_far_off_costs_words_and_no_promise() -> None:
    """Where the items are a tenth of the estimate no signal may be safe: the server then polls again, at once."""
    share = share_of(1024, 0.9, 0.05, 5)
    p = bias(1024, 0.9, share, 10**12, exact=False)
    assert signals_of(1024, 0.9, share, 10**11, p) == 0
    assert signals_of(1024, 0.9, share, 10**12, p) > 100


@pytest.mark.parametrize(("k", "alpha"), [(1, 0.1), (7, 0.3), *POINTS])
def test_rounds_begin_where_they_cost_less_than_forwarding(k: int, alpha: float) -> None:
    """And from there on for ever; p is well below 1 by then, and falls."""
    share, first = share_of(k, alpha, 0.05, 1), first_round(k, alpha, 0.05)
    assert not any(worth_it(k, alpha, share, total) for total in {1, first // 2, first - 1} - {0})
    assert all(worth_it(k, alpha, share, total) for total in (first, first + 1, 2 * first, 100 * first))
    biases = [bias(k, alpha, share, total, exact=True) for total in (first, 2 * first, 100 * first, 10**6 * first)]
    assert biases == sorted(biases, reverse=True)
    assert biases[0] < 0.8


@pytest.mark.quick_cases(6)
@pytest.mark.parametrize("k", [1, 2, 3, 1000, 2**20])
@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.9])
@pytest.mark.parametrize("delta", [1e-15, 0.999])
def test_every_size_has_its_rounds(k: int, alpha: float, delta: float) -> None:
    for number in (1, 2, 1000, 10**7):
        share = share_of(k, alpha, delta, number)
        for total in (first_round(k, alpha, delta), 2**61):
            p = bias(k, alpha, share, total, exact=number == 1)
            assert 0 < p <= 1
            assert 1 <= signals_of(k, alpha, share, total, p) <= 12 * k + 100


# ---------------------------------------------------------------------- words


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize(
    ("k", "alpha", "start", "items", "games"),
    [
        (64, 0.03, 0, 10**8, 4),
        (256, 0.1, 0, 10**12, 30),
        (256, 0.1, 10**11, 7 * 10**11, 30),
        (1024, 0.03, 10**8, 10**14, 5),
        (16, 0.01, 0, 10**7, 4),
    ],
)
@pytest.mark.false_alarm(1e-6)
def test_words_are_the_computed_ones(k: int, alpha: float, start: int, items: int, games: int) -> None:
    """Within 5 %: the mean of some games, each a few per cent off by the polls that fall within it.

    False alarms: below 1e-6, since games spread by 5 % at most but for k = 256, and there by 9 %. Power: polls of
    3k would add 20 to 40 %.
    """
    played = [
        play(Martingale(alpha=alpha), RoundRobin(), sites=k, items=items, start=start, seed=seed, engine="bulk")
        for seed in range(games)
    ]
    computed = words_of(k, alpha, 0.05, items, start)
    assert fmean(game.words for game in played) == pytest.approx(computed, rel=0.05)
    bound = Martingale(alpha=alpha).cost_bound(k, items, start)
    assert computed <= bound
    assert bound < 1.1 * computed or bound - computed < 6 * k
