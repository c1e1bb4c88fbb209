"""Difference estimators: the dyadic sum by hand, broadcasts, error and cost."""

from __future__ import annotations

from math import ceil, log2, sqrt

import pytest

from disttrack.protocols.rounds.difference_estimators import doubling


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
