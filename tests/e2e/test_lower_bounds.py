"""The project with exactly the smallest versions that it allows, in an environment with nothing else in it.

`.ci/lower-bounds` runs many more tests there; what stands here is what CI can afford.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml
from environments import ROOT, copy_of_sources, empty_environment, install, succeed
from replay_reference import REFERENCE, Row, compare_rows, table

EXTRAS: Final = ("audit", "dask", "data", "gym", "live", "sketches")
"""Those that users take; `bench` is larger than all of them, and no game needs it."""
VERSIONS: Final = "import importlib.metadata as m, sys; print(*(f'{name}=={m.version(name)}' for name in sys.argv[1:]))"
SITES: Final = (16, 1024)
CONFORMANCE: Final = "tests/conformance/test_registered.py"
QUICK: Final = (
    "tests/simulator/claims/test_measures.py",
    "tests/simulator/claims/test_columns.py",
    "tests/simulator/claims/test_power.py",
    "tests/simulator/game/test_channels.py",
    "tests/simulator/game/test_engines.py",
    "tests/simulator/game/test_ledger.py",
    "tests/simulator/game/test_outputs.py",
    "tests/simulator/game/test_play.py",
    "tests/simulator/game/test_streams.py",
    f"{CONFORMANCE}::test_protocol[martingale]",
    f"{CONFORMANCE}::test_adversary[freeze]",
    f"{CONFORMANCE}::test_counter[tree-variance-reduced]",  # fails with NumPy 1.26
    # one file for each extra
    "tests/adversaries/test_trace.py",
    "tests/fleet/live/test_live_parts.py",
    "tests/e2e/test_cluster.py::test_a_scheduler_that_is_not_there_is_one_line",
    "tests/mechanisms/accounting/test_budget_ledger.py",
    "tests/mechanisms/sketches/test_library_sketches.py",
    "tests/simulator/test_environment.py",
)
"""Tests of what numbers rest on: a few seconds together."""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that is not kept: the packages take half a gigabyte."""
    folder = tmp_path / "oldest"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def bounds() -> list[str]:
    """Return the smallest versions of the build, the core, the extras, and of what runs the tests."""
    command = [sys.executable, str(ROOT / ".ci" / "lower_bounds.py"), *EXTRAS, "hypothesis", "pytest"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def check_versions(python: Path, wanted: list[str], place: Path) -> None:
    """See that what is installed are the bounds, and that all packages take each other as they are."""
    split = dict(one.split("==") for one in wanted)
    assert len(split) >= 18
    found = dict(one.split("==") for one in succeed(python, "-c", VERSIONS, *split, cwd=place).split())
    short, short_bounds = ({name: re.sub(r"(\.0)+$", "", one[name]) for name in one} for one in (found, split))
    assert short == short_bounds
    succeed(python, "-m", "pip", "check", cwd=place)


def play_the_headline(python: Path, folder: Path) -> None:
    """Play a trial of each of its games from an empty folder: claims hold, and the games are those of the reference.

    Claims about mean errors are left out: they need all trials.

    The seed is that of the scenario, so that nothing is drawn which was not drawn there, with newer versions.
    """
    folder.mkdir()
    claims = yaml.safe_load((ROOT / "src/disttrack/scenarios" / "headline.yaml").read_text(encoding="utf-8"))["claims"]
    plain = [claim for claim in claims if "mean(max" not in claim["measure"]]
    short = [{**claim, "control": {**claim["control"], "trials": 1}} for claim in plain]
    changes = ["--set", f"sites={list(SITES)}", "--set", f"claims={json.dumps(short)}"]
    printed = succeed(
        python.parent / "disttrack", "run", "headline", "--trials", "1", "--workers", "1", *changes, cwd=folder
    )
    # of a trial, only claims that no coin decides are judged
    assert printed.count("PASS ") >= 1
    assert "FAIL " not in printed
    results = folder / "results" / "headline"
    assert {path.suffix for path in (results / "figures").iterdir()} >= {".png", ".svg"}
    assert (results / "report.html").stat().st_size > 10_000
    mine, theirs = (games(where / "trials.csv") for where in (results, REFERENCE / "headline"))
    assert len(mine) == len(theirs) == 16
    assert not [other for new, old in zip(mine, theirs, strict=True) for other in [compare_rows(new, old)[1]] if other]


def games(path: Path) -> list[Row]:
    """Return the first game of each point that was played, without the number of the point."""
    chosen = [row for row in table(path) if row["trial"] == "0" and int(row["sites"]) in SITES]
    return [{name: value for name, value in row.items() if name != "point"} for row in chosen]


def run_quick_tests(python: Path, tree: Path) -> None:
    """Run some tests on the installed copy: no package lies beside them."""
    shutil.rmtree(tree / "src")
    options = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--tb", "short"]
    printed = succeed(python, "-m", "pytest", *options, *QUICK, cwd=tree)
    assert "skipped" not in printed  # every extra is there


@pytest.mark.slow
def test_the_project_with_exactly_the_smallest_versions_that_it_allows(place: Path) -> None:
    python = empty_environment(place / "environment")
    wanted = bounds()
    install(python, wanted, place)
    tree = copy_of_sources(place / "tree")
    install(python, ["--no-deps", "--no-build-isolation", tree], place)
    check_versions(python, wanted, place)
    play_the_headline(python, place / "empty")
    run_quick_tests(python, tree)
