"""The lines of a text in UTF-8, one after the other: what is packed, or no text, is refused or left out."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from typing import IO, Final

LEAVE_OUT: Final = "; to leave such lines out, give broken: skip"
"""How a line that does not fit is left out, for the end of its refusal."""
TOGETHER: Final = 2**18
"""Bytes of the lines that are decoded together."""
PACKED: Final = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh91AY": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd",
    b"PAR1\x15": "Parquet",
}  # fmt: skip
"""The first bytes of files that are no text."""


def refuse_packed(first: bytes) -> None:
    """Raise ValueError if these bytes begin a file that is no lines of text."""
    for begin, name in PACKED.items():
        if first.startswith(begin):
            raise ValueError(f"it is a {name} file, and not lines of text")
    if b"\0" in first:
        raise ValueError("it has NUL bytes, and is not lines of text in UTF-8")
    if b"\r" in first[:-1] and b"\n" not in first:
        raise ValueError("its lines end with CR only; accepted: LF, or CR LF")


class Text:
    """The lines of a text in UTF-8, once; they end with LF.

    Parameters
    ----------
    skips
        Whether lines that do not fit are left out. Those that are no text come as blank ones then.

    Attributes
    ----------
    unread
        The numbers of these, before they come.

    Raises
    ------
    ValueError
        While they are read: the file is packed, or a line is no text and not left out.
    """

    def __init__(self, file: IO[bytes], skips: bool = False) -> None:
        self.skips = skips
        self.unread: set[int] = set()
        self._file = file

    def __iter__(self) -> Iterator[str]:
        first = self._file.readline()
        refuse_packed(first)
        yield from self._decoded([first.removeprefix(BOM_UTF8)] if first else [], 1)
        line = 1
        while lines := self._file.readlines(TOGETHER):
            yield from self._decoded(lines, line + 1)
            line += len(lines)

    def _decoded(self, lines: list[bytes], first: int) -> list[str]:
        """Return lines as text."""
        try:
            if b"\0" not in b"".join(lines):
                return [line.decode() for line in lines]
        except UnicodeDecodeError:
            pass
        return [self._line(number, line) for number, line in enumerate(lines, start=first)]

    def _line(self, number: int, content: bytes) -> str:
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            why = f"not UTF-8, {error.reason} at byte {error.start + 1}"
        else:
            if "\0" not in text:
                return text
            why = "a NUL character; accepted is text in UTF-8"
        if not self.skips:
            raise ValueError(f"line {number}: {why}{LEAVE_OUT}")
        self.unread.add(number)
        return "\n"
