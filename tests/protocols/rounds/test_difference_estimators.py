"""Difference estimators: the dyadic sum by hand, broadcasts, error and cost."""

from __future__ import annotations

from math import ceil, exp, log, log2, sqrt

import pytest

from disttrack.protocols import DifferenceEstimators
from disttrack.protocols.rounds.difference_estimators import doubling


def test_division_of_a_doubling_by_hand() -> None:
    """alpha = 0.1: 2^5 = 32 blocks, as 2/alpha = 20; eta = 0.01 / 96; late = sqrt(100 ln(9600) / 2) = 21.4."""
    found = doubling(100, 0.1, 0.01)
    late = sqrt(100 * log(9600) / 2)
    assert found.levels == 5
    assert found.blocks == 32
    assert late == pytest.approx(21.41, abs=0.01)
    assert found.block_bits == int(late * (1 + sqrt(5)) / 2.2) == 31
    assert found.budget == pytest.approx(found.block_bits + late * (1 + sqrt(5)))
    # the blocks together are about a doubling: 2^levels times its bits of alpha F / budget items
    assert 0.8 < found.blocks * found.block_bits * 0.1 / found.budget <= 1


def test_doublings_share_delta() -> None:
    """What each doubling may fail with, worked out of its budget, adds up to delta: 1/r^2 does, 1/r does not."""
    protocol = DifferenceEstimators(alpha=0.1, delta=0.2)
    shares = []
    for number in range(1, 1000):
        found = protocol.doubling(400, number)
        late = (found.budget - found.block_bits) / (1 + sqrt(found.levels))
        shares.append(3 * found.blocks * exp(-2 * late**2 / 400))
    assert 0.99 * 0.2 < sum(shares) < 0.2


def test_private_copies_of_the_estimators_save_memory_and_no_words() -> None:
    """Attias and others 2023: private copies take the place of the estimators of a level, one for each of its blocks.

    There are as many copies as the root of the number of blocks. A streaming algorithm holds all of them, and gains a
    factor alpha^(-1/2). Sites hold one of a level at a time, and lose that factor in bits, over the number of levels.
    The broadcasts are the same, one a block.
    """
    held, sent = {}, {}
    for alpha in (2**-6, 2**-16):
        levels = doubling(1024, alpha, 0.01).levels
        blocks = [2 ** (levels - level) for level in range(levels)]
        copies = sum(ceil(sqrt(number)) for number in blocks)
        held[alpha], sent[alpha] = sum(blocks) / copies, copies / levels
    assert log2(held[2**-16] / held[2**-6]) / 10 == pytest.approx(0.5, abs=0.02)
    assert 0.35 < log2(sent[2**-16] / sent[2**-6]) / 10 <= 0.5
