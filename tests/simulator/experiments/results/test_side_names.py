"""Parameters that differ from the defaults are part of every name, and such a variant has a look of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from drawn import described
from synthetic_results import write_result

import disttrack
from disttrack.simulator.cli import main
from disttrack.simulator.experiments.results.answers import answer_table
from disttrack.simulator.experiments.results.labels import sides_of
from disttrack.simulator.shown.plots.description import Series
from disttrack.simulator.shown.replay.record import record_of

COST = {"kind": "cost", "x": "sites"}


def written(folder: Path, **parameters: Any) -> Path:
    """Write a result whose points of `robust` have these parameters."""
    write_result(folder, sites=(16, 64), trials=2, protocols=("robust", "martingale"))
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    for point in manifest["points"]:
        if point["protocol"]["kind"] == "robust":
            point["protocol"] |= parameters
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def looks(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return colour and mark of each line of the cost figure, by its name."""
    panel = described(folder, COST).panels[0]
    return {one.name: (one.look.colour, one.look.marker) for one in panel.of(Series, "")}


def test_a_variant_that_is_alone_is_named_and_has_the_look_of_its_kind(tmp_path: Path) -> None:
    plain, tight = written(tmp_path / "plain", parameters="paper"), written(tmp_path / "tight", parameters="tight")
    usual, other = looks(plain), looks(tight)
    assert list(usual) == ["robust", "martingale"]
    assert list(other) == ["robust(parameters=tight)", "martingale"]
    assert [*other.values()] == [*usual.values()]
    assert {row[0] for row in answer_table(tight).texts} == {"robust(parameters=tight)", "martingale"}
    assert {row[0] for row in answer_table(plain).texts} == {"robust", "martingale"}


def test_accuracy_and_privacy_are_part_of_no_name(tmp_path: Path) -> None:
    assert list(looks(written(tmp_path / "private", delta=0.01))) == ["robust", "martingale"]


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
