"""Files that are written whole or not at all: under another name in the same folder, then moved into place.

Whatever is written (tables, manifest, figures, pages, starting files) is written here, so that a full disk or an
exception in the middle leaves what was there before.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from simulator.errors import RunError, printable


@contextmanager
def writing(folder: Path) -> Iterator[Callable[[str], TextIO]]:
    """Let several files of a folder appear together at the end; none of them if anything fails.

    Yields
    ------
    start
        Opens a file by its name in the folder.

    Raises
    ------
    RunError
        The folder cannot be written.
    """
    started: dict[str, TextIO] = {}
    try:
        with ExitStack() as stack:

            def start(name: str) -> TextIO:
                file = open(partial(folder / name), "w", encoding="utf-8", errors="backslashreplace", newline="")  # noqa: SIM115
                started[name] = stack.enter_context(file)
                return started[name]

            yield start
        for name in started:
            os.replace(partial(folder / name), folder / name)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        for name in started:
            partial(folder / name).unlink(missing_ok=True)


def write_with(path: Path, write: Callable[[Path], object]) -> None:
    """Let a function write one file: it is handed the path to write to.

    A device or a pipe (/dev/stdout) is no file that could be replaced: it is written to as it is. The folder is made
    if it is not there.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not target.is_file() and not target.is_dir():
            write(target)
            return
        try:
            write(partial(target))
            os.replace(partial(target), target)
        finally:
            partial(target).unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_text(path: Path, text: str) -> None:
    """Write one file of text.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    write_with(path, lambda place: place.write_text(printable(text), encoding="utf-8", newline=""))


def partial(path: Path) -> Path:
    """Return the name under which a file is written before it is whole; it ends as the file does, as libraries expect.

    Examples
    --------
    >>> partial(Path("results/report.html")).name
    '.part-report.html'
    """
    return path.with_name(f".part-{path.name}")


def _unwritable(path: Path, error: OSError) -> RunError:
    return RunError(f"{path}: cannot be written: {error.strerror or error}")
