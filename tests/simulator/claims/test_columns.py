"""The one table of columns: what is written, what a game knows and what the docs say are the same names."""

from __future__ import annotations

import csv
import re
from dataclasses import fields
from pathlib import Path

import pytest

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.simulator.claims.columns import (
    CLAIMS,
    KINDS,
    NETWORK,
    NETWORK_COLUMNS,
    PLACE,
    SERIES,
    TRIAL_COLUMNS,
    TRIALS,
    names,
)  # fmt: skip
from disttrack.simulator.claims.findings import Finding
from disttrack.simulator.game.play import play
from disttrack.simulator.runs.runner import run
from disttrack.simulator.scenario.load import load

ROOT = Path(__file__).resolve().parents[3]
TABLES = {
    "trials.csv": TRIALS,
    "series.csv": SERIES,
    "kinds.csv": KINDS,
    "claims.csv": CLAIMS,
}
ORIGINS = {column.name: column.origin for column in (*TRIAL_COLUMNS, *NETWORK_COLUMNS)}
SMALL = """\
name: small
sites: 4
items: 500
protocol: {kind: deterministic, alpha: 0.1}
adversary: round-robin
claims:
  - {name: right, measure: fraction(ok), at_least: 1}
"""


def described(text: str) -> list[tuple[str, str]]:
    """Return the names of the columns in a table of the docs, and where their values come from."""
    rows = [line.strip("| ").split(" | ") for line in text.splitlines()]
    assert all(row[1] for row in rows)
    return [(row[0].strip("`"), row[-1]) for row in rows]


@pytest.mark.parametrize("name", [*TABLES, "network"])
def test_the_docs_describe_the_columns_in_their_order(name: str) -> None:
    text = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8").split("### Columns", 1)[1]
    rows = re.search(rf"`{re.escape(name)}`[^|]*\n\n\|.*\n\|.*\n((?:\|.*\n)+)", text)
    assert rows is not None
    columns = {**TABLES, "network": NETWORK}[name]
    if name in ("series.csv", "kinds.csv"):  # they begin with columns of trials.csv, which the docs name once
        assert columns[: len(PLACE)] == PLACE
        columns = columns[len(PLACE) :]
    others = "claim" if name == "claims.csv" else "game"
    known = ORIGINS if name in ("trials.csv", "network") else {}
    assert described(rows[1]) == [(column, known.get(column, others)) for column in columns]
    assert len(set(columns)) == len(columns)


def test_a_game_knows_what_the_table_says_it_does() -> None:
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=4, items=500)
    assert tuple(game.row()) == (*names(TRIAL_COLUMNS, "point", "game"), *NETWORK)
    assert tuple(game.series.columns) == tuple(column for column in SERIES if column not in PLACE)
    assert tuple(game.kinds.columns) == tuple(column for column in KINDS if column not in PLACE)
    assert all(column in names(TRIAL_COLUMNS, "run", "point") for column in PLACE)
    assert {field.name for field in fields(Finding)} == set(CLAIMS)


def test_a_run_writes_these_columns_and_leaves_none_of_a_counting_game_empty(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL, encoding="utf-8")
    run(load(tmp_path / "small.yaml"), out=tmp_path / "out", workers=1)
    for name, columns in TABLES.items():
        with open(tmp_path / "out" / name, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        assert tuple(header) == columns
        assert rows
    with open(tmp_path / "out" / "trials.csv", encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [column for column, value in row.items() if not value] == ["first_failure", "error"]
    assert set(SERIES) & set(KINDS) >= set(PLACE)
