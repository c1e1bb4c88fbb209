"""The journal: whole games come back as they were, nothing else does."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import RunError, ScenarioError
from simulator.runs.journal import Journal, game_key, game_seed
from simulator.runs.lock import locked
from simulator.runs.runner import execute
from simulator.scenario.load import load
from simulator.tasks.base import Record

OUTCOME = Record(
    row={"words": 12, "max_rel_error": 0.1 + 0.2, "first_failure": None, "ok": True, "protocol": "exact"},
    series={"step": [1, 2], "output": [1.0, 2.5]},
    kinds={"kind": ["report"], "words": [12]},
    engine_reason="asked for",
)


def test_games_come_back_exactly(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put([("k", OUTCOME)])
        assert journal.get("k") == OUTCOME
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.known() == {"k"}
        assert journal.get("k").row["max_rel_error"] == 0.1 + 0.2
        with pytest.raises(KeyError):
            journal.get("other")


def test_numbers_of_other_libraries_become_plain(tmp_path: Path) -> None:
    odd = Record(row={"words": np.int64(3), "output": Fraction(1, 4), "error": np.float64(0.1)})
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put([("k", odd)])
        assert journal.get("k").row == {"words": 3, "output": 0.25, "error": 0.1}


def test_a_game_lost_to_an_error_is_not_finished(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite") as journal:
        journal.put([("k", Record(row={}, error="Traceback …")), ("l", OUTCOME)])
        assert journal.known() == {"l"}
        assert journal.get("k").error == "Traceback …"
        journal.put([("k", OUTCOME)])  # played again, and well this time
        assert journal.known() == {"k", "l"}


def test_keys_differ_in_all_that_determines_a_game() -> None:
    keys = {game_key(identity, seed, rules) for identity in ("a", "b") for seed in (1, 2) for rules in (1, 2)}
    assert len(keys) == 8
    assert game_key("a", 1, 1) == game_key("a", 1, 1)


def test_seeds_are_63_bits_and_differ() -> None:
    seeds = [game_seed(seed, trial) for seed in range(20) for trial in range(50)]
    assert len(set(seeds)) == 1000
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert max(seeds).bit_length() == 63
    # numpy's SeedSequence is the same on all machines and versions; were this to move, every result would
    assert game_seed(2023, 0) == 1920288277542950871


def _journal_of(path: Path, games: int) -> bytes:
    """Keep some games, one by one, and return the file."""
    with Journal(path) as journal:
        for number in range(games):
            journal.put([(f"key{number}", _outcome(number))])
    return path.read_bytes()


def _outcome(number: int) -> Record:
    return Record(row={"words": number}, series={"output": [float(number)] * 20})


def _is_sound(path: Path, games: int) -> set[str]:
    """Return the keys of the journal's games, each of which is what was kept under this key."""
    with Journal(path) as journal:
        known = journal.known()
        for key in known:
            assert journal.get(key) == _outcome(int(key.removeprefix("key")))
    assert known <= {f"key{number}" for number in range(games)}
    return known


def test_a_file_cut_anywhere_keeps_all_that_came_before(tmp_path: Path) -> None:
    """A file that is cut short lost no game but those behind the cut, and gives no game under another's key."""
    path = tmp_path / "journal.log"
    whole = _journal_of(path, 6)
    ends = [place + 1 for place, letter in enumerate(whole) if letter == ord("\n")]
    for cut in range(0, len(whole), 7):
        path.write_bytes(whole[:cut])
        expected = sum(end - 1 <= cut for end in ends)  # the last line is whole without its end
        assert len(_is_sound(path, 6)) == expected
        with Journal(path) as journal:  # and it goes on from there
            journal.put([("key5", _outcome(5))])
        assert "key5" in _is_sound(path, 6)


def test_a_flipped_bit_costs_its_own_game_at_most(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    whole = _journal_of(path, 6)
    random = np.random.default_rng(7)
    for place in random.integers(8 * len(whole), size=300):
        torn = bytearray(whole)
        torn[place // 8] ^= 1 << (place % 8)
        path.write_bytes(torn)
        kept = len(_is_sound(path, 6))
        is_end = whole[place // 8] == ord("\n")  # without it two lines are one
        assert kept >= (4 if is_end else 5)


def test_lines_that_were_moved_or_exchanged_are_found_out(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    lines = _journal_of(path, 3).splitlines(keepends=True)
    path.write_bytes(lines[2] + lines[0] + lines[1])  # the order says nothing
    assert len(_is_sound(path, 3)) == 3
    parts = [line.split(b" ") for line in lines]
    path.write_bytes(b" ".join([*parts[0][:4], parts[1][4]]))  # a game under the key of another
    assert _is_sound(path, 3) == set()


def test_what_is_damaged_is_set_aside_and_told(tmp_path: Path) -> None:
    path = tmp_path / "journal.log"
    whole = _journal_of(path, 3)
    damaged = b"no journal at all\n" + whole[:-30]
    path.write_bytes(damaged)
    with Journal(path) as journal:
        assert journal.damaged == 2
        assert journal.known() == {"key0", "key1"}
    assert (tmp_path / "journal.log.damaged").read_bytes() == damaged
    with Journal(path) as journal:
        assert journal.damaged == 0


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="cannot be written"):
        Journal(tmp_path / "gone" / "journal.log")


@pytest.mark.slow
def test_a_second_run_in_the_same_folder_is_refused_before_it_touches_anything(tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("{name: s, sites: 2, items: 5, protocol: exact, adversary: round-robin}")
    execute(load(scenario), out=tmp_path / "out", workers=1)
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    with locked(tmp_path / "out"), pytest.raises(ScenarioError, match="another run is writing"):
        execute(load(scenario), out=tmp_path / "out", workers=1, fresh=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


@pytest.mark.parametrize("room", [0, 10, 200])
def test_a_full_disk_stops_with_one_line_and_leaves_the_journal_whole(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.log"
    _journal_of(path, 2)
    written = os.write
    left = room

    def full(file: int, content: bytes) -> int:
        nonlocal left
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = min(left, len(content))
        left -= taken
        return written(file, bytes(content)[:taken])

    with Journal(path) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(RunError, match="No space left") as caught:
            journal.put([("key2", _outcome(2)), ("key3", _outcome(3))])
        monkeypatch.undo()
        assert "\n" not in str(caught.value)
        journal.put([("key4", _outcome(4))])  # there is room again
    assert _is_sound(path, 5) == {"key0", "key1", "key4"}


def test_a_kill_in_the_middle_of_a_line_leaves_whole_games(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from simulator.runs import journal
        from simulator.tasks.base import Record
        kept = journal.Journal(Path(sys.argv[1]))
        kept.put([("whole", Record(row={"words": 1}))])
        os.write(kept._file, journal._line("half", Record(row={}))[:-9])
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "journal.log")],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == -9
    with Journal(tmp_path / "journal.log") as journal:
        assert journal.known() == {"whole"}
