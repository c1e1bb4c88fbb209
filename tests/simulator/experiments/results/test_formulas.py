"""Texts of a scenario that a spreadsheet would run as formulas: written after an apostrophe, read as they were."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.runs.seeds import run_seeds
from disttrack.simulator.experiments.scenario.load import load

BEGINNINGS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "'=1", "''-x", "'plain", "=")
OWN = '''
from dataclasses import dataclass
from disttrack import Exact

@dataclass(frozen=True)
class Named(Exact):
    """A tracker with a name as a parameter."""
    kind = "named"
    word: str = ""
'''


@pytest.mark.parametrize("text", BEGINNINGS)
def test_no_cell_begins_as_a_formula_and_each_is_read_as_it_was(text: str, folder: Path) -> None:
    Path("own.py").write_text(OWN, encoding="utf-8")
    sides = {"protocol": {"kind": "own.py:Named", "word": [text, "plain"]}, "adversary": "round-robin"}
    claim = {"name": text, "measure": "-max(words)", "equals": -4, "within": 1e9, "no_control": "made for a test"}
    scenario = load({"name": "formulas", "sites": 2, "items": 4, **sides, "claims": [claim]})
    run(scenario, out="out", workers=1)
    run_seeds(scenario, out="seeds", seeds=1, workers=1)
    tables = [*Path("out").glob("*.csv"), *Path("seeds").glob("*.csv")]
    assert len(tables) >= 5
    for table in tables:
        with open(table, newline="", encoding="utf-8") as file:
            cells = {cell for row in csv.reader(file) for cell in row}
        assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t"))] in ([], ["-4.0"], ["-4"])
    results = Results("out")
    assert set(results.trials["word"]) == {text, "plain"}
    assert results.claims["name"].tolist() == [text]
    assert results.claims["measure"].tolist() == ["-max(words)"]
