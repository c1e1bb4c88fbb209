"""The wheel and the sdist: what is in them, and the program in an environment with exactly the smallest versions.

It is built and installed once, and so all is one test. `.ci/lower-bounds`, which CI runs too, has the extras and many
tests with these versions.
"""

from __future__ import annotations

import email
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
import yaml
from environments import ROOT, copy_of_sources, empty_environment, install, succeed
from replay_reference import REFERENCE, Row, compare_rows, table
from test_wings import WINGS, tree_without

VERSIONS: Final = "import importlib.metadata as m, sys; print(*(f'{name}=={m.version(name)}' for name in sys.argv[1:]))"
SITES: Final = (16, 1024)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """Return a folder that is not kept: the packages take half a gigabyte."""
    folder = tmp_path / "oldest"
    folder.mkdir()
    yield folder
    shutil.rmtree(folder)


def bounds() -> list[str]:
    """Return the smallest versions of the build and the core."""
    command = [sys.executable, str(ROOT / ".ci" / "lower_bounds.py")]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def check_versions(python: Path, wanted: list[str], place: Path) -> None:
    """See that what is installed are the bounds, and that all packages take each other as they are."""
    split = dict(one.split("==") for one in wanted)
    assert len(split) >= 7
    found = dict(one.split("==") for one in succeed(python, "-c", VERSIONS, *split, cwd=place).split())
    short, short_bounds = ({name: re.sub(r"(\.0)+$", "", one[name]) for name in one} for one in (found, split))
    assert short == short_bounds
    succeed(python, "-m", "pip", "check", cwd=place)


def files_of_packages() -> set[str]:
    """Return what an installed copy needs: every file of the packages, data files too, without pages and benchmarks."""
    paths = [path for path in (ROOT / "src" / "disttrack").rglob("*") if path.is_file()]
    others = {"__pycache__", "docs", "benchmarks"}
    return {path.relative_to(ROOT / "src").as_posix() for path in paths if others.isdisjoint(path.parts)}


def look_at_the_wheel(built: Path) -> None:
    """See that it has every file of the packages, and says what an index shows."""
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        described = email.message_from_bytes(wheel.read(metadata))
    needed = files_of_packages()
    assert names == needed  # and so no tests
    endings = {Path(name).suffix for name in needed}
    assert {".py", ".typed", ".yaml", ".mplstyle", ".css", ".js"} <= endings
    assert len([name for name in names if re.search(r"/scenarios/[\w-]+\.yaml$", name)]) >= 60
    assert described["Name"] == "disttrack"
    assert described["License-Expression"] == "MIT"
    assert described["License-File"] == "LICENSE"
    assert described["Requires-Python"] == ">=3.11"
    assert described["Description-Content-Type"] == "text/markdown"
    assert str(described.get_payload()).startswith("# disttrack")


def look_at_the_sdist(built: Path) -> None:
    """See that it has what a wheel is built from, and what a reader needs."""
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"src/{name}" for name in files_of_packages()} <= names
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "src").glob("disttrack/*/docs/*.md")} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO"} <= names
    tops = {name.partition("/")[0] for name in names if "/" in name}
    assert tops == {"src", "docs", "examples"}


def play_the_headline(python: Path, folder: Path) -> None:
    """Play a trial of each of its games from an empty folder: claims hold, and the games are those of the reference.

    Claims about mean errors are left out: they need all trials.

    The seed is that of the scenario, so that nothing is drawn which was not drawn there, with newer versions.
    """
    folder.mkdir()
    claims = yaml.safe_load((ROOT / "src/disttrack/scenarios" / "headline.yaml").read_text(encoding="utf-8"))["claims"]
    plain = [claim for claim in claims if "mean(max" not in claim["measure"]]
    short = [{**claim, "control": {**claim["control"], "trials": 1}} for claim in plain]
    changes = ["--set", f"sites={list(SITES)}", "--set", f"claims={json.dumps(short)}", "--out", "results/headline"]
    program = python.parent / "disttrack"
    assert "headline" in succeed(program, "list", "scenarios", cwd=folder)
    printed = succeed(program, "run", "headline", "--trials", "1", "--workers", "1", *changes, cwd=folder)
    # of a trial, only claims that no coin decides are judged
    assert printed.count("PASS ") >= 1
    assert "FAIL " not in printed
    results = folder / "results" / "headline"
    assert {path.suffix for path in (results / "figures").iterdir()} >= {".png", ".svg"}
    assert (results / "report.html").stat().st_size > 10_000
    code = "import disttrack as d; assert d.play(d.Exact(), d.RoundRobin(), sites=3, items=9).ok; print(d.__file__)"
    assert str(sys.prefix) not in succeed(python, "-c", code, cwd=folder)
    mine, theirs = (games(where / "trials.csv") for where in (results, REFERENCE / "headline"))
    assert len(mine) == len(theirs) == 16
    assert not [other for new, old in zip(mine, theirs, strict=True) for other in [compare_rows(new, old)[1]] if other]


def games(path: Path) -> list[Row]:
    """Return the first game of each point that was played, without the number of the point."""
    chosen = [row for row in table(path) if row["trial"] == "0" and int(row["sites"]) in SITES]
    return [{name: value for name, value in row.items() if name != "point"} for row in chosen]


@pytest.mark.slow
def test_the_wheel_with_exactly_the_smallest_versions_that_it_allows(place: Path) -> None:
    """With nothing but what it asks for; `.ci/lower-bounds` has the extras."""
    python = empty_environment(place / "environment")
    core = bounds()
    install(python, ["build", *core], place)
    tree = copy_of_sources(place / "tree")
    succeed(python, "-m", "build", "--no-isolation", "--outdir", place / "dist", cwd=tree)
    look_at_the_wheel(place / "dist")
    look_at_the_sdist(place / "dist")
    install(python, ["--no-deps", next((place / "dist").glob("*.whl"))], place)
    check_versions(python, core, place)
    play_the_headline(python, place / "empty")
    core_alone(python, place)


def core_alone(python: Path, place: Path) -> None:
    """Install a tree without any wing in the place of the whole one: it has the core's files, and plays."""
    tree = tree_without(WINGS, place / "core", "src", "README.md", "LICENSE", "MANIFEST.in")
    succeed(python, "-m", "build", "--wheel", "--no-isolation", "--outdir", place / "alone", cwd=tree)
    (wheel,) = (place / "alone").glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        names = {name for name in files.namelist() if ".dist-info/" not in name}
        points = next(name for name in files.namelist() if name.endswith("entry_points.txt"))
        assert not [name for name in WINGS if f"disttrack.{name}" in files.read(points).decode()]
    folders = tuple(f"disttrack/{name}/" for name in WINGS)
    assert names == {name for name in files_of_packages() if not name.startswith(folders)} < files_of_packages()
    install(python, ["--no-deps", "--force-reinstall", wheel], place)
    program = python.parent / "disttrack"
    assert "Tracking (count" in succeed(program, "list", cwd=place)
    words = ("--protocol", "robust", "--adversary", "freeze", "--sites", "9", "--items", "90")
    assert "words" in succeed(program, "play", *words, cwd=place)
