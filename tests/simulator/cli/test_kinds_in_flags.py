"""A kind with parameters in a flag: texts with spaces, lists, and kinds of other games."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack import Exact, RoundRobin, play


def test_a_task_of_the_user_is_played_and_an_accuracy_of_theirs_has_the_range_of_the_game() -> None:
    Path("own.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack import Deterministic\n"
        "from disttrack.simulator.game.tasks.tracking import Count\n\n\n"
        'class Mine(Count):\n    kind = "mine"\n\n\n'
        "@dataclass(frozen=True)\nclass Wide(Deterministic):\n    alpha: float = 0.3\n"
    )
    size = ("--sites", "2", "--items", "9")
    assert disttrack("play", "--protocol", "exact", "--task", "own.py:Mine", *size).exit_code == 0
    assert "must be above 0 and below 1; got 7" in refused("play", "--protocol", "own.py:Wide:alpha=7", *size)
    assert refused("play", "--protocol", "exact", "--with", "own.py:Mine").endswith("--task mine.py:Mine")
    assert refused("list", "own.py:Mine").endswith("for a class of yours: disttrack describe own.py:Mine")


def test_sizes_may_be_floats_that_are_whole() -> None:
    assert play(Exact(), RoundRobin(), sites=2, items=1e3).items == 1000  # type: ignore[arg-type]
    with pytest.raises((TypeError, ValueError), match="items"):
        play(Exact(), RoundRobin(), sites=2, items=10.5)  # type: ignore[arg-type]
    assert disttrack("play", "--protocol", "exact", "--items", "1e3").exit_code == 0


def test_a_class_keeps_its_own_default_of_alpha() -> None:
    Path("own.py").write_text(
        "from dataclasses import dataclass\nfrom disttrack import Deterministic\n\n\n"
        '@dataclass(frozen=True)\nclass Coarse(Deterministic):\n    """Coarse."""\n\n    alpha: float = 0.3\n'
    )
    for protocol, promised, alpha in (
        ("own.py:Coarse", 0.3, ()), ("own.py:Coarse", 0.2, ("--alpha", "0.2")), ("own.py:Coarse alpha=0.4", 0.4, ()),
        ("deterministic", 0.1, ()), ("deterministic", 0.2, ("--set", "alpha=0.2")),
    ):  # fmt: skip
        result = disttrack("play", "--protocol", protocol, "--sites", "2", "--items", "9", *alpha)
        assert f"promised {promised}\n" in result.stdout
    assert "protocol.alpha: exact has no such parameter" in refused("play", "--alpha", "0.2", "--protocol", "exact")
    for twice in (("own.py:Coarse alpha=0.4",), ("own.py:Coarse", "--set", "alpha=0.4")):
        assert "--alpha 0.2: given twice" in refused("play", "--alpha", "0.2", "--protocol", *twice)
