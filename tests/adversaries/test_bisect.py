"""Binary search for thresholds, by hand and against the block tracker."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from disttrack.adversaries import Adversary, Bisect, Burst, Posterior, View
from disttrack.protocols import Block
from disttrack.simulator import play


def view(**facts: Any) -> View:
    """A view of `block` with alpha 0.3, c 1 and 4 sites after 160 items: blocks of 0.3 · 160 / 2 = 24 items."""
    made = View(sites=4, items=10**6, start=160, rng=np.random.default_rng(2), known={"kind": "block", **PARAMETERS})
    for name, value in facts.items():
        setattr(made, name, value)
    return made


PARAMETERS = {"alpha": 0.3, "confidence": 1.0}


def ask(adversary: Adversary, seen: View, items: int, moved: bool) -> tuple[int, int]:
    seen.sent += items
    seen.steps += items
    seen.changes += moved
    seen.output += 24 * moved
    plan = adversary.plan(seen)
    assert isinstance(plan, Burst)
    return plan.site, plan.length


def test_by_hand() -> None:
    """Sites 0 to 2 are searched, 3 stores. Halves of 24: 12, then 6, then 3; who has signalled is left for good."""
    adversary, seen = Bisect(), view()
    assert ask(adversary, seen, 0, False) == (0, 12)
    assert ask(adversary, seen, 12, False) == (1, 12)
    assert ask(adversary, seen, 5, True) == (2, 12)  # 1 has signalled at its fifth item
    assert ask(adversary, seen, 12, True) == (0, 6)  # 2 with its last one, too; 0 again
    assert ask(adversary, seen, 6, False) == (0, 3)
    assert ask(adversary, seen, 3, True)[0] == 3  # all found: store until the round is over
    assert ask(adversary, seen, 40, True)[0] == 3
    # 7 signals of 24 reach 160: the round is over, the output exact, and the search begins anew with greater blocks
    for _ in range(2):
        assert ask(adversary, seen, 1, True)[0] == 3
    seen.output = seen.start + seen.sent + 1
    site, half = ask(adversary, seen, 1, True)
    assert (site, half) == (0, (int(0.15 * (160 + seen.sent)) + 1) // 2)


@pytest.mark.slow
@pytest.mark.parametrize("adversary", [Bisect(), Posterior()], ids=lambda one: one.kind)
@pytest.mark.false_alarm(1e-6)
def test_it_breaks_block_at_three_standard_deviations_and_more(adversary: Adversary) -> None:
    """k = 1024, alpha = 0.03, c = 3 (which is 6 standard deviations): over 3 alpha in each of 5 games.

    The least of 100 games apart from these was 3.7 alpha (bisect) and 5.4 alpha (posterior). The false-alarm rate
    is 1e-6 if 2e-7 of the games are below 3 alpha. Power: streams that do not react stay within alpha.
    """
    assert stats.binom.sf(0, 5, 2e-7) <= 1.1e-6
    for seed in range(5):
        game = play(Block(alpha=0.03), adversary, sites=1024, items=100_000, seed=seed)
        assert not game.ok
        assert game.highest > 0.09
