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


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (
            {"kind": "cots", "x": "sites"},
            r"unknown kind 'cots' of plot; did you mean 'cost'\? \(accepted: breakdown, cost, ",
        ),
        ({"x": "sites"}, "a plot needs its kind"),
        ({"kind": "cost"}, r"x: cost needs this parameter \(accepted: "),
        ({"kind": "cost", "x": "site"}, r"that the scenario sweeps \(sites, confidence\).*did you mean 'sites'"),
        ({"kind": "cost", "x": "adversary"}, "must be an axis that the scenario sweeps"),
        ({"kind": "cost", "x": "sites", "y": "word"}, "y: must be one of words, messages, bits"),
        ({"kind": "matrix", "x": "sites"}, r"x: matrix has no such parameter \(accepted: .*controls"),
        ({"kind": "timeline", "whre": "ok"}, "did you mean 'where'"),
        ({"kind": "timeline", "where": "sites >"}, "where: "),
    ],
)
def test_anything_else_is_refused_in_one_line(asked: object, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        check_plot(asked, SWEPT)
    assert "\n" not in str(caught.value)


def test_without_a_sweep_there_is_no_axis() -> None:
    with pytest.raises(ValueError, match="nothing is swept"):
        check_plot({"kind": "cost", "x": "sites"}, ())
