"""What a class of the user's raises when it is asked what a game needs is said in a line, with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from disttrack.simulator.cli import main

OWN = """
import os
import sys
from disttrack.adversaries import RoundRobin
from disttrack.protocols import Exact
from disttrack.simulator.game.tasks.tracking import Count

class Divides(Exact):
    def cost_bound(self, k, n, start=0):
        return 1 / 0

class Leaves(Exact):
    def cost_bound(self, k, n, start=0):
        sys.exit(0)

class Words(Exact):
    def cost_bound(self, k, n, start=0):
        return "many"

class Sound(Exact):
    def cost_bound(self, k, n, start=0):
        print("asked")
        return n

class Looks(RoundRobin):
    @property
    def each_item(self):
        raise KeyError("no\\nsuch")

class Hungry(Count):
    def demand(self, point):
        raise OSError("nobody knows")
"""
SIDES = {"protocol": "exact", "adversary": "round-robin", "task": "count"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def told(command: str, side: str, name: str) -> Result:
    entries = {**SIDES, side: f"own.py:{name}"}
    text = "".join(f"{key}: {value}\n" for key, value in entries.items())
    Path("one.yaml").write_text(f"sites: 3\nitems: 90\n{text}", encoding="utf-8")
    return CliRunner().invoke(main, [*command.split(), "one.yaml"])


@pytest.mark.parametrize("command", ["check", "run --workers 1"])
@pytest.mark.parametrize(
    ("side", "name", "said"),
    [
        ("protocol", "Divides", "own.py:Divides: cost_bound (line 10) raised ZeroDivisionError: division by zero"),
        ("protocol", "Leaves", "own.py:Leaves: cost_bound (line 14) raised SystemExit: 0"),
        ("protocol", "Words", "own.py:Words: cost_bound() must return a number; got 'many'"),
        ("adversary", "Looks", r"own.py:Looks: each_item (line 28) raised KeyError: 'no\nsuch'"),
        ("task", "Hungry", "own.py:Hungry: demand (line 32) raised OSError: nobody knows"),
    ],
)
def test_what_it_raises_is_a_line(command: str, side: str, name: str, said: str) -> None:
    result = told(command, side, name)
    line = next(number for number, key in enumerate(SIDES, 3) if key == side)
    assert result.exit_code == 2
    assert result.output == f"one.yaml:{line}: {side}: {said}\n"
    assert not Path("results").exists()


def test_one_that_answers_is_asked_and_its_table_is_clean() -> None:
    result = told("check --json", "protocol", "Sound")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["files"][0]["messages"] == 90
    result = told("run --json --workers 1 --no-figures", "protocol", "Sound")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)
