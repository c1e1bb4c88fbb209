"""``disttrack live``: two folders of results like any other, side by side."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from commands import disttrack

from disttrack.simulator.experiments.results.folder import Results

SCENARIO = """\
name: small
sites: [1, 2]
items: 1_000
alpha: 0.2
trials: 1
protocol: [deterministic, exact]
adversary: freeze
claims:
  - name: deterministic holds
    where: protocol == 'deterministic'
    measure: fraction(ok)
    equals: 1
    no_control: a test
plots:
  - {kind: cost, x: sites}
"""


@pytest.fixture(autouse=True)
def small(folder: Path) -> None:
    """Write the scenario into the present folder."""
    (folder / "small.yaml").write_text(SCENARIO)


def test_measured_and_predicted_are_results_that_every_command_takes(folder: Path) -> None:
    played = disttrack("live", "small.yaml", "--record", "game.jsonl")
    assert played.exit_code == 0, played.output
    place = folder / "results" / "small-live"
    tables = [pd.read_csv(place / name / "trials.csv") for name in ("predicted", "measured")]
    # no coin is tossed, so that all games are the same; but each real one was played
    for column in ("protocol", "adversary", "words", "messages", "bits", "max_rel_error", "verdict", "output_changes"):
        assert tables[0][column].equals(tables[1][column]), column
    assert set(tables[1]["engine"]) == {"live"}
    assert "PASS     deterministic holds" in played.output
    wire = played.output.split("On the wire, means of a game")[1]
    words = tables[1].query("protocol == 'exact'")["words"].mean()
    assert f"exact             {words:,.0f}" in wire
    assert (place / "measured" / "report.html").is_file()
    both = [str(place / name) for name in ("predicted", "measured")]
    for command in (("compare", *both), ("plot", both[1]), ("replay", "game.jsonl")):
        assert disttrack(*command).exit_code == 0
    assert Results(place / "measured").trials["words"].sum() > 0


def test_a_game_that_is_stopped_says_that_it_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("disttrack.fleet.live.command.run", stopped)
    played = disttrack("live", "small.yaml")
    assert played.exit_code == 1
    assert "the same command plays all games again" in played.output + played.stderr


def test_in_real_time_the_simulator_predicts_with_the_measured_delays(folder: Path) -> None:
    settings = ("--set", "protocol=deterministic", "--set", "adversary=round-robin", "--set", "sites=2")
    played = disttrack("live", "small.yaml", *settings, "--rate", "2000/s", "--delay", "100ms")
    assert played.exit_code == 0, played.output  # though the claim has no verdict to hold
    assert "messages took 1" in played.output
    tables = [pd.read_csv(folder / f"results/small-live/{name}/trials.csv") for name in ("predicted", "measured")]
    assert tables[0]["words"].equals(tables[1]["words"])
    assert list(tables[1]["verdict"]) == ["undecided"]
    assert "held of measured" not in played.output
