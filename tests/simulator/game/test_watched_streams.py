"""In every task, a game in which no stream has given a number is known to be the same for every seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn_coins import hold_coins

from disttrack.simulator.game.streams import streams

OWN = """
from typing import ClassVar
import random
from disttrack import Record, Size, Task
from disttrack.simulator.game.streams import streams

class Quiet(Task):
    kind: ClassVar[str] = "quiet"
    draws_coins: ClassVar[bool] = False
    sizes = (Size("steps", "items", "Steps.", needed=True),)
    def check(self, point):
        pass
    def play(self, point, seed):
        streams(seed, ("a", "b"))
        return Record(row={"ok": True, "verdict": "ok", "items": point.items})

class Unsaid(Quiet):
    draws_coins: ClassVar[bool] = True
    def play(self, point, seed):
        return Record(row={"ok": random.random() < 2, "verdict": "ok", "items": point.items})

class Tosses(Quiet):
    def play(self, point, seed):
        first, second = streams(seed, ("a", "b")), streams(seed + 1, ("a", "b"))
        streams(seed + 2)
        return Record(row={"ok": bool(second["b"].random() < 2), "verdict": "ok", "items": point.items})

class Spawns(Quiet):
    def play(self, point, seed):
        child, = streams(seed, ("a", "b"))["b"].spawn(1)
        return Record(row={"ok": bool(child.random() < 2), "verdict": "ok", "items": point.items})
"""
"""Tasks of a user's: with coins of their own, and that say they have none."""
CASES = [
    ("own.py:Quiet\nsteps: 5", "exact", "round-robin", False),
    ("own.py:Unsaid\nsteps: 5", "exact", "round-robin", True),
    ("own.py:Tosses\nsteps: 5", "exact", "round-robin", True),
    ("own.py:Spawns\nsteps: 5", "exact", "round-robin", True),
    ("count\nsites: 3\nitems: 900", "{kind: randomized, alpha: 0.2}", "round-robin", True),
    ("count\nsites: 3\nitems: 90", "{kind: deterministic, alpha: 0.2}", "uniform", True),
    ("count\nsites: 3\nitems: 90", "{kind: deterministic, alpha: 0.2}", "freeze", False),
]
"""Task and sizes, the two sides, and whether chance may have had a part."""


@pytest.fixture(autouse=True)
def here(folder: Path) -> None:
    (folder / "own.py").write_text(OWN, encoding="utf-8")


@pytest.mark.parametrize(("task", "protocol", "adversary", "coins"), CASES)
def test_a_game_that_draws_nothing_says_so(task: str, protocol: str, adversary: str, coins: bool) -> None:
    hold_coins(task, protocol, adversary, coins)


def test_what_was_drawn_is_seen_however_it_was_drawn() -> None:
    ways: list[Any] = [
        lambda rng: rng.integers(2, dtype=np.uint32),  # half of a number, the rest of which is kept
        lambda rng: rng.random(),
        lambda rng: rng.spawn(1),
        lambda rng: rng.bit_generator.random_raw(),
        lambda rng: rng.bit_generator.seed_seq.spawn(1),
    ]
    for way in ways:
        rngs = streams(4)
        assert len(list(rngs.values())) == len(rngs) == 4
        assert not rngs.drawn
        way(rngs["server"])
        assert rngs.drawn
