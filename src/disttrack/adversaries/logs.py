"""Logs as tables, a row a line: JSON lines, access logs of web servers, and words with spaces between."""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import IO, Any, Final

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


HEAD: Final = 1_000
"""Lines whose keys are the names of the columns of JSON lines."""
_QUOTED: Final = r'"((?:[^"\\]|\\.)*)"'
_COMMON: Final = {
    "host": r"(?:([^\s:\[\]]+:\d+) (?!- ))?([^\s,]+)",
    "ident": r" (\S+)", "user [time]": r" (?!- (?!\[))(.+?) \[([^]]+)\]",
    "request": f" {_QUOTED}", "status": r" (\d{3}|-)", "bytes": r" (\d+|-)",
}  # fmt: skip
"""The fields of an access log in Apache's format ``common``; before them may be a virtual host with its port."""
_LOG: Final = re.compile("".join(_COMMON.values()) + rf"(?: {_QUOTED} {_QUOTED})?(?: (.*\S))?\s*", re.ASCII)
FIELDS: Final = ("vhost", "host", "ident", "user", "time", "request", "status", "bytes", "referer", "agent")
"""The columns of an access log in the format ``combined``, which more may follow."""
_WORD: Final = re.compile(rf'\s*(?:{_QUOTED}|\[([^]]{{,1024}})\]|{{([^}}]{{,1024}})}}|([^\s"]\S*))(?=\s|$)', re.ASCII)
"""A word, or one with spaces in quotes or brackets, which end after 1,024 letters: each that opens is looked after."""
_NAMES: Final = "#Fields:"
"""What the line of a log of W3C begins with that names its columns."""
_DATE: Final = ("date", "time")
WHEN: Final = "date-time"
"""The column of the two above together."""


class Lines(ABC):
    """What readers of one row a line have in common.

    Parameters
    ----------
    text
        The lines, and whether those that do not fit are left out, and not refused.

    Attributes
    ----------
    names
        The names of the columns.
    blank
        Number of blank lines so far.
    broken
        The lines that were left out; who takes them empties it.
    """

    def __init__(self, text: Text) -> None:
        self.names: list[str] = []
        self.blank, self.skips = 0, text.skips
        self.broken: list[int] = []
        self._rows = self._read(text)

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        return self._rows

    def ahead(self, rows: int) -> list[tuple[int, Any]]:
        """Return the first rows, which are read again."""
        head = list(islice(self._rows, rows))
        self._rows = chain(head, self._rows)
        return head

    def _read(self, text: Text) -> Iterator[tuple[int, Any]]:
        for number, line in enumerate(text, start=1):
            if number in text.unread:
                self.broken.append(number)
                continue
            if not line.strip():
                self.blank += 1
                continue
            try:
                row = self.row(line)
            except ValueError as error:
                refuse(self, number, str(error))
            else:
                if row is not None:
                    yield number, row

    @abstractmethod
    def row(self, line: str) -> Any:
        """Return the fields of a line, None if it is no row; ValueError if it does not fit."""


def refuse(rows: Any, line: int, why: str) -> None:
    """Leave out a line that is broken, or raise ValueError."""
    if not rows.skips:
        raise ValueError(f"line {line}: {why}{LEAVE_OUT}")
    rows.broken.append(line)


class Objects(Lines):
    """The rows of JSON lines: an object a line, of which inner values have names with a dot, ``usage.total``.

    A number is the text that is written. null, and a key that is missing, are missing values.
    """

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self.names = list(dict.fromkeys(name for _, row in self.ahead(HEAD) for name in row))
        if not self.names:
            raise ValueError("its lines must be objects of JSON with at least one key, and there is none")

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for line, row in self._rows:
            yield line, [row.get(name, "") for name in self.names]

    def row(self, line: str) -> dict[str, str]:
        try:
            value = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"not JSON: {error}") from error
        if not isinstance(value, dict):
            raise ValueError(f"must be an object of JSON; got {type(value).__name__}")
        return dict(_flat(value, ""))


def _flat(value: dict[str, Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of an object and those in it; lists have no text."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _flat(inner, f"{before}{key}.")
        elif not isinstance(inner, list):
            text = inner if isinstance(inner, str) else "" if inner is None else str(inner).lower()
            if "\0" in text:
                raise ValueError("a NUL character; accepted is text in UTF-8")
            yield before + key, text


class LogLines(Lines):
    """The rows of an access log in the formats ``common`` and ``combined``, maybe with more fields.

    These are ``after-1``, ``after-2`` and so on, as many as in the first line.
    """

    def __init__(self, text: Text) -> None:
        super().__init__(text)
        self._fields = 0
        self.ahead(1)
        self.names = [*FIELDS, *(f"after-{place + 1}" for place in range(self._fields - len(FIELDS)))]

    def row(self, line: str) -> list[str]:
        match = _LOG.fullmatch(line)
        if match is None:
            accepted = 'host ident user [time] "request" status bytes "referer" "agent"'
            raise ValueError(f"{_unlike(line)}; accepted: {accepted}{'' if self._fields else _as_words(line)}")
        *fields, more = match.groups()
        texts = ["" if text in (None, "-") else text for text in fields] + (_words(more) if more else [])
        self._fields = self._fields or len(texts)
        if len(texts) != self._fields:
            before = len(FIELDS)
            raise ValueError(f"fields after the agent are {len(texts) - before}, before {self._fields - before}")
        return texts


def _unlike(line: str) -> str:
    """Return the first field of an access log that a line does not have, and what is in its place."""
    parts, end, name = [*_COMMON.values()], 0, "referer and agent"
    for number, part in enumerate(_COMMON, start=1):
        match = re.match("".join(parts[:number]), line, re.ASCII)
        if match is None:
            name = part
            break
        end = match.end()
    rest = line[end:].strip()
    return f"no {name} in {rest[:40]!r}" if rest else f"no {name} after {line.strip()[-40:]!r}"


def _as_words(line: str) -> str:
    """Return that the first line of a log may be one of words, if it can be read as such; empty if not."""
    if line.startswith("#"):
        return f", or format words for a log with a line {_NAMES}"
    try:
        return f", or format words with the names of its {len(_words(line))} columns by columns"
    except ValueError:
        return ""


class Words(Lines):
    """The rows of a log of words with spaces or tabs between, in quotes or brackets if they have spaces.

    Their columns are given, or named by a line of W3C's extended format, ``#Fields: date time c-ip``, of which other
    lines that begin with # are no rows. The columns ``date`` and ``time`` are one more together, ``date-time``.
    """

    def __init__(self, text: Text, names: Sequence[str]) -> None:
        super().__init__(text)
        self._given, self._fields = bool(names), list(names)
        self.ahead(1)
        self._places = [self._fields.index(name) for name in _DATE if {*_DATE} <= {*self._fields}]
        self.names = [*self._fields, *([WHEN] * bool(self._places))]

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for line, texts in self._rows:
            yield line, texts + ["T".join(texts[place] for place in self._places)] * bool(self._places)

    def row(self, line: str) -> list[str] | None:
        if line.startswith("#") and not self._given:
            names = line.removeprefix(_NAMES).split() if line.startswith(_NAMES) else self._fields
            if self._fields and names != self._fields:
                raise ValueError(f"other names of columns than before: {' '.join(names)[:80]}")
            self._fields = names
            return None
        if not self._fields:  # no line fits
            raise LookupError(f"name its columns in order by columns: it does not begin with a line {_NAMES} …")
        texts = _words(line)
        if len(texts) != len(self._fields):
            raise ValueError(f"its number of fields is {len(texts)}, that of columns {len(self._fields)}")
        return texts


def _words(line: str) -> list[str]:
    """Return the words of a line; ValueError if a quote does not end.

    >>> _words('a [b c] - {d|e f} "g h"')
    ['a', 'b c', '', 'd|e f', 'g h']
    """
    words, end = [], 0
    for match in _WORD.finditer(line):
        if match.start() != end:
            break
        word, end = match[match.lastindex or 0], match.end()
        words.append("" if word == "-" else word)
    if line[end:].strip():
        raise ValueError(f"no word begins with {line[end:].strip()[:40]!r}")
    return words
