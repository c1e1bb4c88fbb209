"""Tests of my_plot.py: python -m pytest test_my_plot.py"""

from pathlib import Path

import pytest

from disttrack import run
from disttrack.simulator.shown.plots import check_plot, draw
from disttrack.simulator.workshop.templates.my_plot import MyPlot

SCENARIO = Path(__file__).with_name("my_plot.yaml")


def test_it_draws_the_games_of_a_scenario(tmp_path: Path) -> None:
    results = run(SCENARIO, overrides=["trials=3", "sites=4", "items=1000"], out=tmp_path / "out", workers=1)
    drawn = draw(results.dir, [MyPlot(bins=5)])
    assert sorted(path.suffix for path in drawn) == [".png", ".svg"]
    assert all(path.stat().st_size > 1000 for path in drawn)


def test_what_it_does_not_take_is_refused_before_anything_runs() -> None:
    asked = {"kind": "disttrack.simulator.workshop.templates.my_plot:MyPlot", "bins": 5}
    assert check_plot(asked) == MyPlot(bins=5)
    with pytest.raises(ValueError, match="at least 2"):
        check_plot({**asked, "bins": 1})
    with pytest.raises(ValueError, match="did you mean 'bins'"):
        check_plot({**asked, "bans": 5})
