"""Results with damaged tables: refused in one line, or read as they are; never taken for a smaller result."""

from __future__ import annotations

import copy
import csv
import io
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hostile import hold_line, mutated, often
from hypothesis import given
from hypothesis import strategies as st

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.compared import compare_results
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.results.stored import COLUMNS, digests_of, read_table
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load

NAMES = ("trials.csv", "series.csv", "kinds.csv", "claims.csv", "controls.csv")
CELLS = (
    "", "x", "nan", "inf", "-1", "1e999", "9" * 400, "True", "<script>", "-0", "1.5", "None", "\x00", '"', "a,b",
    "2020-01-01",
)  # fmt: skip
SCENARIO: dict[str, Any] = {
    "name": "tables",
    "trials": 2,
    "sites": [2, 3],
    "items": 60,
    "network": {"latency": 1},
    "protocol": [{"kind": "randomized", "alpha": [0.2, 0.4]}, {"kind": "deterministic", "alpha": 0.2}],
    "adversary": ["freeze"],
    "claims": [{"name": "it costs", "measure": "min(words)", "at_least": 20, "control": {"items": 5}}],
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables") / "whole"
    run(load(SCENARIO), out=folder, workers=1)
    return folder


def accepted(folder: Path) -> bool:
    """Return whether a result is read; if not, the reason is one line."""
    try:
        results = Results(folder)
        # what takes least is read first: most of what is damaged is refused as soon as it is read
        _ = (results.claims, results.controls, results.kinds, results.series, results.ok)
        tables = read_tables([results])
        answer_table(results)
        compare_results([results, results], ["one", "two"])
        assert len(tables.trials) == len(results.trials)
    except ScenarioError as error:
        hold_line(error)
        return False
    return True


def seal(folder: Path) -> None:
    """Let a manifest have the digests of the tables as they are: what is wrong with these is then seen by reading."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["tables"] = digests_of(folder)
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


@st.composite
def edited(draw: st.DrawFn, table: bytes) -> tuple[str, bytes]:
    """Draw a table with a column or a row taken out or doubled, or cells exchanged."""
    rows = list(csv.reader(io.StringIO(table.decode())))
    column, row = draw(st.integers(0, len(rows[0]) - 1)), draw(st.integers(1, len(rows) - 1))
    cell = draw(st.sampled_from(CELLS))
    how = draw(st.sampled_from(["no column", "no row", "cell", "cells", "row twice"]))
    match how:
        case "no column":
            rows = [[*one[:column], *one[column + 1 :]] for one in rows]
        case "no row":
            del rows[row]
        case "row twice":
            rows.append(rows[row])
        case "cell":
            rows[row][column] = cell
        case _:
            rows[1:] = [[*one[:column], cell, *one[column + 1 :]] for one in rows[1:]]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return how, text.getvalue().encode("utf-8", "surrogateescape")


@pytest.mark.quick_cases(0)
@pytest.mark.parametrize("name", NAMES)
def test_an_edited_table_is_accepted_or_refused(whole: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    original = (whole / name).read_bytes()

    @often(10)
    @given(change=edited(original))
    def tried(change: tuple[str, bytes]) -> None:
        (folder / name).write_bytes(change[1])
        assert accepted(folder) is (change[1] == original), change
        seal(folder)
        accepted(folder)
        shutil.copyfile(whole / "manifest.json", folder / "manifest.json")

    tried()


@pytest.mark.parametrize("name", NAMES)
def test_a_table_has_every_column(whole: Path, tmp_path: Path, name: str) -> None:
    rows = list(csv.reader((whole / name).read_text(encoding="utf-8").splitlines()))
    for column in COLUMNS[name]:
        place = rows[0].index(column)
        with open(tmp_path / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([*one[:place], *one[place + 1 :]] for one in rows)
        with pytest.raises(ValueError, match=f"{name} has no column {column}"):
            read_table(tmp_path / name)


@pytest.mark.parametrize("name", NAMES)
def test_a_table_that_is_cut_short_is_never_taken(whole: Path, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    table = (whole / name).read_bytes()
    for cut in {*range(1, len(table) - 1, max(1, len(table) // 8)), table.rindex(b"\n", 0, -1) + 1}:
        (folder / name).write_bytes(table[:cut])
        assert not accepted(folder), cut


@pytest.mark.slow
def test_a_hostile_manifest(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    manifest = json.loads((whole / "manifest.json").read_text(encoding="utf-8"))
    delayed = copy.deepcopy(manifest)
    for point in delayed["points"]:
        point["network"] = {"latency": {"exponential": 2}, "loss": 0.1, "link": {"timeout": 4}, "crash": {"rate": 0.1}}

    @often(40)
    @given(changed=mutated([manifest, delayed]))
    def tried(changed: Any) -> None:
        (folder / "manifest.json").write_text(json.dumps(changed), encoding="utf-8")
        accepted(folder)

    tried()
