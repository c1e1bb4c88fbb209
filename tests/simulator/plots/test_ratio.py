"""The `ratio` figure: its lines are the medians of the games, and what it cannot draw it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from simulator import run
from simulator.plots.measure import Measure
from simulator.plots.ratio import Ratio
from simulator.results.read import read_tables

SCENARIO = """\
name: ratios
task: second-moment
updates: 300
trials: 3
protocol:
  - {kind: ams, rows: 16}
  - {kind: rounded, size: 16}
adversary: [{kind: ams-attack}, {kind: random-updates}]
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ratio")
    (folder / "ratios.yaml").write_text(SCENARIO)
    run(folder / "ratios.yaml", out=folder / "out", workers=1)
    return folder / "out"


def test_lines_are_medians_of_estimate_over_truth(results: Path) -> None:
    figure = Ratio().draw(read_tables([results]))
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title() for axes in panels] == ["against ams-attack", "against random-updates"]
    lines = [line for axes in panels for line in axes.lines if line.get_gid() == "line"]
    assert len(lines) == 4
    series = pd.read_csv(results / "series.csv")
    mine = series[(series["protocol"] == "ams") & (series["adversary"] == "ams-attack")]
    wanted = (1 + mine["rel_error"]).groupby(mine["step"]).median()
    assert np.allclose(lines[0].get_xdata(), wanted.index)
    assert np.allclose(lines[0].get_ydata(), wanted)
    assert any(patch.get_gid() == "promised" for patch in panels[0].patches)


def test_what_cannot_be_drawn_is_said(results: Path) -> None:
    tables = read_tables([results])
    with pytest.raises(ValueError, match="scale must be log or linear"):
        Ratio(scale="cubic")
    empty = tables.where("protocol == 'ams'")
    object.__setattr__(empty, "series", empty.series.iloc[:0])
    with pytest.raises(ValueError, match=r"needs series.csv"):
        Ratio().draw(empty)
    with pytest.raises(ValueError, match="theory must be a column of numbers"):
        Measure(x="updates", y="words", theory="dogma").draw(tables)
