"""A full disk: operations that write below a folder are counted, and one of them, or all from one on, fail.

A write that fails has written half of what it was to write, as a disk that fills up does. Beside that it keeps what
a loss of power would leave: of each file what was there when it was last synced.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

WRITING = set("wax+")


class FailingDisk:
    """Counts the writes below a folder and lets them fail.

    Parameters
    ----------
    root
        The folder.
    at
        The operation that fails, counted from 1; none with 0.
    stays
        Whether all that follow fail as well.
    instead
        Called in place of the failure.

    Attributes
    ----------
    count
        Operations so far.
    log
        What each was.
    synced
        Lengths of files, by device and inode, when they were last synced.
    """

    def __init__(
        self,
        root: Path,
        at: int = 0,
        *,
        stays: bool = False,
        instead: Callable[[FailingDisk], None] | None = None,
    ) -> None:
        self.root, self.at, self.stays, self.instead = str(root.resolve()), at, stays, instead
        self.count = 0
        self.log: list[str] = []
        self.synced: dict[tuple[int, int], int] = {}

    def fails(self, what: str, path: Any) -> bool:
        """Count an operation; return whether the disk is full for it."""
        self.count += 1
        self.log.append(f"{what} {path}")
        if self.instead is not None:
            if self.count == self.at:
                self.instead(self)
            return False
        takes_room = what != "replace" or not os.path.exists(path)  # one name in place of another takes none
        return self.count == self.at or (self.stays and takes_room and 0 < self.at < self.count)

    def error(self, path: Any) -> OSError:
        """Return the error of a failing operation."""
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    def check(self, what: str, path: Any) -> None:
        """Count an operation, and raise if the disk is full for it."""
        if self.fails(what, path):
            raise self.error(path)

    def is_mine(self, path: Any) -> bool:
        """Return whether a path or an open file is below the folder."""
        try:
            named = os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else os.path.realpath(path)
        except OSError:
            return False
        return named.startswith(self.root)

    @contextmanager
    def plugged_in(self) -> Iterator[FailingDisk]:
        """Let everything that is written by this process go through this disk."""
        disk, write, fsync = self, os.write, os.fsync
        opened, low = io.open, os.open

        class Raw(io.FileIO):
            def write(self, content: Any, /) -> int:
                if disk.fails("write", self.name):
                    super().write(bytes(content)[: len(content) // 2])
                    raise disk.error(self.name)
                return super().write(content) or 0

        def open_(file: Any, mode: str = "r", buffering: int = -1, *rest: Any, **named: Any) -> Any:
            if not WRITING & set(mode) or not disk.is_mine(file):
                return opened(file, mode, buffering, *rest, **named)
            disk.check("open", file)
            raw = Raw(file, mode.replace("b", "").replace("t", ""))
            buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
            return buffered if "b" in mode else io.TextIOWrapper(buffered, *rest, **named)

        def os_open(path: Any, flags: int, *rest: Any, **named: Any) -> int:
            if flags & os.O_CREAT and disk.is_mine(path):
                disk.check("os.open", path)
            return low(path, flags, *rest, **named)

        def os_write(file: int, content: Any) -> int:
            if disk.is_mine(file) and disk.fails("os.write", os.readlink(f"/proc/self/fd/{file}")):
                write(file, bytes(content)[: len(content) // 2])
                raise disk.error(file)
            return write(file, content)

        def os_fsync(file: int) -> None:
            if disk.is_mine(file):
                disk.check("fsync", os.readlink(f"/proc/self/fd/{file}"))
                status = os.fstat(file)
                disk.synced[status.st_dev, status.st_ino] = status.st_size
            fsync(file)

        def moves(name: str) -> Any:
            original = getattr(os, name)

            def moved(source: Any, *target: Any, **named: Any) -> Any:
                if disk.is_mine(source) and not (name == "mkdir" and os.path.isdir(source)):
                    disk.check(name, target[0] if target else source)
                return original(source, *target, **named)

            return mock.patch.object(os, name, moved)

        with (
            mock.patch.object(builtins, "open", open_),
            mock.patch.object(io, "open", open_),
            mock.patch.object(os, "open", os_open),
            mock.patch.object(os, "write", os_write),
            mock.patch.object(os, "fsync", os_fsync),
            moves("replace"),
            moves("mkdir"),
        ):
            yield self
