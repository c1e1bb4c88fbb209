"""Entries of `plots:`: what is accepted, and the line that refuses anything else."""

from __future__ import annotations

import pytest

from disttrack.simulator.shown.plots import PLOTS, check_plot

SWEPT = ("protocol", "adversary", "sites", "confidence")


def test_each_kind_is_accepted_in_its_shortest_form() -> None:
    for kind in PLOTS:
        asked = {"kind": kind}
        if kind in ("cost", "error", "measure", "share"):
            asked["x"] = "sites"
        if kind in ("measure", "spread"):
            asked["y"] = "seconds"
        assert check_plot(asked, SWEPT).kind == kind


def test_the_name_of_the_file_says_what_it_shows() -> None:
    assert check_plot({"kind": "cost", "x": "sites"}).name == "cost-sites"
    assert check_plot({"kind": "cost", "x": "sites", "y": "bits"}).name == "cost-sites-bits"
    assert check_plot("matrix").name == "matrix"


def test_without_a_sweep_there_is_no_axis() -> None:
    with pytest.raises(ValueError, match="nothing is swept"):
        check_plot({"kind": "cost", "x": "sites"}, ())
