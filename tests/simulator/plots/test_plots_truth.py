"""What a figure shows is true: nothing is mixed that differs, each sign means one thing."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from drawn import figure, shown
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from synthetic_results import write_result

from simulator.plots import captions
from simulator.plots.breakdown import COLOURS, SPARE
from simulator.plots.error import FLOOR
from simulator.plots.marks import MARKS
from simulator.points.registry import kinds
from simulator.results.fixed import fixed
from simulator.results.read import read_tables


def change(folder: Path, table: str, edit: Any) -> None:
    path = folder / f"{table}.csv"
    rows = pd.read_csv(path)
    edit(rows)
    rows.to_csv(path, index=False)


def note(made: Figure, what: str = "note") -> str:
    return next(text.get_text() for text in made.texts if text.get_gid() == what).replace("\n", " ")


def of(axes: Axes, gid: str) -> list[Any]:
    return [line for line in axes.lines if line.get_gid() == gid and len(line.get_xdata())]


@pytest.fixture(scope="module")
def headline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("truth") / "headline", sites=(16, 256), trials=3)


def test_a_frontier_of_several_accuracies_shows_relative_errors_and_each_promise(tmp_path: Path) -> None:
    two = write_result(tmp_path / "two", sites=(64,), alphas=(0.1, 0.01), trials=2, adversaries=("round-robin",))
    axes = shown(figure(two, {"kind": "frontier"}))[0]
    assert axes.get_ylabel() == "largest relative error"
    assert all(sorted(line.get_ydata()) == [0.01, 0.1] for line in of(axes, "promised"))
    assert len(of(axes, "promised")) == 4
    medians = np.concatenate([line.get_ydata() for line in of(axes, "median")])
    assert medians.max() < 0.1, "in units of alpha they would be 0.3 and more"
    one = write_result(tmp_path / "one", sites=(64,), trials=2, adversaries=("round-robin",))
    axes = shown(figure(one, {"kind": "frontier"}))[0]
    assert axes.get_ylabel() == "largest error, in units of α"
    assert not of(axes, "promised")


def test_hollow_marks_of_a_frontier_are_the_games_that_fail_and_no_others(headline: Path) -> None:
    robin, freeze = shown(figure(headline, {"kind": "frontier"}))
    assert [axes.get_title(loc="left") for axes in (robin, freeze)] == ["against round-robin", "against freeze"]
    assert not of(robin, "failed")
    assert [line.get_label() for line in of(freeze, "failed")] == ["randomized, freeze"]
    assert all(line.get_fillstyle() == "full" for axes in (robin, freeze) for line in of(axes, "median"))


def test_many_adversaries_give_a_panel_to_each_protocol(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "many", sites=(64,), trials=2, adversaries=("round-robin", "freeze", "drain", "zipf", "bursts")
    )
    made = figure(folder, {"kind": "frontier"})
    titles = [axes.get_title(loc="left") for axes in shown(made)]
    assert titles == ["deterministic: holds", "randomized: fails against 1 of 5", "robust: holds", "martingale: holds"]
    for axes in shown(made):
        (look,) = {line.get_color() for line in of(axes, "median")}
        assert look != of(axes, "elsewhere")[0].get_color()
        assert len(np.concatenate([line.get_xdata() for line in of(axes, "elsewhere")])) == 15


def test_bars_are_not_averaged_over_adversaries(headline: Path, tmp_path: Path) -> None:
    folder = write_result(tmp_path / "two", sites=(64,), trials=1, protocols=("robust", "martingale"))
    games = pd.read_csv(folder / "trials.csv").set_index("point")
    freeze = games.index[games["adversary"] == "freeze"]

    def dearer(rows: pd.DataFrame) -> None:
        rows.loc[rows["point"].isin(freeze), "words"] *= 3

    change(folder, "kinds", dearer)
    made = figure(folder, {"kind": "breakdown"})
    assert [axes.get_title(loc="left") for axes in shown(made)] == ["against round-robin", "against freeze"]
    totals = [
        [float(text.get_text().replace(",", "")) for text in axes.texts if text.get_gid() == "total"]
        for axes in shown(made)
    ]
    sums = pd.read_csv(folder / "kinds.csv").groupby("point")["words"].sum()
    words = {(game["adversary"], game["protocol"]): sums[point] for point, game in games.iterrows()}
    assert totals[0] == pytest.approx([words["round-robin", name] for name in ("robust", "martingale")], abs=1)
    assert totals[1] == pytest.approx([words["freeze", name] for name in ("robust", "martingale")], abs=1)


def test_bars_with_the_same_shares_are_drawn_once(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "same", sites=(16, 64, 256, 4096, 65536), trials=1, protocols=("deterministic", "robust"),
        adversaries=("round-robin",),
    )  # fmt: skip
    request = {"kind": "breakdown", "x": "sites"}

    def rows_of(made: Figure) -> list[str]:
        return [text.get_text() for text in shown(made)[0].get_yticklabels()]

    games = pd.read_csv(folder / "trials.csv").set_index("point")
    ours = games.index[games["protocol"] == "deterministic"]

    def lonely(rows: pd.DataFrame) -> None:
        rows.loc[rows["point"].isin(ours), ["kind", "direction"]] = ["report", "up"]

    change(folder, "kinds", lonely)
    rows = rows_of(figure(folder, request))
    assert rows[0] == "deterministic, 5 places"

    def shifted(rows: pd.DataFrame) -> None:
        first = rows.index[rows["point"] == ours[0]][0]
        rows.loc[first, "kind"] = "bit"

    change(folder, "kinds", shifted)
    assert "deterministic, sites 16" in rows_of(figure(folder, request)), "one that differs keeps all of them"


def test_a_timeline_has_one_adversary_for_all_protocols(headline: Path) -> None:
    made = figure(headline, {"kind": "timeline", "where": "sites == 256"})
    heads = [axes.get_title(loc="left") for axes in shown(made)[:4]]
    assert len(heads) == 4
    assert all("against freeze" in head for head in heads), "each one's own worst would be round-robin for some"
    assert len(shown(made)) == 8, "error and words: on logarithms an estimate is its truth"
    games = read_tables([headline]).where("sites == 256").trials
    error = (games["max_rel_error"] / games["alpha"]).groupby([games["protocol"], games["adversary"]]).max()
    assert (error[:, "round-robin"] > error[:, "freeze"]).any()


def test_what_is_below_the_scale_has_an_arrow(headline: Path, tmp_path: Path) -> None:
    def exact(rows: pd.DataFrame) -> None:
        rows.loc[rows["protocol"] == "deterministic", "max_rel_error"] = 1e-7

    assert not of(shown(figure(headline, {"kind": "error", "x": "sites"}))[0], "below-scale")
    folder = write_result(tmp_path / "low", sites=(16, 256), trials=2)
    change(folder, "trials", exact)
    made = figure(folder, {"kind": "error", "x": "sites"})
    for axes in shown(made):
        (arrow,) = of(axes, "below-scale")
        assert list(arrow.get_xdata()) == [16, 256]
        assert max(arrow.get_ydata()) < FLOOR
        assert arrow.get_color() == MARKS["deterministic"].colour
    assert "↓: below the scale" in note(made)


def test_what_moves_with_the_axis_is_said_and_what_is_swept_apart_is_not(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "crossed", sites=(16, 64), alphas=(0.1, 0.01), trials=1)
    assert "moving" not in fixed(read_tables([folder]), "sites")
    path = folder / "trials.csv"
    rows = pd.read_csv(path)
    rows[(rows["sites"] == 16) == (rows["alpha"] == 0.1)].to_csv(path, index=False)
    assert "moving with sites: α 0.01 … 0.1" in fixed(read_tables([folder]), "sites")
    assert "moving" not in fixed(read_tables([folder])), "without an axis nothing moves with it"


def test_a_panel_without_lines_is_left_out(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "own", sites=(16,), extra=("burn", [1, 2, 4]), side="adversary", trials=1)

    def only_freeze(rows: pd.DataFrame) -> None:
        rows.loc[rows["adversary"] != "freeze", "burn"] = np.nan

    assert len(shown(figure(folder, {"kind": "cost", "x": "burn"}))) == 2
    change(folder, "trials", only_freeze)
    assert len(shown(figure(folder, {"kind": "cost", "x": "burn"}))) == 1


@pytest.mark.parametrize("request_", [{"kind": "cost", "x": "sites"}, {"kind": "frontier"}], ids=["cost", "frontier"])
def test_numbers_of_an_axis_have_one_style(tmp_path: Path, request_: dict[str, Any]) -> None:
    folder = write_result(tmp_path / "wide", sites=(4, 65536), trials=1, adversaries=("round-robin",))
    axes = shown(figure(folder, request_))[0]
    for axis in (axes.xaxis, axes.yaxis):
        texts = [text.get_text() for text in axis.get_ticklabels() if text.get_text()]
        assert not ({"e"} & set("".join(texts)))
        styles = (
            {"," in text or (text.isdigit() and len(text) > 4) for text in texts},
            {"k" in t or "M" in t for t in texts},
        )
        assert not (True in styles[0] and True in styles[1])


def lab(colour: str) -> np.ndarray[Any, Any]:
    """Return a colour in CIE L*a*b*, in which distances are those that eyes see."""
    parts = np.array(to_rgb(colour))
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    scaled = matrix @ linear / np.array([0.95047, 1.0, 1.08883])
    root = np.where(scaled > 0.008856, np.cbrt(scaled), 7.787 * scaled + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def test_messages_have_colours_that_no_tracker_has() -> None:
    trackers = [MARKS[kind].colour for kind in kinds("protocol")]
    near = {(kind, other) for kind, other in product(COLOURS, trackers) if distance(COLOURS[kind], other) < 15}
    assert not near
    assert distance("#0072B2", "#0072B2") < 15, "a report was as blue as the robust tracker"
    assert len(set(COLOURS.values()) | set(SPARE)) == len(COLOURS) + len(SPARE)


def distance(one: str, other: str) -> float:
    return float(np.linalg.norm(lab(one) - lab(other)))


@pytest.mark.parametrize("family", ["protocol", "mechanism", "sketch", "curator"])
def test_every_kind_has_a_look_of_its_own_in_every_figure(family: Any) -> None:
    assert not set(kinds(family)) - set(MARKS)
    assert "no-such-kind" not in MARKS


def test_no_line_is_drawn_along_an_axis_of_words(tmp_path: Path) -> None:
    folder = write_result(
        tmp_path / "r", sites=(16,), extra=("counter", ["hybrid", "binary"]), trials=1, plots=(),
        protocols=("robust",), adversaries=("freeze",),
    )  # fmt: skip
    assert list(captions(folder)) == ["breakdown", "timeline"]
    with pytest.raises(ValueError, match="x: 'counter' has words for values, and a line needs numbers"):
        figure(folder, {"kind": "cost", "x": "counter"})
    both = write_result(
        tmp_path / "both", sites=(16, 64), extra=("counter", ["hybrid", "binary"]), trials=1, plots=(),
        protocols=("robust",), adversaries=("freeze",),
    )  # fmt: skip
    assert list(captions(both)) == ["cost-sites", "breakdown", "timeline"]
