"""docs/architecture.md, pyproject.toml, the lock of CI, the Makefile and the tests name the same packages."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, OF_BUILD = CONTENT["project"], CONTENT["build-system"]["requires"]
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


def installed_by_name(commands: str) -> set[str]:
    """Return what `pip install` gets by name: no file, no option, not the project with an extra."""
    found = set()
    while commands != (commands := re.sub(r"\$\([^()]*\)", "", commands)):  # innermost values of make first
        pass
    for line in commands.replace("\\\n", " ").splitlines():
        command, _, rest = line.partition(" install ")
        if "pip" in command and "#" not in command:
            words = shlex.split(rest.partition(";")[0])
            values = {words[place + 1] for place, word in enumerate(words[:-1]) if word in ("-r", "-c", "--editable")}
            found |= {normal(re.split("[=<>[]", word)[0]) for word in words if word[0] != "-" and word not in values}
    return found


def as_numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def test_the_page_has_a_line_for_each_dependency_and_no_more() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("\n## Dependencies\n")[2]
    cells = re.findall(r"^\| (`[^|]+`) \|", page, re.MULTILINE)
    named = {normal(name) for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    assert len(named) >= 30
    scripts = [ROOT / "Makefile", *(path for path in (ROOT / ".ci").iterdir() if not path.suffix)]
    of_scripts = set().union(*(installed_by_name(path.read_text(encoding="utf-8")) for path in scripts))
    assert of_scripts >= {"atheris", "pip-audit"}
    of_build = {normal(one.partition(">=")[0]) for one in OF_BUILD}
    assert named == set(required()) | of_build | of_scripts | {"build"}  # which tests/e2e/test_wheel.py installs


def test_what_commands_install_by_name_is_found() -> None:
    made = (
        "a:\n\tapt-get -qq install -y chromium\n\tpython -m pip install --quiet -r old.txt One_b two>=3 \\\n\t\tthree\n"
        "b:\n\t$(BIN)/pip install $(if $(CI),-c lock.txt) --editable '.[test]'; test -d four\n# pip install five\n"
    )
    assert installed_by_name(made) == {"one-b", "two", "three"}


def test_the_lock_has_every_dependency_in_a_version_that_is_allowed() -> None:
    pins, needs = locked(), required()
    assert set(needs) <= set(pins)
    old = {name for name, least in needs.items() if name in pins and as_numbers(pins[name]) < as_numbers(least)}
    assert not old, ".ci/lock"


def test_the_lower_bounds_are_those_of_the_project() -> None:
    script = [sys.executable, str(ROOT / ".ci" / "lower_bounds.py"), "gym", "hypothesis"]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    asked = [*OF_BUILD, *PROJECT["dependencies"], *PROJECT["optional-dependencies"]["gym"]]
    of_tests = [one for one in PROJECT["optional-dependencies"]["test"] if one.startswith("hypothesis>=")]
    assert printed == [one.replace(">=", "==") for one in [*asked, *of_tests]]
