"""Each mark of a figure has one meaning, and no panel has more lines than can be told apart: of every figure."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from drawn_again import REFERENCE
from synthetic_results import write_result

from disttrack.simulator.experiments.results.read import Tables, read_tables
from disttrack.simulator.experiments.scenario.shipped import shipped_scenarios
from disttrack.simulator.shown.plots.base import Plot
from disttrack.simulator.shown.plots.description import Description, Series
from disttrack.simulator.shown.plots.kinds import Curves
from disttrack.simulator.shown.plots.panels import edges_of, value_axis
from disttrack.simulator.shown.plots.requests import described_of, planned
from disttrack.simulator.shown.plots.sweep import MOST_LINES, MOST_PANELS

SHIPPED: Final = sorted(name for name in shipped_scenarios() if (REFERENCE / name / "manifest.json").is_file())
PARTS: Final = 6
THEORY: Final = ("bound", "lower bound")
SWEEPS: Final[tuple[dict[str, Any], ...]] = (
    {"alphas": (0.05, 0.1)},
    {"alphas": (0.05, 0.1, 0.2), "extra": ("delta", [0.1, 0.2])},
    {"extra": ("delta", [0.1, 0.2, 0.3])},
    {"extra": ("delta", [0.01 * (1 + one) for one in range(9)]), "protocols": ("robust",)},
    {"extra": ("patience", [1, 2, 3]), "side": "adversary", "adversaries": ("freeze",)},
    {"alphas": (0.05, 0.1), "extra": ("patience", [1, 2, 3]), "side": "adversary"},
    {"protocols": ("robust", "exact", "block", "deterministic", "randomized", "martingale", "batch", "countdown")},
    {"alphas": tuple(0.01 * (1 + one) for one in range(12)), "protocols": ("robust",)},
    {"alphas": (0.05, 0.1, 0.2), "protocols": ("robust", "exact"), "sites": (16, 64)},
    {"sites": (1, 16, 17, 64, 65, 1024), "protocols": ("robust",)},
)
"""Sweeps of sites and one or two further parameters, or kinds."""


def hold_rules(plot: Plot, made: Description) -> Counter[str]:
    """Assert what holds of every figure; return how often there was something to be seen."""
    seen = Counter[str]()
    assert len(made.panels) <= MOST_PANELS * (1 + bool(getattr(plot, "ratio_to", "")))
    for panel in made.panels:
        series = panel.of(Series)
        lines = {one.name: one for one in series if one.role == ""}
        if isinstance(plot, Curves):
            assert len(lines) <= MOST_LINES
            assert len({(one.look.colour, one.look.marker) for one in lines.values()}) == len(lines)
            seen["lines"] += len(lines)
        for one in series:
            assert one.look.dashes in ("-", "") or one.role in THEORY, f"dashes of {one.role or one.name}"
            assert one.look.hollow == (one.role == "fails")
            if one.role == "bound":
                assert one.look.colour == lines[one.name].look.colour
            seen[one.role] += 1
    if isinstance(plot, Curves):
        places = {float(f"{x:.9g}") for panel in made.panels for one in panel.of(Series, "") for x in one.x}
        if len(places) <= 30:
            assert {*(made.panels[0].x.ticks or ())} >= places, "a swept value without a tick"
            seen["ticks"] += 1
        drawn = [one for panel in made.panels for one in panel.of(Series, "") if panel.y is made.panels[0].y]
        highest = max(float(np.nanmax(np.where(np.isinf(one.high), one.y, one.high))) for one in drawn)
        axis, least = made.panels[0].y, 5.0 if plot.kind == "error" else 0.0
        limit = getattr(plot, "limit", "")
        if axis.ends[1] and np.isfinite(highest) and not limit:
            assert axis.ends[1] <= max(1.5 * highest, least, 1.0), "theory sets the limits"
            seen["ends"] += 1
    return seen


@pytest.mark.parametrize("scale", ["", "linear", "log"])
@pytest.mark.parametrize("values", [[-3.0, -2.0], [-3.0, 5.0], [0.0], [0.0, 1e6], [1e-6, 1e6], [2.0, 2.1], [-1.0, inf]])
def test_an_axis_has_room_for_all_its_values(values: list[float], scale: str) -> None:
    axis = value_axis("words", values, edges_of(values), scale=scale)
    low, high = axis.ends
    assert low is not None
    assert high is not None
    assert all(low <= one <= high for one in np.clip(values, *axis.edges))


def figures(tables: Tables) -> list[tuple[Plot, Description]]:
    """Return the figures of a result that its tables can draw."""
    drawn = []
    for plot in planned(next(iter(tables.results.values())), tables, None)[0].values():
        with suppress(ValueError):  # of series.csv, which is not shipped
            drawn.append((plot, described_of(tables, plot)))
    return [(plot, one) for plot, one in drawn if isinstance(one, Description)]


@pytest.mark.drawn(5)
@pytest.mark.quick_cases(2)
@pytest.mark.parametrize("sweep", SWEEPS, ids=range(len(SWEEPS)))
def test_figures_of_sweeps_obey_the_rules(sweep: dict[str, Any], tmp_path: Path) -> None:
    tables = read_tables([write_result(tmp_path / "sweep", trials=2, **sweep)])
    for request in ({"kind": "cost", "x": "sites"}, {"kind": "error", "x": "sites"}, {"kind": "frontier"}):
        plots = planned(next(iter(tables.results.values())), tables, [request])[0]
        made = [(plot, described_of(tables, plot)) for plot in plots.values()]
        every = [line.name for _, one in made for panel in one.panels for line in panel.of(Series, "")]
        seen = sum((hold_rules(plot, one) for plot, one in made), Counter[str]())
        assert every
        if request["kind"] != "frontier":
            assert seen["lines"] >= len(every)
            assert seen["ticks"] == len(plots)


def test_the_caption_of_a_frontier_counts_the_games_that_are_drawn(tmp_path: Path) -> None:
    sweep = {"alphas": (0.05, 0.1, 0.2), "extra": ("delta", [0.01 * (1 + one) for one in range(8)])}
    tables = read_tables([write_result(tmp_path / "sweep", trials=2, sites=(16, 64), adversaries=("freeze",), **sweep)])
    (plot,) = planned(next(iter(tables.results.values())), tables, [{"kind": "frontier"}])[0].values()
    made = described_of(tables, plot)
    assert isinstance(made, Description)
    assert "without room" in made.note
    counted = sum(map(int, re.findall(r"of (\d+) games hold", made.caption)))
    assert counted == len(made.games) < len(tables.trials)


@pytest.mark.drawn(2)
@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_shipped_figures_obey_the_rules(part: int) -> None:
    """Those of every sixth result, and of `headline`, which has a mark of each role."""
    seen = Counter[str]()
    for name in sorted({*SHIPPED[part::PARTS], "headline"}):
        tables = read_tables([REFERENCE / name])
        assert tables.trials.columns.is_unique, name
        for plot, made in figures(tables):
            seen += hold_rules(plot, made)
            seen["figures"] += 1
    assert seen["figures"] >= 15
    assert min(seen[one] for one in ("bound", "fails", "lower bound", "ticks", "ends")) >= 1
