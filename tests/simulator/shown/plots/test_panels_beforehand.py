"""A scenario is refused before its games where its figure could not be drawn: room for ratios, axes, limits, bands."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from disttrack.simulator import load, run
from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.experiments.scenario.figures import check_plot
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder for the games, which several figures show."""
    return tmp_path_factory.mktemp("games")


MARTINGALES = {"kind": "martingale", "delta": [0.1, 0.2], "parameters": ["tight", "simple"]}


@pytest.mark.parametrize(
    ("figure", "more", "refused"),
    [
        ({"ratio_to": "martingale"}, {}, "ratio_to: martingale has several values of delta"),
        ({"ratio_to": "deterministic"}, {}, ""),
        ({"x": "parameters"}, {}, "x: 'parameters' has words, and a line needs numbers"),
        ({"x": "delta"}, {}, ""),
        ({"x": "start", "scale": "x=log"}, {"start": [0, 9]}, "scale: x=log needs values above 0; the least is 0"),
        ({"x": "start", "scale": "x=log"}, {"start": [1, 9]}, ""),
        ({"kind": "measure", "y": "ok", "band": "games"}, {}, "band: 'ok' is true or false; use interval or none"),
        ({"kind": "measure", "y": "words", "band": "games"}, {}, ""),
        ({"kind": "measure", "y": "words", "limit": "sites"}, {}, "limit must have one value; 'sites' has 2"),
        ({"kind": "measure", "y": "words", "limit": "items"}, {}, ""),
        ({"x": "delta", "lower_bounds": True}, {}, "lower_bounds: games at one place of delta differ in sites; choose"),
        ({"lower_bounds": True}, {}, ""),
        ({"kind": "error"}, {"alpha": None, "protocol": "exact"}, "no protocol here promises an alpha"),
        ({"kind": "error"}, {"protocol": ["exact", "deterministic"]}, ""),
    ],
)
def test_what_cannot_be_drawn_is_refused_before_the_games(
    figure: dict[str, Any], more: dict[str, Any], refused: str, folder: Path
) -> None:
    """By the line that drawing says, or it is drawn: both are tried where no outcome chooses the games."""
    plot = {"kind": "cost", "x": "sites", **figure}
    data: dict[str, Any] = {"name": "a", "question": "?", "sites": [2, 4], "items": 60, "adversary": "freeze"}
    data |= {"alpha": 0.2, "protocol": ["deterministic", MARTINGALES], "trials": 1, **more}
    data = {key: value for key, value in data.items() if value is not None}
    out = folder / str(more)
    if refused:
        with pytest.raises(ScenarioError, match=refused):
            load({**data, "plots": [plot]})
    else:
        assert not load({**data, "plots": [plot]}).skipped
    if not out.exists():
        run(data, out=out, workers=1)
    try:
        described_of(read_tables([out]), check_plot(plot))
        said = ""
    except ValueError as error:
        said = str(error)
    assert bool(said) == bool(refused), said
