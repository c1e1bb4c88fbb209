"""The block tracker: a game by hand with fixed thresholds, all thresholds in exact fractions, and what freeze does."""

from __future__ import annotations

import pytest
from enumeration import moments, outputs

from disttrack.protocols import Block


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
