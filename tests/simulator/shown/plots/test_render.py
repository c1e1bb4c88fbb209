"""The renderer draws what a description says: each kind of item, at its place, clipped at the edges of its scale."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from scipy.optimize import isotonic_regression

from disttrack.simulator.shown.plots.base import SCREEN, STYLES
from disttrack.simulator.shown.plots.description import (
    Area,
    Axis,
    Bars,
    Description,
    Fill,
    Look,
    Panel,
    Region,
    Rule,
    Series,
    Words,
)
from disttrack.simulator.shown.plots.render import render, spread
from disttrack.simulator.shown.plots.requests import values_in_words
from disttrack.simulator.shown.plots.style import house_style, lay_out, save

LINE = Look("#0072B2", "o")


def figure(*items: Any, x: Axis = Axis(), y: Axis = Axis(), given: Any = (), **more: Any) -> Figure:  # noqa: B008
    described = Description([Panel(items, x, y, "a panel")], 1, 3.0, "A title", "below it", "at the foot", **more)
    with house_style():
        return render(described, given)


def by_gid(made: Figure, part: str) -> list[Any]:
    return made.findobj(lambda one: part in str(one.get_gid()))


@pytest.mark.parametrize("label", ["martingale(α=0.1, items=20,000, delta=0.05) ", "lease(limit=1, fill=0.1, still) "])
def test_a_legend_ends_within_its_figure_whatever_its_letters_are_wide(label: str) -> None:
    for letters in range(1, 90, 2):
        made = figure(Series("a", [1, 2], [3, 4], LINE), legend=[(LINE, (3 * label)[:letters])] * 6)
        (legend,) = made.legends
        assert legend.get_window_extent().x1 <= made.bbox.x1, letters


def test_columns_of_a_table_are_points_as_lists_are() -> None:
    """Also where rows were left out: the label beside the last point and the caption find it by its place."""
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 6.0]})[1:]
    columns, lists = Series("a", table["x"], table["y"], LINE, label="a"), Series("a", [2, 3], [5, 6], LINE, label="a")
    made = [Description([Panel([one], Axis("x"), Axis("y"))]) for one in (columns, lists)]
    assert values_in_words(made[0]) == values_in_words(made[1]) == "Y against x: a (5 to 6)."
    ends = [[text.xy for text in figure(one).axes[0].texts] for one in (columns, lists)]
    assert ends == [[(3, 6)], [(3, 6)]]


@pytest.mark.parametrize(("rows", "above"), [(24, False), (25, True)])
def test_a_tall_figure_has_the_numbers_of_its_axis_above_too(rows: int, above: bool, tmp_path: Path) -> None:
    made = figure(Series("a", range(rows), range(rows), LINE), y=Axis(names=[f"row {row}" for row in range(rows)]))
    assert made.axes[0].xaxis.get_tick_params()["labeltop"] is above
    made.set_figheight(8)  # in less the texts of its rows are on each other
    save(made, tmp_path / "tall", ("svg",))  # numbers that touch are left out, and these do not touch each other
    assert len(made.axes[0].get_xticks()) > 3


@pytest.mark.parametrize("role", ["", "games"])
@pytest.mark.parametrize("dashes", ["", "-"])
def test_a_value_below_the_scale_has_an_arrow_and_no_mark_at_the_edge(role: str, dashes: str) -> None:
    y = Axis("error", "log", (0.05, 20), edges=(0.1, 10.0))
    values = np.array([0.01, 1.0, 0.099, 0.101])
    drawn = figure(Series("s", np.arange(1.0, 5), values, Look("#0072B2", ".", dashes), role), y=y).axes[0].lines
    marks, arrows = drawn[0], [line for line in drawn[1:] if "downarrow" in str(line.get_marker())]
    ys = np.asarray(marks.get_ydata(), dtype=float)
    assert list(ys[~np.isnan(ys)]) == [1.0, 0.101]
    assert [list(np.asarray(arrow.get_xdata())) for arrow in arrows] == [[1.0, 3.0]]


@pytest.mark.parametrize("role", ["range", "interval"])
def test_a_band_is_not_cut_where_the_marks_are(role: str) -> None:
    """Values below 0.1 are not drawn as if they were 0.1: up to their ends, or to that of the axis at 0.07."""
    y = Axis("error", "log", (0.07, 4.0), edges=(0.1, inf))
    (axes,) = figure(Area("a", [1, 2], [0.08, 0.0], [1.0, 2.0], Fill("#000000"), role), y=y).axes
    paths = axes.collections[0].get_paths()[0].vertices if role == "range" else axes.lines[0].get_xydata()
    assert {float(low) for _, low in np.asarray(paths) if low < 0.5} == {0.07, 0.08}


def test_each_item_becomes_what_it_says() -> None:
    made = figure(
        Area("band", [1, 2], [0, 1], [4, 5], Fill("#FF0000", 0.5)),
        Bars("bars", [0, 1], [1, 2], [0, 1], Fill("#00FF00", hatch="//", edge="#000000", width=1)),
        Rule(2.5, Look("#444444")),
        Region(1, 2, Fill("#EEEEEE")),
        Words(0.5, 0.25, "a word", shares=True),
    )
    (axes,) = made.axes
    band = next(one for one in axes.collections if isinstance(one, PolyCollection))
    assert {tuple(point) for point in band.get_paths()[0].vertices.tolist()} >= {(1, 0), (2, 1), (1, 4), (2, 5)}
    bars = [(bar.get_x(), bar.get_width(), bar.get_hatch()) for bar in by_gid(made, "series-1-")]
    assert bars == [(0, 1, "//"), (1, 2, "//")]
    assert any(list(line.get_ydata()) == [2.5, 2.5] for line in axes.lines)
    (text,) = (text for text in axes.texts if text.get_text() == "a word")
    assert text.get_transform() == axes.transAxes


@pytest.mark.parametrize(("panels", "numbered"), [(3, [0, 1, 2]), (4, [2, 3]), (5, [2, 3, 4])])
def test_all_panels_of_a_row_have_numbers_below_them_or_none_has(panels: int, numbered: list[int]) -> None:
    one = Panel([Series("a", [1.0, 2.0], [1.0, 2.0], LINE)], Axis("items"), Axis("words"))
    with house_style():
        made = render(Description([one] * panels, 2))
    shown = [axes.xaxis.get_tick_params()["labelbottom"] for axes in made.axes[:panels]]
    assert [place for place, has in enumerate(shown) if has] == numbered
    assert [bool(axes.get_xlabel()) for axes in made.axes[:panels]] == [place >= panels - 2 for place in range(panels)]


def test_on_axes_of_the_users_own() -> None:
    sheet = Figure()
    left, right = sheet.subplots(1, 2)
    figure(Series("a", [1, 2], [3, 4], LINE), y=Axis("height"), given=[left], legend=[(LINE, "a")])
    assert (left.lines[0].get_ydata().tolist(), left.get_ylabel(), left.get_title(loc="left")) == (
        [3, 4],
        "height",
        "a panel",
    )
    assert left.get_legend() is not None
    assert not right.lines
    assert sheet.axes == [left, right]
    with pytest.raises(ValueError, match="ax: 1 panels, not 2"):
        figure(Series("a", [1], [1], LINE), given=[left, right])


@pytest.mark.parametrize(
    ("ends", "low", "scale"), [((10, 5), None, "linear"), ((5, 10), 0.5, "log"), ((5, 5), None, "log")]
)
def test_an_open_end_of_a_shared_axis_is_that_of_all_panels(ends: tuple[int, int], low: float, scale: Any) -> None:
    axis = Axis("steps", scale, (low, None))
    panels = [Panel([Series("a", [1, end], [1, end], LINE, label="a")], axis, axis) for end in ends]
    for columns in (1, 2):
        with house_style():
            made = render(Description(panels, columns))
        for axes in made.axes:
            for first, last in (axes.get_xlim(), axes.get_ylim()):
                assert first <= 1
                assert last >= max(ends)


@pytest.mark.parametrize("labels", [1, 2, 30])
def test_labels_are_moved_as_little_as_can_be(labels: int) -> None:
    """Away from the ends their places are those of the isotonic regression of scipy, which is slow to be imported."""
    rng = np.random.default_rng(labels)
    for _ in range(10):
        wanted, sizes = rng.choice(np.arange(40.0), labels), rng.uniform(1, 3, labels)
        order = np.lexsort((np.arange(labels), wanted))
        halves = sizes[order] / 2
        steps = np.r_[0.0, np.cumsum(halves[:-1] + halves[1:])]
        best = isotonic_regression(wanted[order] - steps).x + steps
        assert np.array(spread(wanted.tolist(), sizes.tolist(), -1e3, 1e3))[order] == pytest.approx(best)


@pytest.mark.parametrize(("columns", "label"), [(2, ""), (3, "a label beside the last panel"), (6, "")])
@pytest.mark.parametrize(
    "title", ["against trace, file access.csv, site gateway, time time", f"against trace-{'feedback' * 3}(block=200)"]
)
def test_no_title_runs_into_the_next_panel_or_out_of_the_figure(label: str, columns: int, title: str) -> None:
    series = [Series("a", [1, 2], [1, 2], LINE, label=label * (place == columns - 1)) for place in range(columns)]
    with house_style():
        made = render(Description([Panel([one], title=title) for one in series], columns))
        lay_out(made)
        titles = [axes.findobj(lambda one: "trace" in getattr(one, "get_text", str)())[0] for axes in made.axes]
        broken = {" ".join(one.get_text().split()).replace(" (", "(") for one in titles}
        assert broken == {title} or (columns == 6 and "feedbackfeedback" in title)  # no word, unless it must be
        rights = [one.get_window_extent().x1 for one in titles]
    ends = [axes.get_window_extent().x0 for axes in made.axes[1:]]
    assert all(right < end for right, end in zip(rights, [*ends, made.bbox.x1], strict=True))


def test_a_reader_sees_that_a_mark_is_hollow() -> None:
    """White is left within the edge, also in print; it says that games failed."""
    look = Look("#0072B2", "o", "", edge=1.4, hollow=True)
    for target in (SCREEN, *STYLES["paper"]):
        described = Description([Panel([Series("a", [1], [1], look)], Axis("x"), Axis("y"))])
        with house_style(target):
            (mark,) = by_gid(render(described), "series-0")
        assert mark.get_markersize() - mark.get_markeredgewidth() >= 2
