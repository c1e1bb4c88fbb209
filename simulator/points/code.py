"""The code that a game is played by, as digests: a finished game is kept only as long as none of it has changed.

The project's own code is one digest. Of a user's class it is the file that it stands in, and every module that this
file imports, directly or not, and that is neither the project's, nor Python's, nor an installed library.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from simulator.errors import ScenarioError

ROOMS: Final = (
    "adversaries", "mechanisms", "protocols", "simulator/faults", "simulator/game", "simulator/points",
    "simulator/tasks",
)  # fmt: skip
"""Where code stands that may have a part in a game; the other rooms read, write and draw what came of it."""
LIBRARIES: Final = ("numpy", "scipy", "simpy")
"""Libraries whose version may move a game."""
_OURS: Final = frozenset({"adversaries", "disttrack", "mechanisms", "protocols", "simulator"})
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})
_loaded: dict[str, tuple[str, str]] = {}
"""Of modules that this process has loaded, by name: their file, and its digest when it was first asked for."""


@cache
def own_code() -> str:
    """Return the digest of the project's code that plays games, and of the versions of what it counts on."""
    root = Path(__file__).resolve().parents[2]
    whole = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            whole.update(f"{path.relative_to(root).as_posix()} {digest_of(path)}\n".encode())
    for name in LIBRARIES:
        whole.update(f"{name} {_version(name)}\n".encode())
    return whole.hexdigest()


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal digits, remembered until the file changes."""
    state = path.stat()
    return _digest(str(path.resolve()), state.st_mtime_ns, state.st_size)


def helpers(path: Path, text: str, folder: Path | None = None) -> dict[str, Path]:
    """Return the modules of the user's that a file imports, directly or not: name and file.

    Parameters
    ----------
    path, text
        The file, and what it says.
    folder
        Where its imports are looked for beside its own folder: that of the scenario.

    Raises
    ------
    ScenarioError
        A module has changed since this process loaded it: what is played would not be what the file says.
    """
    places = [str(place) for place in (path.parent, folder, Path.cwd()) if place is not None]
    family = _top_of(path)
    found: dict[str, Path] = {}
    waiting = list(_imports(text, ""))
    while waiting:
        name = waiting.pop()
        if name in found or is_ours(name) or name.partition(".")[0] in sys.stdlib_module_names:
            continue
        file = _file_of(name, places)
        if file is None or (_is_installed(file) and _top_of(file) != family) or file == path.resolve():
            continue
        found[name] = file
        _refuse_stale(name, file)
        package = name if file.name == "__init__.py" else name.rpartition(".")[0]
        waiting += _imports_of(str(file), file.stat().st_mtime_ns, package)
    return dict(sorted(found.items()))


def is_ours(module: str) -> bool:
    """Tell whether a module is the project's own."""
    return module.partition(".")[0] in _OURS


def _imports(text: str, package: str) -> Iterator[str]:
    """Yield the names that a text imports, also those of which only an attribute may be meant."""
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


@lru_cache(maxsize=512)
def _imports_of(path: str, changed: int, package: str) -> tuple[str, ...]:
    return tuple(_imports(Path(path).read_text(encoding="utf-8", errors="replace"), package))


def _file_of(name: str, places: list[str]) -> Path | None:
    """Return the Python file of a module, found without running anything; None if there is none."""
    there = getattr(sys.modules.get(name), "__file__", None)
    if there is not None:
        return Path(there).resolve() if there.endswith(".py") else None
    search: list[str] = [*places, *sys.path]
    spec = None
    parts = name.split(".")
    for number in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: number + 1]), search)
        if spec is None:
            return None
        search = list(spec.submodule_search_locations or ())
    origin = spec.origin if spec is not None else None
    return Path(origin).resolve() if origin is not None and origin.endswith(".py") else None


def _refuse_stale(name: str, file: Path) -> None:
    """Refuse a module that this process has loaded and that has changed since."""
    if name not in sys.modules:
        return
    first = _loaded.setdefault(name, (str(file), digest_of(file)))
    if first != (str(file), digest_of(file)):
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
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
