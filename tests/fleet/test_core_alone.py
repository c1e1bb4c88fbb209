"""The core without this room: a copy of the tree has neither it nor its entry points and tests, and passes its own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
JUNK: Final = shutil.ignore_patterns("__pycache__", "*.egg-info", "fleet")
TESTS: Final = (
    "tests/conformance/test_registered.py::test_protocol[deterministic]",
    "tests/simulator/test_public_face.py",
    "tests/simulator/kinds/test_faults.py",
    "tests/simulator/kinds/test_registry.py",
    "tests/simulator/experiments/results/test_accessor.py::test_every_kind_is_known_to_editors_and_type_checkers",
    "tests/simulator/experiments/results/test_accessor.py::test_dir_lists_all_kinds_and_help_their_keys",
    "tests/simulator/shown/plots/test_own_plots.py::test_it_is_drawn_beside_the_others",
    "tests/simulator/experiments/scenario/test_scenario.py",
    "tests/simulator/experiments/scenario/test_task_sizes.py",
    "tests/privacy/test_data_advice.py::test_what_it_refuses",
    "tests/simulator/game/tasks/test_own_tasks.py",
    "tests/simulator/cli/test_catalogue.py",
    "tests/simulator/cli/test_complete.py",
    "tests/simulator/cli/test_check_files.py",
)
"""A part of the quick tests, of every room whose tables a task, a plot or a command is in."""
SMALL: Final = """\
name: small
trials: 2
sites: [4, 9]
items: 2000
protocol: [{kind: deterministic, alpha: 0.1}, {kind: randomized, alpha: 0.1}]
adversary: round-robin
claims: [{name: never wrong, where: "protocol == 'deterministic'", measure: fraction(ok), at_least: 1}]
plots: [{kind: cost, x: sites}]
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the copy; its metadata, which stand before those of the environment, have no entry points."""
    tree = tmp_path_factory.mktemp("core")
    for folder in ("src", "tests", "docs", "examples", "benchmarks"):
        shutil.copytree(ROOT / folder, tree / folder, ignore=JUNK, symlinks=True)
    shutil.copy(ROOT / "conftest.py", tree)
    shutil.copy(ROOT / "README.md", tree)
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    text = re.sub(r'\[project\.entry-points\."disttrack\.\w+"\]\n(?:.+\n)+', "", text)
    assert "fleet." not in text.partition("[tool.")[0]
    (tree / "pyproject.toml").write_text(text, encoding="utf-8")
    known = tree / "src" / "disttrack.egg-info"
    known.mkdir()
    (known / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: disttrack\nVersion: 0.1.0\n", encoding="utf-8")
    (tree / "results").mkdir()
    (tree / "small.yaml").write_text(SMALL, encoding="utf-8")
    return tree


def run(core: Path, *words: str) -> str:
    """Return what a command of Python prints in the copy."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PYTHONPATH": str(core / "src"), "MPLBACKEND": "agg"}
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=core, env=environment, capture_output=True, text=True, check=False, timeout=1800)
    assert not done.returncode, (done.stdout + done.stderr)[-3000:]
    return done.stdout + done.stderr


COMMANDS: Final = {
    "--help": ("  run ", "serve"),
    "list": ("Tracking (count", "uota"),
    "advise --help": ("  data ", "quota  "),
    "schema": ("robust", "weighted-split"),
    "run small.yaml --workers 1": ("PASS", "uota"),
}
"""What commands print in the copy, and what they do not."""
SCRIPT: Final = """
import disttrack
from click.testing import CliRunner
from disttrack.simulator.cli import main
print(disttrack.__file__, hasattr(disttrack, "Robust"), hasattr(disttrack, "Lease"))
for words in {}:
    print("=====", CliRunner().invoke(main, words.split()).output)
"""


def test_it_has_no_quotas_and_its_commands_run(core: Path) -> None:
    begun, *said = run(core, "-c", SCRIPT.format([*COMMANDS])).split("=====")
    assert str(core) in begun
    assert "True False" in begun
    for printed, (shown, missing) in zip(said, COMMANDS.values(), strict=True):
        assert shown in printed
        assert missing not in printed


@pytest.mark.slow
def test_it_passes_its_own_tests(core: Path) -> None:
    tests = [one for one in TESTS if (core / one.partition("::")[0]).exists()]
    assert tests == list(TESTS)
    options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:randomly", "-m", "not slow"]
    assert " passed" in run(core, "-m", "pytest", *options, *TESTS)
