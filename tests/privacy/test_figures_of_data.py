"""Figures of games of this wing: values computed again, bars to scale, shipped ones drawn again byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import pandas as pd
import pytest
from drawn import described, marks
from drawn_again import REFERENCE, asked, hold_drawn_again
from synthetic_results import write_result

from disttrack.privacy.plots import PLOTS
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.base import DOUBLE, SCREEN, Page
from disttrack.simulator.shown.plots.requests import described_of, figure_of, plot_of
from disttrack.simulator.shown.plots.style import house_style, lay_out
from tests.simulator.shown.plots.test_every_kind import hold_without_steps
from tests.simulator.shown.plots.test_shipped_figures import hold_captions


@pytest.mark.parametrize("page", [SCREEN, DOUBLE], ids=lambda page: page.name or "screen")
def test_names_of_parts_of_a_budget_end_in_their_bars(page: Page, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16,), trials=1, protocols=("robust",), adversaries=("freeze",))
    widths = [0.0588] * 14 + [0.0884] * 2  # a paper has room for the name in the latter only
    parts = [{"name": "release", "epsilon": width, "spent": 0.0, "rule": "leaf"} for width in widths]
    ledger = {"name": "all", "epsilon": sum(widths), "spent": 0.0, "rule": "sequence", "parts": parts}
    rows = pd.read_csv(folder / "trials.csv").assign(ledger=json.dumps(ledger))
    rows.to_csv(folder / "trials.csv", index=False)
    tables = read_tables([folder])
    with house_style(page):
        figure = figure_of(tables, plot_of("budget", tables))
        lay_out(figure)
        (axes,) = (one for one in figure.axes if one.patches)
        bars = [bar.get_window_extent() for bar in axes.patches]
        named = [text.get_window_extent() for text in axes.texts if text.get_text() == "release"]
    assert len(named) >= 2
    for box in named:
        own = [bar for bar in bars if bar.x0 <= box.x0 < bar.x1 and bar.y0 < (box.y0 + box.y1) / 2 < bar.y1]
        assert box.x1 <= min(bar.x1 for bar in own if bar.width > 1)


@pytest.mark.parametrize("kind", ["ratio", "size"])
def test_data_sets_without_a_step_are_drawn_or_refused(kind: str) -> None:
    hold_without_steps(kind)


def test_rows_leave_out_parameters_that_move_with_another_one() -> None:
    plot = {"kind": "spread", "y": "items_at_halt", "limit": "threshold", "where": "part == 'below'"}
    (panel,) = described(REFERENCE / "monitor", plot).panels
    rows = pd.read_csv(REFERENCE / "monitor" / "trials.csv.gz")
    rows = rows[(rows["protocol"] == "release-monitor") & (rows["adversary"] == "hard-instance")]
    mine = rows[rows["items"] == 2**26]
    name = "release-monitor(steps=$2^{26}$), against hard-instance"
    assert marks(panel)[name] == pytest.approx(mine["items_at_halt"].median())
    assert marks(panel, "limit")[name] == 8


FIGURES: Final = (("dynamic", 0), ("dynamic", 1), ("monitor", 1), ("queries", 0), ("static", 0))
"""Scenarios, and the place of the figure among theirs: small tables, so that each takes a second at most."""


def test_there_is_one_of_each_kind_of_this_wing() -> None:
    """But `ratio`, whose reference results are shipped without the courses of their games."""
    assert {asked(*figure)["kind"] for figure in FIGURES} >= PLOTS.keys() - {"ratio"}


@pytest.mark.quick_cases(2)
@pytest.mark.parametrize(("name", "place"), FIGURES)
def test_a_shipped_figure_of_data_is_drawn_again(name: str, place: int, tmp_path: Path) -> None:
    hold_drawn_again(name, place, tmp_path)


def test_a_measure_with_the_name_of_a_parameter_splits_no_line() -> None:
    """`peak` is measured in all games on data sets, and a parameter of two adversaries that play in other parts."""
    tables = read_tables([REFERENCE / "dynamic"])
    plot = check_plot({"kind": "measure", "x": "steps", "y": "max_abs_error", "where": "part == 'growing'"})
    assert len(described_of(tables, plot).panels) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", ["audit", "mirror"])
def test_captions_of_data_are_those_of_the_tables(name: str) -> None:
    hold_captions(name)
