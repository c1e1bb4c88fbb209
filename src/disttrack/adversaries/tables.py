"""Tables that users bring, read as written: CSV (plain, gzip or zip) and Parquet.

A value is text, and only the empty field is missing. A row that does not fit the header is an error with its line.
"""

from __future__ import annotations

import csv
import gzip
import zipfile
from array import array
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

ENDINGS: Final = (".csv", ".csv.gz", ".csv.zip", ".parquet")
"""Allowed endings of a table's file name."""
EXTRA: Final = "pip install 'disttrack[data]'"
BLOCK: Final = 2**16
"""Bytes that are read at a time where only lines are counted."""
MOST_SHARED: Final = 100_000
"""Different texts of which equal ones are one object, which saves most of the memory."""
MOST_LISTED: Final = 30
"""Columns that a message names."""
PACKED: Final = {
    b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh91AY": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd",
    b"PAR1\x15": "Parquet",
}  # fmt: skip
"""The first bytes of files that are no text."""


def listed(columns: Sequence[str]) -> str:
    """Return the names of columns in one line; the first ones of many."""
    names = [name if name.isprintable() else repr(name) for name in columns[:MOST_LISTED]]
    return ", ".join([*names, *(["…"] if len(columns) > MOST_LISTED else [])])


class Table(NamedTuple):
    """Columns of a file.

    Parameters
    ----------
    columns
        The texts of each column, empty where one is missing.
    lines
        The line of each row in a CSV file, or its number in a Parquet file.
    blank
        Number of blank lines, which are no rows.
    """

    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    blank: int


def header(path: Path) -> tuple[str, ...]:
    """Return the names of a table's columns.

    Raises
    ------
    ValueError
        The file cannot be read; the message is one line.
    """
    with refusing(path):
        if _is_parquet(path):
            return tuple(_parquet(path).schema_arrow.names)
        with unpacked(path) as file:
            return tuple(_Rows(file).names)


def read(path: Path, columns: Sequence[str], missing: Collection[str] = ("",)) -> Table:
    """Return columns of a table.

    Parameters
    ----------
    columns
        Their names, each of which occurs once.
    missing
        Texts that mean that there is no value.

    Raises
    ------
    ValueError
        The file cannot be read, or has a row that does not fit; the message is one line.
    """
    with refusing(path):
        table = _read_parquet(path, columns) if _is_parquet(path) else _read_csv(path, columns)
        if missing != ("",):
            emptied = {
                name: ["" if text in missing else text for text in texts] for name, texts in table.columns.items()
            }
            table = table._replace(columns=emptied)
        return table


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Open a file of text, which may be packed by gzip, or by zip as the only file of its archive.

    Raises
    ------
    ValueError
        An archive has no file, or more than one.
    """
    name = path.name.lower()
    if name.endswith(".gz"):
        with BufferedReader(gzip.GzipFile(path)) as file:
            yield file
    elif name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            inside = [one for one in archive.infolist() if not one.is_dir()]
            if len(inside) != 1:
                names = ", ".join(one.filename for one in inside[:3]) or "none"
                raise ValueError(f"the archive must have one file; it has {len(inside)} ({names})")
            member: Any = archive.open(inside[0])
            with BufferedReader(member) as file:
                yield file
    else:
        with path.open("rb") as file:
            yield file


def line_counts(file: IO[bytes]) -> Iterator[int]:
    """Yield how many lines end in each block of a file, without waiting for more; the last line needs no end.

    Raises
    ------
    ValueError
        The file is packed, or no text.
    """
    read_some: Callable[[int], bytes] = file.read1  # type: ignore[attr-defined]
    block = last = read_some(BLOCK)
    refuse_packed(block)
    while block:
        yield block.count(b"\n")
        last, block = block, read_some(BLOCK)
    if last and not last.endswith(b"\n"):
        yield 1


def refuse_packed(first: bytes) -> None:
    """Raise ValueError if these bytes begin a file that is no lines of text."""
    for begin, name in PACKED.items():
        if first.startswith(begin):
            raise ValueError(f"it is a {name} file, and not lines of text")
    if b"\0" in first:
        raise ValueError("it has NUL bytes, and is not lines of text in UTF-8")
    if b"\r" in first[:-1] and b"\n" not in first:
        raise ValueError("its lines end with CR only; accepted: LF, or CR LF")


# ---------------------------------------------------------------------- CSV


def _read_csv(path: Path, columns: Sequence[str]) -> Table:
    with unpacked(path) as file:
        rows = _Rows(file)
        places = [rows.names.index(column) for column in columns]
        texts: list[list[str]] = [[] for _ in columns]
        pairs = [(kept.append, place) for kept, place in zip(texts, places, strict=True)]
        same: dict[str, str] = {}
        lines = array("q")
        for line, fields in rows:
            lines.append(line)
            for keep, place in pairs:
                keep(same.setdefault(fields[place], fields[place]))
            if len(same) > MOST_SHARED:
                same.clear()
    return Table(dict(zip(columns, texts, strict=True)), lines, rows.blank)


class _Rows:
    """The rows of a CSV file, each with its first line.

    Attributes
    ----------
    names
        The header.
    blank
        Number of blank lines so far.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._reader = csv.reader(_lines(file), strict=True)
        self.names = self._next(1) or []
        self.blank = 0
        if not self.names:
            raise ValueError("its first line must name the columns, and is empty")

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        names, reader = self.names, self._reader
        width, line = len(names), reader.line_num + 1
        while (fields := self._next(line)) is not None:
            if len(fields) == width:
                if fields == names:
                    raise ValueError(f"line {line}: the header again; a table has one header")
                yield line, fields
            elif fields:
                remedy = " (a text with a comma needs quotes)" if len(fields) > width else ""
                raise ValueError(f"line {line}: its number of fields is {len(fields)}, the header's {width}{remedy}")
            else:
                self.blank += 1
            line = reader.line_num + 1

    def _next(self, line: int) -> list[str] | None:
        """Return the row that begins in this line; None at the end."""
        try:
            return next(self._reader, None)
        except csv.Error as error:
            cut = "new-line" in str(error)
            reason = "a CR that does not end the line; lines end with LF or CR LF" if cut else error
            raise ValueError(f"line {line}: {reason}") from error


def _lines(file: IO[bytes]) -> Iterator[str]:
    for line, content in enumerate(file, start=1):
        if line == 1:
            refuse_packed(content)
            content = content.removeprefix(BOM_UTF8)
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"line {line}: not UTF-8, {error.reason} at byte {error.start + 1}") from error
        if "\0" in text:
            raise ValueError(f"line {line}: a NUL character; accepted is text in UTF-8")
        yield text


# ---------------------------------------------------------------------- Parquet


def _is_parquet(path: Path) -> bool:
    if not path.name.lower().endswith(".parquet"):
        return False
    if find_spec("pyarrow") is None:
        raise ValueError(f"it needs the package pyarrow: {EXTRA}")
    return True


def _parquet(path: Path) -> Any:
    from pyarrow import parquet

    return parquet.ParquetFile(path)


def _read_parquet(path: Path, columns: Sequence[str]) -> Table:
    """Return columns as text; an index that pandas has written is a column like others."""
    import pyarrow as pa

    texts: dict[str, list[str]] = {}
    with closing(_parquet(path)) as file:
        schema, rows = file.schema_arrow, file.metadata.num_rows
        for column in columns:
            kind = schema.field(schema.names.index(column)).type
            if pa.types.is_nested(kind):
                raise ValueError(
                    f"column {column!r} holds values of type {kind}; accepted are texts, numbers and times"
                )
            values = file.read(columns=[column], use_pandas_metadata=False).column(column)
            if len(values) != rows:  # in a damaged file
                raise ValueError(f"column {column!r} has {len(values):,} values in {rows:,} rows")
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
            texts[column] = ["" if text is None else text for text in values.cast(kind).cast(pa.string()).to_pylist()]
    return Table(texts, range(1, rows + 1), 0)


# ---------------------------------------------------------------------- errors


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn every error of a reader or an unpacker into one line that names the file."""
    try:
        yield
    except Exception as error:  # zlib, zipfile and pyarrow raise various errors on a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"file {str(path)!r} cannot be read: {reason}") from error
