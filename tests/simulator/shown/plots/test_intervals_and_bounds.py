"""Intervals of ratios, too few games for intervals, and bounds beyond the panel: values that no golden proves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from synthetic_results import write_result

from disttrack.simulator.experiments.claims.statistics import EACH, order_interval
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.description import Description, Series
from disttrack.simulator.shown.plots.requests import described_of


def described(folders: list[Path], request: dict[str, Any]) -> Description:
    made = described_of(read_tables(folders), check_plot(request))
    assert made is not None
    return made


def test_intervals_of_ratios_are_those_of_compare(tmp_path: Path) -> None:
    """Those of the games over the unit's median alone, as they were drawn once, are narrower."""
    sides = {"protocols": ("randomized",), "adversaries": ("freeze",)}
    folders = [write_result(tmp_path / name, trials=15, **sides) for name in ("before", "after")]
    trials = pd.read_csv(folders[1] / "trials.csv")
    trials.assign(words=3 * trials["words"] + trials["trial"]).to_csv(folders[1] / "trials.csv", index=False)
    figure = described(folders, {"kind": "cost", "x": "sites", "ratio_to": "before", "band": "interval"})
    words = [pd.read_csv(folder / "trials.csv").groupby("sites")["words"] for folder in folders]
    (before, after) = ([order_interval(np.sort(one), 0.5, EACH) for _, one in groups] for groups in words)
    lines = {one.name: one for one in figure.panels[-1].of(Series, "")}
    (unit,) = (one for name, one in lines.items() if "before" in name)
    (ratio,) = (one for name, one in lines.items() if "after" in name)
    assert np.isnan(np.asarray(unit.low, dtype=float)).all()
    wanted = [(one[0] / other[1], one[1] / other[0]) for one, other in zip(after, before, strict=True)]
    assert np.c_[ratio.low, ratio.high] == pytest.approx(np.array(wanted))
    assert figure.marks == "medians and their ratios, bars: their 95 % intervals"


def test_bars_of_ratios_are_named_only_where_there_are_any(tmp_path: Path) -> None:
    """Seen: "medians and their ratios, bars: their 95 % intervals" of six games, whose ratios have none."""
    folder = write_result(tmp_path / "six", trials=6, protocols=("randomized", "martingale"), adversaries=("freeze",))
    request = {"kind": "cost", "x": "sites", "ratio_to": "martingale", "band": "interval"}
    assert described([folder], request).marks == "medians, bars: their 95 % intervals, none of ratios: too few games"
