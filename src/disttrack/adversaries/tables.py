"""Tables that users bring, read as written: CSV, TSV, JSON lines, logs of web servers, and Parquet.

Files of text may be packed by gzip or zip. A value is text, and only the empty field is missing. A row that does not
fit the header is an error with its line. Rows come in chunks, so that memory does not grow with them.
"""

from __future__ import annotations

import csv
import gzip
import zipfile
from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from io import BufferedReader
from itertools import islice
from pathlib import Path
from typing import IO, Any, Final, NamedTuple

from disttrack.adversaries.logs import LogLines, Objects, Text, Words, refuse, refuse_packed

FORMATS: Final = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".log": "combined",
}  # fmt: skip
"""The formats of files by the endings of their names, before .gz or .zip."""
SEPARATED: Final = {"csv": ",", "tsv": "\t", "spaces": " "}
"""Formats with a header or names, by what is between fields."""
PACKINGS: Final = (".gz", ".zip")
CHUNK: Final = 2**15
"""Rows that are read at a time."""
EXTRA: Final = "pip install 'disttrack[data]'"
BLOCK: Final = 2**16
"""Bytes that are read at a time where only lines are counted."""
MOST_SHARED: Final = 100_000
"""Different texts of which equal ones are one object, which saves most of the memory."""
MOST_LISTED: Final = 30
"""Columns that a message names."""


def listed(columns: Sequence[str]) -> str:
    """Return the names of columns in one line; the first ones of many."""
    names = [name if name.isprintable() else repr(name) for name in columns[:MOST_LISTED]]
    return ", ".join([*names, *(["…"] if len(columns) > MOST_LISTED else [])])


def apart(fields: Sequence[str]) -> str:
    """Return the remedy where what may be fields of a line is one field; empty if it is none."""
    one = len(fields) == 1 and {*"; \t"} & {*fields[0]}
    return "; fields are separated by commas, or as a format says (tsv, spaces, words)" if one else ""


class Layout(NamedTuple):
    """How a file is read.

    Parameters
    ----------
    format
        ``csv``, ``tsv``, ``spaces``, ``jsonl``, ``combined``, ``words`` or ``parquet``.
    names
        The names of the columns of a file without a header; none if its first row has them.
    skips
        Whether rows that do not fit are left out, and not refused.
    """

    format: str = "csv"
    names: tuple[str, ...] = ()
    skips: bool = False


def format_of(name: str) -> str:
    """Return the format of a file by its name; empty if the name does not say it.

    Examples
    --------
    >>> format_of("Log.CSV.gz"), format_of("a.parquet.gz"), format_of("access.log")
    ('csv', '', 'combined')
    """
    name = name.lower()
    packing = next((ending for ending in PACKINGS if name.endswith(ending)), "")
    inner = name.removesuffix(packing)
    found = next((form for ending, form in FORMATS.items() if inner.endswith(ending)), "")
    return "" if packing and found == "parquet" else found


class Table(NamedTuple):
    """Columns of a file, or of some of its rows.

    Parameters
    ----------
    columns
        The texts of each column, empty where one is missing.
    lines
        The line of each row, or its number in a Parquet file.
    blank
        Number of blank lines, which are no rows.
    broken
        The lines that are left out since they do not fit.
    """

    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    blank: int
    broken: Sequence[int] = ()


def header(path: Path, layout: Layout) -> tuple[str, ...]:
    """Return the names of a table's columns.

    Raises
    ------
    ValueError
        The file cannot be read; the message is one line.
    """
    with refusing(path):
        if layout.format == "parquet":
            return tuple(_parquet(path).schema_arrow.names)
        with unpacked(path) as file:
            return tuple(_rows(file, layout).names)


def read(
    path: Path, columns: Sequence[str], missing: Collection[str] = ("",), layout: Layout = Layout()  # noqa: B008
) -> Table:  # fmt: skip
    """Return columns of a table, all of its rows; the parameters are those of `chunks`."""
    texts: list[list[str]] = [[] for _ in columns]
    lines, blank, broken, same = array("q"), 0, array("q"), dict[str, str]()
    for part in chunks(path, columns, missing, layout):
        blank += part.blank
        broken.extend(part.broken)
        lines.extend(part.lines)
        for kept, column in zip(texts, columns, strict=True):
            kept += [same.setdefault(text, text) for text in part.columns[column]]
        if len(same) > MOST_SHARED:
            same.clear()
    return Table(dict(zip(columns, texts, strict=True)), lines, blank, broken)


def chunks(path: Path, columns: Sequence[str], missing: Collection[str], layout: Layout) -> Iterator[Table]:
    """Yield columns of a table, some of its rows at a time; the last part has the blank lines after the others.

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
        parts = _read_parquet(path, columns) if layout.format == "parquet" else _read_text(path, columns, layout)
        for part in parts:
            if missing != ("",):
                emptied = {
                    name: ["" if text in missing else text for text in texts] for name, texts in part.columns.items()
                }
                part = part._replace(columns=emptied)
            yield part


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


# ---------------------------------------------------------------------- text


def _rows(file: IO[bytes], layout: Layout) -> Any:
    """Return the rows of a file of text, with their lines, as those of `Lines`."""
    text = Text(file, layout.skips)
    if layout.format in ("jsonl", "combined"):
        return (Objects if layout.format == "jsonl" else LogLines)(text)
    return Words(text, layout.names) if layout.format == "words" else _Rows(text, layout)


def _read_text(path: Path, columns: Sequence[str], layout: Layout) -> Iterator[Table]:
    with unpacked(path) as file:
        rows, blank = _rows(file, layout), 0
        places = [rows.names.index(column) for column in columns]
        ahead = iter(rows)
        while True:
            lines: list[int] = []
            texts: list[list[str]] = [[] for _ in columns]
            pairs = [(kept.append, place) for kept, place in zip(texts, places, strict=True)]
            for line, fields in islice(ahead, CHUNK):  # no row is kept, which the collector would look at again
                lines.append(line)
                for keep, place in pairs:
                    keep(fields[place])
            yield Table(dict(zip(columns, texts, strict=True)), lines, rows.blank - blank, rows.broken)
            blank, rows.broken = rows.blank, []
            if len(lines) < CHUNK:
                return


class _Rows:
    """The rows of a CSV or TSV file, each with its first line; attributes as of `Lines`."""

    def __init__(self, text: Text, layout: Layout) -> None:
        self._text = text
        self._quotes = layout.format == "csv"  # nothing is quoted in the others
        form: Any = {} if self._quotes else {"delimiter": SEPARATED[layout.format], "quoting": csv.QUOTE_NONE}
        self._reader = csv.reader(text, strict=True, **form)
        self._of = "that of columns" if layout.names else "the header's"
        self.names = list(layout.names) or self._header()
        self.blank, self.skips = 0, text.skips
        self.broken: list[int] = []
        if not self.names:
            raise ValueError("its first line must name the columns, and is empty")

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        names, reader, unread = self.names, self._reader, self._text.unread
        width, line = len(names), reader.line_num + 1
        try:
            for fields in reader:
                if unread and not unread.isdisjoint(range(line, reader.line_num + 1)):
                    self.broken.append(line)
                elif len(fields) != width or fields == names:
                    self._skip(fields, line)
                else:
                    yield line, fields
                line = reader.line_num + 1
        except csv.Error as error:
            raise _refused(line, error) from error

    def _skip(self, fields: list[str], line: int) -> None:
        """Count a blank line; refuse any other row."""
        width = len(self.names)
        if fields == self.names and line == 1:
            raise ValueError("line 1: it names the columns: leave columns out, which is for files without a header")
        if fields == self.names:
            refuse(self, line, "the header again; a table has one header")
        elif fields:
            remedy = " (a text with a comma needs quotes)" if len(fields) > width and self._quotes else ""
            refuse(self, line, f"its number of fields is {len(fields)}, {self._of} {width}{remedy}{apart(fields)}")
        else:
            self.blank += 1

    def _header(self) -> list[str]:
        try:
            return next(self._reader, [])
        except csv.Error as error:
            raise _refused(1, error) from error


def _refused(line: int, error: csv.Error) -> ValueError:
    """Return the error of a row that begins in a line."""
    cut = "new-line" in str(error)
    return ValueError(f"line {line}: {'a CR that does not end the line; lines end with LF or CR LF' if cut else error}")


# ---------------------------------------------------------------------- Parquet


def _parquet(path: Path) -> Any:
    if find_spec("pyarrow") is None:
        raise ValueError(f"it needs the package pyarrow: {EXTRA}")
    from pyarrow import parquet

    return parquet.ParquetFile(path)


def _read_parquet(path: Path, columns: Sequence[str]) -> Iterator[Table]:
    """Yield columns as text; an index that pandas has written is a column like others. Their arrays are in memory."""
    values = {}
    with closing(_parquet(path)) as file:
        import pyarrow as pa

        schema, rows = file.schema_arrow, file.metadata.num_rows
        for column in columns:
            kind = schema.field(schema.names.index(column)).type
            if pa.types.is_nested(kind):
                raise ValueError(
                    f"column {column!r} holds values of type {kind}; accepted are texts, numbers and times"
                )
            whole = file.read(columns=[column], use_pandas_metadata=False).column(column)
            if len(whole) != rows:  # in a damaged file
                raise ValueError(f"column {column!r} has {len(whole):,} values in {rows:,} rows")
            values[column] = whole.cast(kind.value_type if pa.types.is_dictionary(kind) else kind)
        for begin in range(0, max(rows, 1), CHUNK):
            parts = {name: whole.slice(begin, CHUNK).cast(pa.string()).to_pylist() for name, whole in values.items()}
            texts = {name: ["" if text is None else text for text in part] for name, part in parts.items()}
            yield Table(texts, range(begin + 1, min(begin + CHUNK, rows) + 1), 0)


# ---------------------------------------------------------------------- errors


@contextmanager
def refusing(path: Path) -> Iterator[None]:
    """Turn every error of a reader or an unpacker into one line that names the file."""
    try:
        yield
    except Exception as error:  # zlib, zipfile and pyarrow raise various errors on a damaged file
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"file {str(path)!r} cannot be read: {reason}") from error
