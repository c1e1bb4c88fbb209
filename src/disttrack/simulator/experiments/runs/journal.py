"""The journal: every finished game, kept as it finishes; nothing is lost and nothing is played twice.

A SQLite file beside the tables, a row a game with its key and a checksum. Each batch is one transaction, which is on
the disk when `put` returns. An open journal keeps other runs out of the folder. A game is identified by
the key of its job, and not by its place in the scenario.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import closing, suppress
from dataclasses import fields
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from disttrack.simulator.errors import KEPT, RunError, ScenarioError, cannot_be
from disttrack.simulator.game.tasks.base import Record

JOURNAL: Final = "journal.sqlite"
"""Its name in a folder of results."""
OTHER: Final = "choose another --out"
TAKEN: Final = f"{{}}: another run writes here; {OTHER}"
"""The refusal of a folder."""
TABLE: Final = "games (key TEXT PRIMARY KEY, record BLOB, checksum BLOB)"
HEAD: Final = 65_536
"""Bytes at the beginning of the file, and of SQLite's log beside it, in which the table is named."""
FIND: Final = "SELECT record, checksum FROM games WHERE key = ?"
KEEP: Final = "INSERT OR REPLACE INTO games VALUES (?, ?, ?)"
FIELDS: Final = tuple(field.name for field in fields(Record))
WHOLE: Final = "BHIq"
"""Types of an array of whole numbers, the shortest first: to compress bytes that are zero takes time too."""
SHORT: Final = 4096
"""Bytes up to which a record is not compressed: to compress it takes longer than to play a game of 200 items."""
MANY: Final = 1000
"""Games that are copied from another journal in one transaction."""
BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
REFUSED: Final = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)

Row = tuple[str, bytes, bytes]
"""A game in the file: its key, its record, and the checksum of both."""


class Journal:
    """The finished games of a results folder.

    A file that is damaged is kept as ``NAME.damaged``, and its sound rows go on in a new one.

    Parameters
    ----------
    path
        The file; made if it is not there, with its folder.
    fresh
        Whether to forget the games that are in it.

    Attributes
    ----------
    known
        The keys of the finished games; one that ended in an error is not finished.
    damaged
        How many rows, or parts of the file, could not be read: their games are played again.

    Raises
    ------
    ScenarioError
        Another run has it open, or it cannot be opened or written.
    RunError
        The disk is full.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path, self.damaged = path, 0
        self.known: set[str] = set()
        self._lost: dict[str, Record] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._file = self._open()
                self.damaged = self._read(self._file)
                if not self.damaged and self._file.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                    self.damaged = 1  # all rows are sound, but may not be found by their keys
            except sqlite3.DatabaseError as error:
                if _code(error) in (*BUSY, *FULL, *REFUSED):
                    raise
                self.damaged = 1
            if self.damaged:
                self._set_aside()
            if fresh:
                with self._file:
                    self._file.execute("DELETE FROM games")
                self.known.clear()
        except (sqlite3.Error, OSError) as error:
            self.close()
            if isinstance(error, OSError):
                raise ScenarioError(cannot_be("written", path.parent, error)) from error
            if _code(error) in BUSY:
                raise ScenarioError(TAKEN.format(path.parent)) from error
            kind = RunError if _code(error) in FULL else ScenarioError
            raise kind(f"{path}: cannot be opened or written: {error}") from error

    def _open(self) -> sqlite3.Connection:
        """Open the file, and lock it until it is closed."""
        file = _connect(self.path)
        try:
            for line in ("PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"):
                file.execute(line)
            with file:
                file.execute("BEGIN IMMEDIATE")
                file.execute(f"CREATE TABLE IF NOT EXISTS {TABLE}")
            here = os.stat(self.path)
            self._place = here.st_dev, here.st_ino
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, file: sqlite3.Connection) -> int:
        """Note the games of all sound rows, and copy these from another file; return how many are damaged."""
        damaged = 0
        for key, record, checksum in file.execute("SELECT key, record, checksum FROM games"):
            if isinstance(key, str) and isinstance(record, bytes) and checksum == _checksum(key, record):
                self.known.add(key)
                if file is not self._file:
                    self._file.execute(KEEP, (key, record, checksum))
            else:
                damaged += 1
        return damaged

    def _set_aside(self) -> None:
        """Go on in a new file with the sound rows of the damaged one."""
        self.close()
        aside = self.path.with_name(f"{self.path.name}.damaged")
        os.replace(self.path, aside)
        self._file = self._open()
        self.known.clear()
        with closing(_connect(aside)) as damaged, self._file:
            try:
                self._read(damaged)
            except sqlite3.DatabaseError as error:
                if _code(error) in FULL:
                    raise

    def get(self, key: str, *, arrays: bool = False) -> Record:
        """Return a game, finished or ended in an error since the journal was opened.

        Parameters
        ----------
        arrays
            Whether columns of numbers stay arrays, which say of which type all of them are.

        Raises
        ------
        RunError
            It cannot be read.
        """
        if key in self._lost:
            return self._lost[key]
        try:
            record, _ = self._file.execute(FIND, (key,)).fetchone()
            return unpack(record, arrays=arrays)
        except (sqlite3.Error, ValueError, TypeError, zlib.error, RecursionError) as error:
            raise RunError(f"{self.path}: the game {key} cannot be read ({error}); delete its row") from error

    def put(self, games: Mapping[str, Record]) -> None:
        """Keep games by their keys; games that ended in an error only as long as the journal is open.

        Raises
        ------
        RunError
            The disk is full or the file cannot be written; what was kept before stays whole.
        """
        packed = {key: pack(record) for key, record in games.items() if record.error is None}
        self._store([(key, one, _checksum(key, one)) for key, one in packed.items()])
        self.known |= set(packed)
        self._lost = {key: record for key, record in {**self._lost, **games}.items() if key not in self.known}

    def _store(self, rows: Sequence[Row]) -> None:
        try:
            with self._file:
                self._file.executemany(KEEP, rows)
        except sqlite3.Error as error:
            raise RunError(f"{self.path}: cannot be written ({error}); {KEPT}") from error

    def take(self, wanted: Set[str], others: Iterable[Path]) -> None:
        """Copy games with these keys from other journals; one that another run has open is passed over.

        Raises
        ------
        RunError
            As `put`.
        """
        for path in others:
            missing = sorted(wanted - self.known)
            for begin in range(0, len(missing) * is_journal(path), MANY):
                rows = list(_rows(path, missing[begin : begin + MANY]))
                self._store(rows)
                self.known |= {key for key, _, _ in rows}

    def check_in_place(self) -> None:
        """Raise RunError if the file has been removed or replaced since it was opened: its folder is another run's."""
        try:
            here = os.stat(self.path)
        except OSError:
            here = None
        if here is None or (here.st_dev, here.st_ino) != self._place:
            raise RunError(f"{self.path}: removed or replaced; no tables written")

    def close(self) -> None:
        """Close the file, and let other runs in."""
        if hasattr(self, "_file"):
            self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_journal(path: Path) -> bool:
    """Return whether a file is a journal, whole, damaged or just begun, and not another program's database."""
    if not path.is_file():
        return False
    texts = []
    for name in (path.name, f"{path.name}-wal"):
        with suppress(FileNotFoundError), open(path.with_name(name), "rb") as file:
            texts.append(file.read(HEAD))
    begun = not texts[0].strip(b"\0") or texts[0].startswith(b"SQLite format 3\0")
    return begun and (f"CREATE TABLE {TABLE}".encode() in b"".join(texts) or b"CREATE " not in b"".join(texts))


def _connect(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=1.0)
    file.text_factory = lambda text: text.decode("utf-8", "replace")  # its checksum is wrong then
    return file


def _rows(path: Path, keys: Sequence[str]) -> Iterator[Row]:
    """Yield the sound rows of a journal with these keys, as long as it can be read; its file stays as it is."""
    with (
        suppress(sqlite3.Error),
        closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", timeout=0, uri=True)) as file,
    ):
        for key in keys:
            for record, checksum in file.execute(FIND, (key,)):
                if isinstance(record, bytes) and checksum == _checksum(key, record):
                    yield key, record, checksum


def _code(error: Exception) -> int:
    """Return SQLite's primary code of an error; 255, which is none, if it has none."""
    return getattr(error, "sqlite_errorcode", -1) & 0xFF


def _checksum(key: str, record: bytes) -> bytes:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass") + b"\n" + record).digest()


def pack(record: Record) -> bytes:
    """Return a record as bytes: a line of JSON, then the numbers of its series. They come back exactly."""
    series = {name: _numbers(values) for name, values in record.series.items()}
    arrays = [values for values in series.values() if isinstance(values, array)]
    shown = {name: {one.typecode: len(one)} if isinstance(one, array) else one for name, one in series.items()}
    head = {**{name: getattr(record, name) for name in FIELDS}, "series": shown}
    text = b"\n".join([_AS_JSON.encode(head).encode(), b"".join(one.tobytes() for one in arrays)])
    return zlib.compress(text, 1 if len(text) > SHORT else 0)


def unpack(packed: bytes, *, arrays: bool = False) -> Record:
    """Return the record that `pack` made these bytes of; `arrays` as for `Journal.get`."""
    text, _, numbers = zlib.decompress(packed).partition(b"\n")
    head, begin = json.loads(text), 0
    for name, values in head.get("series", {}).items():
        if isinstance(values, dict):
            ((code, length),) = values.items()
            column = array(code)
            end = begin + length * column.itemsize
            column.frombytes(numbers[begin:end])
            head["series"][name], begin = column if arrays else column.tolist(), end
    return Record(**head)


def _numbers(values: list[object]) -> array[Any] | list[Any]:
    """Return a column as an array if all its values are floats, or whole numbers that fit; else as it is."""
    types = set(map(type, values))
    if types == {float}:
        return array("d", values)
    for code in WHOLE if types == {int} else ():
        with suppress(OverflowError):
            return array(code, values)
    return values


def _plain(value: object) -> object:
    """Return a number of another library as Python's own."""
    if isinstance(value, Fraction):
        return float(value)
    if hasattr(value, "item"):
        return value.item()
    return str(value)


_AS_JSON: Final = json.JSONEncoder(default=_plain)
