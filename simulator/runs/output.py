"""What users' classes print while they play: kept in a file beside the tables, up to a size, never mixed with them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

NAME: Final = "output.log"
MOST: Final = 1_000_000
"""Bytes that are kept of what is printed."""


class Output:
    """The file to whose end workers print, cut now and then to its largest size.

    Parameters
    ----------
    path
        The file; that of an earlier run is taken away.
    most
        Bytes that are kept.
    """

    def __init__(self, path: Path, most: int = MOST) -> None:
        self.path = path
        self._most = most
        self._cut = False
        with suppress(OSError):  # a folder that cannot be written is refused by whoever needs to write there
            self.path.unlink(missing_ok=True)

    def trim(self) -> None:
        """Cut what is too much."""
        if self._size() > self._most:
            self._cut = True
            os.truncate(self.path, self._most)

    def says(self, folder: Path) -> str:
        """Return in a line where what was printed is kept, the folder as the user called it; nothing without output."""
        self.trim()
        if not self._size():
            with suppress(OSError):
                self.path.unlink(missing_ok=True)
            return ""
        return f"printed by classes: {folder / NAME}" + (f", the first {self._most:,} bytes" if self._cut else "")

    def _size(self) -> int:
        return self.path.stat().st_size if self.path.is_file() else 0
