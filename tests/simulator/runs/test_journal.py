"""The journal: whole games come back as they were, nothing else does."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from simulator.errors import RunError, ScenarioError
from simulator.runs.journal import Journal, game_key, game_seed
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


def test_a_second_run_in_the_same_folder_is_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j.sqlite"), pytest.raises(ScenarioError, match="another run is writing"):
        Journal(tmp_path / "j.sqlite")


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    (tmp_path / "j.sqlite").write_text("this is no database, and long enough to tell " * 30)
    with pytest.raises(ScenarioError, match="damaged or no journal; --fresh"):
        Journal(tmp_path / "j.sqlite")
    with pytest.raises(ScenarioError, match="cannot be written"):
        Journal(tmp_path / "gone" / "j.sqlite")
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("PRAGMA user_version = 99")
    other.commit()
    other.close()
    with pytest.raises(ScenarioError, match="another version"):
        Journal(tmp_path / "other.sqlite")


def test_a_full_disk_stops_with_one_line_and_leaves_the_journal_whole(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j.sqlite")
    journal.put([("before", OUTCOME)])
    (pages,) = journal._file.execute("PRAGMA page_count").fetchone()
    journal._file.execute(f"PRAGMA max_page_count = {pages}")  # SQLite's own way to say that there is no more room
    large = Record(row={}, series={"output": np.random.default_rng(1).random(50_000).tolist()})
    with pytest.raises(RunError, match="full") as caught:
        journal.put([("one", OUTCOME), ("two", large)])
    assert "\n" not in str(caught.value)
    journal.close()
    with Journal(tmp_path / "j.sqlite") as again:
        assert again.known() == {"before"}


def test_a_kill_in_the_middle_of_a_transaction_leaves_whole_games(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import os, signal, sys
        from pathlib import Path
        from simulator.runs.journal import Journal, pack
        from simulator.tasks.base import Record
        journal = Journal(Path(sys.argv[1]))
        journal.put([("whole", Record(row={"words": 1}))])
        journal._file.execute("BEGIN")
        journal._file.execute("INSERT INTO games VALUES ('half', 1, ?)", (pack(Record(row={})),))
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "j.sqlite")],
        env={**os.environ, "PYTHONPATH": str(root)},
        check=False,
    )
    assert done.returncode == -9
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.known() == {"whole"}
