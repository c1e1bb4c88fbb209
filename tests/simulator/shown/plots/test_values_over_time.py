"""Values of `timeline` figures, computed a second way from series.csv and trials.csv; panels by a column of a task."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from drawn import described
from synthetic_results import write_result

from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.shown.plots.description import Panel, Region, Series

ALARMS = """
name: alarms
task: threshold
seed: 3
trials: 1
sites: [2, 4]
threshold: 60
protocol:
  - {kind: batch, threshold: 60, epsilon: [0.25, 0.5]}
  - {kind: deterministic, alpha: [0.25, 0.5]}
adversary: {kind: round-robin}
"""


def played(folder: Path, text: str) -> Path:
    (folder / "game.yaml").write_text(text, encoding="utf-8")
    run(folder / "game.yaml", out=folder / "out", workers=1)
    return folder / "out"


def three_digits(value: float) -> str:
    return f"{float(f'{value:.3g}'):,.0f}"


def of(panel: Panel, name: str, role: str = "") -> Series:
    (one_series,) = (one for one in panel.of(Series, role) if one.name == name)
    return one_series


def test_a_column_of_the_task_makes_panels(tmp_path: Path) -> None:
    folder = played(tmp_path, ALARMS)
    made = described(folder, {"kind": "measure", "x": "sites", "y": "words_to_alarm", "by": "epsilon_promised"})
    assert [panel.title for panel in made.panels] == ["epsilon_promised=0.25", "epsilon_promised=0.5"]
    assert [sorted(line.name for line in panel.of(Series)) for panel in made.panels] == [["batch", "deterministic"]] * 2


@pytest.mark.parametrize(("key", "message"), [
    ("theory", "theory must be a column of numbers"), ("by", r"by must be a column of trials\.csv; got 'dogma'"),
])  # fmt: skip
def test_a_measure_of_an_unknown_column_is_refused_in_one_line(key: str, message: str, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", sites=(16,), trials=1)
    with pytest.raises(ValueError, match=message):
        described(folder, {"kind": "measure", "x": "sites", "y": "words", key: "dogma"})


def test_a_timeline_has_the_worst_game_of_each_protocol_against_one_adversary(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "headline", sites=(256,), trials=3)
    made = described(folder, {"kind": "timeline"})
    assert (len(made.panels), made.columns) == (8, 4), "error and words: on logarithms an estimate is its truth"
    trials, series = (pd.read_csv(folder / f"{name}.csv") for name in ("trials", "series"))
    for above, below in zip(made.panels[:4], made.panels[4:], strict=True):
        assert "against freeze" in above.title, "each one's own worst would be round-robin for some"
        protocol = above.title.split("\n")[0]
        games = trials[(trials["protocol"] == protocol) & (trials["adversary"] == "freeze")]
        game = games.loc[games["max_rel_error"].idxmax()]
        mine = series[(series["point"] == game["point"]) & (series["trial"] == game["trial"])].sort_values("step")
        error = of(above, "error")
        assert list(error.x) == list(mine["items"])
        assert list(error.y) == pytest.approx((mine["rel_error"] / 0.03).tolist())
        assert list(of(below, "words").y) == list(mine["words"])
        assert [(one.low, one.high) for one in above.of(Region)] == [(-1, 1)]
        assert f"{protocol}, against freeze, " in made.caption
        assert f"{three_digits(game['words'])} words" in made.caption
    errors = (trials["max_rel_error"] / trials["alpha"]).groupby([trials["protocol"], trials["adversary"]]).max()
    assert (errors[:, "round-robin"] > errors[:, "freeze"]).any()
    reach = max(abs(y) for panel in made.panels[:4] for y in of(panel, "error").y)
    assert made.panels[0].y.ends == pytest.approx((-1.12 * reach, 1.12 * reach))
