"""Figures for papers: one and two columns wide, no titles, 8 points at most, fonts as fonts."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from synthetic_results import write_result

from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.shown.plots import check_plot, draw
from disttrack.simulator.shown.plots.base import DOUBLE, SCREEN, SINGLE, Page
from disttrack.simulator.shown.plots.description import Axis, Bars, Cells, Description, Fill, Look, Panel, Series
from disttrack.simulator.shown.plots.render import render
from disttrack.simulator.shown.plots.requests import figure_of
from disttrack.simulator.shown.plots.style import house_style, lay_out, save


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper") / "headline"
    return write_result(folder, sites=(16, 1024), trials=2, adversaries=("freeze",))


@pytest.mark.slow
def test_both_widths_are_written_in_all_forms(result: Path) -> None:
    written = draw(result, [{"kind": "cost", "x": "sites"}, {"kind": "matrix", "where": "sites == 16"}], style="paper")
    forms = ("pdf", "svg", "png", "txt")
    names = [f"cost-sites-{width}.{form}" for width in ("single", "double") for form in forms]
    names += [f"matrix-sites-16-double.{form}" for form in forms]  # no column is wide enough for its cells
    assert [path.name for path in written] == names
    assert {path.parent for path in written} == {result / "figures" / "paper"}
    first = {path: path.read_bytes() for path in written}
    again = draw(result, [{"kind": "cost", "x": "sites"}], style="paper")
    assert again == written[:8]
    assert all(path.read_bytes() == first[path] for path in again)
    pdf = first[written[0]]
    assert b"/FontFile2" in pdf, "fonts are in the file"
    assert b"/Type3" not in pdf, "and not as outlines"
    assert b"<text" in first[written[1]], "texts of the SVG are texts"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("page", [SINGLE, SCREEN], ids=["single", "screen"])
def test_a_paper_has_its_width_and_small_texts_and_no_title(result: Path, page: Page, tmp_path: Path) -> None:
    with house_style(page):
        made = figure_of(read_tables([result]), check_plot({"kind": "cost", "x": "sites"}))
    save(made, tmp_path / "figure", page.forms[-1:], page)
    largest = max(text.get_fontsize() for text in made.findobj(Text) if text.get_text())
    title = next(text.get_text() for text in made.texts if text.get_gid() == "title")
    if page is SCREEN:
        assert (made.get_figwidth(), bool(title)) == (8.0, True)
        assert largest > 8, "the control: a screen's figure is no paper's"
    else:
        assert (made.get_figwidth(), title) == (page.width, "")
        assert largest <= 8


def test_marks_of_a_single_column_are_whole(tmp_path: Path) -> None:
    """Also in panels beside each other, in which an axis is an inch long; marks as large as on a screen are cut off."""
    folder = write_result(tmp_path / "one", sites=(16, 64, 1024), trials=2, adversaries=("freeze", "round-robin"))
    with house_style(SINGLE):
        made = figure_of(read_tables([folder]), check_plot({"kind": "cost", "x": "sites"}))
    save(made, tmp_path / "figure", ("svg",), SINGLE)
    for axes in made.axes:
        box, points = axes.get_window_extent(), 72 / made.dpi
        for line in (one for one in axes.lines if one.get_marker() != "None"):
            places = line.get_transform().transform(line.get_xydata())
            room = points * min((places - box.min).min(), (box.max - places).min())
            assert room > line.get_markersize() / 2
            assert room < 6 / 2, "the control: the size on a screen"


def saved(described: Description, folder: Path, page: Page = SINGLE) -> Figure:
    """Return the figure of a description, written."""
    with house_style(page):
        made = render(described)
        save(made, folder / "figure", ("svg",), page)
    return made


def a_panel(title: str = "", label: str = "") -> Panel:
    """Return a panel with a line of four marks, with a number at each."""
    x = [10, 100, 1_000, 10_000]
    axis = Axis("items", "log", (9, 11_000), ticks=x[::-1], text=lambda value: f"{value:,.0f} of 10,000")
    return Panel([Series("robust", x, [1, 2, 3, 4], Look(marker="o"), label=label)], axis, title=title)


def test_numbers_below_an_axis_do_not_touch(tmp_path: Path) -> None:
    made = saved(Description([a_panel(), a_panel()], columns=2), tmp_path)
    texts = [one.get_text() for one in made.axes[0].get_xticklabels()]
    assert texts == ["10,000 of 10,000", "", "", ""], "ticks without a number stay"
    wide = saved(Description([a_panel()]), tmp_path, SCREEN)
    texts = [one.get_text() for one in wide.axes[0].get_xticklabels()]
    assert texts == [f"{value} of 10,000" for value in ("10,000", "1,000", "100", "10")], "there is room for all"


def test_a_panel_without_room_is_an_error_and_no_file(tmp_path: Path) -> None:
    names = Axis(names=["a name that leaves the bars beside it no room at all, as it is so long"])
    bars = Panel([Bars("share", [0.0], [1.0], [0], Fill("#000000"))], y=names)
    with pytest.raises(ValueError, match="no room for a panel"):
        saved(Description([bars]), tmp_path)
    assert not list(tmp_path.iterdir())
    saved(Description([bars]), tmp_path, SCREEN)


def test_names_of_lines_are_in_the_legend_and_long_titles_are_broken(tmp_path: Path) -> None:
    title = "against an adversary with a long name"
    described = Description([a_panel(title, "robust"), a_panel(title, "robust")], columns=2)
    narrow, wide = saved(described, tmp_path), saved(described, tmp_path, SCREEN)
    assert [[text.get_text() for text in legend.get_texts()] for legend in narrow.legends] == [["robust"]]
    assert not wide.legends
    assert narrow.axes[0].get_title(loc="left").replace("\n", " ") == wide.axes[0].get_title(loc="left") == title
    boxes = [axes.title.get_window_extent() for axes in narrow.axes]
    assert boxes[0].x1 < boxes[1].x0


def test_long_labels_of_axes_are_broken_and_stay_in_the_figure(tmp_path: Path) -> None:
    long = "a quantity whose name is longer than a panel of one column is wide"
    panels = [replace(a_panel(), x=replace(a_panel().x, label=long), y=Axis(long)) for _ in range(2)]
    narrow = saved(Description(panels, columns=2), tmp_path)
    with house_style(SINGLE):
        plain = render(Description(panels, columns=2))
        lay_out(plain)
    for made, fits in ((narrow, True), (plain, False)):  # the control: as they are drawn before
        first, second = (axes.xaxis.label.get_window_extent() for axes in made.axes)
        upright = made.axes[0].yaxis.label.get_window_extent()
        assert (first.x1 <= second.x0) == fits
        assert (upright.y0 >= 0 and upright.y1 <= made.bbox.y1) == fits
    assert narrow.axes[0].get_xlabel().replace("\n", " ") == long


def test_names_of_columns_are_all_there_and_do_not_touch(tmp_path: Path) -> None:
    names = [f"adversary-{number}" for number in range(12)]
    cells = Cells("held", np.zeros((1, 12)), [["1/1"] * 12], ("#FFFFFF", "#000000"))
    described = Description([Panel([cells], x=Axis(names=names), y=Axis(names=["robust"]))])
    for page, turned in ((DOUBLE, True), (replace(SCREEN, width=24.0), False)):
        made = saved(described, tmp_path, page)
        labels = made.axes[0].get_xticklabels()
        assert [one.get_text() for one in labels] == names
        assert all(one.get_visible() for one in labels)
        boxes = [one.get_window_extent() for one in labels]
        assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
        assert all((one.get_rotation() == 90) == turned for one in labels)
