"""Kinds: built-in names, references to modules and files, entry points, and the refusals of misspelt ones."""

from __future__ import annotations

import inspect
import pickle
import sys
from pathlib import Path
from types import ModuleType

import pytest

import disttrack
from disttrack import adversaries, mechanisms, protocols
from disttrack.adversaries.base import Adversary, Choice
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds import registry, source
from disttrack.simulator.kinds.faults import faults_of
from disttrack.simulator.kinds.point import Part, PointError, part
from disttrack.simulator.kinds.source import Source, load_file

OWN = """
from dataclasses import dataclass
from disttrack.adversaries import Adversary, Burst

@dataclass
class Mine(Adversary):
    kind = "mine"
    step: int = 1
    def __post_init__(self):
        if self.step < 1:
            raise ValueError(f"step must be at least 1; got {self.step}")
    def plan(self, view):
        return Burst((view.changes * self.step) % view.sites)

def turn(view):
    return view.steps % view.sites

not_callable = 3
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.py"
    file.write_text(OWN)
    return file


def test_every_class_with_a_kind_is_registered() -> None:
    """A class that is exported and stands below no heading of its package could not be played."""
    registered = {kind.reference for family in registry.FAMILIES for kind in registry.kinds(family).values()}
    exported = [getattr(disttrack, name) for name in disttrack.__all__]
    concrete = [one for one in exported if inspect.isclass(one) and not inspect.isabstract(one)]
    kinds = [one for one in concrete if isinstance(name := vars(one).get("kind"), str) and name]
    assert len(kinds) >= 60
    missing = {f"{one.__module__}:{one.__qualname__}" for one in kinds if not one.__module__.endswith(".base")}
    assert missing <= registered, missing - registered


@pytest.mark.parametrize("package", [adversaries, mechanisms, protocols])
def test_no_name_that_a_package_loads_late_is_that_of_a_module(package: ModuleType) -> None:
    """The import of such a module would put it in the place of the name."""
    modules = {path.stem for path in Path(str(package.__file__)).parent.iterdir()}
    assert len(package.__all__) >= 20
    assert not modules & set(package.__all__)


def test_no_name_has_two_meanings() -> None:
    """Of kinds of all families, and of named faults."""
    meanings: dict[str, set[str]] = {}
    for family in registry.FAMILIES:
        for name, kind in registry.kinds(family).items():
            meanings.setdefault(name, set()).add(f"{family} {kind.reference}")
    for name in {name for kind in registry.kinds("protocol").values() for name in faults_of(kind.load())}:
        meanings.setdefault(name, set()).add("fault")
    assert len(meanings) > 80
    assert {name: several for name, several in meanings.items() if len(several) > 1} == {}


FORMER = {("task", "heavy-hitters"): "frequent-items", ("task", "item-sample"): "item-sampling"}
"""Former names and the present ones; those of sides are tried with their games."""


@pytest.mark.parametrize(("family", "name"), FORMER)
def test_a_former_name_is_found_and_says_the_present_one(
    family: registry.Family, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert registry.find(family, name).kind == FORMER[family, name]
    registry.find(family, name)
    assert capsys.readouterr().err in ("", f"task {name} is called {FORMER[family, name]} now\n")  # once per process


@pytest.mark.parametrize(("given", "kind"), [("thresholds.batch", "batch"), ("contents.item-sample", "item-sample")])
def test_a_kind_is_found_with_its_package_before_it(given: str, kind: str) -> None:
    assert registry.find("protocol", given) is registry.find("protocol", kind)
    with pytest.raises(ScenarioError, match="unknown kind"):
        registry.find("protocol", f"x{given}")


def test_a_part_crosses_processes_without_its_file(own: Path) -> None:
    made = part("adversary", {"kind": "own.py:Mine", "step": 3}, own.parent)
    shipped = pickle.loads(pickle.dumps(made))
    own.unlink()
    assert shipped.make().step == 3
    assert shipped.identity() == made.identity()
    assert shipped.files() == made.files()


def test_defaults_are_part_of_the_identity() -> None:
    given = Part("adversary", "drain", {"patience": 1.0})
    assert Part("adversary", "drain").identity() == given.identity()
    assert Part("adversary", "drain", {"patience": 2.0}).identity() != given.identity()


def test_a_plain_function_becomes_an_adversary(own: Path) -> None:
    made = part("adversary", {"kind": "own.py:turn"}, own.parent)
    assert isinstance(made.make(), Choice)
    assert made.label == "turn"
    with pytest.raises(PointError, match="has no parameters"):
        part("adversary", {"kind": "own.py:turn", "step": 1}, own.parent).make()


def test_an_import_that_does_not_end_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stated = (Path(__file__).parents[3] / "docs" / "terminal.md").read_text(encoding="utf-8")
    assert f"the import of a file or module is given up after {source.PATIENCE:g} s" in stated
    monkeypatch.setattr("disttrack.simulator.kinds.source.PATIENCE", 0.05)
    loop = "while True:\n    try:\n        sum(range(9))\n    except Exception:\n        pass\n"
    with pytest.raises(ScenarioError, match=r"endless\.py:\d: TooLong: the import takes longer than 0\.05 s"):
        registry.find("adversary", "endless.py:Mine", Source("endless.py", loop))
    Path("endless_module.py").write_text(loop)
    with pytest.raises(ScenarioError, match=r"cannot import 'endless_module' .*TooLong: the import takes longer"):
        registry.find("adversary", "endless_module:Mine")


def test_entry_points_of_other_packages_register_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    points = [
        EntryPoint("theirs", "disttrack.adversaries.adaptive:Freeze", "disttrack.adversaries"),
        EntryPoint("freeze", "disttrack.adversaries.adaptive:Coin", "disttrack.adversaries"),  # a name that is taken
        EntryPoint("turn", "disttrack.adversaries.scripts:from_function", "disttrack.adversaries"),  # a function
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if "adversaries" in group else [])
    registry.kinds.cache_clear()
    try:
        known = registry.kinds("adversary")
        assert issubclass(known["theirs"].load(), Adversary)
        assert known["theirs"].origin != "built in"
        assert known["freeze"].load().__name__ == "Freeze"
        assert {"theirs", "turn", "freeze"} <= set(
            registry.kinds_for("adversary", "disttrack.adversaries.base:Adversary")
        )
    finally:
        monkeypatch.undo()
        registry.kinds.cache_clear()


def test_what_a_file_prints_and_where_it_goes_while_it_is_read_changes_nothing_of_our_programs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = list(sys.path)
    with source.ours():
        load_file(Source("talks.py", "import os\nprint('hello')\nos.chdir('/')\n"))
    assert (Path.cwd(), sys.path) == (folder, before)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "hello\n")
