"""The manifest: where a result comes from, and how to make it again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import disttrack

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.experiments.scenario.load import load
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds import code
from disttrack.simulator.shown.plots import draw

SMALL = """\
# What does it cost?
#
# Not much.
name: small
trials: 3
sites: [2, 5]
items: 2000
protocol: {kind: randomized, alpha: 0.2}
adversary: [uniform, freeze]
"""


def test_the_manifest_says_how_to_make_it_again(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL)
    run(load(tmp_path / "small.yaml"), out=tmp_path / "out", workers=1)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["scenario"]["sites"] == [2, 5]
    assert manifest["comment"] == "What does it cost?\n\nNot much."
    assert len(manifest["seeds"]) == 3
    games = manifest["games"]
    assert (games["all"], games["played"] + games["alike"], games["kept"], games["errors"]) == (12, 12, 0, 0)
    assert len(manifest["points"]) == 4
    assert manifest["points"][0]["engine"] == "leap"
    assert manifest["points"][0]["engine_reason"]
    assert {"python", "numpy", "simpy"} <= set(manifest["versions"])
    assert manifest["rules"] == Count.rules


def test_a_run_that_keeps_no_game_says_what_has_changed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("small.yaml").write_text(SMALL)
    flags = ("run", "small.yaml", "--no-figures", "--workers", "1", "--out", "out")
    assert "no earlier game kept" not in disttrack(*flags).stderr + disttrack(*flags).stderr
    installed = code.version_of
    monkeypatch.setattr(code, "version_of", lambda name: "0.0" if name == "numpy" else installed(name))
    monkeypatch.setattr(Count, "rules", 99)
    code.versions.cache_clear()
    try:
        line = "no earlier game kept; changed: rules of the task, numpy"
        assert line in disttrack(*flags).stderr
        assert run(load("small.yaml"), out="out", workers=1).differs == []
    finally:
        code.versions.cache_clear()


def test_rows_of_a_trace_that_are_dropped_are_printed_and_stand_in_the_manifest(folder: Path) -> None:
    Path("t.csv").write_text("site,t\na,1\n,2\nNA,3\n\nb,4\n")
    Path("s.yaml").write_text("name: s\nprotocol: exact\nadversary: {kind: trace, file: t.csv, site: site}\n")
    line = "t.csv: dropped 2 of 5 rows (1 blank, 1 without site)"
    assert line in disttrack("check", "s.yaml").stdout
    assert line in disttrack("run", "s.yaml", "--no-figures", "--workers", "1", "--out", "out").stderr
    assert line in disttrack("play", "--protocol", "exact", "--adversary", "trace file=t.csv site=site").stderr
    point = json.loads((folder / "out" / "manifest.json").read_text())["points"][0]
    assert point["rows"] == {"played": 3, "dropped": {"blank": 1, "without site": 1}}


def test_drawings_of_other_tables_are_removed(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text(SMALL)
    drawn, one = tmp_path / "out" / "figures" / "cost-sites.svg", "plots=[{kind: cost, x: sites}]"
    for override, kept in ("trials=3", False), ("trials=3", True), ("trials=2", False):
        run(load(tmp_path / "small.yaml", [override, one]), out=tmp_path / "out", workers=1)
        assert drawn.exists() == kept
        if override == "trials=3" and not kept:
            draw(tmp_path / "out")
