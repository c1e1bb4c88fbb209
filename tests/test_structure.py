"""The structure of the code: sizes of files and functions, imports one way, nothing private used outside, nothing dead.

`ARROWS` is the map of the rooms; a new arrow is a decision and is entered there.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parents[1]
PACKAGES: Final = ("simulator", "protocols", "adversaries", "mechanisms", "fleet")
"""The packages below `disttrack`."""
MOST_LINES: Final = 400
"""Lines of a file."""
LONGEST: Final = 60
"""Lines of a function, its docstring counted."""

SIDES: Final = frozenset({"protocols", "adversaries"})
ARROWS: Final[dict[str, frozenset[str]]] = {
    # what the simulator plays with; neither side knows the other, nor the simulator
    "lazy": frozenset(),
    "mechanisms": frozenset({"lazy"}),
    "protocols": frozenset({"lazy", "mechanisms"}),
    "adversaries": frozenset({"lazy", "mechanisms"}),
    # rooms of the simulator, from the ground up
    "errors": frozenset(),
    "points": frozenset({"adversaries", "mechanisms", "errors", "claims", "faults"}),
    "claims": frozenset({"errors"}),
    "game": SIDES | {"mechanisms", "errors", "claims", "points"},
    "tasks": SIDES | {"lazy", "mechanisms", "errors", "points", "claims", "game", "faults"},
    "scenario": frozenset({"mechanisms", "errors", "points", "claims", "game", "tasks"}),
    "results": frozenset({"errors", "points", "claims", "scenario", "tasks"}),
    "plots": frozenset({"lazy", "mechanisms", "errors", "claims", "points", "tasks", "scenario", "results"}),
    "pages": frozenset(),
    "notebook": frozenset({"game", "pages", "points", "report", "results", "scenario"}),
    "report": frozenset({"errors", "points", "tasks", "results", "plots", "pages"}),
    "runs": frozenset({"mechanisms", "errors", "points", "claims", "game", "tasks", "scenario", "results"}),
    "replay": frozenset({"adversaries", "errors", "points", "game", "tasks", "scenario", "results", "runs", "pages"}),
    "search": SIDES | {"mechanisms", "game", "learners", "points", "errors", "tasks", "scenario", "results", "runs"},
    "conformance": SIDES | {"mechanisms", "errors", "game", "points"},
    "faults": frozenset({"protocols", "mechanisms", "errors"}),
    "learners": SIDES | {"mechanisms", "game"},
    "environment": frozenset({"protocols", "game", "learners", "points", "results"}),
    "vector_environment": frozenset({"environment", "learners"}),
    "cli": frozenset(
        {"errors", "points", "claims", "game", "tasks", "scenario", "results", "plots"}
        | {"report", "replay", "runs", "search", "templates", "conformance"}
    ),
    "__main__": frozenset({"cli"}),
    # the public face, and files that are copied into a user's folder
    "simulator": frozenset(
        {
            "conformance",
            "environment",
            "errors",
            "game",
            "lazy",
            "plots",
            "results",
            "runs",
            "scenario",
            "search",
            "tasks",
        }
    ),
    "disttrack": SIDES | {"mechanisms", "simulator"},
    "templates": frozenset({"disttrack", "mechanisms", "protocols", "points", "plots", "results"}),
}
"""The rooms, and which other rooms each may import from."""
PLUG_INS: Final[dict[str, frozenset[str]]] = {
    "fleet": SIDES
    | {"mechanisms", "cli", "errors", "faults", "game", "plots", "points", "replay", "results", "runs"}
    | {"scenario", "tasks"},
}
"""Rooms that register by entry points. Nothing imports from them, and the others work without them."""
ARROWS.update({name: rooms for name, rooms in PLUG_INS.items() if (ROOT / "src" / "disttrack" / name).is_dir()})

UPWARDS: Final = {
    "disttrack.simulator.results.folder -> disttrack.simulator.plots.accessor": "Results.plot",
    "disttrack.simulator.results.folder -> disttrack.simulator.notebook.shown": "a notebook shows results",
    "disttrack.simulator.scenario.load -> disttrack.simulator.notebook.shown": "a notebook shows a scenario",
    "disttrack.simulator.game.face -> disttrack.simulator.notebook.shown": "a notebook shows a game",
    "disttrack.simulator.game.face -> disttrack.simulator.plots.figures": "plot() of a game",
}
"""Imports against the arrows, and why: methods of the user's objects, which import late what draws or shows them."""

Module = tuple[Path, ast.Module]


@cache
def modules() -> Mapping[str, Module]:
    """Return every module of the packages by its name."""
    found = {}
    for path in sorted((ROOT / "src").rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path, ast.parse(path.read_text("utf-8"))
    return found


def room(module: str) -> str:
    """Return the room that a module belongs to: a package, or a folder or a file right in the simulator.

    >>> room("disttrack.simulator.game.engines.leap"), room("disttrack.simulator"), room("disttrack.protocols.base")
    ('game', 'simulator', 'protocols')
    >>> room("disttrack.simulator.errors"), room("disttrack.gym")
    ('errors', 'disttrack')
    """
    match module.split(".")[1:]:
        case ["simulator", inner, *_]:
            return inner
        case [package, *_] if package in (*PACKAGES, "lazy"):
            return package
    return "disttrack"


def imports(module: str) -> Iterator[str]:
    """Yield the modules of ours that a module imports, wherever in it: late ones and those for types too."""
    for node in ast.walk(modules()[module][1]):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in modules() else node.module for name in inner]
        else:
            continue
        yield from (name for name in names if name in modules() and name != module)


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield the functions and methods of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


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
    assert set(ARROWS) == {room(name) for name in modules()}


def test_no_file_is_long() -> None:
    folders = ("src", "tests", "benchmarks", "examples")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    assert len(files) >= 250
    long = {str(path.relative_to(ROOT)): lines for path in files if (lines := len(_lines(path))) > MOST_LINES}
    assert not long


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_no_function_is_long() -> None:
    long = {
        f"{name}.{function.name}"
        for name, (_, tree) in modules().items()
        for function in functions(tree)
        if (function.end_lineno or 0) - function.lineno + 1 > LONGEST
    }
    assert not long


@cache
def arrows() -> Counter[tuple[str, str]]:
    """Return how many imports lead from one room to another."""
    between = ((room(name), room(other)) for name in modules() for other in imports(name))
    return Counter((one, other) for one, other in between if one != other)


def test_imports_go_the_ways_of_the_map() -> None:
    wrong = {
        f"{name} -> {other}"
        for name in modules()
        for other in imports(name)
        if room(other) != room(name) and room(other) not in ARROWS[room(name)]
    }
    assert wrong == set(UPWARDS)
    unused = {f"{one} -> {other}" for one, others in ARROWS.items() for other in others if (one, other) not in arrows()}
    assert not unused, "the map has arrows that no import goes"


def test_the_core_does_not_know_what_plugs_in() -> None:
    assert not [one for one, others in ARROWS.items() if others & set(PLUG_INS)]
    core = {name: path for name, (path, _) in modules().items() if room(name) not in PLUG_INS}
    named = re.compile(rf"disttrack[./]({'|'.join(PLUG_INS)})\b")
    assert not [name for name, path in core.items() if named.search(path.read_text("utf-8"))]


def test_the_map_has_no_circle() -> None:
    assert len(list(TopologicalSorter(ARROWS).static_order())) == len(ARROWS)
    with pytest.raises(CycleError):
        list(TopologicalSorter({**ARROWS, "errors": {"cli"}}).static_order())


def test_no_module_imports_itself_in_a_circle() -> None:
    graph = {name: {other for other in imports(name) if f"{name} -> {other}" not in UPWARDS} for name in modules()}
    order = list(TopologicalSorter(graph).static_order())  # CycleError names the circle
    assert len(order) == len(graph)


def test_nothing_private_is_used_from_outside() -> None:
    found = {use for name, (_, tree) in modules().items() for use in foreign_private(name, tree)}
    assert not found


def test_tests_hardly_use_what_is_private() -> None:
    """The methods that Jupyter calls are public in their way."""
    trees = {path: ast.parse(path.read_text("utf-8")) for path in (ROOT / "tests").rglob("*.py")}
    uses = [(path.name, *use) for path, tree in trees.items() for use in private_attributes(tree)]
    found = [use for use in uses if not use[-1].startswith("_repr_")]
    assert len(found) <= 20, found


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


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("from disttrack.simulator.game.play import _check", ["m: _check of disttrack.simulator.game.play"]),
        ("engine._checkpoints(3)", ["m: engine._checkpoints"]),
        ("class A:\n    def f(self): return self._inherited + super()._hook()", []),
        (
            "class A:\n    def __init__(self, x): self._x = x\n    def __eq__(self, other): return self._x == other._x",
            [],
        ),
        ("place._replace(x=1)", []),
    ],
)
def test_what_counts_as_private_use(text: str, uses: list[str]) -> None:
    assert list(foreign_private("m", ast.parse(text))) == uses


def test_links_for_browsing_lead_to_the_packages() -> None:
    links = [path for path in ROOT.iterdir() if path.is_symlink() and not path.name.startswith(".")]
    assert {path.name for path in links} <= {*PACKAGES, "scenarios"}  # where git cannot make links there is none
    assert all(path.resolve() == ROOT / "src" / "disttrack" / path.name for path in links)


def test_names_of_test_files_are_unique() -> None:
    """Two of one name in folders without a package cannot both be imported, and then neither is tested."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert len(names) > 200
    assert [name for name, number in names.items() if number > 1] == []


if __name__ == "__main__":  # print the rooms, their code and the rooms that each imports from
    for place, others in sorted(ARROWS.items()):
        files = [path for name, (path, _) in modules().items() if room(name) == place]
        used = ", ".join(f"{other} {arrows()[place, other]}" for other in sorted(others))
        print(f"{place}: {len(files)} files, {sum(len(_lines(path)) for path in files)} lines -> {used or 'nothing'}")
