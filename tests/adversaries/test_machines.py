"""The rule of each adversary that is compiled answers as its script does, whatever the outputs are."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import pytest
from compiled_rules import COMPILED
from seen_by_hand import burst, view

from disttrack.adversaries import NEVER, Adversary
from disttrack.simulator.kinds.registry import kinds

ASKED = 200
"""Number of times that an adversary is asked in a game."""


def test_every_rule_that_is_compiled_is_tried() -> None:
    registered: list[Any] = [kind.load() for kind in kinds("adversary").values()]
    with_rules = {one for one in registered if getattr(one, "machine", Adversary.machine) is not Adversary.machine}
    assert {type(one) for one in COMPILED} == {one for one in with_rules if issubclass(one, Adversary)}


@pytest.mark.parametrize("number", range(len(COMPILED)))
def test_it_answers_as_the_script(number: int) -> None:
    """Outputs are off by up to half, of all signs, or exact; sites fed before an exact one are fed after it too."""
    exact = again = 0
    for seed in range(3):
        rng, sites = np.random.default_rng([number, seed]), 2 + seed
        adversary = copy(COMPILED[number])
        seen = view(sites, {"kind": "robust", "alpha": 0.2}, items=10**9)
        start = int(rng.choice([0, 1000]))
        seen.record(start=start, output=start)
        machine = adversary.machine(seen)
        assert machine is not None
        fed, before = set[int](), set[int]()
        for _ in range(ASKED):
            answer = burst(adversary, seen)
            total = start + seen.sent
            of_rule = machine.rule(machine.state, sites, seen.steps, total, seen.changes, float(seen.output))
            assert of_rule == answer
            site, length = answer
            again += site in before
            fed.add(site)
            waits = length < NEVER and rng.random() < 0.5
            items = length if waits else int(rng.integers(1, min(length, 50 + total // 4) + 1))
            total += items
            seen.record(sent=seen.sent + items, steps=seen.steps + items)
            if waits:
                continue
            output = total if rng.random() < 0.1 else round(total * rng.uniform(0.5, 1.5), 1)
            if output != seen.output:
                seen.record(output=output, changes=seen.changes + 1, changed_at=seen.steps)
                if output == total:
                    exact += 1
                    before, fed = before | fed, set()
    assert min(exact, again) > 15
