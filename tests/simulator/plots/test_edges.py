"""Values that a scale does not show: drawn at its edge; pointer, tables, captions and words have them as they are."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import figure, shown
from matplotlib.axes import Axes
from synthetic_results import write_result

from simulator.plots import captions
from simulator.plots.interactive import interactive
from simulator.report.short import answer
from simulator.results.folder import Results
from simulator.results.read import read_tables

ERROR, FRONTIER, MATRIX = {"kind": "error", "x": "sites"}, {"kind": "frontier"}, {"kind": "matrix"}
MEASURE, SPREAD = {"kind": "measure", "x": "sites", "y": "max_rel_error"}, {"kind": "spread", "y": "max_rel_error"}
SMALL = {16: 0.0624, 256: 0.00098}
"""Errors of the deterministic protocol in units of alpha."""
PLOTS = (ERROR, FRONTIER, MATRIX, MEASURE, SPREAD)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Ten games a point: deterministic below the scale, randomized against freeze infinite in 7 of 10 games."""
    folder = write_result(
        tmp_path_factory.mktemp("edges") / "result", sites=(16, 256), trials=10, plots=PLOTS, alphas=(0.1,),
        protocols=("deterministic", "randomized"),
    )  # fmt: skip
    rows = pd.read_csv(folder / "trials.csv")
    exact = rows["protocol"] == "deterministic"
    rows.loc[exact, "max_rel_error"] = rows["sites"].map(SMALL) * rows["alpha"]
    lost = ~exact & (rows["adversary"] == "freeze")
    rows.loc[lost & (rows["trial"] < 7), "max_rel_error"] = inf
    rows.loc[lost, ["verdict", "ok"]] = ["failed", False]
    rows.to_csv(folder / "trials.csv", index=False)
    return folder


def values_of(folder: Path, plot: dict[str, Any], role: str = "") -> dict[str, list[Any]]:
    """Return the values of each series as pointer and table have them; panels one after the other."""
    found: dict[str, list[Any]] = {}
    for trace in interactive(figure(folder, plot)).data:
        if trace["meta"]["role"] == role and not trace.get("fill"):
            found.setdefault(trace["meta"]["series"], []).extend(trace["meta"].get("true", trace["y"]))
    return found


def lines_of(axes: Axes, gid: str) -> list[Any]:
    return [line for line in axes.lines if line.get_gid() == gid and len(line.get_xdata())]


def test_values_below_the_scale_are_those_of_the_tables(folder: Path) -> None:
    assert values_of(folder, ERROR)["deterministic"] == pytest.approx([*SMALL.values()] * 2)
    games = values_of(folder, FRONTIER, "games")["deterministic, freeze"]
    assert sorted(set(games)) == pytest.approx(sorted(SMALL.values()))
    made = interactive(figure(folder, ERROR))
    trace = next(one for one in made.data if one["meta"]["series"] == "deterministic" and "true" in one["meta"])
    assert (min(trace["y"]), trace["text"]) == (0.1, ["0.0624", "0.00098"])
    assert "%{text}" in trace["hovertemplate"]


@pytest.mark.parametrize("plot", [ERROR, FRONTIER, MEASURE], ids=lambda plot: plot["kind"])
def test_infinite_values_stand_at_the_upper_edge(folder: Path, plot: dict[str, Any]) -> None:
    made = figure(folder, plot)
    arrows = [(axes, arrow) for axes in shown(made) for arrow in lines_of(axes, "above-scale")]
    assert arrows
    for axes, arrow in arrows:
        line = axes.lines[0].axes
        assert line is not None
        (low, high), places = axes.get_ylim(), np.asarray(arrow.get_ydata())
        assert (low < places).all()
        assert np.isfinite(high)
        drawn = np.concatenate([np.asarray(one.get_ydata(), dtype=float) for one in axes.lines])
        assert places.min() > max(value for value in drawn if value not in places)
    said = " ".join(text.get_text().replace("\n", " ") for text in made.texts)
    assert "∞: infinite, in 14 of 80 games." in said


def test_infinite_values_are_named_on_the_axis_of_errors_and_in_cells(folder: Path) -> None:
    for plot in (ERROR, FRONTIER):
        axes = shown(figure(folder, plot))[0]
        assert "∞" in [label.get_text() for label in axes.get_yticklabels()]
    assert values_of(folder, ERROR)["randomized"][2:] == ["infinite", "infinite"]
    cells = [text.get_text() for text in shown(figure(folder, MATRIX))[0].texts if text.get_gid() == "cell"]
    assert "0/10\n∞ α" in cells


def test_captions_count_infinite_values(folder: Path) -> None:
    told = captions(folder)
    assert len(told) == len(PLOTS)
    for name, caption in told.items():
        assert "in 14 of 80 games." in caption, name
    assert "randomized is infinite and fails everywhere" in told["error-sites"]


def test_the_page_says_that_an_error_is_infinite(folder: Path) -> None:
    said = str(answer("", [], read_tables([folder]), Results(folder).claims))
    assert "is broken by <strong>freeze</strong>: 20 of 20 games fail; the error is infinite in 14 games." in said


def test_quantiles_of_infinite_values(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "many", sites=(16, 64), trials=41, protocols=("randomized",), adversaries=("a",))
    rows = pd.read_csv(folder / "trials.csv")
    rows.loc[rows["trial"] < 2, "max_rel_error"] = inf
    rows.to_csv(folder / "trials.csv", index=False)
    (axes,) = shown(figure(folder, ERROR))
    assert not lines_of(axes, "above-scale"), "5 % to 95 % of 41 games leaves two out"
    rows.loc[rows["trial"] < 4, "max_rel_error"] = inf
    rows.to_csv(folder / "trials.csv", index=False)
    trace = next(one for one in interactive(figure(folder, ERROR)).data if "customdata" in one)
    assert [high for _, high in trace["customdata"]] == ["infinite"] * 2
    assert all(isinstance(low, float) for low, _ in trace["customdata"])
    assert "%{customdata[1]}" in trace["hovertemplate"]
