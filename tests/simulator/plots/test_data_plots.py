"""The figures of games on data sets: what they show, and one line where there is nothing to show."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulator.plots import draw
from simulator.plots.budget import Budget
from simulator.plots.size import SizeOverTime
from simulator.plots.style import house_style
from simulator.results.folder import Results
from simulator.results.read import read_tables
from simulator.runs.runner import run

SCENARIO = """
name: changing
title: A data set that changes
task: dynamic-queries
seed: 3
trials: 2
domain: 4
steps: 2000
protocol:
  - {kind: fully-dynamic, epsilon: 1, queries: points}
  - {kind: inserted-minus-deleted, epsilon: [1, 8], queries: points}
adversary:
  - {kind: churn, peak: 200}
  - {kind: grow-and-delete, peak: 500, rest: 10}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("changing")
    (place / "changing.yaml").write_text(SCENARIO)
    run(place / "changing.yaml", out=place / "out", workers=1)
    return place / "out"


def test_the_size_figure_has_a_line_a_mechanism_and_the_size(folder: Path) -> None:
    with house_style():
        figure = SizeOverTime().draw(read_tables([folder]))
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert [axes.get_title(loc="left") for axes in panels] == ["against churn", "against grow-and-delete"]
    for axes in panels:
        assert len(axes.lines) == 4  # the size, and three mechanisms
    size = panels[1].lines[0].get_ydata()
    assert max(size) > 400
    assert min(size[-5:]) in (10, 11)
    names = [text.get_text() for text in panels[1].texts]
    assert {"items", "fully-dynamic", "inserted-minus-deleted, epsilon 8"} <= set(names)


def test_the_budget_figure_is_to_scale(folder: Path) -> None:
    with house_style():
        figure = Budget().draw(read_tables([folder]))
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == [
        "fully-dynamic",
        "inserted-minus-deleted, epsilon 1",
        "inserted-minus-deleted, epsilon 8",
    ]
    bars = figure.axes[0].patches
    assert bars[0].get_width() == pytest.approx(1.0)  # the whole budget, then what is spent of it
    assert 0.5 < bars[1].get_width() < 0.75
    halves = [bar.get_width() for bar in bars if bar.get_y() == pytest.approx(1 + 0.46 - 0.43)]
    assert halves[0] == halves[2] == pytest.approx(0.5)
    assert all(bar.get_x() + bar.get_width() <= 1 + 1e-9 for bar in bars)
    assert "partition" in [text.get_text().split(" ×")[0] for text in figure.axes[0].texts]


def test_other_tasks_have_neither(tmp_path: Path) -> None:
    (tmp_path / "count.yaml").write_text(
        "name: count\ntitle: count\nsites: 4\nitems: 100\nprotocol: exact\nadversary: round-robin\n"
    )
    results: Results = run(tmp_path / "count.yaml", out=tmp_path / "out", workers=1)
    for kind, said in (("budget", "needs the ledgers"), ("size", "needs the timelines")):
        with pytest.raises(ValueError, match=said):
            draw(results, [kind])
