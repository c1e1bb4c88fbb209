"""docs/architecture.md, pyproject.toml, the lock of CI and CITATION.cff name the same packages, versions and papers."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from itertools import chain

import yaml
from snippets import ROOT

from disttrack.simulator.experiments.claims.statements import PAPERS

CONTENT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, OF_BUILD = CONTENT["project"], CONTENT["build-system"]["requires"]
DEVELOPERS = ("docs", "test")
EXTRAS = {name: asked for name, asked in PROJECT["optional-dependencies"].items() if name not in DEVELOPERS}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def required(*lists: list[str]) -> dict[str, str]:
    """Return what lists of pyproject.toml ask for: name and smallest version, empty if any will do."""
    found = {}
    for one in chain(*lists):
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


def test_the_page_has_a_line_for_each_dependency_of_users_and_no_more() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").partition("\n## Dependencies\n")[2]
    named = {normal(name) for name in re.findall(r"^\| `([^`|]+)` \|", page, re.MULTILINE)}
    assert len(named) >= 20
    assert named == set(required(PROJECT["dependencies"], *EXTRAS.values()))


def test_the_lock_has_every_dependency_in_a_version_that_is_allowed() -> None:
    pins, needs = locked(), required(PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    assert set(needs) <= set(pins)
    old = {name for name, least in needs.items() if name in pins and as_numbers(pins[name]) < as_numbers(least)}
    assert not old, ".ci/lock"


def test_the_lower_bounds_are_those_of_the_project() -> None:
    script = [sys.executable, str(ROOT / ".ci" / "lower_bounds.py"), "gym", "hypothesis"]
    printed = subprocess.run(script, capture_output=True, text=True, check=True).stdout.split()
    asked = [*OF_BUILD, *PROJECT["dependencies"], *PROJECT["optional-dependencies"]["gym"]]
    of_tests = [one for one in PROJECT["optional-dependencies"]["test"] if one.startswith("hypothesis>=")]
    assert printed == [one.replace(">=", "==") for one in [*asked, *of_tests]]


# ---------------------------------------------------------------------- CITATION.cff


CITED = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_it_has_the_keys_of_the_format_and_the_facts_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert CITED["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITED)
    assert (CITED["title"], str(CITED["version"]), CITED["license"]) == tuple(
        project[key] for key in ("name", "version", "license")
    )


def test_it_lists_the_paper_of_every_page_of_statements() -> None:
    assert len(CITED["references"]) == 5
    cited = []
    for reference in CITED["references"]:
        words = [reference["title"].removeprefix("Lecture 6: ")]
        words += [author["family-names"].replace("ó", "o") for author in reference["authors"]]
        cited += [paper.name for paper in PAPERS if all(word in " ".join(paper.cites.split()) for word in words)]
        assert {"type", "authors", "title"} <= set(reference)
    assert sorted(cited) == sorted(paper.name for paper in PAPERS)
