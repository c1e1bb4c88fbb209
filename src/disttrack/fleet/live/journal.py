"""The journal of a site or the server: its events in SQLite, committed before their effects leave the process.

Every `EVERY` events, the state replaces them. A state that cannot be pickled is rebuilt from all events.
"""

from __future__ import annotations

import pickle
import sqlite3
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import cloudpickle
import msgpack

from disttrack.fleet.live.frames import NonsenseError, array_of, pack
from disttrack.fleet.live.parts import Event, Sent, ServerPart, SitePart
from disttrack.simulator.errors import RunError

EVERY: Final = 10_000
"""Events from one stored state to the next."""
FORMAT: Final = f"1 {sys.version_info[0]}.{sys.version_info[1]}"
"""Of the stored state, which no other version of Python can read."""
TABLES: Final = """
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB);
CREATE TABLE IF NOT EXISTS events (event BLOB);
"""


class Kept:
    """A site or the server with its journal.

    Parameters
    ----------
    path
        The file of the journal; None for none, then nothing survives the process.

    Attributes
    ----------
    part
        The site or the server; None until `begin` in a new journal.
    facts
        What else the owner wants kept: set with `begin`.

    Raises
    ------
    RunError
        The file is no journal, is another version's, or is in use.
    """

    def __init__(self, path: Path | None) -> None:
        self.part: Any = None
        self.facts: dict[str, Any] = {}
        self._rows: list[tuple[bytes]] = []
        self._events, self._storable = 0, True
        self._database: sqlite3.Connection | None = None
        if path is None:
            return
        try:
            self._database = sqlite3.connect(path, isolation_level=None, timeout=0)
            self._database.executescript(TABLES)
            self._restore()
        except sqlite3.OperationalError as error:
            raise RunError(f"{path}: cannot be used as a journal: {error}") from error
        except (sqlite3.DatabaseError, pickle.UnpicklingError, ValueError) as error:
            raise RunError(f"{path}: no journal of this version ({FORMAT}): {error}") from error

    def _restore(self) -> None:
        assert self._database is not None
        stored = dict(self._database.execute("SELECT name, value FROM facts"))
        if not stored:
            return
        if stored["format"] != FORMAT:
            raise ValueError(f"it is of version {stored['format']}")
        recipe, self.facts = pickle.loads(stored["recipe"])
        if recipe is None:
            return
        self.part = pickle.loads(stored["state"]) if "state" in stored else recipe[0](**recipe[1])
        for (event,) in self._database.execute("SELECT event FROM events ORDER BY rowid"):
            self._events += 1
            with suppress(NonsenseError):  # as when it came
                self.part.apply(msgpack.unpackb(event, use_list=False, ext_hook=array_of))

    def note(self, facts: dict[str, Any]) -> None:
        """Keep facts before there is a part."""
        self.facts = facts
        if self._database is not None:
            self._write({"format": FORMAT, "recipe": cloudpickle.dumps((None, facts))})

    def begin(self, kind: type[SitePart | ServerPart], facts: dict[str, Any], **parameters: Any) -> None:
        """Begin the life of a part of this class with these parameters, and forget one before; keep these facts."""
        self.facts, self.part = facts, kind(**parameters)
        if self._database is not None:
            recipe = cloudpickle.dumps(((kind, parameters), facts))
            self._write({"format": FORMAT, "recipe": recipe}, "DELETE FROM facts")

    def _write(self, facts: dict[str, Any], first: str = "") -> None:
        """Write facts in place of all events, in one transaction."""
        assert self._database is not None
        self._database.execute("BEGIN")
        for command in filter(None, (first, "DELETE FROM events")):
            self._database.execute(command)
        self._database.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", facts.items())
        self._database.execute("COMMIT")
        self._rows.clear()
        self._events = 0

    def apply(self, event: Event) -> Sent:
        """Apply an event; to be committed before its messages are sent."""
        if self._database is not None:
            self._rows.append((pack(*event),))
        sent: Sent = self.part.apply(event)
        return sent

    def commit(self) -> None:
        """Write the events since the last commit; from here on they survive a killed process."""
        if not self._rows or self._database is None:
            return
        self._database.execute("BEGIN")
        self._database.executemany("INSERT INTO events VALUES (?)", self._rows)
        self._database.execute("COMMIT")
        self._events += len(self._rows)
        self._rows.clear()
        if self._events >= EVERY and self._storable:
            try:
                self._write({"state": cloudpickle.dumps(self.part)})
            except TypeError:
                self._storable = False

    def close(self) -> None:
        """Commit, and close the file."""
        if self._database is not None:
            self.commit()
            self._database.close()
            self._database = None
