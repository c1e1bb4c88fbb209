"""The attacker that foresees releases, by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from seen_by_hand import after, burst, view

from disttrack.adversaries import NEVER, Phase
from disttrack.adversaries.machines import STORES


def test_above_by_hand() -> None:
    adversary, seen = Phase(near=0.5), view(9, {"kind": "robust", "alpha": 0.1})
    assert burst(adversary, after(seen, 0)) == (0, NEVER)  # it knows nothing of phases yet, and aims at site 0
    # caught 0 after 100 items: the next release is foreseen after 100, so it is quiet for 50
    assert burst(adversary, after(seen, 100, 90.0)) == (7, 50)
    assert burst(adversary, after(seen, 50)) == (1, NEVER)  # then aims at the next site that has not been caught
    # 0.7 · 100 + 0.3 · 200 = 130 are foreseen
    assert burst(adversary, after(seen, 150, 280.0)) == (6, 65)
    assert burst(adversary, after(seen, 65)) == (2, NEVER)
    # an output that equals the count: a new round, in which nobody has been caught
    site, length = burst(adversary, after(seen, 10, seen.sent + 10))
    assert (site, length) == (5, int(0.5 * (0.7 * 130 + 0.3 * 75)))
    assert burst(adversary, after(seen, length)) == (0, NEVER)


@pytest.mark.parametrize("sites", [1, 2, STORES, 9])
def test_it_is_quiet_at_the_last_sites_in_turn(sites: int) -> None:
    adversary, seen = Phase(near=0.5), view(9, {"kind": "robust", "alpha": 0.1})
    seen.record(sites=sites)
    burst(adversary, after(seen, 0))
    stores = [burst(adversary, after(seen, 100, 90.0 * number))[0] for number in range(1, 2 * STORES)]
    assert set(stores) == set(range(max(0, sites - STORES), sites))
    assert sites == 1 or all(one != other for one, other in pairwise(stores))
