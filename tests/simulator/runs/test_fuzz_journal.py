"""Journals that are damaged in every way: what is read of them is what was kept, and they go on."""

from __future__ import annotations

import base64
import hashlib
import tempfile
import zlib
from pathlib import Path

import pytest
from hostile import damaged, often
from hypothesis import given

from simulator.errors import RunError
from simulator.runs.journal import Journal
from simulator.tasks.base import Record

GAMES = 5


def outcome(number: int) -> Record:
    return Record(row={"words": number}, series={"output": [float(number)] * 5})


def written() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with Journal(Path(folder) / "journal.log") as journal:
            journal.put((f"key{number}", outcome(number)) for number in range(GAMES))
        return (Path(folder) / "journal.log").read_bytes()


WHOLE = written()


@pytest.mark.slow
@often(150)
@given(content=damaged([WHOLE]))
def test_what_is_read_of_a_damaged_journal_is_what_was_kept(content: bytes) -> None:
    sound = set(WHOLE.splitlines()) & set(content.split(b"\n"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.log"
        path.write_bytes(content)
        with Journal(path) as journal:
            known = journal.known()
            for key in known:
                assert journal.get(key) == outcome(int(key.removeprefix("key")))
            assert len(known) == len(sound)  # no sound line is lost for one that is not
            journal.put([("another", outcome(7))])
        with Journal(path) as journal:
            assert journal.damaged == 0
            assert journal.known() == known | {"another"}


@pytest.mark.parametrize(
    "packed",
    [
        b"!",
        b"AAA",
        base64.b64encode(b"no zlib"),
        *(base64.b64encode(zlib.compress(one)) for one in (b"[", b"[]", b'{"a": 1}')),
    ],
)
def test_a_line_that_somebody_has_made_up_is_refused_in_a_line(tmp_path: Path, packed: bytes) -> None:
    """Found by coverage: a right checksum over what is no game ended in a traceback."""
    content = b" ".join([b"2", b"key0", b"whole", packed])
    checksum = hashlib.sha256(content).hexdigest()[:32].encode()
    path = tmp_path / "journal.log"
    path.write_bytes(b" ".join([b"2", b"key0", b"whole", checksum, packed]) + b"\n")
    with Journal(path) as journal:
        assert journal.known() == {"key0"}
        with pytest.raises(RunError, match="was not written by a run") as caught:
            journal.get("key0")
    assert "\n" not in str(caught.value)


def test_a_key_that_is_no_text_is_no_game(tmp_path: Path) -> None:
    content = b"2 \xff whole AAAA"
    checksum = hashlib.sha256(content).hexdigest()[:32].encode()
    path = tmp_path / "journal.log"
    path.write_bytes(b"2 \xff whole " + checksum + b" AAAA\n")
    with Journal(path) as journal:
        assert journal.damaged == 1
