"""The listing of results: a row each, what they differ in, and conditions on it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import disttrack, refused

from disttrack.simulator.experiments.runs.runner import run

pytestmark = pytest.mark.usefixtures("folder")

CLAIM = {"name": "right", "measure": "fraction(ok)", "at_least": 1, "no_control": "shown elsewhere"}
SMALL = {"name": "small", "sites": [2, 3], "items": 9, "protocol": [{"kind": "exact"}], "adversary": "round-robin"}


def listed(*more: str) -> dict[str, dict[str, object]]:
    rows = json.loads(disttrack("results", *more, "--json").stdout)["results"]
    return {row["folder"]: row for row in rows}


def test_results_are_listed_with_what_they_differ_in() -> None:
    run(SMALL | {"claims": [CLAIM]}, workers=1)
    run(SMALL, workers=1, overrides=["trials=2", "protocol.0.kind=deterministic", "protocol.0.alpha=0.5"])
    run({**SMALL, "name": "other"}, workers=1)
    Path("results/application").mkdir()
    Path("results/application/manifest.json").write_text('{"name": "An application"}')
    Path("results/damaged").mkdir()
    Path("results/damaged/manifest.json").write_text("{")
    rows = listed()
    changed = "results/small,protocol.0.alpha=0.5,protocol.0.kind=deterministic,trials=2"
    assert {place: row["differs"] for place, row in rows.items()} == {
        "results/small": "protocol.0.kind=exact",
        changed: "protocol.0.kind=deterministic, protocol.0.alpha=0.5, trials=2",
        "results/other": "",
    }
    assert [rows["results/small"][name] for name in ("scenario", "games", "claims", "held")] == ["small", 2, 1, 1]
    assert {*listed("--where", "games > 2 or scenario == 'other'")} == {changed, "results/other"}
    assert "there is no column 'gamse'; did you mean 'games'?" in refused("results", "--where", "gamse > 1")
    assert refused("results", "--where", "(held").startswith("where: '(held' cannot be read")
    shown = disttrack("results")
    assert shown.stdout.split()[:3] == ["folder", "scenario", "begun"]
    assert "results/damaged: manifest.json cannot be read" in shown.stderr
    assert shown.stderr.rstrip().endswith("; run the scenario again")


def test_the_tables_before_an_edit_are_listed_and_fresh_seeds_are_not() -> None:
    for items in (9, 8):
        run({**SMALL, "items": items}, workers=1)
    Path("small.yaml").write_text(json.dumps({**SMALL, "items": 8}))
    disttrack("run", "small.yaml", "--workers", "1", "--seeds", "1", "--quiet")
    assert Path("results/small/seeds").is_dir()
    assert {place: row["differs"] for place, row in listed().items()} == {
        "results/small/previous": "items=9",
        "results/small": "items=8",
    }


def test_a_folder_without_results_names_those_that_are_meant() -> None:
    below = [run({**SMALL, "name": name}, workers=1).dir for name in ("words", "b", "c")]
    assert refused("report", "results").rstrip().endswith(f"; did you mean {' or '.join(map(str, sorted(below)))}?")
    assert "; did you mean results/words?" in refused("compare", "words.yaml")
    run({**SMALL, "name": "d"}, workers=1)
    assert "; its 4 folders do: disttrack results results" in refused("plot", "results")
