"""A scenario is refused before its games where a figure of ratios would have no room: by the panels that are drawn."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator import load, run
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots.kinds import BESIDE, Cost
from disttrack.simulator.shown.plots.requests import _files, described_of

ADVERSARIES: list[Any] = [
    "freeze", "round-robin", {"kind": "feedback", "block": [5, 20]}, {"kind": "feedback", "block": 50}, "uniform",
]  # fmt: skip


def drawn(seed: int) -> dict[str, Any]:
    """Return a sweep: few or many adversaries, and parameters that crowd their panels or do not."""
    chance = random.Random(seed)
    data: dict[str, Any] = {"name": "drawn", "question": "?", "trials": 1, "items": [30, 60]}
    data["protocol"] = ["randomized", *chance.sample(["deterministic", "robust", "block"], chance.randint(0, 3))]
    data["adversary"] = chance.sample(ADVERSARIES, chance.randint(1, 4))
    data["alpha"] = chance.sample([0.1, 0.2, 0.3], chance.randint(1, 3))
    data["sites"] = chance.sample([2, 3, 5], chance.randint(1, 2))
    return data


@pytest.mark.slow
def test_the_panels_are_those_that_are_drawn(tmp_path: Path) -> None:
    ends, split = set(), 0
    for seed in range(6):
        data = drawn(seed)
        run(data, out=tmp_path / str(seed), workers=1)
        tables, words = read_tables([tmp_path / str(seed)]), Cost(x="items")
        figures = [described_of(tables, part) for part in _files(words, tables).values()]
        panels = max(len(one.panels) for one in figures)
        data["plots"] = [{"kind": "cost", "x": "items", "ratio_to": "randomized"}]
        ends.add(panels > BESIDE)
        split += panels != tables.with_adversaries_named("items").trials["adversary"].nunique()
        if panels <= BESIDE:
            assert not load(data).skipped
            continue
        with pytest.raises(ScenarioError, match=f"ratio_to has room for {BESIDE} panels, not {panels}; choose with"):
            load(data)
    assert ends == {True, False}
    assert split  # to count adversaries would not do


@pytest.mark.parametrize(("unit", "refused"), [("martingale", True), ("deterministic", False)])
def test_a_unit_with_several_settings_is_refused_before_the_games(unit: str, refused: bool) -> None:
    data: dict[str, Any] = {"name": "a", "question": "?", "sites": [2, 4], "items": 60, "adversary": "freeze"}
    data["alpha"] = 0.2
    data["protocol"] = ["deterministic", {"kind": "martingale", "delta": [0.1, 0.2]}]
    data["plots"] = [{"kind": "cost", "x": "sites", "ratio_to": unit}]
    if refused:
        with pytest.raises(ScenarioError, match="ratio_to: martingale has several values of delta; choose with where"):
            load(data)
    else:
        assert not load(data).skipped
