"""How a game of memoryless coins is planned: the shares of delta, the choice of p and of signals, the words."""

from __future__ import annotations

import pytest

from disttrack.protocols.rounds.coin_rounds import (
    bias,
    first_round,
    share_of,
    signals_of,
    worth_it,
)

POINTS = [(64, 0.03), (256, 0.1), (4096, 1 / 64), (65_536, 1 / 256), (2**20, 0.01)]


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
