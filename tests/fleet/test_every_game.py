"""Every Python plays the same games: `make simulated` runs these with the newest one, against goldens of the oldest."""

from __future__ import annotations

import pytest
from every_game import GOLDEN, OTHERS, lines
from every_protocol import every_protocol

from disttrack.simulator.game.engine_choice import COMPILED, available
from disttrack.simulator.kinds.registry import kinds


def is_there(line: str) -> bool:
    """Return whether the game of a line can be played here: with its wing, and numba for the compiled engine."""
    name, _, engine = line.partition(":")[0].split("; ")
    return name in kinds("protocol") and (engine != COMPILED or available())


@pytest.mark.slow
def test_games_are_those_of_the_oldest_python() -> None:
    """By messages, outputs and measures."""
    golden = [line for line in GOLDEN.read_text("utf-8").splitlines() if is_there(line)]
    played = list(lines())
    differing = [f"{old}\n{new}" for old, new in zip(golden, played, strict=True) if old != new]
    assert not differing, "other games; if that is meant: python tests/fleet/every_game.py\n" + "\n".join(differing)


def test_all_that_can_be_served_is_played() -> None:
    """And ten others."""
    names = {line.partition(";")[0] for line in GOLDEN.read_text("utf-8").splitlines()}
    assert {*every_protocol(threshold=1, limit=1, window=1, epsilon=0.1)} <= names
    assert len(OTHERS) >= 10
    assert len(names) >= 34
