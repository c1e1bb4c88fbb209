"""The journal: every finished game, kept as it finishes; nothing is lost and nothing is played twice.

One file of lines beside the tables, a line a game. Each line carries the key of its game and a checksum, and is
checked when it is read: whatever stops a run, or harms the file, a game is read as it was kept or played again. A game
is recognised by what determines it (see `game_key`), not by its place in the scenario.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, NamedTuple

from simulator.errors import RunError
from simulator.results.files import refusal, sync_folder
from simulator.tasks.base import Record

LAYOUT: Final = b"2"
"""Version of a line's layout: lines of another one are not read."""
_WHOLE, _LOST = b"whole", b"error"


def game_key(identity: str, seed: int, rules: int) -> str:
    """Return what a game is recognised by.

    Parameters
    ----------
    identity
        The point as canonical JSON: kinds, parameters, all code and data that it is played with, sites, items.
    seed
        The game's own seed.
    rules
        The task's version of its rules.
    """
    return hashlib.sha256(f"{rules}\n{seed}\n{identity}".encode()).hexdigest()[:40]


def game_seed(seed: int, trial: int) -> int:
    """Return the seed of a trial: the same for all points, so that protocols are compared on the same coins.

    Examples
    --------
    >>> game_seed(2023, 0) == game_seed(2023, 0) != game_seed(2023, 1)
    True
    """
    from numpy.random import SeedSequence

    (state,) = SeedSequence([seed, trial]).generate_state(1, "uint64")
    return int(state) >> 1


class _Line(NamedTuple):
    """Where the line of a game stands, and whether the game was played to its end."""

    start: int
    length: int
    whole: bool


class Journal:
    """The finished games of a results folder. One run at a time writes to it: `simulator.runs.lock` sees to that.

    A file with lines that cannot be read is set aside as ``NAME.damaged``, and the sound ones go on in a new one.

    Parameters
    ----------
    path
        The file; made if it is not there.

    Attributes
    ----------
    damaged
        How many lines could not be read: their games are played again.

    Raises
    ------
    ScenarioError
        It cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: dict[str, _Line] = {}
        self.damaged = 0
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            sync_folder(path.parent)
            try:
                self._length, sound = self._scan()
                if self.damaged:
                    self._set_aside(sound)
            except BaseException:
                os.close(self._file)
                raise
        except OSError as error:
            raise refusal(path, error) from error

    def _scan(self) -> tuple[int, list[bytes]]:
        """Find all lines; return the file's length, and the sound lines if there are others."""
        start = 0
        ends_well = True
        with open(self.path, "rb") as file:
            for line in file:
                read = _read(line)
                if read is None:
                    self.damaged += 1
                else:
                    key, whole = read
                    self._lines[key] = _Line(start, len(line), whole)
                start += len(line)
                ends_well = line.endswith(b"\n")
            if not ends_well and read is not None:  # whole, but the next would stand in the same line
                self.damaged += 1
            if not self.damaged:
                return start, []
            sound = []
            for place in sorted(self._lines.values()):
                file.seek(place.start)
                sound.append(file.read(place.length).rstrip(b"\n") + b"\n")
        return start, sound

    def _set_aside(self, sound: list[bytes]) -> None:
        """Go on with the sound lines in a new file."""
        fresh = self.path.with_name(f".part-{self.path.name}")
        with open(fresh, "wb") as file:
            file.writelines(sound)
            file.flush()
            os.fsync(file.fileno())
        shutil.copyfile(self.path, self.path.with_name(f"{self.path.name}.damaged"))
        os.close(self._file)
        os.replace(fresh, self.path)  # at no time is there no journal
        sync_folder(self.path.parent)
        self._file = os.open(self.path, os.O_RDWR | os.O_APPEND)
        self._lines.clear()
        damaged, self.damaged = self.damaged, 0
        self._length, _ = self._scan()
        self.damaged = damaged

    def known(self) -> set[str]:
        """Return the keys of the finished games; one that was lost to an error is not finished."""
        return {key for key, line in self._lines.items() if line.whole}

    def get(self, key: str) -> Record:
        """Return a game.

        Raises
        ------
        KeyError
            It is not there.
        RunError
            The file has changed since it was opened, or somebody has made the line up.
        """
        place = self._lines[key]
        os.lseek(self._file, place.start, os.SEEK_SET)
        line = os.read(self._file, place.length)
        if _read(line) != (key, place.whole):
            raise RunError(f"{self.path}: was changed while it was in use; run the same command again")
        try:
            return unpack(b64decode(line.split()[-1]))
        except (ValueError, TypeError, zlib.error, RecursionError) as error:  # its checksum is right, so it was made up
            raise RunError(f"{self.path}: the line of {key} was not written by a run; take it out") from error

    def put(self, games: Iterable[tuple[str, Record]]) -> None:
        """Keep games.

        Raises
        ------
        RunError
            The disk is full or the file cannot be written; what was kept before stays whole.
        """
        lines = {key: (_line(key, record), record.error is None) for key, record in games}
        try:
            _write(self._file, b"".join(line for line, _ in lines.values()))
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._length)  # half of a line is no game
            raise RunError(
                f"{self.path}: cannot be written ({error.strerror or error}); finished games are kept, "
                "the same command goes on"
            ) from error
        for key, (line, whole) in lines.items():
            self._lines[key] = _Line(self._length, len(line), whole)
            self._length += len(line)

    def close(self) -> None:
        """Close the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _line(key: str, record: Record) -> bytes:
    content = b" ".join([LAYOUT, key.encode(), _WHOLE if record.error is None else _LOST, b64encode(pack(record))])
    version, name, state, packed = content.split(b" ")
    return b" ".join([version, name, state, _checksum(content), packed]) + b"\n"


def _read(line: bytes) -> tuple[str, bool] | None:
    """Return a line's key and whether its game is whole; None if the line is not as it was written."""
    parts = line.removesuffix(b"\n").split(b" ")
    if len(parts) != 5 or parts[0] != LAYOUT:
        return None
    version, key, state, checksum, packed = parts
    if checksum != _checksum(b" ".join([version, key, state, packed])) or not key.isascii():
        return None
    return key.decode(), state == _WHOLE


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:32].encode()


def _write(file: int, content: bytes) -> None:
    """Write all of a content: the system may take it in pieces."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def pack(record: Record) -> bytes:
    """Return a record as compressed JSON: numbers come back exactly as they were."""
    return zlib.compress(json.dumps(asdict(record), default=_plain).encode(), 1)


def unpack(packed: bytes) -> Record:
    """Return the record that `pack` has made these bytes of."""
    return Record(**json.loads(zlib.decompress(packed)))


def _plain(value: Any) -> Any:
    """Return a number of another library as Python's own."""
    if isinstance(value, Fraction):
        return float(value)
    if hasattr(value, "item"):
        return value.item()
    return str(value)
