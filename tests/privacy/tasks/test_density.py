"""The game of the density of users, published at every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from disttrack import RoundRobin, play_duel
from disttrack.privacy.mechanisms import ContinualOutput, PanPrivateDensity

RULES: dict[str, Any] = {"epsilon": 1e6, "horizon": 64, "sensitivity": 1e-4, "changes": 10, "variation": 0.22}


def test_a_group_appears_as_its_users_do_one_after_the_other() -> None:
    rules = PanPrivateDensity(epsilon=1.0, users=50)
    together, singly = (rules.start(np.random.default_rng(3)) for _ in range(2))
    for begin, end in ((0, 20), (10, 50), (7, 7), (0, 1)):
        together.appear(begin, end)
        for user in range(begin, end):
            singly.step(user)
        assert together.state() == singly.state()
        assert together.answer() == singly.answer()


def test_without_privacy_to_speak_of_it_publishes_at_each_variation() -> None:
    """The estimates are within 0.02 save with probability e^-70, by Hoeffding's inequality at 64 steps."""
    game = play_duel(ContinualOutput(**RULES), RoundRobin(), groups=20, users=400_000, steps=64, seed=1)
    assert (game.published, game.halted, game.density) == (4, False, 1.0)  # at 0.25, 0.5, 0.75 and 1
    assert game.max_abs_error == pytest.approx(0.2, abs=0.04)
    assert game.ok


def test_few_users_are_never_published() -> None:
    """A right mechanism fails with probability e^-30: its threshold is thirty scales of its noise."""
    rules = ContinualOutput(**{**RULES, "epsilon": 1.0, "sensitivity": PanPrivateDensity(1.0, 40).sensitivity})
    game = play_duel(rules, RoundRobin(), groups=20, users=40, steps=64, seed=1)
    assert (game.published, game.max_abs_error, game.ok) == (0, 1.0, True)
