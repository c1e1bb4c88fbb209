"""The foot of a figure counts what is drawn and names what is left out; lines look and are named alike in figures."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from synthetic_results import write_result

from disttrack.simulator.experiments.results.lines import lines
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.description import Description, Series
from disttrack.simulator.shown.plots.requests import described_of


def described(folders: list[Path], request: dict[str, Any]) -> Description:
    made = described_of(read_tables(folders), check_plot(request))
    assert isinstance(made, Description)
    return made


def test_the_foot_counts_the_games_that_are_drawn(tmp_path: Path) -> None:
    """Not those of adversaries without the parameter on the axis, nor of a tracker that promises nothing."""
    sizes: dict[str, Any] = {"sites": (16, 64), "trials": 2, "protocols": ("robust", "exact")}
    folder = write_result(tmp_path / "one", **sizes, extra=("patience", [1, 2]), side="adversary")
    trials = pd.read_csv(folder / "trials.csv")
    freeze = trials["adversary"] == "freeze"
    trials.loc[~freeze, "patience"] = None
    trials["unsent"] = (~freeze | (trials["protocol"] == "exact")).astype(int)
    trials.to_csv(folder / "trials.csv", index=False)
    early = "before all items were sent: 8,"
    assert early in described([folder], {"kind": "error", "x": "patience"}).note
    trials.loc[trials["protocol"] == "exact", "alpha"] = 0
    trials.to_csv(folder / "trials.csv", index=False)
    figure = described([folder], {"kind": "error", "x": "patience"})
    assert "ended" not in figure.note
    assert "without a value" not in figure.note
    assert "Left out, without α: exact." in figure.note
    assert "ended" not in described([folder], {"kind": "frontier", "where": "adversary == 'freeze'"}).note
    rows = trials["protocol"] == "exact"
    trials.assign(messages=trials["messages"].astype(float).mask(rows)).to_csv(folder / "trials.csv", index=False)
    note = described([folder], {"kind": "spread", "y": "messages", "where": "adversary == 'freeze'"}).note
    assert "Left out, without a value: exact(" in note
    assert "of 16 games" not in note


def test_a_line_whose_size_moves_says_so_beside_an_adversary_with_other_sizes(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, protocols=("robust",), adversaries=("freeze", "uniform"))
    trials = pd.read_csv(folder / "trials.csv")
    moves = trials["adversary"] == "freeze"
    items = trials["items"].where(~moves, 1000 * trials["sites"])
    for now, said in ((trials["items"], False), (items, True)):
        trials.assign(items=now).to_csv(folder / "trials.csv", index=False)
        subtitle = described([folder], {"kind": "cost", "x": "sites"}).subtitle
        assert ("moving with sites: items=16,000 … 1,024,000" in subtitle) == said, subtitle


def test_a_line_has_one_colour_in_figures_with_bounds_and_without(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, extra=("delta", [0.1, 0.2]), protocols=("robust", "martingale"))
    requests = [{"kind": "cost", "x": "sites"}, {"kind": "error", "x": "sites"}, {"kind": "frontier"}]
    every = [{(one.name, one.look.colour) for panel in described([folder], request).panels
              for one in panel.of(Series, "")} for request in requests]  # fmt: skip
    assert every[0] == every[1] == every[2]
    assert len({colour for _, colour in every[0]}) == 4


def test_the_foot_names_bounds_that_leave_the_panel_and_lone_ones(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16, 64), trials=2, adversaries=("freeze",), protocols=("robust",))
    trials = pd.read_csv(folder / "trials.csv")
    small, beyond = trials["sites"] == 16, "Beyond the panel: rounds, of robust."
    for factor, wanted, cut in ((1.01, "Dashes: rounds", False), (99.0, "Dashes: rounds", True),
                                (np.nan, "Dashes: rounds", False)):  # fmt: skip
        rounds = trials["messages"] * np.where(small, 1.1, factor)
        trials.assign(rounds=rounds).to_csv(folder / "trials.csv", index=False)
        note = described([folder], {"kind": "measure", "x": "sites", "y": "messages", "theory": "rounds"}).note
        assert wanted in note
        assert (beyond in note) == cut


def with_unusual(folder: Path, unusual: dict[str, dict[str, str]]) -> None:
    """Give each protocol of a result parameters that differ from its defaults, in words."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for point in manifest["points"]:
        own = unusual.get(point["protocol"]["kind"], {})
        point["unusual"] = {"protocol": own}
        point["called"] = {side: point[side]["kind"] for side in ("protocol", "adversary")}
        point["protocol"] |= {name: text.split()[-1] for name, text in own.items()}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def test_what_all_protocols_share_is_said_once(tmp_path: Path) -> None:
    """A parameter that all have is no difference: it stands below the title."""
    shared = {"separation": "separation 64"}
    for name, second, labels, odd in (
        ("all", shared, ["robust", "exact"], False),
        ("one", {}, ["robust(separation=64)", "exact"], True),
    ):
        folder = write_result(tmp_path / name, trials=2, adversaries=("freeze",), protocols=("robust", "exact"))
        with_unusual(folder, {"robust": shared, "exact": second})
        figure = described([folder], {"kind": "cost", "x": "sites"})
        lines = figure.panels[0].of(Series, "")
        assert [one.name for one in lines] == labels
        assert ("separation=64" in figure.subtitle) != odd


def test_a_parameter_of_one_adversary_does_not_stand_for_the_others(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "one", trials=2, protocols=("robust",), extra=("stay", ["a", "b"]), side="adversary"
    )
    trials = pd.read_csv(folder / "trials.csv")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for point in manifest["points"]:
        if point["adversary"]["kind"] == "freeze":
            point["adversary"].pop("stay")
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    tables = read_tables([folder])
    games = tables.trials.assign(stay=trials["stay"].astype(object).mask(trials["adversary"] == "freeze", None))
    games["stay"] = [None if value != value else value for value in games["stay"]]
    assert {*replace(tables, trials=games).with_adversaries_named().trials["adversary"]} == {
        "freeze", "round-robin(stay=a)", "round-robin(stay=b)"
    }  # fmt: skip


def test_a_label_states_no_parameters_of_crashes_that_a_network_has_not(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, protocols=("robust",), adversaries=("freeze",), sites=(16,))
    trials = read_tables([folder]).trials
    trials = trials.assign(crash_rate=[0.0, 0.1], crash_down=[np.nan, 50.0], latency=["20.0", "exponential(5)"])
    labels = [line.label for line in lines(trials)]
    assert labels == ["robust(latency=20)", "robust(crash_rate=0.1, latency=exponential(5))"]
