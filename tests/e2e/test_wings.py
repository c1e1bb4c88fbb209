"""The core without wings, and every combination of wings: a copy of the tree without a wing's folders and entry points.

A name of a missing wing, a kind, a command or a class, is refused in a line that names it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

import pytest
from environments import ROOT
from replay_reference import REFERENCE

from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios


@dataclass(frozen=True)
class Wing:
    """What a wing adds: a scenario that needs it, a kind, a class and a command, and a shipped scenario."""

    scenario: str
    kind: str
    name: str
    command: str
    shipped: str


KNOWN: Final[Mapping[str, Wing]] = {
    "privacy": Wing(
        "{task: continual-count, steps: 50, protocol: {kind: binary, epsilon: 1}, adversary: scattered}",
        *("overcount", "Overcount", "audit", "mirror"),
    ),
    "fleet": Wing(
        "{task: quota, sites: 3, requests: 50, protocol: {kind: lease, limit: 9, window: 30}, adversary: greedy}",
        *("lease", "Lease", "live", "quota"),
    ),
    "attack": Wing(
        "{sites: 3, items: 50, protocol: {kind: block, alpha: 0.3}, adversary: bisect}",
        *("bisect", "attack", "attack", "arms-race"),
    ),
}
WINGS: Final = {name: wing for name, wing in KNOWN.items() if (ROOT / "src" / "disttrack" / name).is_dir()}
"""Those of this tree, which may be a copy without some."""
CORE: Final = "{sites: [4, 9], items: 200, protocol: {kind: randomized, alpha: 0.1}, adversary: round-robin}"
ROOMS: Final = (
    *("test_structure.py", "conformance", "documents", "e2e", "simulator/kinds", "simulator/cli", "simulator/workshop"),
    *("simulator/experiments/scenario", "simulator/experiments/claims", "simulator/test_public_face.py"),
)
"""Tests that go over all that is registered."""
PARTS: Final = [names for number in range(len(WINGS)) for names in combinations(WINGS, number)]
"""All combinations but that of all wings, which every other test has."""
COMMANDS: Final = """
import json, sys
from click.testing import CliRunner
import disttrack
from disttrack.simulator.cli import main

def said(words):
    result = CliRunner().invoke(main, words.split())
    return {"words": words, "status": result.exit_code, "text": result.output}

def imported(name):
    try:
        exec(name)
    except (ImportError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"
    return ""

commands, statements = json.loads(sys.argv[1])
print(json.dumps([disttrack.__file__, [said(one) for one in commands], [imported(one) for one in statements]]))
"""


def tree_without(missing: Collection[str], tree: Path, *parts: str) -> Path:
    """Copy parts of this tree without some wings: neither their folders nor their entry points.

    The metadata of the copy stand before those of the environment where its `src` is on Python's path.
    """
    gone = {ROOT / place / name for place in ("src/disttrack", "tests") for name in missing}
    gone.add(ROOT / "results")

    def left_out(folder: str, names: list[str]) -> set[str]:
        hidden = {name for name in names if (name.startswith(".") and name != ".ci") or name.endswith(".egg-info")}
        return hidden | {name for name in names if Path(folder) / name in gone}

    tree.mkdir()
    for part in parts:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy2
        copy(ROOT / part, tree / part, **({"ignore": left_out, "symlinks": True} if copy is shutil.copytree else {}))
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in missing:
        text = re.sub(rf'^.+ = "disttrack\.{name}\b.*"\n', "", text, flags=re.MULTILINE)
    (tree / "pyproject.toml").write_text(text, encoding="utf-8")
    known = tree / "src" / "disttrack.egg-info"
    known.mkdir()
    (known / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: disttrack\nVersion: 0.1.0\n", encoding="utf-8")
    groups = tomllib.loads(text)["project"]["entry-points"]
    lines = [line for group, points in groups.items() for line in (f"[{group}]", *map(" = ".join, points.items()))]
    (known / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return tree


def python(tree: Path, *words: str) -> str:
    """Return what Python prints in a copy, of which it imports the packages."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(tree / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False, timeout=3600)
    assert not done.returncode, (done.stdout + done.stderr)[-5000:]
    return done.stdout


@pytest.mark.drawn(2)
@pytest.mark.parametrize("present", PARTS, ids=lambda names: " and ".join(names) or "none")
def test_every_combination_of_wings_plays_and_refuses_the_names_of_the_others(
    present: tuple[str, ...], tmp_path: Path
) -> None:
    """`list`, `describe`, one game and one scenario of the core and of each wing that is there."""
    missing = [name for name in WINGS if name not in present]
    tree = tree_without(missing, tmp_path / "tree", "src")
    for name, text in {"core": CORE, **{name: wing.scenario for name, wing in WINGS.items()}}.items():
        (tree / f"{name}.yaml").write_text(text, encoding="utf-8")
    good = ["list", "list scenarios", "--help", "schema", "advise --help", "describe robust", "check headline"]
    good += ["play --protocol randomized --adversary freeze --sites 4 --items 50"]
    good += [f"run {name}.yaml --workers 1 --no-figures" for name in ("core", *present)]
    good += [
        f"{verb} {name}"
        for one in present
        for verb, name in (("describe", WINGS[one].kind), ("check", WINGS[one].shipped))
    ]
    bad = {f"check {name}.yaml": "unknown kind" for name in missing}
    bad |= {f"{WINGS[name].command} --help": f"no such command '{WINGS[name].command}'" for name in missing}
    bad |= {f"describe {WINGS[name].kind}": f"there is no '{WINGS[name].kind}'" for name in missing}
    bad |= {f"run {WINGS[name].shipped}": f"{WINGS[name].shipped}: no such file or scenario" for name in missing}
    counter = {"play --protocol binary:epsilon=1": "binary does not play here: no installed task"}
    bad |= counter if "privacy" in missing else {}
    bad |= {"arena block --search 100": "no package registers one"} if "attack" in missing else {}
    names = {f"from disttrack import {wing.name}": name in missing for name, wing in WINGS.items()}
    words = json.dumps([[*good, *bad], [*names, "import disttrack.gym"]])
    file, outcomes, errors = json.loads(python(tree, "-c", COMMANDS, words))
    assert file.startswith(str(tree))
    for command in outcomes[: len(good)]:
        assert command["status"] == 0, command
    listed = outcomes[0]["text"]
    assert [name for name, wing in WINGS.items() if re.search(rf"\b{wing.kind}\b", listed)] == list(present)
    for command, said in zip(outcomes[len(good) :], bad.values(), strict=True):
        assert command["status"] == 2, command
        assert said in command["text"], command
        assert len(command["text"].strip().splitlines()) == 1
    for statement, error in zip(names, errors, strict=False):
        assert bool(error) == names[statement], error
        assert not error or f"'{statement.split()[-1]}'" in error
    assert "disttrack.attack" in errors[-1] or "gymnasium" in errors[-1] or "attack" in present


@pytest.mark.skipif(WINGS != KNOWN, reason="a tree without a wing has the references of its scenarios all the same")
def test_every_reference_result_is_of_a_shipped_scenario() -> None:
    assert {path.parent.name for path in REFERENCE.glob("*/manifest.json")} == set(shipped_scenarios())


@pytest.mark.slow
@pytest.mark.skipif(not WINGS, reason="this is the core alone")
def test_the_core_passes_its_own_tests_without_any_wing(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """One case of every second quick one of the rooms that go over all that is registered, drawn.

    With `--whole` all of all rooms. What needs a kind of a wing is in the folder of its tests.
    """
    others = (".git", ".venv", "results", "pyproject.toml")
    parts = [path.name for path in ROOT.iterdir() if path.name not in others and not path.name.endswith("cache")]
    tree = tree_without(WINGS, tmp_path / "tree", *parts)
    shutil.copytree(ROOT / "results" / "reference", tree / "results" / "reference")
    shutil.copy(ROOT / "results" / "README.md", tree / "results")
    options = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--draw", str(pytestconfig.getoption("draw"))]
    if pytestconfig.getoption("whole"):
        options += ["-n", "auto", "--dist", "worksteal"]
    else:
        options += ["--one-case", "2", *(f"tests/{room}" for room in ROOMS)]
    passed = re.search(r"(\d+) passed", python(tree, "-m", "pytest", *options))
    assert passed is not None
    assert int(passed[1]) >= 150
