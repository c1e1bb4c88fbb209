"""What users' classes print while they play: kept in a file beside the tables, up to a size, never mixed with them."""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

NAME: Final = "output.log"
MOST: Final = 1_000_000
"""Bytes that are kept of what is printed."""


class Output:
    """A pipe into which workers print, and the file in which this process keeps what comes out of it.

    Parameters
    ----------
    path
        The file; made when something is printed, and taken away at the start if one of an earlier run is there.
    most
        Bytes that are kept.

    Attributes
    ----------
    entrance, exit
        The ends of the pipe, once it is open: workers write into the first, this process reads from the second.
    printed
        Bytes that have come, with those not kept.
    """

    def __init__(self, path: Path, most: int = MOST) -> None:
        self.path, self.printed = path, 0
        self._most = most
        self._file: FileIO | None = None
        with suppress(OSError):  # a folder that cannot be written is told of by whoever needs to write there
            self.path.unlink(missing_ok=True)

    def open(self) -> None:
        """Make a pipe, for new workers."""
        self.exit, self.entrance = multiprocessing.Pipe(duplex=False)

    def read(self) -> None:
        """Take in what has been printed; there must be something."""
        text = os.read(self.exit.fileno(), 1 << 16)
        room = max(0, self._most - self.printed)
        self.printed += len(text)
        if text[:room]:
            with suppress(OSError):  # a full disk is no reason to lose games
                if self._file is None:
                    self._file = FileIO(self.path, "ab")
                self._file.write(text[:room])

    def close(self) -> None:
        """Take in what is left, and say at the end of the file how much was not kept."""
        while self.exit.poll():
            self.read()
        self.exit.close()
        self.entrance.close()
        if self._file is not None:
            with suppress(OSError):
                if self.printed > self._most:
                    self._file.write(f"\n… {self.printed - self._most:,} more bytes were printed\n".encode())
            self._file.close()
            self._file = None

    def says(self, folder: Path) -> str:
        """Return in a line where what was printed is kept, the folder as the user called it; nothing without output."""
        if not self.printed:
            return ""
        kept = "" if self.printed <= self._most else f", the first {self._most:,} bytes of {self.printed:,}"
        return f"printed by classes: {folder / NAME}{kept}"
