"""Logs as tables: JSON lines, and the access logs of web servers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import chain, islice
from typing import Any, Final

HEAD: Final = 1_000
"""Lines whose keys are the names of the columns of JSON lines."""
FIELDS: Final = ("host", "ident", "user", "time", "request", "status", "bytes", "referer", "agent")
"""The columns of an access log in Apache's format ``combined``; ``common`` ends with the bytes."""
_LOG: Final = re.compile(
    r'(\S+) (\S+) (.+?) \[([^]]+)\] "((?:[^"\\]|\\.)*)" (\d{3}|-) (\d+|-)'
    r'(?: "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)")?\s*', re.ASCII,
)  # fmt: skip
_TIME: Final = re.compile(r"(\d\d)/(\w{3})/(\d{4}):(\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)", re.ASCII)
MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOST_KNOWN: Final = 100_000
"""Times that are kept as dates: a busy second has many lines."""


class Objects:
    """The rows of JSON lines: an object a line, of which inner values have names with a dot, ``usage.total``.

    A number is the text that is written. null, and a key that is missing, are missing values.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self.blank = 0
        self._rows = self._read(lines)
        self._head = list(islice(self._rows, HEAD))
        self.names = list(dict.fromkeys(name for _, row in self._head for name in row))
        if not self.names:
            raise ValueError("its lines must be objects of JSON with at least one key, and there is none")

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for line, row in chain(self._head, self._rows):
            yield line, [row.get(name, "") for name in self.names]

    def _read(self, lines: Iterable[str]) -> Iterator[tuple[int, dict[str, str]]]:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                self.blank += 1
                continue
            try:
                value = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number}: not JSON: {error}") from error
            if not isinstance(value, dict):
                raise ValueError(f"line {number}: must be an object of JSON; got {type(value).__name__}")
            yield number, dict(_flat(value, "", number))


def _flat(value: dict[str, Any], before: str, line: int) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of an object and those in it; lists have no text."""
    for key, inner in value.items():
        if isinstance(inner, dict):
            yield from _flat(inner, f"{before}{key}.", line)
        elif not isinstance(inner, list):
            text = inner if isinstance(inner, str) else "" if inner is None else str(inner).lower()
            if "\0" in text:
                raise ValueError(f"line {line}: a NUL character; accepted is text in UTF-8")
            yield before + key, text


class LogLines:
    """The rows of an access log in the formats ``common`` and ``combined``; the time is a date of ISO 8601."""

    names: Final = list(FIELDS)

    def __init__(self, lines: Iterable[str]) -> None:
        self.blank = 0
        self._lines = lines
        self._known: dict[str, str] = {}

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        for number, line in enumerate(self._lines, start=1):
            match = _LOG.fullmatch(line)
            if match:
                fields = ["" if text in (None, "-") else text for text in match.groups()]
                fields[3] = self._known.get(fields[3]) or self._moment(fields[3], number)
                yield number, fields
            elif line.strip():
                accepted = 'host ident user [time] "request" status bytes "referer" "agent"'
                raise ValueError(f"line {number}: accepted: {accepted}; got {line.strip()[:40]!r}")
            else:
                self.blank += 1

    def _moment(self, text: str, line: int) -> str:
        match = _TIME.fullmatch(text)
        try:
            month = MONTHS.index(match[2]) + 1 if match else 0
            when = f"{match[3]}-{month:02}-{match[1]}T{match[4]}{match[5]}:{match[6]}" if match else ""
            datetime.fromisoformat(when)
        except ValueError:
            raise ValueError(
                f"line {line}: the time must be as in 10/Oct/2000:13:55:36 -0700; got {text[:40]!r}"
            ) from None
        if len(self._known) > MOST_KNOWN:
            self._known.clear()
        self._known[text] = when
        return when
