"""What all searches share: the budget, the seed, and the command, which saves what anyone can check and play."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import disttrack, refused

from disttrack import Block, Randomized
from disttrack.adversaries.replay import read
from disttrack.attack.adversaries import Tabular
from disttrack.attack.search.policy_search import attack, attack_with_memory

SEARCHES: list[tuple[Any, Any, int, dict[str, Any]]] = [
    (attack_with_memory, Randomized(alpha=0.2, confidence=0.5), 90, {"memory": 1, "sites": 4, "items": 60}),
    (attack, Block(alpha=0.5, confidence=0.25), 1, {"sites": 2, "items": 6}),
    pytest.param(attack, Randomized(alpha=0.1), 80, {"sites": 8, "items": 800}, marks=pytest.mark.slow),
]
"""Of machines, tables and policies: the victim, the fewest games of a budget of 100, and the size."""


@pytest.mark.parametrize(("search", "protocol", "least", "size"), SEARCHES)
def test_the_budget_is_kept_and_the_same_seed_finds_the_same(
    search: Any, protocol: Any, least: int, size: dict[str, Any]
) -> None:
    counted: list[int] = []
    found = search(protocol, **size, budget=100, seed=5, on_game=counted.append)
    assert least <= found.games == counted[-1] <= 100
    assert found.last >= 4
    assert search(protocol, **size, budget=100, seed=5) == found
    assert search(protocol, **size, budget=100, seed=6) != found


COIN = ("--protocol", "randomized alpha=0.5 confidence=0.5", "--sites", "2", "--items", "6", "--budget", "100")
TINY = ("--protocol", "block:alpha=0.5, confidence=0.25", "--sites", "2", "--items", "8", "--budget", "200")
ONE = ("--protocol", "deterministic:alpha=0.1", "--sites", "2", "--items", "1", "--budget", "100")
FEW = ("--protocol", "deterministic:alpha=0.2", "--sites", "4", "--items", "200", "--budget", "100")
MANY = ("--protocol", "randomized", "--sites", "8", "--items", "500", "--budget", "100")


@pytest.mark.parametrize(
    ("flags", "shown", "written"),
    [
        (MANY, "policy found:", "kind: policy"),
        ((*FEW, "--memory", "1"), "machine found:", "kind: bounded-memory"),
        ((*COIN, "--oblivious"), "steps=", "steps: "),
        (TINY, "with probability 95 %", "file: worst.json"),
        (ONE, " moves=0\n", "- kind: table\n  table: {}\n- kind: freeze\n"),  # seen: `file: null`
    ],
    ids=["policy", "machine", "sequence", "table", "no moves"],
)
def test_the_command_writes_what_it_found(folder: Path, flags: tuple[str, ...], shown: str, written: str) -> None:
    done = disttrack("attack", *flags, "--out", "worst.yaml")
    assert done.exit_code == 0, done.output
    assert shown in done.output
    text = Path("worst.yaml").read_text(encoding="utf-8")
    assert written in text
    assert disttrack("check", "worst.yaml").exit_code == 0
    if written == "steps: ":
        steps = done.output.partition("steps=")[2].partition("\n")[0]
        assert sum(times for _, times in read(steps)) == 6
        assert f"steps: {steps}" in text
    if written.endswith("json"):
        assert Tabular(file="worst.json").kind == "table"


@pytest.mark.parametrize(("flag", "value"), [("--budget", "5"), ("--memory", "11")])
def test_a_number_out_of_range_is_refused(flag: str, value: str) -> None:
    assert f"'{flag}'" in refused("attack", *FEW[:6], flag, value)
