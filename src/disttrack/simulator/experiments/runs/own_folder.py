"""The folder of a run: empty, or with the results of earlier runs; any other folder is the user's and is left alone."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Final

if sys.platform != "win32":
    import fcntl

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.files import is_inside
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.stored import COLUMNS, ERRORS, MANIFEST, listed, read_manifest
from disttrack.simulator.experiments.runs.journal import JOURNAL, TAKEN, is_journal

SEEDS: Final = "seeds"
"""Folder, within that of the results, with one folder of results per fresh seed."""
PRINTED: Final = "output.log"
"""The file in a folder of results with the printed output of the user's classes."""
NAMES: Final = (*COLUMNS, MANIFEST, JOURNAL, ERRORS, PRINTED, SEEDS, "seeds.csv", "table.txt", "figures", "report.html")
"""Names in a folder of results that belong to its runs."""
_held: ContextVar[frozenset[str]] = ContextVar("held", default=frozenset())
"""The folders that this thread keeps others out of."""


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
        raise ScenarioError(f"{folder}: cannot be written: {error.strerror or error}") from error
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
            raise ScenarioError(f"{results.dir}: has other tables since these results were read: open it again")
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
            raise ScenarioError(f"{folder}: is {kind}; name a folder with --out")
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ScenarioError(f"{folder}: cannot be read: {error.strerror or error}") from error
    if not names:
        return frozenset()
    if not is_own(folder):
        more = f" and {len(names) - 1:,} more" * (len(names) > 1)
        raise ScenarioError(
            f"{folder}: has files that no run has written ({names[0]}{more}), and some would be lost;"
            " name an empty folder, or one of earlier results, with --out"
        )
    for name in NAMES:
        if not is_inside(folder / name, folder):
            raise ScenarioError(f"{folder / name}: a link leads out of {folder}; remove it")
    return listed(folder)


def points_in(folder: Path) -> list[dict[str, object]]:
    """Return the points of the tables of a folder, without their numbers; none if it has no manifest of a run."""
    with suppress(ValueError):
        return [point | {"point": None} for point in read_manifest(folder / MANIFEST).get("points", [])]
    return []


def is_own(folder: Path) -> bool:
    """Return whether a run has written to a folder: it has its manifest or journal, or those of fresh seeds."""
    return _has_manifest(folder) or is_journal(folder / JOURNAL) or any(map(is_own, _seeds(folder)))


def _has_manifest(folder: Path) -> bool:
    """Return whether a folder has a manifest of a run: other programs have files of this name too."""
    with suppress(ValueError):
        return "points" in read_manifest(folder / MANIFEST)
    return False


def _seeds(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from (path for path in (folder / SEEDS).iterdir() if path.name.isdigit() and path.is_dir())
