"""Binary search for thresholds, by hand and against the block tracker."""

from __future__ import annotations

from typing import Any

import numpy as np

from disttrack.adversaries import Adversary, Bisect, Burst, View


def view(**facts: Any) -> View:
    """A view of `block` with alpha 0.3, c 1 and 4 sites after 160 items: blocks of 0.3 · 160 / 2 = 24 items."""
    made = View(sites=4, items=10**6, start=160, rng=np.random.default_rng(2), known={"kind": "block", **PARAMETERS})
    made.record(**facts)
    return made


PARAMETERS = {"alpha": 0.3, "confidence": 1.0}


def ask(adversary: Adversary, seen: View, items: int, moved: bool) -> tuple[int, int]:
    seen.record(sent=seen.sent + items)
    seen.record(steps=seen.steps + items)
    seen.record(changes=seen.changes + moved)
    seen.record(output=seen.output + 24 * moved)
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
    seen.record(output=seen.start + seen.sent + 1)
    site, half = ask(adversary, seen, 1, True)
    assert (site, half) == (0, (int(0.15 * (160 + seen.sent)) + 1) // 2)
