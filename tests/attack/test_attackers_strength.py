"""How hard the attackers of this wing hit, as tests/adversaries/test_strength.py measures it for the others."""

from __future__ import annotations

from typing import Final

import pytest
from core_kinds import kinds_of
from victims import Hit, above, below

import disttrack as by
from disttrack.protocols import Block, Randomized, Robust
from disttrack.simulator.kinds.faults import broken

FROM_ZERO: Final = {"sites": 64, "items": 20_000}
ONE_ROUND: Final = {"sites": 64, "items": 15_000, "start": 200_000}
MANY_PHASES: Final = {"phases": 30, "phase_length": 0.1, "epsilon": 4, "counter_share": 0.8, "budget": 2, "shift": -9}
HAND: Final = Robust(alpha=0.01, parameters={**MANY_PHASES, "blocks": 9})
"""Many short phases; each has room for few bits, so that what a phase tells is worth much."""
HITS: Final = (
    Hit(by.Learned(), Randomized(alpha=0.1), above, 1.35, 1.65, FROM_ZERO),
    Hit(by.Bisect(), Block(alpha=0.1), above, 0.95, 1.6, FROM_ZERO),
    Hit(by.Posterior(), Block(alpha=0.1), above, 1.15, 1.75, FROM_ZERO),
    Hit(by.Eavesdrop(), Block(alpha=0.1), above, 1.0, 1.6, FROM_ZERO),
    Hit(by.WhiteBox(), Block(alpha=0.1), above, 1.3, 1.75, FROM_ZERO),
    Hit(by.Trial(), broken(HAND, "no-noise"), below, 0.62, 0.98, ONE_ROUND),
)


def test_every_attacker_of_the_wing_has_its_victim() -> None:
    """tests/attack/search/test_table_search.py has the victim of `table`."""
    registered = set(kinds_of("adversary", "attack"))
    assert {hit.attacker.kind for hit in HITS} | {"table"} == registered
    assert len(registered) == len(HITS) + 1 == 7


@pytest.mark.slow
@pytest.mark.parametrize("hit", HITS, ids=lambda hit: hit.attacker.kind)
@pytest.mark.false_alarm(1e-6)
def test_how_hard_an_attacker_of_the_wing_hits(hit: Hit) -> None:
    """Rates and power as in tests/adversaries/test_strength.py."""
    assert hit.inside(hit.attacker)
    assert not hit.inside(hit.harmless)
