"""The journal: every finished game, kept as it finishes; nothing is lost and nothing is played twice.

One SQLite file beside the tables, one transaction a batch: whatever stops a run, it holds whole games.
A game is recognised by what determines it (see `game_key`), not by its place in the scenario.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from simulator.errors import RunError, ScenarioError
from simulator.tasks.base import Record

LAYOUT: Final = 1
"""Version of the file's layout; another one is refused rather than misread."""


def game_key(identity: str, seed: int, rules: int) -> str:
    """Return what a game is recognised by.

    Parameters
    ----------
    identity
        The point as canonical JSON: kinds, parameters, contents of the user's files, sites, items.
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


class Journal:
    """The finished games of a results folder. One run at a time may write to it.

    Parameters
    ----------
    path
        The SQLite file; made if it is not there.

    Raises
    ------
    ScenarioError
        It cannot be written, is no journal, or another run is using it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = sqlite3.connect(path, timeout=1.0, isolation_level=None)
            self._file.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._file.execute("BEGIN EXCLUSIVE")
            (layout,) = self._file.execute("PRAGMA user_version").fetchone()
            self._file.execute("CREATE TABLE IF NOT EXISTS games (key TEXT PRIMARY KEY, whole INTEGER, outcome BLOB)")
            self._file.execute(f"PRAGMA user_version = {LAYOUT}")
            self._file.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise ScenarioError(_opening(path, error)) from error
        if layout not in (0, LAYOUT):
            raise ScenarioError(f"{path}: written by another version of this program; --fresh begins anew")

    def known(self) -> set[str]:
        """Return the keys of the finished games; one that was lost to an error is not finished."""
        return {key for (key,) in self._file.execute("SELECT key FROM games WHERE whole")}

    def get(self, key: str) -> Record:
        """Return a game; KeyError if it is not there."""
        found = self._file.execute("SELECT outcome FROM games WHERE key = ?", (key,)).fetchone()
        if found is None:
            raise KeyError(key)
        return Record(**json.loads(zlib.decompress(found[0])))

    def put(self, games: Iterable[tuple[str, Record]]) -> None:
        """Keep games, all or none of them.

        Raises
        ------
        RunError
            The disk is full or the file cannot be written; what was kept before stays whole.
        """
        rows = [(key, record.error is None, pack(record)) for key, record in games]
        try:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR REPLACE INTO games VALUES (?, ?, ?)", rows)
            self._file.execute("COMMIT")
        except sqlite3.Error as error:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise RunError(
                f"{self.path}: cannot be written ({error}); finished games are kept, the same command goes on"
            ) from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def pack(record: Record) -> bytes:
    """Return a record as compressed JSON: numbers come back exactly as they were."""
    return zlib.compress(json.dumps(asdict(record), default=_plain).encode(), 1)


def _plain(value: Any) -> Any:
    """Return a number of another library as Python's own."""
    if isinstance(value, Fraction):
        return float(value)
    if hasattr(value, "item"):
        return value.item()
    return str(value)


def _opening(path: Path, error: sqlite3.DatabaseError) -> str:
    said = str(error)
    if "locked" in said:
        return f"{path}: another run is writing to this folder; choose another with --out"
    if "not a database" in said or "malformed" in said:
        return f"{path}: is damaged or no journal; --fresh begins anew"
    return f"{path}: cannot be written: {said}"
