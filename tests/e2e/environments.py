"""The tree that is tested, empty environments of Python, and what is installed into them."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[2]
WINGS: Final = ("privacy", "fleet", "attack")
GONE: Final = tuple(
    f"{top}/{wing}"
    for wing in WINGS
    if not (ROOT / "src" / "disttrack" / wing).is_dir()
    for top in ("src/disttrack", "tests")
)
"""Folders of wings that this tree has not: pages and messages name what is in them all the same."""
JUNK: Final = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")
UNREACHABLE: Final = ("NewConnectionError", "Connection", "timed out")
"""What pip says where the package index cannot be reached."""


def empty_environment(folder: Path) -> Path:
    """Return the interpreter of an environment with nothing in it but pip."""
    venv.create(folder, with_pip=True)
    return folder / "bin" / "python"


def succeed(*command: str | Path, cwd: Path) -> str:
    """Return what a command prints; an error if it fails."""
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, env=_environment(), capture_output=True, text=True, check=False, timeout=600
    )
    assert not done.returncode, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


def install(python: Path, what: Sequence[str | Path], cwd: Path) -> None:
    """Install something; skip the test where the package index cannot be reached."""
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--retries", "1", "--timeout", "20", "install"]
    command = list(map(str, [*pip, "--quiet", "--no-compile", *what]))
    done = subprocess.run(command, cwd=cwd, env=_environment(), capture_output=True, text=True, check=False)
    if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
        pytest.skip("the package index cannot be reached")
    assert not done.returncode, done.stderr


def copy_of_sources(folder: Path) -> Path:
    """Copy what the project is built from to a new folder: nothing hidden or built, and no results.

    The links to the packages are text files there, as git writes them on a machine without symbolic links.
    """
    copy = Path(shutil.copytree(ROOT, folder, symlinks=True, ignore=_left_out))
    for link in [path for path in copy.iterdir() if path.is_symlink()]:
        target = link.readlink().as_posix()
        link.unlink()
        link.write_text(target, encoding="utf-8")
    return copy


def _left_out(folder: str, names: list[str]) -> set[str]:
    return set(JUNK(folder, names)) | ({"results"} if Path(folder) == ROOT else set())


def _environment() -> dict[str, str]:
    """Return the variables of this process but those of Python: no package comes from elsewhere."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
