"""Binary search for thresholds, by hand and against the block tracker."""

from __future__ import annotations

from typing import Any

import numpy as np
from seen_by_hand import after, burst

from disttrack.adversaries import View
from disttrack.attack.adversaries import Bisect


def view(**facts: Any) -> View:
    """A view of `block` with alpha 0.3, c 1 and 4 sites after 160 items: blocks of 0.3 · 160 / 2 = 24 items."""
    made = View(sites=4, items=10**6, start=160, rng=np.random.default_rng(2), known={"kind": "block", **PARAMETERS})
    made.record(**facts)
    return made


PARAMETERS = {"alpha": 0.3, "confidence": 1.0}


def test_by_hand() -> None:
    """Sites 0 to 2 are searched, 3 stores. Halves of 24: 12, then 6, then 3; who has signalled is left for good."""
    adversary, seen = Bisect(), view()
    assert burst(adversary, after(seen, 0)) == (0, 12)
    assert burst(adversary, after(seen, 12)) == (1, 12)
    assert burst(adversary, after(seen, 5, seen.output + 24)) == (2, 12)  # 1 has signalled at its fifth item
    assert burst(adversary, after(seen, 12, seen.output + 24)) == (0, 6)  # 2 with its last one, too; 0 again
    assert burst(adversary, after(seen, 6)) == (0, 3)
    assert burst(adversary, after(seen, 3, seen.output + 24))[0] == 3  # all found: store until the round is over
    assert burst(adversary, after(seen, 40, seen.output + 24))[0] == 3
    # 7 signals of 24 reach 160: the round is over, the output exact, and the search begins anew with greater blocks
    for _ in range(2):
        assert burst(adversary, after(seen, 1, seen.output + 24))[0] == 3
    seen.record(output=seen.start + seen.sent + 1)
    site, half = burst(adversary, after(seen, 1, seen.output + 24))
    assert (site, half) == (0, (int(0.15 * (160 + seen.sent)) + 1) // 2)
