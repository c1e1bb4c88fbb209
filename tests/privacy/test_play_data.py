"""`play` plays the games of this wing: the game that its protocol is made for, with sizes left to the task."""

from __future__ import annotations

import pytest
from commands import disttrack, refused


def test_the_task_is_that_of_a_counter() -> None:
    result = disttrack("play", "--protocol", "binary:epsilon=1", "--set", "steps=50")
    assert result.exit_code == 0, result.output
    assert "largest absolute error:" in result.stdout
    assert "50 steps" in result.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["ams", "--set", "updates=9"], "--adversary: task second-moment needs one (accepted: "),
        (["binary:epsilon=1"], "steps: is missing: Steps of the clock; give --set steps=N"),
        (["binary:epsilon=1", "--set", "steps=9", "--record", "game.json"], "--record: games of task continual-count"),
    ],
)
def test_what_cannot_be_played_is_one_line(words: list[str], says: str) -> None:
    assert says in refused("play", "--protocol", *words)


@pytest.mark.parametrize(("adversary", "asked"), [("uniform", "asks for"), ("round-robin", "asks for 0 after 99")])
def test_an_order_of_queries_is_checked_before_the_game(adversary: str, asked: str) -> None:
    words = ["--set", "values=100", "--set", "points=10", "--set", "queries=200", "--adversary", adversary]
    said = refused("play", "--protocol", "sorted-queries:epsilon=1", *words)
    assert said.startswith("adversary.kind: ")
    assert asked in said
    assert "increasing order only" in said
    result = disttrack("play", "--protocol", "sorted-queries:epsilon=1", *words[:4], "--set", "queries=100")
    assert result.exit_code == 0, result.output
