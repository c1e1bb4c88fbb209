"""A loop without an attacker: the site is a function of the reported total alone."""

from __future__ import annotations

import math

import pytest
from seen_by_hand import burst, view

from disttrack.adversaries import NEVER, Feedback


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
    assert burst(adversary, view(7, output=output)) == (site, NEVER)
