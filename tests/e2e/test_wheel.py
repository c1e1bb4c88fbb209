"""The wheel and the sdist: what is in them, and the program as it runs from an empty environment in an empty folder."""

from __future__ import annotations

import email
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from environments import ROOT, copy_of_sources, empty_environment, install, succeed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with nothing in it but pip."""
    return empty_environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def built(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sdist, and the wheel that is made from it."""
    tree = copy_of_sources(tmp_path_factory.mktemp("tree") / "disttrack")
    install(python, ["build", "setuptools>=77.0.1"], tree)
    succeed(python, "-m", "build", "--no-isolation", "--outdir", tree.parent / "dist", cwd=tree)
    return tree.parent / "dist"


def files_of_packages() -> set[str]:
    """Return what an installed copy needs: every file of the packages, data files too."""
    paths = [path for path in (ROOT / "src" / "disttrack").rglob("*") if path.is_file()]
    return {path.relative_to(ROOT / "src").as_posix() for path in paths if "__pycache__" not in path.parts}


def test_what_is_in_the_wheel(built: Path) -> None:
    with zipfile.ZipFile(next(built.glob("*.whl"))) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        metadata = next(name for name in wheel.namelist() if name.endswith("METADATA"))
        described = email.message_from_bytes(wheel.read(metadata))
    needed = files_of_packages()
    assert names == needed  # and so no tests
    endings = {Path(name).suffix for name in needed}
    assert {".py", ".typed", ".yaml", ".mplstyle", ".css", ".js"} <= endings
    assert len([name for name in names if name.startswith("disttrack/scenarios/")]) >= 36
    # what an index and `twine check` look at
    assert described["Name"] == "disttrack"
    assert described["License-Expression"] == "MIT"
    assert described["License-File"] == "LICENSE"
    assert described["Requires-Python"] == ">=3.11"
    assert described["Description-Content-Type"] == "text/markdown"
    assert str(described.get_payload()).startswith("# disttrack")


def test_what_is_in_the_sdist(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {f"src/{name}" for name in files_of_packages()} <= names
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "PKG-INFO"} <= names
    tops = {name.partition("/")[0] for name in names if "/" in name}
    assert tops == {"src", "docs", "examples"}


def test_a_shipped_scenario_from_an_empty_environment_in_an_empty_folder(
    python: Path, built: Path, tmp_path: Path
) -> None:
    install(python, [next(built.glob("*.whl"))], tmp_path)
    succeed(python, "-m", "pip", "check", cwd=tmp_path)
    program = python.parent / "disttrack"
    assert "headline" in succeed(program, "list", "scenarios", cwd=tmp_path)
    # a few games of it; whether claims hold with so few is not what is asked here
    small = ["--set", "sites=[4, 16]", "--set", "items=20000", "--set", "claims=[]", "--trials", "1", "--workers", "1"]
    succeed(program, "run", "headline", *small, cwd=tmp_path)
    results = tmp_path / "results" / "headline"
    assert (results / "trials.csv").read_text(encoding="utf-8").count("\n") > 4
    assert list((results / "figures").glob("*.png"))
    page = succeed(program, "report", results, cwd=tmp_path)
    assert page
    assert (results / "report.html").stat().st_size > 10_000
    code = "import disttrack as d; assert d.play(d.Exact(), d.RoundRobin(), sites=3, items=9).ok"
    succeed(python, "-c", code, cwd=tmp_path)
    assert str(sys.prefix) not in succeed(python, "-c", "import disttrack; print(disttrack.__file__)", cwd=tmp_path)
