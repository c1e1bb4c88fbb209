"""One run at a time in a folder of results: whoever comes second is refused before anything is touched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from simulator.errors import ScenarioError
from simulator.results.files import refusal

LOCK: Final = ".lock"
"""The file that is locked. It stays; the system frees the lock when its process ends, however it ends."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder.

    Raises
    ------
    ScenarioError
        Another run is writing to it, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=1.0)
    except Timeout as error:
        raise ScenarioError(f"{folder}: another run is writing to this folder; choose another with --out") from error
    except OSError as error:
        raise refusal(folder, error) from error
    try:
        yield
    finally:
        lock.release()
