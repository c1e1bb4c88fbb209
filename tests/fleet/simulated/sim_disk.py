"""The disks of simulated machines: real files, whose writes fail, are torn, or are those of killed processes.

Journals are files in one folder, named after their machine. `Disks` stands between `os.write` and these files.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Disks:
    """The files of all machines of a schedule.

    Attributes
    ----------
    full
        Machines whose writes fail, after a part of each.
    at_write
        By machine: called once, in place of its next write, with the file and the content; it writes what reaches the
        file.
    down
        Machines whose process has been killed: it still runs up to its next await, and changes nothing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.full: set[str] = set()
        self.down: set[str] = set()
        self.at_write: dict[str, Callable[[int, bytes], None]] = {}
        self._dead: set[int] = set()
        """Open files of killed processes: what these write is dropped."""
        self._short: set[int] = set()
        """Open files on full disks that have taken a part of a write: the rest fails."""

    def path(self, machine: str) -> Path:
        """Return the journal of a machine."""
        return self.folder / machine

    def _machine(self, file: int) -> str | None:
        target = Path(os.readlink(f"/proc/self/fd/{file}"))
        return target.name.removesuffix(".new") if target.parent == self.folder else None

    def kill(self, machine: str) -> None:
        """Release the locks of a killed process, as the kernel does, and drop what it would still write and rename."""
        self.down.add(machine)
        for name in os.listdir("/proc/self/fd"):
            file = int(name)
            try:
                mine = self._machine(file) == machine
            except OSError:
                continue
            if mine:
                self._dead.add(file)
                fcntl.flock(file, fcntl.LOCK_UN)

    def lose(self, machine: str) -> None:
        """Delete a journal."""
        self.path(machine).unlink(missing_ok=True)

    def copy(self, machine: str) -> bytes:
        """Return the content of a journal now."""
        path = self.path(machine)
        return path.read_bytes() if path.exists() else b""

    def restore(self, machine: str, content: bytes) -> None:
        """Put this content in place of a journal, as a new file."""
        self.lose(machine)
        self.path(machine).write_bytes(content)

    @contextmanager
    def mounted(self) -> Iterator[None]:
        """Stand between the processes and the files, for a block; then delete the files."""
        write, replace, close = os.write, os.replace, os.close

        def written(file: int, content: Any) -> int:
            machine = self._machine(file)
            if machine is None:
                return write(file, content)
            if file in self._dead or machine in self.down:
                return len(content)
            if machine in self.full:
                if file in self._short:
                    self._short.discard(file)
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                self._short.add(file)
                return write(file, bytes(content)[: max(1, len(content) // 2)])
            act = self.at_write.pop(machine, None)
            if act is None:
                return write(file, content)
            act(file, bytes(content))
            return len(content)

        def replaced(source: Any, target: Any, **options: Any) -> None:
            if Path(source).parent == self.folder and Path(target).name in self.down:
                return
            replace(source, target, **options)

        def closed(file: int) -> None:
            self._dead.discard(file)
            close(file)

        os.write, os.replace, os.close = written, replaced, closed
        try:
            yield
        finally:
            os.write, os.replace, os.close = write, replace, close
            shutil.rmtree(self.folder, ignore_errors=True)
