"""The rounds of martingale are the cheapest up to 1 %: no other number of signals of a grid needs fewer words."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.protocols.rounds.coin_rounds import offset_for, plan


@pytest.mark.quick_cases(3)
@pytest.mark.parametrize("seed", range(8))
def test_no_other_number_of_signals_is_cheaper(seed: int) -> None:
    """Descent by factors that stops far from the minimum would lose several percent."""
    rng = np.random.default_rng(seed)
    k, alpha, allowed = int(10 ** rng.uniform(0, 2.5)), 10 ** rng.uniform(-1.5, -0.5), 10 ** rng.uniform(-6, -1.5)
    chosen = plan(k, alpha, allowed)
    others = sorted({max(1, round(chosen.signals * factor)) for factor in np.geomspace(0.2, 5, 15)})
    words = [
        (2 * k + signals) / math.log1p(alpha * signals / offset_for(alpha, signals, allowed)) for signals in others
    ]
    assert chosen.words <= 1.01 * min(words)
