"""Shipped figures of this wing come out again byte for byte: one of each of its kinds, but `ratio`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from drawn_again import REFERENCE, asked, hold_drawn_again

from disttrack.privacy.plots import PLOTS
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.requests import described_of
from tests.simulator.shown.plots.test_shipped_figures import hold_captions

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
