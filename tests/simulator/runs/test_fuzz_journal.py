"""Journals that are damaged in every way: what is read of them is what was kept, and they go on."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hostile import damaged, often
from hypothesis import given

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
