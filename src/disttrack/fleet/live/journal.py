"""The journal of a site or the server: its events in a file, written before their effects leave the process.

After `EVERY` events, the state replaces them. A state that cannot be stored is rebuilt from all events; then items that
came one after the other are put together.

The file is a line that names the version, and records: the length, a checksum, the content, another checksum. Each
checksum goes over all that is before it, so that no record can be changed, lost or doubled without notice. A file that
ends within a record was cut while it was written: this last record had no effect yet, and is dropped.
"""

from __future__ import annotations

import fcntl
import logging
import os
import struct
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from zlib import crc32

import msgpack
import numpy as np

from disttrack.fleet.live.frames import NonsenseError, array_of, entry_of, pack, protocol_of
from disttrack.fleet.live.server_state import ServerState
from disttrack.fleet.live.site_state import Event, Sent, SiteState
from disttrack.fleet.live.states import dump, load
from disttrack.simulator.errors import RunError

LOG: Final = logging.getLogger("disttrack.fleet.live")
EVERY: Final = 10_000
"""Events from one stored state to the next."""


def _coins() -> int:
    """Return a checksum of draws of each kind, which another version of numpy may make otherwise."""
    rng = np.random.default_rng(1)
    whole = rng.integers(2**40), rng.geometric(0.01), rng.binomial(10**6, 0.3), rng.choice(10**6)
    real = rng.random(), rng.standard_exponential(), rng.normal(), rng.laplace(), rng.gumbel(), rng.spawn(1)[0].random()
    return crc32(np.array([*whole, *real], np.float64).tobytes())


FORMAT: Final = f"6 {_coins():08x}"
"""Of the file, and the coins that its events draw."""
MAGIC: Final = f"disttrack journal {FORMAT}\n".encode()
HEAD: Final = struct.Struct("<II")
TAIL: Final = struct.Struct("<I")
KINDS: Final = {kind.__name__: kind for kind in (SiteState, ServerState)}


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
    broken
        Whether the journal could not be written: the state is then ahead of it, and must not be shown.

    Raises
    ------
    RunError
        The file is no journal, is another version's, is damaged, or is in use.
    """

    def __init__(self, path: Path | None) -> None:
        self.part: Any = None
        self.facts: dict[str, Any] = {}
        self.broken = False
        self._path = path
        self._rows: list[bytes] = []
        self._events, self._due, self._storable = 0, EVERY, True
        self._recipe: tuple[str, dict[str, Any]] | None = None
        self._file, self._check = -1, 0
        if path is None:
            return
        try:
            self._file = _locked(path, os.O_RDWR | os.O_CREAT)
            self._restore(path)
        except OSError as error:
            self.release()
            raise RunError(f"{path}: cannot be used as a journal: {error.strerror or error}") from error
        except (ValueError, LookupError, TypeError) as error:
            self.release()
            raise RunError(f"{path}: {error}") from error

    def _restore(self, path: Path) -> None:
        content = path.read_bytes()
        if not content or (content != MAGIC and MAGIC.startswith(content)):
            return
        if not content.startswith(MAGIC):
            raise ValueError(f"no journal of this version ({FORMAT})")
        end = len(MAGIC)
        self._check = crc32(MAGIC)
        for record, after, check in _records(content):
            first, end, self._check = end == len(MAGIC), after, check
            if not first:
                for event in _events(record):
                    self._events += 1
                    with suppress(NonsenseError):  # as when it came
                        self.part.apply(event)
            else:
                self.facts, self._recipe, state = load(record)
                if self._recipe is not None:
                    kind, parameters = self._recipe
                    made = {**parameters, "protocol": protocol_of(parameters["protocol"])}
                    self.part = KINDS[kind](**made) if state is None else state
        if end < len(content):
            LOG.warning("%s: the last %d bytes are part of a record, and are dropped", path, len(content) - end)
            os.ftruncate(self._file, end)
        os.lseek(self._file, end, os.SEEK_SET)

    def note(self, facts: dict[str, object]) -> None:
        """Keep facts before there is a part."""
        self.facts = facts
        self._write(None)

    def begin(self, kind: type[SiteState | ServerState], facts: dict[str, Any], **parameters: Any) -> None:
        """Begin the life of a part of this class with these parameters, and forget one before; keep these facts."""
        self.facts, self.part = facts, kind(**parameters)
        self._recipe = kind.__name__, {**parameters, "protocol": entry_of(parameters["protocol"])}
        self._write(None)

    def _write(self, state: object, events: Iterable[bytes] = ()) -> None:
        """Write the facts, the state and these events in place of the journal."""
        if self._path is None:
            return
        life = dump((self.facts, self._recipe, state))
        self._rows.clear()
        self._events, self._check = 0, crc32(MAGIC)
        content = MAGIC + self._record(life)
        if events:
            content += self._record(b"".join(events))
        beside = self._path.with_name(f"{self._path.name}.new")
        try:
            file = _locked(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            _put(file, content)
            os.fsync(file)  # a machine that loses power then has the old or the new one
            os.replace(beside, self._path)
        except OSError as error:
            raise self._failed(error) from error
        self.release()
        self._file = file

    def _record(self, content: bytes) -> bytes:
        head = len(content).to_bytes(4, "little")
        first = crc32(head, self._check)
        self._check = crc32(content, first)
        return HEAD.pack(len(content), first) + content + TAIL.pack(self._check)

    def _failed(self, error: OSError) -> RunError:
        self.broken = True
        return RunError(f"{self._path}: cannot be written: {error.strerror or error}")

    def apply(self, event: Event) -> Sent:
        """Apply an event; to be committed before its messages are sent."""
        if self._path is not None:
            self._rows.append(pack(*event))
        sent: Sent = self.part.apply(event)
        return sent

    def commit(self) -> None:
        """Write the events since the last commit; from here on they survive a killed process.

        Raises
        ------
        RunError
            The file cannot be written: the process must end, and restarts from the commit before.
        """
        if self.broken:
            raise RunError(f"{self._path}: cannot be written")
        if not self._rows:
            return
        try:
            _put(self._file, self._record(b"".join(self._rows)))
        except OSError as error:
            raise self._failed(error) from error
        self._events += len(self._rows)
        self._rows.clear()
        if self._events >= self._due:
            self._shorten()

    def _shorten(self) -> None:
        """Replace the events by the state, or if it cannot be stored by fewer events."""
        assert self._path is not None
        try:
            if self._storable:
                self._write(self.part)
                return
        except TypeError:
            self._storable = False
        records = [record for record, *_ in _records(self._path.read_bytes())]
        merged = list(_merged(event for record in records[1:] for event in _events(record)))
        self._write(load(records[0])[2], [pack(*event) for event in merged])
        self._events, self._due = len(merged), max(EVERY, 2 * len(merged))

    def close(self) -> None:
        """Commit, and close the file."""
        if self._path is not None and not self.broken:
            self.commit()
        self.release()
        self._path = None

    def release(self) -> None:
        """Close the file without a commit, as the end of a killed process does."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _locked(path: Path, flags: int) -> int:
    """Open a file for this process alone; OSError if another one has it."""
    file = os.open(path, flags, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(file).st_ino != os.stat(path).st_ino:
            raise BlockingIOError
    except BlockingIOError:
        os.close(file)
        raise OSError("another process uses it") from None
    return file


def _put(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _records(content: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield each whole record, with its end and its checksum.

    Raises
    ------
    ValueError
        A record is damaged.
    """
    place, check, number = len(MAGIC), crc32(MAGIC), 0
    while place + HEAD.size <= len(content):
        length, first = HEAD.unpack_from(content, place)
        begin, end = place + HEAD.size, place + HEAD.size + length
        if first != crc32(content[place : place + 4], check):
            raise ValueError(f"damaged at byte {place} (record {number}); restore it, or start without it")
        if end + TAIL.size > len(content):
            return
        check = crc32(content[begin:end], first)
        if TAIL.unpack_from(content, end)[0] != check:
            raise ValueError(f"damaged after byte {place} (record {number}); restore it, or start without it")
        place, number = end + TAIL.size, number + 1
        yield content[begin:end], place, check


def _events(record: bytes) -> Iterator[Event]:
    unpacker = msgpack.Unpacker(use_list=False, ext_hook=array_of, max_buffer_size=0)
    unpacker.feed(record)
    yield from unpacker


def _merged(events: Iterable[Event]) -> Iterator[Event]:
    """Put items together that came one after the other: the messages are the same."""
    items = lines = 0
    for event in events:
        if event[0] == "take":
            _, some, *of_file = event
            items, lines = items + some, lines + sum(of_file)
            continue
        if items:
            yield "take", items, lines
            items = lines = 0
        yield event
    if items:
        yield "take", items, lines
