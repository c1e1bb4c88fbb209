"""The series of a game, written as lines of numbers, are what the module csv writes of each value."""

from __future__ import annotations

import csv
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator.experiments.results.write import write_tables
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.columns import SERIES
from disttrack.simulator.game.tasks.base import Record

COLUMNS: dict[str, list[Any]] = {
    "step": [1, 2**70, -3],
    "items": [1, 2, 3],
    "output": [0.1 + 0.2, -0.0, 1e300],
    "rel_error": [nan, -inf, 5e-324],
    "messages": [0, 10**18, 7],
    "words": [1.0, 2.0, 1e16],
}


@pytest.mark.parametrize("changes", [{}, {"output": [None, "a,b", True]}, {"words": None}], ids=str)
def test_cells_are_those_of_the_module_csv(tmp_path: Path, changes: dict[str, Any]) -> None:
    """Also where a column is absent, or holds other values than numbers."""
    scenario = load({"sites": 3, "items": 50, "protocol": {"kind": "exact"}, "adversary": "round-robin"})
    series = {name: values for name, values in {**COLUMNS, **changes}.items() if values is not None}
    write_tables(tmp_path, scenario, [(0, 0, 5, Record({"items": 50, "ok": True}, series))])
    with (tmp_path / "series.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert tuple(header) == SERIES
    expected = [
        [
            "0",
            "0",
            "exact",
            "round-robin",
            *(_cell(series[name][place]) if name in series else "" for name in SERIES[4:]),
        ]
        for place in range(3)
    ]
    assert rows == expected


def test_columns_that_equal_those_of_the_game_before(tmp_path: Path) -> None:
    """Equal numbers of other types, and -0.0 after 0.0, are written as they are."""
    scenario = load({"sites": 3, "items": 50, "protocol": {"kind": "exact"}, "adversary": "round-robin", "trials": 5})
    columns: list[list[Any]] = [[1, 0], [1, 0], [True, 0], [1.0, 0.0], [1, 0.0], [1.0, -0.0], [1, 0]]
    games = [(0, 0, n, Record({"ok": True}, dict.fromkeys(COLUMNS, values))) for n, values in enumerate(columns)]
    write_tables(tmp_path, scenario, games)
    rows = list(csv.reader((tmp_path / "series.csv").read_text().splitlines()))[1:]
    assert [row[4] for row in rows] == [str(value) for values in columns for value in values]


def _cell(value: Any) -> str:
    return "" if value is None or value != value else str(value)
