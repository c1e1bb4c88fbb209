"""A package of anybody's that declares that its classes were compared: trusted, put to the test, and part of keys."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

TRACKERS: Final = '''
"""Trackers of somebody else's."""

from dataclasses import dataclass
from typing import ClassVar

from disttrack.lazy import Kinds
from disttrack.protocols import Message, Protocol, Site, SumOfReports


class Fourth(Site):
    """A site that reports every fourth item."""

    def __init__(self):
        self.count = 0

    def silence(self):
        return 3 - self.count % 4

    def take(self, items):
        self.count += items
        return [Message("report", self.count)] if self.count % 4 == 0 else []


class Calls(Fourth):
    """A site that counts how often it is asked."""

    calls = 0
    silence = Fourth.silence

    def take(self, items):
        self.calls += 1
        sent = super().take(items)
        return sent if self.calls % 4 else []


@dataclass(frozen=True)
class Honest(Protocol):
    """Reports in fours."""

    kind: ClassVar[str] = "honest"
    site: ClassVar[type] = Fourth

    def sites(self, k, rng, start=()):
        return [self.site() for _ in range(k)]

    def server(self, k, rng, start=()):
        return SumOfReports(start or [0] * k)


@dataclass(frozen=True)
class Liar(Honest):
    """Plays another game by the engine that leaps."""

    kind: ClassVar[str] = "liar"
    site: ClassVar[type] = Calls


KINDS = Kinds("Theirs", {"honest": "their_package.trackers:Honest", "liar": "their_package.trackers:Liar"})
'''
MINE: Final = "from their_package.trackers import Fourth\nfrom disttrack.protocols import Exact\n"
CASES: Final = {
    "theirs": "{sites: 2, items: 40, protocol: honest, adversary: round-robin}",
    "core": "{sites: 2, items: 40, protocol: exact, adversary: round-robin}",
    "file": "{sites: 2, items: 40, protocol: 'mine.py:Mine', adversary: round-robin}",
    "face": "{sites: 2, items: 40, protocol: 'face.py:Mine', adversary: round-robin}",
}
SCRIPT: Final = """
import json, sys
from pathlib import Path
from disttrack.simulator.experiments.scenario.document import parse
from disttrack.simulator.experiments.scenario.load import build
cases = json.loads(sys.argv[1])
made = {name: build(parse(text, "s.yaml", Path())).points[0].made_of() for name, text in cases.items()}
print(json.dumps(made))
"""


PLAY: Final = """
from disttrack import RoundRobin, play
from their_package.trackers import Liar
play(Liar(), RoundRobin(), sites=2, items=40)
"""


def packaged(folder: Path, *, declared: bool = True, installed: bool = False) -> Path:
    """Write the package and its metadata into a folder, and return where it is imported from."""
    place = folder / "site-packages" if installed else folder
    package, known = place / "their_package", place / "their_package-1.5.dist-info"
    package.mkdir(parents=True)
    known.mkdir()
    (package / "__init__.py").write_text("")
    (package / "trackers.py").write_text(TRACKERS)
    (known / "METADATA").write_text("Metadata-Version: 2.1\nName: their-package\nVersion: 1.5\n")
    line = "\n[disttrack.compared]\ntheirs = their_package\n" if declared else ""
    (known / "entry_points.txt").write_text(
        f"[disttrack.kinds]\ntheirs.protocols = their_package.trackers:KINDS\n{line}"
    )
    for name, first in (("mine", MINE), ("face", "from disttrack import Exact\n")):
        (folder / f"{name}.py").write_text(f'{first}class Mine(Exact):\n    """A name."""\n    kind = "mine"\n')
    return place


def python(place: Path, folder: Path, *words: str) -> tuple[int, str]:
    """Return the status of a command of Python beside the package, and what it prints."""
    path = os.pathsep.join([str(place), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run([sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def made_of(place: Path, folder: Path) -> dict[str, dict[str, Any]]:
    """Return what the games of all cases are made of."""
    status, text = python(place, folder, "-c", SCRIPT, json.dumps(CASES))
    assert status == 0, text
    made: dict[str, dict[str, Any]] = json.loads(text.splitlines()[-1])
    return made


@pytest.mark.parametrize("declared", [True, False])
def test_a_declared_class_that_plays_another_game_is_found(tmp_path: Path, declared: bool) -> None:
    """Before a game it is compared only if nobody has declared that it was."""
    place = packaged(tmp_path, declared=declared)
    status, text = python(place, tmp_path, "-m", "disttrack.simulator", "conformance", "their_package")
    assert status == 1
    assert "1. liar: DifferenceError: Liar: step and leap play different games" in text
    assert "their_package: 1 of 2 kinds with a fault" in text
    assert ("not declared" in text) is not declared
    status, text = python(place, tmp_path, "-c", PLAY)
    assert ("step and leap play different games" in text) is not declared


def test_the_code_of_a_package_belongs_to_the_games_that_it_plays(tmp_path: Path) -> None:
    place = packaged(tmp_path)
    before = made_of(place, tmp_path)
    theirs = "the code of their_package"
    code = {name: {key for key in made if key.startswith("the code of")} for name, made in before.items()}
    assert code["core"] == {"the code of disttrack"}
    assert code["theirs"] == code["file"] == {"the code of disttrack", theirs}
    assert code["face"] >= code["theirs"], "the face has the names of all packages"
    assert {name for name, made in before.items() if made.get("their-package") == "1.5"} == {"theirs", "file", "face"}
    assert not any("trackers" in key for made in before.values() for key in made), "it is known as a whole"
    file = place / "their_package" / "trackers.py"
    file.write_text(file.read_text().replace("reports every fourth", "reports each fourth"))
    after = made_of(place, tmp_path)
    assert {name for name in CASES if after[name] != before[name]} == {"theirs", "file", "face"}
    assert all(after[name][theirs] != before[name][theirs] for name in ("theirs", "file", "face"))


def test_an_installed_package_is_known_by_its_version(tmp_path: Path) -> None:
    place = packaged(tmp_path, installed=True)
    before = made_of(place, tmp_path)
    file = place / "their_package" / "trackers.py"
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    assert made_of(place, tmp_path) == before
    metadata = place / "their_package-1.5.dist-info" / "METADATA"
    metadata.write_text(metadata.read_text().replace("1.5", "1.6"))
    after = made_of(place, tmp_path)
    assert {name for name in CASES if after[name] != before[name]} == {"theirs", "file", "face"}


def test_of_a_package_that_declares_nothing_the_files_and_the_version_count(tmp_path: Path) -> None:
    place = packaged(tmp_path, declared=False)
    made = made_of(place, tmp_path)
    assert made["theirs"]["their-package"] == "1.5"
    assert "protocol: their_package.trackers" in made["theirs"]
    assert "protocol: their_package.trackers" in made["file"]
    assert "the code of their_package" not in made["face"]


def test_a_registered_kind_that_cannot_be_imported_is_a_fault_and_named_with_its_package(tmp_path: Path) -> None:
    place = packaged(tmp_path)
    points = next(place.glob("*.dist-info")) / "entry_points.txt"
    points.write_text(f"{points.read_text()}\n[disttrack.protocols]\ngone = their_package.nope:Nope\n")
    gone = "protocol gone (their-package): cannot import 'their_package.nope'"
    status, text = python(place, tmp_path, "-m", "disttrack.simulator", "conformance", "their_package")
    assert status == 1
    assert f"gone: {gone}" in text
    assert gone in python(place, tmp_path, "-m", "disttrack.simulator", "list", "protocols")[1]
