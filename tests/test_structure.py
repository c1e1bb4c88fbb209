"""The structure of the code: packages and floors, imports one way, nothing private used outside, nothing dead.

`FLOORS` is the order of the simulator, from the ground up; `BELOW` the packages that each package may import from.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Final

import pytest

from disttrack.simulator.game.collector import collector_paused

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("lazy", "loaded", "nearest", "mechanisms", "protocols", "adversaries", "simulator")
"""The packages below `disttrack`, and the modules that they share."""
WINGS: Final = tuple(name for name in ("privacy", "fleet", "attack") if (ROOT / "src" / "disttrack" / name).is_dir())
"""Packages that register by entry points: nothing imports from them, and the others work without them."""
BELOW: Final[dict[str, frozenset[str]]] = {
    "lazy": frozenset(),
    "loaded": frozenset(),
    "nearest": frozenset(),
    "mechanisms": frozenset({"lazy", "loaded", "nearest"}),
    "protocols": frozenset({"lazy", "nearest", "mechanisms"}),
    "adversaries": frozenset({"lazy", "nearest", "mechanisms"}),
    "simulator": frozenset({"lazy", "loaded", "nearest", "mechanisms", "protocols", "adversaries"}),
    **{name: frozenset({"lazy", "nearest", "mechanisms", "protocols", "adversaries", "simulator"}) for name in WINGS},
    "disttrack": frozenset({"loaded", "mechanisms", "protocols", "adversaries", "simulator"}),
}
"""Each package with those that it imports from: neither side of a game knows the other, nor the simulator."""
FLOORS: Final = ("errors", "displays", "kinds", "game", "experiments", "shown", "workshop", "cli", "__main__")
"""The floors of the simulator, from the ground up; each imports from those before it."""
ABOVE_STATEMENTS: Final = (ast.stmt, ast.ExceptHandler, ast.match_case)
"""Nodes of a module in which there may be statements."""
PRIVATE: Final = re.compile(r"(?:\.|import .*)\b_[^_]|import \(")
"""What is in the text of every module that may use a private name of another one."""
Module = tuple[Path, ast.Module]


@cache
def modules() -> Mapping[str, Module]:
    """Return every module of the packages by its name; benchmarks of wings are none."""
    found = {}
    with collector_paused():  # or two thirds of the time are searches for garbage
        for path in sorted(path for path in (ROOT / "src").rglob("*.py") if path.parent.name != "benchmarks"):
            parts = path.relative_to(ROOT / "src").with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path, ast.parse(path.read_text("utf-8"))
    return found


def package(module: str) -> str:
    """Return the package that a module belongs to.

    >>> package("disttrack.simulator.game.engines.leap"), package("disttrack.gym"), package("disttrack")
    ('simulator', 'disttrack', 'disttrack')
    """
    name = module.split(".")[1] if "." in module else ""
    return name if name in (*PACKAGES, *WINGS) else "disttrack"


def floor(module: str) -> str:
    """Return the floor of a module of the simulator; `face` for its public names.

    >>> floor("disttrack.simulator.game.engines.leap"), floor("disttrack.simulator")
    ('game', 'face')
    """
    return [*module.split("."), "face"][2]


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield all statements of a module, also those inside of others, without a look at their expressions."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (one for one in ast.iter_child_nodes(node) if isinstance(one, ABOVE_STATEMENTS))


@cache
def imports(module: str) -> tuple[str, ...]:
    """Return the modules of ours that a module imports, wherever in it: late ones and those for types too."""
    found: list[str] = []
    for node in statements(modules()[module][1]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules() else node.module for name in inner]
        else:
            continue
        found += (name for name in names if name in modules() and name != module)
    return tuple(found)


def is_private(name: str) -> bool:
    """Tell whether a name begins with one underscore."""
    return name.startswith("_") and not name.startswith("__")


def defined(tree: ast.Module) -> set[str]:
    """Return every name that a module defines: functions, classes, variables, attributes, slots."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
            case ast.Constant(value=str(name)):
                found.add(name)
    return found


def foreign_private(module: str, tree: ast.Module) -> Iterator[str]:
    """Yield the private names of other modules that a module uses; what a class inherits is its own."""
    mine = defined(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{module}: {alias.name} of {node.module}" for alias in node.names if is_private(alias.name))
    yield from (f"{module}: {whose}.{name}" for whose, name in private_attributes(tree) if name not in mine)


def private_attributes(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the private attributes that a module uses of others than `self`, with what it takes them from."""
    named_tuples = {"_replace", "_asdict", "_fields", "_make"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in named_tuples:
            whose = ast.unparse(node.value)
            if whose not in ("self", "cls", "super()", "os", "sys"):  # of these two, functions are documented
                yield whose, node.attr


def test_there_is_something_to_test() -> None:
    assert len(modules()) >= 150
    assert sum(1 for name in modules() for _ in imports(name)) >= 600
    assert {package(name) for name in modules()} == {*BELOW}
    assert {floor(name) for name in modules() if package(name) == "simulator"} == {*FLOORS, "face"}


def test_every_folder_above_modules_is_a_package() -> None:
    """Tools that read the code, as the one for the API pages, find no module in a folder without an ``__init__``."""
    above = {folder for path, _ in modules().values() for folder in path.parents if folder.is_relative_to(ROOT / "src")}
    folders = above - {ROOT / "src"}
    assert len(folders) >= 30
    assert not [folder for folder in folders if not (folder / "__init__.py").is_file()]


def test_packages_import_from_those_below_them() -> None:
    wrong = {
        f"{name} -> {other}"
        for name in modules()
        for other in imports(name)
        if package(other) not in (package(name), *BELOW[package(name)])
        if ".templates." not in name  # a user's files, which import the public face
    }
    assert not wrong


def test_floors_import_from_those_below_them() -> None:
    wrong = {
        f"{name} -> {other}"
        for name in modules()
        for other in imports(name)
        if package(name) == package(other) == "simulator"
        and floor(name) != "face"
        and FLOORS.index(floor(other)) > FLOORS.index(floor(name))
    }
    assert not wrong


def test_the_core_does_not_know_what_plugs_in() -> None:
    core = {name: path for name, (path, _) in modules().items() if package(name) not in WINGS}
    named = re.compile(rf"disttrack[./]({'|'.join(WINGS or ['-'])})\b")
    assert {name for name, path in core.items() if named.search(path.read_text("utf-8"))} <= {"disttrack.gym"}


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: {*imports(name)} for name in modules()}
    order = list(TopologicalSorter(graph).static_order())  # CycleError names the circle
    assert len(order) == len(graph)


def test_nothing_private_is_used_from_outside() -> None:
    texts = {name: path.read_text("utf-8") for name, (path, _) in modules().items()}
    asked = [name for name, text in texts.items() if PRIVATE.search(text)]
    assert len(asked) >= 100
    assert not {use for name in asked for use in foreign_private(name, modules()[name][1])}


def test_tests_hardly_use_what_is_private() -> None:
    """The methods that Jupyter calls are public in their way; simulated machines use the loop's own names."""
    files = [path for path in (ROOT / "tests").rglob("*.py") if path.parent.name != "simulated"]
    texts = {path: path.read_text("utf-8") for path in files}
    trees = {path: ast.parse(text) for path, text in texts.items() if re.search(r"\._[^_]", text)}
    uses = [(path.name, *use) for path, tree in trees.items() for use in private_attributes(tree)]
    found = [use for use in uses if not use[-1].startswith("_repr_")]
    assert len(found) <= 20, found


@pytest.mark.skipif(len(WINGS) < 3, reason="some names of the core are used by wings only")
def test_no_name_is_dead() -> None:
    folders = [ROOT / folder for folder in ("src", "tests", "benchmarks", "examples", "docs")]
    files = [path for folder in folders for path in folder.rglob("*") if path.suffix in (".py", ".md")]
    files.append(ROOT / "pyproject.toml")  # entry points
    here = Path(__file__)
    words = Counter(word for path in files if path != here for word in re.findall(r"\w+", path.read_text("utf-8")))
    found = {f"{name}.{word}" for name, (_, tree) in modules().items() for word in at_top(tree) if words[word] == 1}
    called = re.compile(r"\.(test_\w+|__\w+__)$")  # by pytest, by Python
    assert not {name for name in found if not called.search(name)}


def at_top(tree: ast.Module) -> Iterator[str]:
    """Yield the names that a module defines at its top."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (target.id for target in targets if isinstance(target, ast.Name))


def test_links_for_browsing_lead_to_the_packages() -> None:
    links = [path for path in ROOT.iterdir() if path.is_symlink() and not path.name.startswith(".")]
    assert {path.name for path in links} <= {
        *PACKAGES,
        *WINGS,
        "scenarios",
    }  # where git cannot make links there is none
    assert all(path.resolve() == ROOT / "src" / "disttrack" / path.name for path in links)


@pytest.mark.skipif(len(WINGS) < 3, reason="faults of wings are in the lists")
def test_each_fault_of_the_planted_lists_has_its_line(tmp_path: Path) -> None:
    """Else it is planted nowhere, and no search is tried with it."""
    spec = spec_from_file_location("plant", ROOT / "tests" / "planted" / "plant.py")
    assert spec is not None
    assert spec.loader is not None
    spec.loader.exec_module(planted := module_from_spec(spec))
    faults = [
        one
        for name in ("live", "rooms")
        for one in tomllib.loads((planted.HERE / f"{name}.toml").read_text("utf-8"))["fault"]
    ]
    assert len(faults) >= 60
    for fault in faults:
        place = tmp_path / fault["file"]
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes((ROOT / fault["file"]).read_bytes())
        planted.plant(fault, tmp_path)


def test_names_of_test_files_are_unique() -> None:
    """Two of one name in folders without a package cannot both be imported, and then neither is tested."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(names) > 200
    assert [name for name, number in names.items() if number > 1] == []
