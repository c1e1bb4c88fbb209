"""Labels of lines: in order, none over another, moved as little as can be, and with a leader where they are moved."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.text import Annotation, Text

from disttrack.simulator.shown.plots.description import Axis, Description, Look, Panel, Series, Words
from disttrack.simulator.shown.plots.render import render, spread
from disttrack.simulator.shown.plots.style import house_style, lay_out, save


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(0.5, 10))
def test_no_two_overlap_and_the_order_stays(wanted: list[float], size: float) -> None:
    placed = spread(wanted, [size] * len(wanted), 0, 100)
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    for lower, upper in itertools.pairwise(order):
        assert placed[upper] - placed[lower] >= size - 1e-6
    assert min(placed) >= size / 2 - 1e-6
    assert max(placed) <= 100 - size / 2 + 1e-6


def leaders(heights: list[float], tmp_path: Path) -> list[tuple[int, bool]]:
    """Draw lines that end at these heights; return for each label the line with the nearest end, and if it is led."""
    series = [
        Series(f"line {place}", [1, 2], [height, height], Look("#0072B2", "o"), label=f"line {place}")
        for place, height in enumerate(heights)
    ]
    with house_style():
        figure = render(Description([Panel(series, Axis("x"), Axis("y", ends=(0, 10)))]))
    save(figure, tmp_path / "labels", ("png",))
    (axes,) = figure.axes
    ends = [float(axes.transData.transform((2, height))[1]) for height in heights]
    found = []
    for label in (one for one in axes.texts if isinstance(one, Annotation)):
        label.get_window_extent()  # takes its place; with its leader it is larger
        box = Text.get_window_extent(label)
        middle = (box.y0 + box.y1) / 2
        near = min(range(len(ends)), key=lambda place: abs(ends[place] - middle))
        assert label.arrow_patch is not None
        found.append((near, label.arrow_patch.get_visible()))
    return found


def test_a_label_is_nearest_to_its_own_line_or_has_a_leader(tmp_path: Path) -> None:
    assert leaders([1, 4, 8], tmp_path) == [(0, False), (1, False), (2, False)]
    assert [led for _, led in leaders([4, 4.1, 4.2], tmp_path)] == [True, False, True]
    assert all(led for _, led in leaders([4, 4], tmp_path)), "lines with one end"
    crowded = leaders([5, 5.05, 5.1, 5.15, 9], tmp_path)
    assert all(led or near == place for place, (near, led) in enumerate(crowded))
    assert any(led for _, led in crowded)


@pytest.mark.parametrize(("ends", "in_legend"), [((2, 8), True), ((8, 8), False), ((8, 7.9), False), ((8,), False)])
def test_a_line_that_ends_early_has_its_name_in_the_legend(ends: tuple[float, ...], in_legend: bool) -> None:
    """Beside its end it would lie over the lines that go on."""
    names = [f"line {place}" for place in range(len(ends))]
    series = [
        Series(name, [1, end], [place, place], Look("#0072B2", "o"), label=name)
        for place, (name, end) in enumerate(zip(names, ends, strict=True))
    ]
    with house_style():
        figure = render(Description([Panel(series, Axis("x"), Axis("y", ends=(-1, 3)))]))
    texts = [one.get_text() for legend in figure.legends for one in legend.get_texts()]
    assert texts == (names if in_legend else [])
    assert [one.get_text() for one in figure.axes[0].texts] == ([] if in_legend else names)


@pytest.mark.parametrize(("height", "struck"), [(0.95, True), (0.3, False)])
def test_words_that_a_line_strikes_through_have_a_white_ground(height: float, struck: bool, tmp_path: Path) -> None:
    line = Series("line", [1, 2], [height, height], Look("#0072B2", "o"), label="line")
    words = Words(0.02, 0.95, "fails: error above α", shares=True)
    with house_style():
        figure = render(Description([Panel([line, words], Axis("x"), Axis("y", ends=(0, 1)))]))
    save(figure, tmp_path / "words", ("png",))
    (text,) = (one for one in figure.axes[0].texts if one.get_text().startswith("fails"))
    ground = text.get_bbox_patch()
    assert (ground is not None) == struck
    assert ground is None or ground.get_facecolor()[:3] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("tick", [0.2, 0.95])
def test_no_line_of_the_grid_goes_through_words(tick: float) -> None:
    line = Series("line", [1, 2], [0.5, 0.5], Look("#0072B2", "o"))
    words = Words(0.02, 0.95, "fails: error above α", shares=True)
    with house_style():
        figure = render(Description([Panel([line, words], Axis("x"), Axis("y", ends=(0, 1), ticks=[0.0, tick]))]))
        lay_out(figure)
        axes = figure.axes[0]
        (text,) = axes.texts
        box = text.get_window_extent().transformed(axes.transData.inverted())
    assert not box.y0 < tick < box.y1
    assert (text.get_position() == (0.02, 0.95)) == (tick != 0.95), "others stay where they are"
