"""A figure that cannot be drawn shows in the exit status of every command that was to draw it."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from disttrack.simulator.cli import main

SCENARIO = """
name: one
trials: 1
sites: [2, 4]
items: 100
protocol: {kind: deterministic, alpha: [0.1, 0.2]}
adversary: round-robin
plots: [{kind: cost, x: sites, lower_bounds: true, where: words > 0}]
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undrawn")
    (folder / "one.yaml").write_text(SCENARIO, encoding="utf-8")
    done = CliRunner().invoke(main, ["run", f"{folder}/one.yaml", "--out", f"{folder}/one", "--workers", "1"])
    assert done.exit_code == 1
    assert "figures: cost-sites: lower_bounds: games at one place of sites differ in alpha" in done.stderr
    return folder / "one"


@pytest.mark.parametrize(("command", "status"), [("report", 1), ("report --brief", 1), ("plot", 2)])
def test_a_figure_that_is_not_drawn_is_no_success(result: Path, command: str, status: int) -> None:
    done = CliRunner().invoke(main, [*command.split(), str(result)])
    assert done.exit_code == status
    assert "lower_bounds: games at one place" in done.stderr


def test_nor_is_one_of_several_results(result: Path, tmp_path: Path) -> None:
    options = ["--plot", "matrix", "--scale", "x=log,y=log", "--out", str(tmp_path)]
    done = CliRunner().invoke(main, ["compare", str(result), str(result), *options])
    assert done.exit_code == 2
    assert "axis has no numbers" in done.stderr
