"""In the games of this wing, too, one in which no stream has given a number is known to be the same for every seed."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_coins import hold_coins

OWN = """
from typing import ClassVar
import numpy as np
from disttrack.mechanisms import Binary

class Hidden(Binary):
    def start(self, rng, *, silent=False):
        return super().start(np.random.default_rng(), silent=silent)

class Fixed(Binary):
    draws_coins: ClassVar[bool] = False
    def start(self, rng, *, silent=False):
        return super().start(np.random.default_rng(7), silent=silent)
"""
"""Counters of a user's: with coins of its own, and one that says it has none."""
CASES = [
    ("continual-count\nsteps: 60", "{kind: binary, epsilon: 1.0}", "round-robin", True),
    ("continual-count\nsteps: 60", "{kind: own.py:Hidden, epsilon: 1.0}", "round-robin", True),
    ("continual-count\nsteps: 60", "{kind: own.py:Fixed, epsilon: 1.0}", "round-robin", False),
    ("continual-count\nsteps: 60", "{kind: own.py:Fixed, epsilon: 1.0}", "scattered", True),
    ("prediction\npoints: 8\nsteps: 30", "plain", "contrary", False),
    ("prediction\npoints: 8\nsteps: 30", "plain", "{kind: replay, of: contrary}", False),
    ("prediction\npoints: 8\nsteps: 30", "plain", "point-stream", True),
    ("prediction\npoints: 8\nsteps: 30", "{kind: guessing}", "contrary", True),
]
"""Task and sizes, the two sides, and whether chance may have had a part."""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("task", "protocol", "adversary", "coins"), CASES)
def test_a_game_of_data_that_draws_nothing_says_so(task: str, protocol: str, adversary: str, coins: bool) -> None:
    hold_coins(task, protocol, adversary, coins)
