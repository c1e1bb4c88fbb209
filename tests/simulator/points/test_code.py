"""What identifies a game covers all code that plays it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from simulator.errors import ScenarioError
from simulator.points import code
from simulator.points.code import ROOMS, helpers, own_code
from simulator.points.point import Point, canonical
from simulator.runs.runner import execute
from simulator.scenario.document import parse
from simulator.scenario.load import build, load

ROOT: Final = Path(__file__).resolve().parents[3]
HERS: Final = """
from protocols import Exact
from numbers_of_mine import WORDS
class Hers(Exact):
    kind = "hers"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder with a protocol in a file, which imports a module that imports another; gone from memory afterwards."""
    (tmp_path / "hers.py").write_text(f"{HERS}# {tmp_path}: a text of its own, so that it is loaded anew\n")
    (tmp_path / "numbers_of_mine.py").write_text("import deeper_of_mine\nWORDS = 1\n")
    (tmp_path / "deeper_of_mine.py").write_text("import json, numpy\nVALUE = 1\n")
    yield tmp_path
    for name in ("numbers_of_mine", "deeper_of_mine"):
        sys.modules.pop(name, None)
        code._loaded.pop(name, None)


def _point(folder: Path, **changes: Any) -> Point:
    keys = {"sites": 2, "items": 5, "protocol": "{kind: 'hers.py:Hers'}", "adversary": "round-robin", **changes}
    text = "name: s\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())
    return build(parse(text, "s.yaml", folder)).points[0]


def _identity(point: Point) -> str:
    return canonical(point.identity())


def test_every_part_of_a_point_identifies_its_games(folder: Path) -> None:
    usual = _identity(_point(folder))
    others = {
        name: _identity(_point(folder, **{name: value}))
        for name, value in {
            "sites": 3, "items": 6, "start": 1, "network": "{latency: 2}", "engine": "step", "adversary": "uniform",
            "protocol": "exact",
        }.items()
    }  # fmt: skip
    assert _identity(_point(folder)) == usual
    assert len({usual, *others.values()}) == 1 + len(others)


@pytest.mark.parametrize("changed", ["hers.py", "numbers_of_mine.py", "deeper_of_mine.py"])
def test_a_change_of_any_file_of_the_users_makes_other_games(changed: str, folder: Path) -> None:
    before = _identity(_point(folder))
    for name in ("numbers_of_mine", "deeper_of_mine"):  # as a new process would
        sys.modules.pop(name, None)
        code._loaded.pop(name, None)
    file = folder / changed
    file.write_text(file.read_text() + "\nCHANGED = True\n")
    assert _identity(_point(folder)) != before


def test_a_module_that_changed_under_the_process_is_refused(folder: Path) -> None:
    _point(folder).identity()
    helper = folder / "numbers_of_mine.py"
    helper.write_text(helper.read_text() + "\nCHANGED = True\n")
    with pytest.raises(ScenarioError, match="has changed since this process imported it"):
        _point(folder).identity()


def test_games_are_played_again_when_a_helper_has_changed(folder: Path) -> None:
    (folder / "s.yaml").write_text(
        "{name: s, sites: 2, items: 5, protocol: {kind: 'hers.py:Hers'}, adversary: round-robin}"
    )
    assert execute(load(folder / "s.yaml"), out=folder / "out", workers=1).played == 1
    assert execute(load(folder / "s.yaml"), out=folder / "out", workers=1).played == 0
    for name in ("numbers_of_mine", "deeper_of_mine"):
        sys.modules.pop(name, None)
        code._loaded.pop(name, None)
    (folder / "deeper_of_mine.py").write_text("VALUE = 2\n")
    report = execute(load(folder / "s.yaml"), out=folder / "out", workers=1)
    assert report.played == 1
    files = report.results.manifest["files"]
    assert {Path(path).name for path in files} == {"hers.py", "numbers_of_mine.py", "deeper_of_mine.py"}
    assert report.results.manifest["code"]["digest"] == own_code()


def test_imports_are_followed_where_they_are_written(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("from . import far\nfrom .far import x\n")
    (package / "far.py").write_text("x = 1\n")
    text = "import os, numpy, protocols.base\ndef later():\n    from mine.near import y\n"
    found = helpers(tmp_path / "root.py", text)
    assert {name: path.name for name, path in found.items()} == {
        "mine": "__init__.py", "mine.near": "near.py", "mine.far": "far.py",
    }  # fmt: skip
    assert "mine" not in sys.modules  # nothing was run to find that out
    assert helpers(tmp_path / "root.py", "import (") == {}


def test_a_change_of_the_code_that_plays_is_a_change_of_all_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for room in ROOMS:
        shutil.copytree(ROOT / room, tmp_path / room)
    monkeypatch.setattr(code, "__file__", str(tmp_path / "simulator" / "points" / "code.py"))
    digests = set()
    own_code.cache_clear()
    try:
        digests.add(own_code())
        for room in ROOMS:
            file = next(iter(sorted((tmp_path / room).rglob("*.py"))))
            file.write_text(file.read_text() + "\n# a change\n")
            own_code.cache_clear()
            digests.add(own_code())
    finally:
        own_code.cache_clear()
    assert len(digests) == 1 + len(ROOMS)


ELSEWHERE: Final = frozenset({"simulator/errors.py", "simulator/claims/columns.py", "simulator/results/formats.py"})
"""Files beside the rooms that games pass through: they hold names and messages, and no rule."""


def test_games_run_through_these_rooms_only() -> None:
    """A room that is left out of the digest would keep stale games: whatever runs while games are played is in it."""
    scenario = """
        name: s
        sites: 4
        items: 300
        protocol: [exact, {kind: deterministic, alpha: 0.1}, {kind: randomized, alpha: 0.1}, {kind: robust, alpha: 0.3},
          {kind: martingale, alpha: 0.3}]
        adversary: [freeze, uniform, posterior]
        engine: [auto, step]
    """
    points = build(parse(scenario, "s.yaml", ROOT)).points
    ran: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        ran.add(frame.f_code.co_filename)

    games = [(point.task.make(), point) for point in points]
    sys.setprofile(note)
    try:
        for task, point in games:
            task.play(point, 1)
    finally:
        sys.setprofile(None)
    project = {Path(name).relative_to(ROOT).as_posix() for name in ran if name.startswith(f"{ROOT}/")}
    outside = {name for name in project if not name.startswith(tuple(f"{room}/" for room in ROOMS))}
    assert len(project) > 30
    assert outside - ELSEWHERE - {name for name in outside if name.startswith(("tests/", ".venv/"))} == set()
