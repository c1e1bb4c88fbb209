"""Games in rows beside what they must keep, shares with their intervals, halts with their outcomes, controls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from drawn import figure
from scipy.stats import binomtest
from synthetic_results import write_result

from simulator.plots import check_plot
from simulator.plots.caption_file import caption_of
from simulator.results.read import read_tables

REFERENCE = Path(__file__).resolve().parents[3] / "results" / "reference"


def test_an_audit_shows_the_loss_of_each_mechanism_beside_what_is_proved() -> None:
    made = figure(REFERENCE / "audit", {"kind": "spread", "y": "loss", "limit": "allowed", "where": "exact"})
    axes = made.axes[0]
    rows = [text.get_text() for text in axes.get_yticklabels()]
    marks = {rows[int(line.get_ydata()[0])]: line.get_xdata()[0] for line in axes.lines if line.get_gid() == "median"}
    limits = {rows[int(line.get_ydata()[0])]: line.get_xdata()[0] for line in axes.lines if line.get_gid() == "limit"}
    assert len(rows) >= 20
    assert set(marks) == set(limits) == set(rows)
    above = {row for row in rows if marks[row] > limits[row] + 1e-6}
    assert above == {"binary, literal"}, "the published number of levels is refuted, and nothing else"


def test_a_row_takes_no_limit_that_it_is_not_given(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "rows", sites=(16,), trials=3)
    request = {"kind": "spread", "y": "words"}
    axes = figure(folder, request).axes[0]
    assert not [line for line in axes.lines if line.get_gid() == "limit"]
    axes = figure(folder, {**request, "limit": 2000}).axes[0]
    assert {line.get_xdata()[0] for line in axes.lines if line.get_gid() == "limit"} == {2000.0}
    with pytest.raises(ValueError, match="limit must be a column of numbers"):
        figure(folder, {**request, "limit": "nowhere"})


def test_shares_have_the_exact_interval(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "shares", sites=(16, 256), trials=5)
    made = figure(folder, {"kind": "share", "x": "sites", "where": "adversary == 'freeze'"})
    found = {}
    for container in made.axes[0].containers:
        line, _, (bars,) = container
        ends = [segment[:, 1].tolist() for segment in bars.get_segments()]
        found[container.get_label()] = list(zip(line.get_ydata(), ends, strict=True))
    assert len(found) == 4
    for protocol, held in (("robust", 5), ("randomized", 0)):
        interval = binomtest(held, 5).proportion_ci(0.95)
        share, (low, high) = found[protocol][-1]
        assert share == held / 5
        assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_monitors_say_how_often_they_miss() -> None:
    made = figure(REFERENCE / "monitor", {"kind": "halts"})
    texts = [text.get_text() for text in made.axes[0].texts if text.get_gid() == "outcome"]
    rows = [text.get_text() for text in made.axes[0].get_yticklabels()]
    told = dict(zip(rows, texts, strict=True))
    assert told["sparse-vector-monitor, steps $2^{20}$, against hard-instance"] == "late"
    assert told["sparse-vector-monitor, steps $2^{61}$, against scattered"] == "right 98.9 %, early 1.07 %"
    with pytest.raises(ValueError, match="games of threshold monitors"):
        figure(REFERENCE / "queries", {"kind": "halts"})


def test_the_controls_of_claims_stand_below_what_they_control() -> None:
    folder = REFERENCE / "noise-matters"

    def rows(request: dict[str, Any]) -> list[str]:
        return [text.get_text() for text in figure(folder, request).axes[0].get_yticklabels()]

    assert rows({"kind": "matrix", "controls": True}) == ["robust", "robust, fault no-noise"]
    assert rows({"kind": "matrix"}) == ["robust"]
    told = caption_of(read_tables([folder]), check_plot({"kind": "matrix", "controls": True}))
    assert "robust holds in 400 of 400; robust, fault no-noise holds in 0 of 100" in told


def test_captions_say_powers_only_where_there_are_any() -> None:
    tables = read_tables([REFERENCE / "headline"])
    told = caption_of(tables, check_plot({"kind": "cost", "x": "sites"}))
    assert "as k^(0.50 ± 0.02)" in told
    assert "deterministic goes from below" not in told
    told = caption_of(tables, check_plot({"kind": "error", "x": "sites"}))
    assert "deterministic is below 0.1" in told
    tables = read_tables([REFERENCE / "growth"])
    told = caption_of(tables, check_plot({"kind": "cost", "x": "items"}))
    assert "as N^" not in told, "words grow with the logarithm of the items"
