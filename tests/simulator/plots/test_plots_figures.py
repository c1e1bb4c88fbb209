"""The figures themselves: they exist, say what they show, cover no data, and are the same bytes each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from drawn import figure, shown
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from synthetic_results import write_result

from simulator.plots import captions, check_plot, compare, draw
from simulator.plots.figures import figure_of
from simulator.plots.marks import FAMILIES, MARKS, TRACKERS, mark
from simulator.plots.style import house_style, ink, save
from simulator.results.read import read_tables

REQUESTS: list[dict[str, Any]] = [
    {"kind": "cost", "x": "sites"},
    {"kind": "error", "x": "sites"},
    {"kind": "frontier"},
    {"kind": "measure", "x": "sites", "y": "seconds"},
    {"kind": "breakdown", "x": "sites"},
    {"kind": "matrix", "where": "sites == 256"},
    {"kind": "timeline", "where": "sites == 256"},
]
FEW: dict[str, Any] = {"protocols": ("deterministic", "randomized"), "adversaries": ("freeze",)}
"""Few lines, where no more are looked at."""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_result(tmp_path_factory.mktemp("plots") / "headline", plots=REQUESTS, trials=3)


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a result with many protocols that cost the same, and more adversaries than fit in a row."""
    return write_result(
        tmp_path_factory.mktemp("plots") / "crowded", trials=2, sites=(16, 256),
        protocols=("randomized", "block", "deterministic-rounds", "mine", "yours"),
        adversaries=("round-robin", "freeze", "drain", "zipf"),
    )  # fmt: skip


def boxes(made: Figure, name: str) -> list[Bbox]:
    return [artist.get_window_extent() for artist in made.findobj(lambda one: one.get_gid() == name)]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a result of one panel, whose figures are written."""
    folder, plots = tmp_path_factory.mktemp("plots") / "small", [REQUESTS[place] for place in (0, 3, 5)]
    return write_result(folder, plots=plots, trials=1, sites=(16, 256), adversaries=("freeze",))


@pytest.fixture(scope="module")
def written(small: Path) -> list[Path]:
    """Return the files of all its figures."""
    return draw(small)


@pytest.mark.slow
def test_each_figure_that_is_asked_for_is_written_twice(small: Path, written: list[Path], result: Path) -> None:
    names = ["cost-sites", "error-sites", "frontier", "measure-sites-seconds", "breakdown-sites", "matrix", "timeline"]
    assert list(captions(result)) == names
    names = [names[place] for place in (0, 3, 5)]
    assert [path.name for path in written[::2]] == [f"{name}.png" for name in names]
    assert [path.name for path in written[1::2]] == [path.with_suffix(".svg").name for path in written[::2]]
    assert all(path.parent == small / "figures" and path.stat().st_size > 5_000 for path in written)
    assert not list((small / "figures").glob(".*"))
    beside = json.loads((small / "figures" / "captions.json").read_text(encoding="utf-8"))
    assert beside == captions(small)
    assert set(beside) == set(names)


def test_the_same_tables_give_the_same_bytes(small: Path, written: list[Path]) -> None:
    first = {path: path.read_bytes() for path in written if path.stem == "cost-sites"}
    assert len(first) == 2
    # a user's own settings play no part, those that the house style says nothing of neither
    matplotlib.rcParams.update({"font.size": 23, "lines.markeredgewidth": 7})
    try:
        again = {path: path.read_bytes() for path in draw(small, REQUESTS[:1])}
    finally:
        matplotlib.rcdefaults()
    assert first == again


def test_the_last_digits_of_a_layout_have_no_part_in_the_bytes(tmp_path: Path) -> None:
    """They differ from one time to the next, as the solver's order does; ids of clips in an SVG are made of them."""
    files = []
    for name, left in (("one", 0.1), ("other", 0.1 + 1e-14), ("control", 0.11)):
        made = Figure(figsize=(2, 2))
        made.add_axes((left, 0.1, 0.8, 0.8)).plot([1, 2])
        (path,) = save(made, tmp_path / name, ("svg",))
        files.append(path.read_bytes())
    assert files[0] == files[1] != files[2]


def test_other_tables_give_other_bytes(written: list[Path], tmp_path: Path) -> None:
    other = write_result(tmp_path / "small", trials=2, sites=(16, 256), adversaries=("freeze",))
    ours = next(path for path in written if path.name == "matrix.png")
    theirs, _ = draw(other, REQUESTS[5:6])
    assert ours.read_bytes() != theirs.read_bytes()


def test_a_figure_that_cannot_be_drawn_does_not_keep_the_others_from_being(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=1, sites=(16,), adversaries=("freeze",))
    with pytest.raises(ValueError, match="frontier: where: no game meets"):
        draw(folder, [{"kind": "frontier", "where": "sites == 3"}, {"kind": "breakdown"}])
    assert (folder / "figures" / "breakdown.svg").exists()


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one["kind"])
def test_a_reader_finds_title_parameters_and_units(result: Path, request_: dict[str, Any]) -> None:
    made = figure(result, request_)
    texts = {text.get_gid(): text.get_text() for text in made.texts}
    assert texts["title"] == "Randomness survives an adaptive adversary, if hidden"
    assert "2,000,000 items" in texts["subtitle"]
    assert texts["note"]
    if request_["kind"] == "matrix":
        return  # its rows and columns are names
    assert any(axes.get_xlabel() for axes in shown(made))
    words = " ".join(axes.get_xlabel() + axes.get_ylabel() for axes in shown(made))
    assert any(unit in words for unit in ("words", "units of α", "seconds"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "request_"),
    [*(("crowded", one) for one in REQUESTS), *(("result", one) for one in REQUESTS[:2])],
    ids=lambda one: one if isinstance(one, str) else one["kind"],
)
def test_nothing_stands_on_anything_else(which: str, request_: dict[str, Any], request: pytest.FixtureRequest) -> None:
    made = figure(request.getfixturevalue(which), request_, laid_out=True)
    canvas = made.bbox
    labels = boxes(made, "direct-label")
    # half a pixel: boxes of text are rounded outwards
    for place, box in enumerate(labels):
        assert canvas.x0 <= box.x0
        assert box.x1 <= canvas.x1 + 0.5
        for other in labels[place + 1 :]:
            assert not box.padded(-0.5).overlaps(other)
        for axes in shown(made):
            assert not box.padded(-0.5).overlaps(axes.get_window_extent())
    legends = [legend.get_window_extent() for legend in made.legends]
    for box in [*legends, *boxes(made, "note"), *boxes(made, "title"), *boxes(made, "subtitle")]:
        assert box.x1 <= canvas.x1
        for axes in shown(made):
            assert not box.padded(-0.5).overlaps(axes.get_tightbbox())
    for legend in legends:
        assert not any(legend.padded(-0.5).overlaps(box) for box in boxes(made, "note"))


def test_cost_is_drawn_on_logarithms_with_the_fitted_power_beside_each_line(result: Path) -> None:
    made = figure(result, REQUESTS[0])
    assert all(axes.get_xscale() == axes.get_yscale() == "log" for axes in shown(made))
    lines = [line for line in shown(made)[0].lines if line.get_gid() == "line"]
    assert len(lines) == 4
    slope = np.polyfit(np.log(lines[0].get_xdata()), np.log(lines[0].get_ydata()), 1)[0]
    assert any(f"{slope:.2f}" in text.get_text() for text in made.findobj(lambda one: one.get_gid() == "direct-label"))
    assert [line for line in shown(made)[0].lines if line.get_gid() == "bound"]


def test_a_logarithmic_law_is_shown_on_a_linear_scale(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "growth", sites=(1000,), items=(10**6, 10**9, 10**12), trials=1, **FEW)
    made = figure(folder, {"kind": "cost", "x": "items"})
    assert all(axes.get_yscale() == "linear" for axes in shown(made))


def test_accuracy_is_drawn_against_one_over_alpha(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "accuracy", sites=(64,), alphas=(0.1, 0.01), trials=1, **FEW)
    made = figure(folder, {"kind": "cost", "x": "alpha"})
    line = next(line for line in shown(made)[0].lines if line.get_gid() == "line")
    assert list(line.get_xdata()) == pytest.approx([10, 100])
    assert "1/α" in shown(made)[0].get_xlabel()


def test_any_measured_column_can_be_drawn(result: Path) -> None:
    made = figure(result, {"kind": "measure", "x": "sites", "y": "output_changes"})
    assert shown(made)[0].get_ylabel() == "changes of the output"
    with pytest.raises(ValueError, match=r"y must be a column of numbers of trials.csv \(.*; got 'verdict'"):
        figure(result, {"kind": "measure", "x": "sites", "y": "verdict"})


def test_failing_points_are_hollow_and_said_to_fail(result: Path) -> None:
    made = figure(result, REQUESTS[0])
    robin, freeze = shown(made)
    assert not [line for line in robin.lines if line.get_gid() == "failed" and len(line.get_xdata())]
    hollow = [line for line in freeze.lines if line.get_gid() == "failed" and len(line.get_xdata())]
    assert [line.get_color() for line in hollow] == [mark("randomized").colour]
    assert sum("fails" in text.get_text() for text in freeze.texts) == 1


def test_the_matrix_counts_the_games_that_held(result: Path) -> None:
    cells = [text.get_text() for text in shown(figure(result, REQUESTS[5]))[0].texts]
    assert len(cells) == 8
    assert sum(cell.startswith("0/3") for cell in cells) == 1
    assert sum(cell.startswith("3/3") for cell in cells) == 7


def test_bars_add_up_to_the_words_beside_them(result: Path) -> None:
    axes = shown(figure(result, {"kind": "breakdown", "where": "sites == 1024"}))[0]
    totals = [float(text.get_text().replace(",", "")) for text in axes.texts if text.get_gid() == "total"]
    ends = {}
    for bar in axes.patches:
        row = round(bar.get_y() + bar.get_height() / 2)
        ends[row] = max(ends.get(row, 0.0), bar.get_x() + bar.get_width())
    assert totals == pytest.approx([ends[row] for row in sorted(ends)], abs=1)


@pytest.mark.slow
def test_results_are_compared_on_one_scale(tmp_path: Path) -> None:
    headline, crowded = (
        write_result(tmp_path / name, trials=trials, sites=(16, 256), **FEW)
        for name, trials in (("headline", 3), ("crowded", 2))
    )
    files = compare([headline, crowded], {"kind": "cost", "where": "sites <= 256"}, tmp_path)
    assert [path.name for path in files] == ["compare-cost-sites.png", "compare-cost-sites.svg"]
    assert all(path.exists() for path in files)
    tables = read_tables([headline, crowded]).where("sites == 256")
    for kind in ("frontier", "matrix"):
        with house_style():
            made = figure_of(tables, check_plot(kind))
        assert [axes.get_title(loc="left") for axes in made.axes] == ["headline", "crowded"]
        assert made.axes[0].get_xlim() == made.axes[1].get_xlim()


def test_every_protocol_has_a_look_of_its_own() -> None:
    assert len({look.marker for look in TRACKERS.values()}) == len(TRACKERS)
    assert len({look.colour for look in TRACKERS.values()}) == len(TRACKERS)
    for family in FAMILIES.values():
        assert len({MARKS[kind].marker for kind in family}) == len(family)
        assert len({MARKS[kind].colour for kind in family}) == len(family)
    strangers = ("mine", "yours", "ours")
    assert len({mark(kind, strangers) for kind in strangers}) == 3
    many = tuple(f"counter-{place}" for place in range(14))
    assert len({mark(kind, many) for kind in many}) == 14
    # the four of the headline keep apart in grey: at least 30 of 255 in lightness
    greys = sorted(_grey(MARKS[kind].colour) for kind in ("deterministic", "randomized", "robust", "martingale"))
    assert min(np.diff(greys)) >= 30
    # text is dark enough on white: a contrast of at least 3 to 1
    assert all(_contrast(ink(look.colour)) >= 3 for look in MARKS.values())


def _grey(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _contrast(colour: str) -> float:
    """Return the contrast with white as the guidelines for accessible pages define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def lower_lines(made: Figure, panel: int = 0) -> list[list[float]]:
    """Return the words of the lower bounds in a panel: without coins, and with them."""
    return [line.get_ydata().tolist() for line in shown(made)[panel].lines if line.get_gid() == "lower-bound"]


@pytest.mark.slow
def test_lower_bounds_are_drawn_where_they_are_asked_for(result: Path) -> None:
    """k/alpha and sqrt(k)/alpha words an e-fold, from so many items on; also as words an e-fold of the whole stream."""
    sites, items = np.array([16, 64, 256, 1024]), 2_000_000
    without, with_coins = (each * np.log(items / each) for each in (sites / 0.03, sites**0.5 / 0.03))
    assert not lower_lines(figure(result, REQUESTS[0]))
    made = figure(result, {**REQUESTS[0], "lower_bounds": True})
    for panel in (0, 1):
        found = lower_lines(made, panel)
        assert found == [pytest.approx(without.tolist()), pytest.approx(with_coins.tolist())]
    assert any("Dots: lower bounds" in text.get_text() for text in made.texts)
    labels = [text.get_text() for text in made.findobj(lambda one: one.get_gid() == "direct-label")]
    assert {"k/α", "√k/α"} <= set(labels)
    found = lower_lines(figure(result, {**REQUESTS[0], "lower_bounds": True, "y": "words-per-efold"}))
    assert found[0] == pytest.approx((without / np.log(items + 1)).tolist())


def test_lower_bounds_are_of_one_accuracy_and_of_words(tmp_path: Path) -> None:
    two = write_result(tmp_path / "two", alphas=(0.03, 0.1), trials=1, **FEW)
    assert not lower_lines(figure(two, {**REQUESTS[0], "lower_bounds": True}))
    with pytest.raises(ValueError, match="they are bounds of messages and words"):
        check_plot({"kind": "cost", "x": "sites", "y": "bits", "lower_bounds": True})
