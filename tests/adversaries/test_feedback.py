"""A loop without an attacker: the site is a function of the reported total alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from disttrack.adversaries import NEVER, Burst, Feedback, View


def asked(adversary: Feedback, output: float, sites: int = 7) -> Burst:
    seen = View(sites=sites, items=10**12, rng=np.random.default_rng(1))
    seen.record(output=output)
    plan = adversary.plan(seen)
    assert isinstance(plan, Burst)
    assert plan.length == NEVER
    return plan


@pytest.mark.parametrize(
    ("adversary", "output", "site"),
    [
        (Feedback(), 99.9, 0),
        (Feedback(), 100, 1),
        (Feedback(block=10), 10 * 7 * 5 + 10, 1),
        (Feedback(), -1.0, 6),
        (Feedback(growth=2), 1023, 9 % 7),
        (Feedback(growth=2), 1025, 10 % 7),
        (Feedback(block=1, choice="hash"), 12, 12 * 48271 % (2**31 - 1) % 7),
        (Feedback(block=1), 10**12, 10**12 % 7),
        (Feedback(), math.nan, 0),
    ],
)
def test_the_block_of_the_total_names_the_site(adversary: Feedback, output: float, site: int) -> None:
    assert asked(adversary, output).site == site
