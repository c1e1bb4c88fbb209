"""The room as a distribution of somebody else's, under another name: it is trusted by what it declares, and no less."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pandas as pd
import pytest

import disttrack

ROOT: Final = Path(__file__).resolve().parents[2]
THEIRS: Final = "their_fleet"
SMALL: Final = """\
name: small
task: quota
trials: 2
sites: [2, 5]
requests: 2000
protocol: [{kind: split, limit: 40, window: 100}, {kind: lease, limit: 40, window: 100}]
adversary: [uniform, greedy]
claims: [{name: never too much, measure: fraction(ok), at_least: 1, where: "protocol == 'lease'"}]
plots: [{kind: windows}]
"""
MINE: Final = "from their_fleet.quotas import Split\nclass Mine(Split):\n    kind = 'mine'\n"
def _metadata(place: Path, name: str, entry_points: Mapping[str, Mapping[str, str]]) -> None:
    known = place / f"{name}.egg-info"
    known.mkdir()
    (known / "PKG-INFO").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\n", encoding="utf-8")
    lines: list[str] = []
    for group, points in entry_points.items():
        lines += [f"[{group}]", *(f"{key} = {value}" for key, value in points.items())]
    (known / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the project in which this room is another distribution's, with metadata of its own."""
    tree = tmp_path_factory.mktemp("other")
    junk = shutil.ignore_patterns("__pycache__", "*.egg-info")
    core = shutil.ignore_patterns("__pycache__", "*.egg-info", "fleet")
    shutil.copytree(ROOT / "src" / "disttrack", tree / "src" / "disttrack", ignore=core)
    shutil.copytree(ROOT / "src" / "disttrack" / "fleet", tree / "src" / THEIRS, ignore=junk)
    for file in (tree / "src" / THEIRS).rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("disttrack.fleet", THEIRS), encoding="utf-8")
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    theirs, others = {}, {}
    for group, points in known.items():
        moved = {name: value.replace("disttrack.fleet", THEIRS) for name, value in points.items()}
        theirs[group] = {name: value for name, value in moved.items() if value != points[name]}
        others[group] = {name: value for name, value in points.items() if value == moved[name]}
    _metadata(tree / "src", "disttrack", others)
    _metadata(tree / "src", "their-fleet", theirs)
    (tree / "small.yaml").write_text(SMALL, encoding="utf-8")
    (tree / "mine.py").write_text(MINE, encoding="utf-8")
    return tree


def python(tree: Path, *words: str, status: int = 0) -> str:
    """Return what a command of Python prints in the copy."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(tree / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == status, (done.stdout + done.stderr)[-3000:]
    return done.stdout + done.stderr


def test_its_games_are_those_of_the_built_in_room(tree: Path, tmp_path: Path) -> None:
    shown = python(tree, "-m", "disttrack.simulator", "run", "small.yaml", "--workers", "1", "--out", "out")
    assert "PASS" in shown
    assert "only messages" not in shown
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    here = disttrack.run(tmp_path / "small.yaml", out=tmp_path / "out", workers=1).trials
    there = pd.read_csv(tree / "out" / "trials.csv")
    shared = [name for name in here if name != "seconds" and name in there]
    assert len(shared) == len(here.columns) - 1
    pd.testing.assert_frame_equal(here[shared].reset_index(drop=True), there[shared], check_dtype=False)


def test_a_class_that_changes_nothing_is_not_accused(tree: Path) -> None:
    shown = python(tree, "-m", "disttrack.simulator", "check", "small.yaml", "--set", "protocol.0.kind=mine.py:Mine")
    assert "small.yaml: valid" in shown
    assert "only messages" not in shown
