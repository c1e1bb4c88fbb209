"""The attacker that foresees releases, by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from disttrack.adversaries import NEVER, Burst, Phase, View
from disttrack.adversaries.machines import STORES


def ask(adversary: Phase, seen: View, items: int, output: float | None = None) -> tuple[int, int]:
    seen.record(sent=seen.sent + items)
    seen.record(steps=seen.steps + items)
    if output is not None:
        seen.record(output=output)
        seen.record(changes=seen.changes + 1)
    plan = adversary.plan(seen)
    assert isinstance(plan, Burst)
    return plan.site, plan.length


def view() -> View:
    return View(sites=9, items=10**6, rng=np.random.default_rng(2), known={"kind": "robust", "alpha": 0.1})


def test_above_by_hand() -> None:
    adversary, seen = Phase(near=0.5), view()
    assert ask(adversary, seen, 0) == (0, NEVER)  # it knows nothing of phases yet, and aims at site 0
    # caught 0 after 100 items: the next release is foreseen after 100, so it is quiet for 50
    assert ask(adversary, seen, 100, 90.0) == (7, 50)
    assert ask(adversary, seen, 50) == (1, NEVER)  # then aims at the next site that has not been caught
    # 0.7 · 100 + 0.3 · 200 = 130 are foreseen
    assert ask(adversary, seen, 150, 280.0) == (6, 65)
    assert ask(adversary, seen, 65) == (2, NEVER)
    # an output that equals the count: a new round, in which nobody has been caught
    site, length = ask(adversary, seen, 10, seen.sent + 10)
    assert (site, length) == (5, int(0.5 * (0.7 * 130 + 0.3 * 75)))
    assert ask(adversary, seen, length) == (0, NEVER)


@pytest.mark.parametrize("sites", [1, 2, STORES, 9])
def test_it_is_quiet_at_the_last_sites_in_turn(sites: int) -> None:
    adversary, seen = Phase(near=0.5), view()
    seen.record(sites=sites)
    ask(adversary, seen, 0)
    stores = [ask(adversary, seen, 100, 90.0 * number)[0] for number in range(1, 2 * STORES)]
    assert set(stores) == set(range(max(0, sites - STORES), sites))
    assert sites == 1 or all(one != other for one, other in pairwise(stores))
