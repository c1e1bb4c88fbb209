"""Figures for papers: one and two columns wide, no titles, 8 points at most, fonts as fonts."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.text import Text
from synthetic_results import write_result

from disttrack.simulator.plots import check_plot, draw
from disttrack.simulator.plots.requests import figure_of
from disttrack.simulator.plots.style import DOUBLE, SCREEN, SINGLE, Page, house_style, save
from disttrack.simulator.results.read import read_tables


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paper") / "headline"
    return write_result(folder, sites=(16, 1024), trials=2, adversaries=("freeze",))


@pytest.mark.slow
def test_both_widths_are_written_in_all_forms(result: Path) -> None:
    written = draw(result, [{"kind": "cost", "x": "sites"}, {"kind": "matrix", "where": "sites == 16"}], style="paper")
    names = [f"cost-sites-{width}.{form}" for width in ("single", "double") for form in ("pdf", "svg", "png")]
    names += [f"matrix-double.{form}" for form in ("pdf", "svg", "png")]  # no column is wide enough for its cells
    assert [path.name for path in written] == names
    assert {path.parent for path in written} == {result / "figures" / "paper"}
    first = {path: path.read_bytes() for path in written}
    again = draw(result, [{"kind": "cost", "x": "sites"}], style="paper")
    assert again == written[:6]
    assert all(path.read_bytes() == first[path] for path in again)
    pdf = first[written[0]]
    assert b"/FontFile2" in pdf, "fonts are in the file"
    assert b"/Type3" not in pdf, "and not as outlines"
    assert b"<text" in first[written[1]], "texts of the SVG are texts"


@pytest.mark.quick_cases(1)
@pytest.mark.parametrize("page", [SINGLE, DOUBLE, SCREEN], ids=["single", "double", "screen"])
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


def test_an_unknown_style_is_refused_before_anything_is_drawn(result: Path) -> None:
    with pytest.raises(ValueError, match="style must be one of screen, paper; got 'print'"):
        draw(result, ["matrix"], style="print")
