"""The reference results come out again: a sample of their games is played here, all of them by `make reference`."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from replay_reference import REFERENCE, compare, replay_sample, table

from disttrack.simulator.experiments.results.stored import opened_table

TABLES = ("trials.csv", "kinds.csv", "claims.csv")


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("all", 50),  # every protocol against every adversary
        ("headline", 4),
        ("generalisation", 5),
        ("item-frequencies", 4),
        ("accuracy", 4),
    ],
)
def test_sampled_games_come_out_as_recorded(name: str, least: int) -> None:
    found = replay_sample(name)
    assert found.difference == ""
    assert found.games >= least


def change(path: Path, row: int, column: str, to: Callable[[str], str]) -> None:
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    place = header.index(column)
    rows[row][place] = to(rows[row][place])
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    folder = tmp_path / "copied"
    folder.mkdir()
    for name in TABLES:
        with opened_table(REFERENCE / "accuracy" / name) as file:
            (folder / name).write_bytes(file.read())
    return folder


def compared(folder: Path) -> tuple[int, str]:
    return compare(folder, REFERENCE / "accuracy", TABLES)


@pytest.mark.parametrize(
    ("name", "row", "column", "to", "said"),
    [
        ("trials.csv", 3, "words", lambda cell: str(int(cell) + 1), "trials.csv, row 4 (point 0 trial 3), words: "),
        ("trials.csv", 0, "first_failure", lambda _: "5", "first_failure: 5, the reference has empty"),
        ("trials.csv", 5, "max_rel_error", lambda cell: str(float(cell) * (1 + 1e-8)), "row 6"),
        ("trials.csv", 139, "verdict", lambda _: "failed", "row 140"),
        ("kinds.csv", 2, "kind", lambda _: "other", "kinds.csv, row 3"),
        ("claims.csv", 1, "bound", lambda _: "<= 9", "claims.csv, row 2"),
    ],
)
def test_a_change_of_one_cell_is_found(
    copied: Path, name: str, row: int, column: str, to: Callable[[str], str], said: str
) -> None:
    change(copied / name, row, column, to)
    assert said in compared(copied)[1]


def test_time_plays_no_part_and_rounding_is_counted_apart(copied: Path, tmp_path: Path) -> None:
    change(copied / "trials.csv", 0, "seconds", lambda _: "99")
    assert compared(copied) == (0, "")
    timed = shutil.copytree(copied, tmp_path / "timed")
    for folder in (copied, timed):
        change(folder / "claims.csv", 0, "measure", lambda _: "median(seconds)")
    change(timed / "claims.csv", 0, "value", lambda _: "99")
    assert compare(timed, copied, TABLES) == (0, "")
    change(copied / "claims.csv", 0, "measure", lambda _: table(REFERENCE / "accuracy" / "claims.csv")[0]["measure"])
    change(copied / "trials.csv", 5, "max_rel_error", lambda cell: str(float(cell) * (1 + 1e-11)))
    assert compared(copied) == (1, "")


def test_a_row_more_or_less_is_found(copied: Path) -> None:
    lines = (copied / "kinds.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (copied / "kinds.csv").write_text("".join(lines[:-1]), encoding="utf-8")
    assert "kinds.csv: has" in compared(copied)[1]
    (copied / "kinds.csv").write_text("".join([*lines, lines[-1]]), encoding="utf-8")
    assert "kinds.csv: has" in compared(copied)[1]
