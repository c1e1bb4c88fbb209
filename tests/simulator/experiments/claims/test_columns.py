"""The one table of columns: what is written, what a game knows and what the docs say are the same names."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.simulator.experiments.claims.findings import Finding
from disttrack.simulator.game.columns import (
    CLAIMS,
    ENDED,
    KINDS,
    NETWORK,
    PLACE,
    SERIES,
    TRIAL_COLUMNS,
    TRIALS,
    names,
)  # fmt: skip
from disttrack.simulator.game.play import play

ROOT = Path(__file__).resolve().parents[4]


def test_the_handbook_has_a_table_of_the_columns_in_their_order() -> None:
    from handbook.pages import COLUMNS, columns_table

    rows = [line.strip("| ").split(" | ") for line in columns_table().splitlines()[2:]]
    assert all(says for _, says, _ in rows)
    names_of_all = (*TRIALS, *NETWORK, *ENDED)
    assert [name.strip("`") for name, *_ in rows] == list(names_of_all)
    assert len({*names_of_all}) == len(names_of_all)
    assert COLUMNS in (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def test_a_game_knows_what_the_table_says_it_does() -> None:
    game = play(Deterministic(alpha=0.1), RoundRobin(), sites=4, items=500)
    assert tuple(game.row()) == (*names(TRIAL_COLUMNS, "point", "game"), *NETWORK)
    assert tuple(game.series.columns) == tuple(column for column in SERIES if column not in PLACE)
    assert tuple(game.kinds.columns) == tuple(column for column in KINDS if column not in PLACE)
    assert all(column in names(TRIAL_COLUMNS, "run", "point") for column in PLACE)
    assert {field.name for field in fields(Finding)} == set(CLAIMS)
