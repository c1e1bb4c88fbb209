"""Files that are written whole or not at all: under another name in the same folder, then moved into place.

Tables, manifest, figures, pages and starting files are all written here, so that a full disk, an
exception in the middle or a loss of power leaves the old file whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

from disttrack.simulator.errors import RunError, ScenarioError, cannot_be, printable

PART: Final = ".part-"
"""Beginning of the name of a file before it is whole."""


MARKED: Final = 1_000_000
"""Bytes at the beginning of a file in which its mark stands."""


@contextmanager
def replacing(path: Path, within: Path | None = None) -> Iterator[Path]:
    """Yield the name under which to write a file, and move it into place at the end; nothing if writing it fails.

    The name ends as the file's does, as libraries expect. The folder is made if it is not there. A device or a pipe
    (/dev/stdout) is no file that could be replaced: it is written to as it is.

    Parameters
    ----------
    within
        A folder that no link may lead the file out of.

    Raises
    ------
    RunError
        The file cannot be written.
    ScenarioError
        It lies outside of the folder.
    """
    if within is not None:
        check_inside(path, within)
    target = Path(os.path.realpath(path))  # a link stays a link
    part = target.with_name(f"{PART}{target.name}")
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            yield target
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        part.unlink(missing_ok=True)  # it might be a link
        try:
            yield part
            with open(part, "rb") as file:
                os.fsync(file.fileno())  # else the name may be kept and the content lost, if the power goes
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(cannot_be("written", path, _barred(path) or error)) from error


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[str], TextIO]]:
    """Let several files of a folder appear at the end, each whole; none of them if an exception ends the block.

    They are moved into place one after the other. A run that is stopped there leaves some old and some new ones: the
    manifest, written last, has their digests.

    Yields
    ------
    start
        Opens a file by its name in the folder.

    Raises
    ------
    RunError, ScenarioError
        As `replacing`.
    """
    started: list[TextIO] = []
    with ExitStack() as stack:

        def start(name: str) -> TextIO:
            part = stack.enter_context(replacing(folder / name, folder))
            file = stack.enter_context(open(part, "w", encoding="utf-8", errors="backslashreplace", newline=""))
            started.append(file)
            return file

        yield start
        for file in started:  # before the first is moved: a disk is more likely to be full now than then
            file.flush()
            os.fsync(file.fileno())


def write_text(path: Path, text: str, within: Path | None = None) -> None:
    """Write one file of text, as `replacing` does."""
    with replacing(path, within) as part:
        part.write_text(printable(text), encoding="utf-8", newline="")


def check_output(path: Path, *marks: bytes) -> None:
    """Refuse a place for a file before any work starts: a file of the user's, or a folder that cannot be written.

    Parameters
    ----------
    marks
        Texts in files of the kind that is to be written: one that has any of them may be replaced.

    Raises
    ------
    ScenarioError
        Another file is there, or the folder is a file or may not be written.
    """
    try:
        if path.exists() and not path.is_file():
            return  # a device
        if path.exists():
            with open(path, "rb") as file:
                head = file.read(MARKED)
            if head and not any(mark in head for mark in marks):
                raise ScenarioError(f"{path}: not written by this command; name another file")
        if barred := _barred(path):
            raise barred
    except OSError as error:
        raise ScenarioError(cannot_be("written", path, error)) from error


def remove(folder: Path, names: Iterable[str]) -> None:
    """Remove files of a folder, those that no link leads out of it.

    Raises
    ------
    RunError
        One of them cannot be removed.
    """
    try:
        for path in (folder / name for name in names):
            if path.is_file() and is_inside(path, folder):
                path.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(cannot_be("written", folder, error)) from error


def is_inside(path: Path, folder: Path) -> bool:
    """Return whether a path stays in a folder when all links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def check_inside(path: Path, folder: Path) -> None:
    """Raise ScenarioError if a link leads a path out of a folder."""
    if not is_inside(path, folder):
        raise ScenarioError(f"{path}: a link leads out of {folder}; remove it")


def sweep(folder: Path) -> None:
    """Remove the half-written files of a run that was killed."""
    for left in (one for within in ("", "figures/**/", "previous/") for one in folder.glob(f"{within}{PART}*")):
        with suppress(OSError):
            left.unlink()


def _barred(path: Path) -> OSError | None:
    """Return why no file can be made at a path: the nearest parent that is there is no folder, or read-only."""
    there = next(one for one in Path(os.path.realpath(path)).parents if os.path.lexists(one))
    if there.is_dir() and os.access(there, os.W_OK):
        return None
    return OSError(f"{there} is {'read-only' if there.is_dir() else 'no folder'}")
