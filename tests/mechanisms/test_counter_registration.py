"""A new counter is one file and one registration: a line of `mechanisms.counters`, or an entry point of a package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parents[2]

DOUBLED = '''
"""Every entry gets noise of its own, twice as much as its privacy needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disttrack.mechanisms.counters.base import Counter, Run
from disttrack.mechanisms.noise import Draws, Laplace, Silent


@dataclass(frozen=True)
class Doubled(Counter):
    """A noise of scale 2 / epsilon for every entry."""

    kind = "doubled"
    source = "a test"
    error = "sqrt(8 t) / epsilon"
    memory = "O(1)"
    needs_horizon = False

    def noise_parts(self, t: int) -> Sequence[tuple[float, int]]:
        return [(2 / self.epsilon, t)]

    def start(self, rng: np.random.Generator, *, silent: bool = False) -> DoubledRun:
        return DoubledRun(self, rng, silent)


class DoubledRun(Run):
    __slots__ = ("_draws", "_noise")

    def __init__(self, counter: Doubled, rng: np.random.Generator, silent: bool) -> None:
        super().__init__(counter)
        self._draws = Draws(Silent() if silent else Laplace(2 / counter.epsilon), rng, batch=64)
        self._noise = 0.0

    def step(self, x: float = 1) -> float:
        self.t += 1
        if self.t > self._left:
            self._past_horizon(self.t)
        self._total += x
        self._noise += self._draws.one()
        return self._total + self._noise
'''

ALONE = """\
name: alone
task: continual-count
trials: 3
steps: [16, 64]
protocol: {kind: doubled, epsilon: 1}
adversary: round-robin
claims:
  - {name: it keeps the bound that it states, measure: fraction(ok), at_least: 0.5}
"""

INSIDE = """\
name: inside
sites: 100
items: 20000
protocol:
  - {kind: robust, alpha: 0.3, counter: doubled, parameters: [paper, tight]}
adversary: freeze
claims:
  - {name: rounds were played with it, measure: min(rounds), at_least: 2}
"""


def by_a_line(folder: Path) -> None:
    """Put a copy of the package before ours, with one more file and one more line."""
    package = folder / "mechanisms"
    shutil.copytree(ROOT / "mechanisms", package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "counters" / "doubled.py").write_text(DOUBLED, encoding="utf-8")
    home = package / "counters" / "__init__.py"
    place = "from disttrack.mechanisms.counters.hybrid import"
    line = "from disttrack.mechanisms.counters.doubled import Doubled as Doubled\n"
    text = home.read_text(encoding="utf-8")
    assert text.count(place) == 1
    home.write_text(text.replace(place, line + place), encoding="utf-8")


def by_an_entry_point(folder: Path) -> None:
    """Install a distribution that holds one module and registers its class."""
    (folder / "their_counters.py").write_text(DOUBLED, encoding="utf-8")
    info = folder / "theirs-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n", encoding="utf-8")
    points = "[disttrack.mechanisms]\ndoubled = their_counters:Doubled\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")


COMMANDS = """\
import json, sys
from click.testing import CliRunner
from disttrack.simulator.cli import main

done = [CliRunner().invoke(main, words, catch_exceptions=False) for words in json.loads(sys.argv[1])]
json.dump([[each.exit_code, each.stdout, each.stderr] for each in done], sys.stdout)
"""


def printed(commands: list[list[str]], here: Path, packages: str) -> list[str]:
    """Return what commands print that are carried out in one process, which finds these packages first."""
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, json.dumps(commands)], cwd=here, check=False, capture_output=True, text=True,
        env={"PYTHONPATH": packages, "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    results = json.loads(done.stdout)
    assert [status for status, _, _ in results] == [0] * len(commands), results
    return [out for _, out, _ in results]


@pytest.mark.slow
@pytest.mark.parametrize("register", [by_a_line, by_an_entry_point])
def test_one_registration_serves_every_place_that_takes_a_counter(register: object, tmp_path: Path) -> None:
    packages, here = tmp_path / "packages", tmp_path / "here"
    packages.mkdir()
    here.mkdir()
    register(packages)  # type: ignore[operator]
    for name, text in (("alone", ALONE), ("inside", INSIDE)):
        (here / f"{name}.yaml").write_text(text, encoding="utf-8")

    run = ["run", "alone.yaml", "inside.yaml", "--no-figures", "--workers", "1", "--out", "out"]
    listed, described, audited, schema = printed(
        [run, ["list", "mechanisms"], ["describe", "doubled"], ["audit", "doubled", "--runs", "300"], ["schema"]],
        here, f"{packages}:{ROOT}",
    )[1:]  # fmt: skip
    alone = pd.read_csv(here / "out" / "alone" / "trials.csv")
    assert set(alone["protocol"]) == {"doubled"}
    assert alone["items"].tolist() == [16] * 3 + [64] * 3
    inside = pd.read_csv(here / "out" / "inside" / "trials.csv")
    assert len(inside) == 2
    assert set(inside["verdict"]) <= {"ok", "failed", "undecided"}  # played to the end, with whatever came of it
    assert "doubled" in listed
    assert "sqrt(8 t) / epsilon" in described
    assert "stands" in audited
    protocols = json.loads(schema)["$defs"]["protocol"]["anyOf"]
    entries = [entry.get("properties", {}).get("kind", {}) for entry in protocols]
    assert {"const": "doubled"} in entries
