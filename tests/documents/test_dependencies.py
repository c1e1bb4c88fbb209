"""docs/dependencies.md, pyproject.toml and the lock of CI name the same packages."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIRED = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required() -> dict[str, str]:
    """Return what the project and its extras ask for: name and smallest version, empty if any will do."""
    found = {}
    for one in REQUIRED:
        name, _, version = one.partition(">=")
        if not name.startswith("disttrack["):
            found[normal(name.partition("[")[0])] = version
    return found


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements-ci.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", pin) for pin in pins)  # no place, no host
    return {normal(name): version for name, _, version in (pin.partition("==") for pin in pins)}


def as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def test_the_page_has_a_line_for_each_dependency_and_no_more() -> None:
    page = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    named = {normal(name) for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert len(named) >= 30
    assert named == set(required())


def test_the_lock_has_every_dependency_in_a_version_that_is_allowed() -> None:
    pins, needs = locked(), required()
    not_for_tests = {"mutmut", "numba"}  # of the mutants, of the benchmarks
    assert set(needs) - not_for_tests <= set(pins)
    old = {name for name, least in needs.items() if name in pins and as_numbers(pins[name]) < as_numbers(least)}
    assert not old, "make lock"


def test_the_lower_bounds_are_those_of_the_project() -> None:
    script = [sys.executable, str(ROOT / ".ci" / "lower_bounds.py"), "gym"]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    of_core = [one.replace(">=", "==") for one in PROJECT["dependencies"]]
    assert printed == [*of_core, *(one.replace(">=", "==") for one in PROJECT["optional-dependencies"]["gym"])]
