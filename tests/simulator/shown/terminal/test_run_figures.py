"""Figures are a step of their own: what goes wrong in one costs neither the tables, nor the others, nor the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from commands import disttrack

from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.shown.plots import figures

pytestmark = pytest.mark.usefixtures("folder")

SMALL = """\
name: small
trials: 2
sites: [2, 4]
items: 500
protocol: {kind: deterministic, alpha: 0.1}
adversary: [round-robin, freeze]
plots: [matrix, {kind: cost, x: sites}]
"""
FOLDER = Path("results/small")


@pytest.mark.slow
def test_an_error_in_a_figure_loses_neither_the_others_nor_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("small.yaml").write_text(SMALL)
    original = figures.figure_of

    def broken(tables: Any, plot: Any, *more: Any) -> Any:
        if plot.kind == "matrix":
            raise KeyError("nothing of that name")
        return original(tables, plot, *more)

    monkeypatch.setattr(figures, "figure_of", broken)
    done = disttrack("run", "small.yaml", "--workers", "1")
    assert done.exit_code == 1
    assert "figures: matrix: KeyError('nothing of that name')" in done.stderr
    assert f"report: {FOLDER / 'report.html'}" in done.stdout
    page = (FOLDER / "report.html").read_text(encoding="utf-8")
    assert "Figure not drawn: matrix: KeyError" in page
    assert page.count("class='picture'") == 1
    # the next look at the result draws what is missing
    monkeypatch.setattr(figures, "figure_of", original)
    assert disttrack("report", str(FOLDER)).stdout == f"{FOLDER / 'report.html'}\n"
    page = (FOLDER / "report.html").read_text(encoding="utf-8")
    assert (page.count("class='picture'"), "Figure not drawn" in page) == (2, False)


@pytest.mark.parametrize("there", [True, False])
def test_a_page_says_that_games_were_slow_without_numba(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    Path("small.yaml").write_text(SMALL.replace("deterministic", "robust").replace("plots: [matrix,", "plots: ["))
    monkeypatch.setattr("disttrack.simulator.game.engine_choice.available", lambda: there)
    assert disttrack("run", "small.yaml", "--workers", "1").exit_code == 0
    page = (FOLDER / "report.html").read_text(encoding="utf-8")
    assert ("slow, since numba is not installed" in page) == (not there)


def test_a_run_without_figures_reads_no_timelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are by far the largest table: 100 rows for a game."""
    Path("small.yaml").write_text(SMALL)
    monkeypatch.setattr(Results, "series", property(lambda _: pytest.fail("series.csv is read")))
    done = disttrack("run", "small.yaml", "--workers", "1", "--no-figures", "--set", "items=[100, 200, 300]")
    assert done.exit_code == 0
    assert "Protocols and adversaries" in done.stdout


def test_a_result_with_a_control_is_drawn_beside_another() -> None:
    """The games of a control are of points that no manifest has."""
    claim = "{name: right, where: sites == 4, measure: fraction(ok), at_least: 1, control: {adversary: uniform}}"
    Path("small.yaml").write_text(f"{SMALL}claims: [{claim}]\n")
    how = ("--workers", "1", "--no-figures", "--set", "adversary=round-robin", "--quiet")
    disttrack("run", "small.yaml", *how, "--out", str(FOLDER))
    disttrack("run", "small.yaml", *how, "--set", "items=400", "--out", "other")
    done = disttrack("compare", str(FOLDER), "other", "--plot", "cost:x=sites", "--out", "figures")
    files = [f"figure: figures/compare-cost-sites.{ending}" for ending in ("png", "svg")]
    assert (done.exit_code, done.stdout.splitlines()[-2:]) == (0, files)


def test_a_figure_that_nothing_is_swept_for_is_named() -> None:
    Path("small.yaml").write_text(SMALL)
    done = disttrack("run", "small.yaml", "--workers", "1", "--set", "sites=4", "--set", "adversary=round-robin")
    assert done.stderr.splitlines()[0] == "small.yaml:7: SKIPPED plot 'cost': nothing here sweeps sites"
    assert "1 game played" in done.stdout


def test_plot_names_what_it_has_drawn() -> None:
    """Not whatever is there: an error must not be lost among the files of earlier figures."""
    Path("small.yaml").write_text(SMALL)
    Path("small.yaml").write_text(SMALL.replace("[round-robin, freeze]", "round-robin"))
    disttrack("run", "small.yaml", "--workers", "1", "--quiet")
    drawn = disttrack("plot", str(FOLDER), "--plot", "frontier").stdout.splitlines()
    assert drawn == [str(FOLDER / "figures" / f"frontier.{ending}") for ending in ("png", "svg")]
    wrong = disttrack("plot", str(FOLDER), "--plot", "cots")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert (
        disttrack("plot", "small").stderr == f"small: holds no results: trials.csv is missing; did you mean {FOLDER}?\n"
    )


def test_a_command_that_draws_nothing_says_why() -> None:
    of_none = SMALL.replace("x: sites}", "x: sites, where: adversary == 'uniform'}")
    Path("small.yaml").write_text(of_none.replace("[matrix, ", "["))
    assert disttrack("run", "small.yaml", "--workers", "1").exit_code == 0
    done = disttrack("plot", str(FOLDER))
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"{FOLDER}: no game meets its plots; draw others by --plot\n"
    refused = disttrack("compare", str(FOLDER), str(FOLDER), "--scale", "nonsense")
    assert (refused.exit_code, refused.stderr) == (2, "--scale: is of figures, and no --plot is given\n")
