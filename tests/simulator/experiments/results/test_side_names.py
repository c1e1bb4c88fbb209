"""Parameters that differ from the defaults are part of the names of games and lines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from synthetic_results import write_result

import disttrack
from disttrack.simulator.cli import main
from disttrack.simulator.experiments.results.formats import sides_of
from disttrack.simulator.experiments.results.lines import lines
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.replay.record import record_of


def test_a_game_is_named_by_its_parameters() -> None:
    tight = disttrack.Robust(alpha=0.2, parameters="tight")
    game = disttrack.play(tight, disttrack.Freeze(begin=3), sites=4, items=300, record=True)
    assert record_of(game).title == "robust(parameters=tight) against freeze(begin=3)"
    assert sides_of(game) == "robust(parameters=tight) against freeze(begin=3)"
    assert "robust(parameters=tight) against freeze(begin=3)" in game._repr_html_()
    assert sides_of(disttrack.play(disttrack.Robust(alpha=0.2), disttrack.Freeze(), sites=4, items=300)) == (
        "robust against freeze"
    )


@pytest.mark.parametrize(
    ("protocol", "name"), [("robust parameters=tight", "robust(parameters=tight)"), ("robust", "robust")]
)
def test_the_terminal_names_them(protocol: str, name: str) -> None:
    flags = ["--protocol", protocol, "--adversary", "freeze", "--alpha", "0.2", "--sites", "4", "--items", "300"]
    shown = CliRunner().invoke(main, ["play", *flags]).output
    assert f"game:          {name} against freeze, 4 sites" in shown


def test_a_label_states_no_parameters_of_crashes_that_a_network_has_not(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=2, protocols=("robust",), adversaries=("freeze",), sites=(16,))
    trials = read_tables([folder]).trials
    trials = trials.assign(crash_rate=[0.0, 0.1], crash_down=[np.nan, 50.0], latency=["20.0", "exponential(5)"])
    labels = [line.label for line in lines(trials)]
    assert labels == ["robust(latency=20)", "robust(crash_rate=0.1, latency=exponential(5))"]
