"""The one table of columns: what is written, what a game knows and what tables show are the same names."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from disttrack.adversaries import RoundRobin
from disttrack.protocols import Deterministic
from disttrack.simulator.experiments.claims.expressions import columns_of
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
from disttrack.simulator.game.tasks.answers import answers_of, shown_in_tables
from disttrack.simulator.kinds.registry import find, kinds_for

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


# ---------------------------------------------------------------------- headers of tables


def test_every_name_that_tables_show_leads_to_columns() -> None:
    """Of all tasks; without an expression are only the orders of a paper's table and facts of protocols."""
    led, without = 0, set()
    kinds = kinds_for("task", "disttrack.simulator.game.tasks.base:Task")
    for kind in kinds:
        task = find("task", kind)
        sizes = {size.key for size in task.sizes}
        columns = {*(one.name for one in TRIAL_COLUMNS), *task.columns, *sizes, *task.defaults, "alpha"}
        for one in answers_of(task):
            if not one.column:
                without.add((kind, one.header))
            elif one.header not in columns and one.header.replace(" ", "_") not in columns:
                text = shown_in_tables(f"max({one.header})", task, columns)
                assert f"tables show {one.column} as {one.header!r}" in text
                assert columns_of(one.column) <= columns, (kind, one.header)
                led += 1
    assert led >= 19
    orders = [("dynamic-queries", "Table 1"), ("dynamic-queries", "value"), ("dynamic-queries", "ratio")]
    assert without == {one for one in [*orders, ("continual-count", "memory")] if one[0] in kinds}
