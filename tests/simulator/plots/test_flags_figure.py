"""The figure of flags: the games it shows, the flags it shades, and what it is refused for."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.plots import check_plot
from simulator.plots.figures import figure_of
from simulator.plots.style import house_style
from simulator.results.read import read_tables
from simulator.runs.runner import run

SCENARIO = """name: small
task: prediction
trials: 2
steps: 3000
protocol: {protocol}
adversary:
  - {{kind: point-stream, noise: 0}}
  - {{kind: point-stream, noise: 0.2}}
"""


def made(folder: Path, protocol: str) -> Path:
    path = folder / "small.yaml"
    path.write_text(SCENARIO.format(protocol=protocol), encoding="utf-8")
    run(path, out=folder / "small")
    return folder / "small"


def test_flags_are_shaded_and_mistakes_drawn(tmp_path: Path) -> None:
    tables = read_tables([made(tmp_path, "{kind: point-predictor, epsilon: 6, delta: 0.03}")])
    with house_style():
        figure = figure_of(tables, check_plot({"kind": "flags"}))
        figure.draw_without_rendering()
    axes = [one for one in figure.axes if one.get_visible()]
    assert len(axes) == 2
    titles = [one.get_title(loc="left") for one in axes]
    assert all("noise" in title and "mistakes" in title for title in titles)
    flags = tables.trials.groupby("point")["_flag"].max()
    for one, flag in zip(axes, flags, strict=True):
        spans = [patch for patch in one.patches if patch.get_width() > 0]
        assert len(spans) == {2: 3, 3: 3, 1: 2}[int(flag)]  # 0 and 1 come first
        mistakes = one.lines[1].get_ydata()
        assert list(mistakes) == sorted(mistakes)
    assert {"mistakes", "labels 1"} <= {text.get_text() for legend in figure.legends for text in legend.get_texts()}


def test_games_without_flags_are_refused(tmp_path: Path) -> None:
    tables = read_tables([made(tmp_path, "{kind: plain}")])
    with house_style(), pytest.raises(ValueError, match="needs games of the predictor"):
        figure_of(tables, check_plot({"kind": "flags"}))
