"""The folder of a run: its name, what it keeps of earlier runs, and whose it is.

It is empty, or has the results of earlier runs; any other folder is the user's and is left alone.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Final

if sys.platform != "win32":
    import fcntl

from disttrack.simulator.errors import ScenarioError, cannot_be
from disttrack.simulator.experiments.results.files import check_inside, remove, replacing
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import (
    ANSWERS,
    COLUMNS,
    ERRORS,
    MANIFEST,
    digests_of,
    listed,
    read_manifest,
    table_file,
)
from disttrack.simulator.experiments.runs.journal import JOURNAL, OTHER, TAKEN, is_journal

if TYPE_CHECKING:
    from disttrack.simulator.experiments.scenario.load import Scenario

SEEDS: Final = "seeds"
"""Folder, within that of the results, with one folder of results per fresh seed."""
PRINTED: Final = "output.log"
"""The file in a folder of results with the printed output of the user's classes."""
PREVIOUS: Final = "previous"
"""Folder, within that of the results, with the tables and the manifest before the last edit that changed games."""
NAMES: Final = (
    *(*COLUMNS, MANIFEST, JOURNAL, ERRORS, PRINTED, SEEDS, PREVIOUS),
    *("seeds.csv", "table.txt", ANSWERS, "figures", "report.html"),
)
"""Names in a folder of results that belong to its runs."""
LONGEST: Final = 80
"""Letters of the name of a folder."""
_SHORT: Final = re.compile(r"[\w.+-]{1,24}")
"""A value that names a folder as it is; any other by its digest."""
_held: ContextVar[frozenset[str]] = ContextVar("held", default=frozenset())
"""The folders that this thread keeps others out of."""


def place_of(scenario: Scenario, out: str | Path | None = None) -> Path:
    """Return the folder of a scenario's results: `out`, or ``results/NAME`` with each key that was set over the file.

    Two questions of one file have two folders: ``results/a`` and ``results/a,protocol.alpha=0.1``. Values that are long
    or no single word are digests, and so are all of them beyond `LONGEST` letters; the manifest has them in full.
    """
    if out is not None:
        return Path(out)
    given = {key.strip(): value.strip() for key, _, value in (one.partition("=") for one in scenario.overrides)}
    given.pop("name", None)
    words = [f",{key}={value if _SHORT.fullmatch(value) else _digest(value)}" for key, value in sorted(given.items())]
    name = scenario.name + "".join(words)
    return Path("results") / (name if len(name) <= LONGEST else f"{scenario.name},{_digest(''.join(words))}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def journals_beside(folder: Path, name: str) -> list[Path]:
    """Return the journals of the other folders that `place_of` gives a scenario of this name, beside one of them."""
    if folder.name.partition(",")[0] != name:
        return []
    with suppress(OSError):
        beside = sorted(one for one in folder.parent.iterdir() if one.name.partition(",")[0] == name)
        return [one / JOURNAL for one in beside if one != folder]
    return []


def keep_previous(folder: Path, games: str) -> Path | None:
    """Copy tables and manifest that a run is about to replace into `PREVIOUS`, and return it; None if there are none.

    Tables of the same `games`, by their digest, are replaced by equal ones, also where question, claims or plots were
    edited: those before the last edit that changed games stay in `PREVIOUS`. Tables that are not as their manifest has
    them are of no result, and not kept either.

    Raises
    ------
    RunError
        A file cannot be written.
    """
    previous = folder / PREVIOUS
    try:
        manifest = read_manifest(folder / MANIFEST)
    except ValueError:
        return None
    if manifest.get("games_digest") == games or manifest.get("tables") != digests_of(folder):
        return None
    files = [table_file(folder / name) for name in manifest["tables"]]
    remove(previous, [*COLUMNS, *(f"{name}.gz" for name in COLUMNS)])
    for file in (folder / MANIFEST, *files):  # it says whose the folder is, also if no table follows
        with replacing(previous / file.name, folder) as part:
            shutil.copyfile(file, part)
    return previous


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other commands that write results, figures or a page into a folder out of it, where there are such locks.

    The journal, which is locked too, is open only while games are played and tables written. Who has the folder may ask
    for it again.

    Raises
    ------
    ScenarioError
        Another command, or another thread, is writing to it.
    """
    place_of = os.path.realpath(folder)
    if sys.platform == "win32" or place_of in _held.get():
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise ScenarioError(cannot_be("written", folder, error)) from error
    try:
        with suppress(OSError):  # some file systems have no locks
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ScenarioError(TAKEN.format(folder)) from error
        token = _held.set(_held.get() | {place_of})
        try:
            yield
        finally:
            _held.reset(token)
    finally:
        with suppress(OSError):  # workers have the same lock
            fcntl.flock(place, fcntl.LOCK_UN)
        os.close(place)


@contextmanager
def alone_with(results: Results) -> Iterator[None]:
    """Keep others out of the folder of results, as `alone` does, while something about them is written there.

    Raises
    ------
    ScenarioError
        Another command is writing to it, or has written other tables since the results were read.
    """
    with alone(results.dir):
        if results.manifest.get("tables") != read_manifest(results.dir / MANIFEST).get("tables"):
            raise ScenarioError(f"{results.dir}: its tables changed: open it again")
        yield


def claim(folder: Path) -> frozenset[str]:
    """Return the files of earlier runs that a run may remove from a folder: those that its manifest lists.

    Raises
    ------
    ScenarioError
        The folder is a file, cannot be read, has files and is none of a run, or a link leads its files elsewhere.
    """
    try:
        if not os.path.lexists(folder):
            return frozenset()
        if not folder.is_dir():
            kind = "a broken link" if folder.is_symlink() and not folder.exists() else "a file"
            raise ScenarioError(f"{folder}: is {kind}; {OTHER}")
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ScenarioError(cannot_be("read", folder, error)) from error
    if not names:
        return frozenset()
    if not is_own(folder):
        more = f" and {len(names) - 1:,} more" * (len(names) > 1)
        raise ScenarioError(f"{folder}: has files of no run ({names[0]}{more}); {OTHER}")
    for name in NAMES:
        check_inside(folder / name, folder)
    return listed(folder)


def is_own(folder: Path) -> bool:
    """Return whether a run has written to a folder: it has its manifest or journal, or those of fresh seeds."""
    with suppress(ValueError):
        if "points" in read_manifest(folder / MANIFEST):  # other programs have files of this name too
            return True
    return is_journal(folder / JOURNAL) or any(map(is_own, _seeds(folder)))


def _seeds(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in (folder / SEEDS).iterdir() if path.name.isdigit() and path.is_dir())
