"""The block tracker: a game by hand with fixed thresholds, all thresholds in exact fractions, and what freeze does."""

from __future__ import annotations

import numpy as np
import pytest
from enumeration import moments, outputs

from disttrack.adversaries import Freeze, RoundRobin
from disttrack.protocols import Block
from disttrack.protocols.base import FOREVER
from disttrack.simulator import play


@pytest.mark.parametrize(
    ("k", "alpha", "confidence"), [(1, 0.5, 1.0), (4, 0.3, 3.0), (100, 0.05, 2.0), (256, 0.1, 3.0)]
)
def test_forwards_until_a_block_holds_an_item(k: int, alpha: float, confidence: float) -> None:
    """c sqrt k / alpha items, the start-up of the cost bound; a site is silent at once if so many are known."""
    protocol = Block(alpha=alpha, confidence=confidence)
    least = next(n for n in range(1, 10**6) if alpha * n / (confidence * k**0.5) >= 1 - 1e-12)
    game = play(protocol, RoundRobin(), sites=k, items=least + 5, record=True)
    by_kind = {row.kind: row.messages for row in game.kinds.itertuples()}
    assert by_kind["item"] in (least, least + 1)  # the product may come out a bit below 1
    assert protocol.cost_bound(k, least - 1) == least - 1
    sites = protocol.sites(k, np.random.default_rng(0), [least + 1] + [0] * (k - 1))
    assert all(0 <= site.silence() < FOREVER for site in sites)


@pytest.mark.slow
def test_block_thresholds_without_privacy_are_frozen_too() -> None:
    """k = 1024, alpha = 1/32, c = 4: above 3 alpha (papers, table 11). Measured: 3.5 to 3.6 in every game."""
    for seed in range(3):
        game = play(Block(alpha=1 / 32, confidence=4.0), Freeze(), sites=1024, items=1_000_000, seed=seed)
        assert game.highest > 3 / 32


@pytest.mark.usefixtures("scripted")
@pytest.mark.parametrize(("size", "start"), [(1, 4), (2, 7), (3, 10), (4, 14)])
def test_block_tracker_is_without_bias_over_all_thresholds(size: int, start: int) -> None:
    """D E[bits] = n for every n <= 3 D, and the variance is that of one open block: D^2 (e/D)(1 - e/D).

    One site, alpha = 0.3, c = 1: D = floor(0.3 · start). The published offsets (0 … D - 1, against a strict
    threshold) would lose the bits of 2 in D blocks.
    """
    protocol = Block(alpha=0.3, confidence=1.0)
    moves = [0] * (3 * size)
    means, variances, leaves = moments(lambda coins: outputs(protocol, moves, 1, coins, [start]), size)
    assert leaves == size**4  # three full blocks, and the threshold of the fourth is drawn already
    assert means == [start + n for n in range(1, len(moves) + 1)]
    assert variances == [(n % size) * (size - n % size) for n in range(1, len(moves) + 1)]
