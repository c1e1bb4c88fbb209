"""The journal: whole games come back as they were, nothing else does."""

from __future__ import annotations

import hashlib
import resource
import sqlite3
import zlib
from contextlib import closing
from fractions import Fraction
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import disttrack
from hostile import damaged, often
from hypothesis import given
from hypothesis import strategies as st

from disttrack.simulator.errors import RunError, ScenarioError
from disttrack.simulator.experiments.runs.journal import JOURNAL, Journal
from disttrack.simulator.game.tasks.base import Record

OUTCOME = Record(
    row={"words": 12, "max_rel_error": 0.1 + 0.2, "first_failure": None, "ok": True, "protocol": "exact"},
    series={"step": [1, 2], "output": [1.0, 2.5]},
    kinds={"kind": ["report"], "words": [12]},
    engine_reason="asked for",
)


def test_games_come_back_exactly_with_plain_numbers(tmp_path: Path) -> None:
    odd = Record(row={"words": np.int64(3), "output": Fraction(1, 4), "error": np.float64(0.1)})
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put({"k": OUTCOME, "odd": odd})
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.known == {"k", "odd"}
        assert journal.get("k") == OUTCOME
        assert journal.get("odd").row == {"words": 3, "output": 0.25, "error": 0.1}


@pytest.mark.parametrize(
    "values", [[1, 2**62], [2**63], [0.1, nan, -inf, 5e-324], [1, 0.5], [None, "a\n"], []], ids=str
)
def test_a_series_comes_back_with_its_types(tmp_path: Path, values: list[Any]) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put({"k": Record({}, {"step": [3, 4], "output": values, "words": [7, 8]}, {"kind": ["a"]})})
        record = journal.get("k")
    assert repr(record.series) == repr({"step": [3, 4], "output": values, "words": [7, 8]})
    assert record.kinds == {"kind": ["a"]}


def test_a_game_lost_to_an_error_is_not_finished(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put({"k": Record(row={}, error="Traceback …"), "l": OUTCOME})
        assert journal.known == {"l"}
        assert journal.get("k").error == "Traceback …"
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.known == {"l"}
        journal.put({"k": Record(row={}, error="Traceback …")})
        journal.put({"k": OUTCOME})  # played again, and well this time
        assert journal.get("k") == OUTCOME
        assert journal.known == {"k", "l"}


GAMES = 40


def _outcome(number: int) -> Record:
    noise = np.random.default_rng(number).random(90)  # so that it fills some of a page
    return Record(row={"words": number}, series={"output": noise.tolist()})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a journal of some games."""
    with Journal(tmp_path / JOURNAL) as journal:
        for number in range(GAMES):
            journal.put({f"key{number}": _outcome(number)})
    return tmp_path / JOURNAL


def _is_sound(path: Path) -> tuple[set[str], int]:
    """Return the keys of the journal's games, each of which is what was kept under it, and how many were damaged."""
    with Journal(path) as journal:
        known = journal.known
        for key in known:
            assert journal.get(key) == _outcome(int(key.removeprefix("key")))
        return known, journal.damaged


def test_a_row_that_was_changed_costs_its_own_game_and_is_set_aside(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE games SET record = zeroblob(9) WHERE key = 'key3'")
        file.execute("UPDATE games SET key = 'key77' WHERE key = 'key5'")  # a game under the key of another
    whole = path.read_bytes()
    known, damaged = _is_sound(path)
    assert known == {f"key{number}" for number in range(GAMES)} - {"key3", "key5"}
    assert damaged == 2
    assert path.with_name(f"{JOURNAL}.damaged").read_bytes() == whole
    assert _is_sound(path) == (known, 0)


@pytest.mark.parametrize("content", [b"", b"no database at all\n" * 99, b"SQLite format 3\0", bytes(8192)])
def test_a_file_that_is_no_journal_is_set_aside(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with Journal(path) as journal:
        assert (journal.known, journal.damaged) == (set(), int(bool(content)))
        journal.put({"key1": _outcome(1)})
    assert _is_sound(path) == ({"key1"}, 0)
    assert path.with_name(f"{JOURNAL}.damaged").exists() == bool(content)


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(ScenarioError, match="taken: cannot be written"):
        Journal(tmp_path / "taken" / JOURNAL)
    (tmp_path / JOURNAL).mkdir()
    with pytest.raises(ScenarioError, match="cannot be opened or written"):
        Journal(tmp_path / JOURNAL)


def test_a_full_disk_stops_with_one_line_and_leaves_the_journal_whole(path: Path) -> None:
    """A limit on the size of files takes the place of a full disk: none of a batch fits, up to the whole batch."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    batch = {f"key{number}": _outcome(number) for number in range(GAMES, 2 * GAMES)}
    refusals = []
    with Journal(path) as journal:
        for room in range(0, 40_000, 3_000):
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, limits[1]))
            try:
                journal.put(batch)
            except RunError as error:
                refusals.append((str(error), len(journal.known), journal.get("key3")))
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        journal.put(batch)  # there is room again
    assert len(refusals) > 3
    for message, known, record in refusals:
        assert "finished games are kept" in message
        assert "\n" not in message
        assert (known, record) == (GAMES, _outcome(3))
    assert _is_sound(path) == ({f"key{number}" for number in range(2 * GAMES)}, 0)


@pytest.mark.parametrize("packed", [b"no zlib", zlib.compress(b'{"a": 1}')])
def test_a_row_that_somebody_has_made_up_is_refused_in_a_line(path: Path, packed: bytes) -> None:
    """A right checksum over what is no game."""
    checksum = hashlib.sha256(b"key0\n" + packed).digest()
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("UPDATE games SET record = ?, checksum = ? WHERE key = 'key0'", (packed, checksum))
    with Journal(path) as journal:
        assert "key0" in journal.known
        with pytest.raises(RunError, match="the game key0 cannot be read") as caught:
            journal.get("key0")
    assert "\n" not in str(caught.value)


def test_a_damaged_index_costs_no_game(path: Path) -> None:
    """Seen in 10,000 damaged journals: all rows were sound, and games could not be found by their keys."""
    with closing(sqlite3.connect(path)) as file:
        (page,) = file.execute("SELECT rootpage FROM sqlite_master WHERE type = 'index'").fetchone()
        (size,) = file.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(content)
    known, damaged = _is_sound(path)
    assert known == {f"key{number}" for number in range(GAMES)}
    assert damaged == 1
    assert _is_sound(path) == (known, 0)


@often(12)
@given(data=st.data())
def test_what_is_read_of_a_damaged_journal_is_what_was_kept(tmp_path_factory: Any, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("journal") / JOURNAL
    with Journal(path) as journal:
        journal.put({f"key{number}": _outcome(number) for number in range(GAMES)})
    path.write_bytes(data.draw(damaged([path.read_bytes()])))
    known, _ = _is_sound(path)
    with Journal(path) as journal:
        assert (journal.known, journal.damaged) == (known, 0)
        journal.put({"key3": _outcome(3)})
    assert _is_sound(path) == (known | {"key3"}, 0)


def test_a_run_says_how_many_games_of_a_damaged_journal_are_left(tmp_path: Path) -> None:
    """Seen: "1 rows of the journal could not be read" of a file of which nothing was left."""
    file = tmp_path / "mine.yaml"
    file.write_text("name: mine\nprotocol: exact\nadversary: round-robin\nsites: 2\nitems: 50\ntrials: 1\n")
    words = ("run", str(file), "--out", str(tmp_path / "out"), "--no-figures")
    assert disttrack(*words).exit_code == 0
    (tmp_path / "out" / JOURNAL).write_bytes(b"no database" * 99)
    said = disttrack(*words).stderr
    assert f"{JOURNAL} was damaged (games kept: 0, played: 1); it is kept as {JOURNAL}.damaged" in said
