"""Values of `ratio` figures, computed a second way from series.csv and trials.csv."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pandas as pd
import pytest
from drawn import described, of, played

from disttrack.privacy.plots.kinds import Ratio
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots.description import Area, Region, Rule

RATIOS = """\
name: ratios
sites: 9
items: 3000
trials: 3
protocol:
  - {kind: randomized, alpha: 0.1}
  - {kind: block, alpha: 0.1}
adversary: [{kind: freeze}, {kind: round-robin}]
"""


@pytest.fixture(scope="module")
def ratios(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("ratio"), RATIOS)


def test_ratios_are_medians_of_estimate_over_truth(ratios: Path) -> None:
    made = described(ratios, {"kind": "ratio"})
    assert [panel.title for panel in made.panels] == ["against freeze", "against round-robin"]
    series, trials = (pd.read_csv(ratios / f"{name}.csv") for name in ("series", "trials"))
    mine = series[(series["protocol"] == "randomized") & (series["adversary"] == "freeze")]
    line, (band,) = (
        of(made.panels[0], "randomized"),
        (one for one in made.panels[0].of(Area) if one.name == "randomized"),
    )
    for place in (0, len(line.x) // 2, -1):
        values = sorted(1 + mine[mine["step"] == line.x[place]]["rel_error"])
        assert line.y[place] == pytest.approx(median(values))
        low, high = values[0] + 0.1 * (values[1] - values[0]), values[2] - 0.1 * (values[2] - values[1])
        assert (band.low[place], band.high[place]) == pytest.approx((low, high))
    (alpha,) = set(trials["alpha"])
    assert [(one.low, one.high) for one in made.panels[0].of(Region)] == [pytest.approx((1 - alpha, 1 + alpha))]
    assert [one.at for one in made.panels[0].of(Rule)] == [1]


def test_games_without_a_course_have_no_ratios(ratios: Path) -> None:
    empty = read_tables([ratios]).where("protocol == 'block'")
    object.__setattr__(empty, "series", empty.series.iloc[:0])
    with pytest.raises(ValueError, match=r"needs series.csv"):
        Ratio().describe(empty)
