"""A round of the martingale tracker fails as often as computed against the strongest attackers, too."""

from __future__ import annotations

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.attack.adversaries import Posterior, WhiteBox
from tests.statistical.test_martingale_rounds import hold_rounds_equal


@pytest.mark.slow
@pytest.mark.false_alarm(4e-6)
def test_a_round_fails_as_often_as_computed_against_beliefs() -> None:
    """The strongest of those that see the outputs and the state; rates and power as in the test of the core."""
    hold_rounds_equal([RoundRobin(), Posterior(), WhiteBox()])
