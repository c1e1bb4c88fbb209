"""Files of figures are the same bytes each time, labels cover no marks, and the looks of lines differ visibly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
from drawn import figure, shown
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from synthetic_results import write_result

from disttrack.protocols import Robust
from disttrack.simulator.experiments.results.lines import Line
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import Kind
from disttrack.simulator.shown.plots import draw
from disttrack.simulator.shown.plots.bars import COLOURS, SPARE
from disttrack.simulator.shown.plots.marks import Mark, lightness, mark, stated
from disttrack.simulator.shown.plots.panels import looks_of_lines
from disttrack.simulator.shown.plots.style import ink, save

TRACKERS = {kind: look for kind in Count.kinds("protocol") if (look := stated(kind))}
REQUESTS: list[dict[str, Any]] = [
    {"kind": "cost", "x": "sites"},
    {"kind": "frontier"},
    {"kind": "breakdown", "x": "sites"},
    {"kind": "timeline", "where": "sites == 256"},
]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a result with many protocols that cost the same, and more adversaries than fit in a row."""
    return write_result(
        tmp_path_factory.mktemp("plots") / "crowded", trials=2, sites=(16, 256),
        protocols=("randomized", "block", "deterministic-rounds", "mine", "yours"),
        adversaries=("round-robin", "freeze", "drain", "zipf"),
    )  # fmt: skip


def test_the_last_digits_of_a_layout_have_no_part_in_the_bytes(tmp_path: Path) -> None:
    """They differ from one time to the next, as the solver's order does; ids of clips in an SVG are made of them."""
    files = []
    for name, left in (("one", 0.1), ("other", 0.1 + 1e-14), ("control", 0.11)):
        made = Figure(figsize=(2, 2))
        made.add_axes((left, 0.1, 0.8, 0.8)).plot([1, 2])
        (path,) = save(made, tmp_path / name, ("svg",))
        files.append(path.read_bytes())
    assert files[0] == files[1] != files[2]


def test_a_low_figure_grows_until_its_panels_have_room(tmp_path: Path) -> None:
    adversaries = ("uniform", "zipf, exponent 1", "single-site", "greedy", "probing")
    folder = write_result(tmp_path, sites=(8,), trials=2, protocols=("countdown-quota",), adversaries=adversaries)
    assert {path.name for path in draw(folder, ["breakdown"])} == {"breakdown.png", "breakdown.svg"}


def boxes(made: Figure, name: str) -> list[Bbox]:
    """Return the boxes of what has such an id; of labels without their leaders."""
    found = made.findobj(lambda one: str(one.get_gid()).endswith(name))
    for artist in found:
        artist.get_window_extent()  # a label takes its place
    return [(Text if isinstance(one, Text) else type(one)).get_window_extent(one) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("request_", REQUESTS, ids=lambda one: one["kind"])
def test_nothing_stands_on_anything_else(crowded: Path, request_: dict[str, Any]) -> None:
    made = figure(crowded, request_, laid_out=True)
    canvas = made.bbox
    labels = boxes(made, "-label")
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


@pytest.mark.parametrize("request_", REQUESTS[:2], ids=lambda one: one["kind"])
def test_numbers_of_an_axis_have_one_style(tmp_path: Path, request_: dict[str, Any]) -> None:
    folder = write_result(tmp_path / "wide", sites=(4, 65536), trials=1, adversaries=("round-robin",))
    axes = shown(figure(folder, request_))[0]
    for axis in (axes.xaxis, axes.yaxis):
        texts = [text.get_text() for text in axis.get_ticklabels() if text.get_text()]
        assert not ({"e"} & set("".join(texts)))
        commas = any("," in text or (text.isdigit() and len(text) > 4) for text in texts)
        assert not (commas and any("k" in text or "M" in text for text in texts))


def test_every_protocol_has_a_look_of_its_own() -> None:
    assert len({look.marker for look in TRACKERS.values()}) == len(TRACKERS)
    assert len({look.colour for look in TRACKERS.values()}) == len(TRACKERS)
    many = ("robust", "exact", *(f"counter-{place}" for place in range(12)))
    assert len({mark(kind, many).colour for kind in many}) == len(many)
    # the four of the headline keep apart in grey: at least 30 of 255 in lightness
    greys = sorted(_grey(TRACKERS[kind].colour) for kind in ("deterministic", "randomized", "robust", "martingale"))
    assert min(np.diff(greys)) >= 30
    # text is dark enough on white: a contrast of at least 3 to 1
    assert all(_contrast(ink(mark(kind, many).colour)) >= 3 for kind in (*TRACKERS, *many))
    assert set(Count.kinds("protocol")) == set(TRACKERS)
    colours = [*COLOURS.values(), *SPARE, *(look.colour for look in TRACKERS.values())]
    assert len(set(colours)) == len(colours), "those of messages are no tracker's"


def test_a_mark_is_of_the_class_that_states_it_and_no_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    class Plain(Robust):
        pass

    class Marked(Robust):
        mark: ClassVar = ("#112233", "x")

    assert Marked(alpha=0.1).guarantee == "adaptive"
    assert stated("mine") is stated("kmv") is None
    looks = []
    for maker in (Plain, Marked):
        monkeypatch.setattr(Kind, "load", lambda _, maker=maker: maker)
        looks.append(stated("robust"))
    assert looks == [None, Mark("#112233", "x")]


@pytest.mark.parametrize("kinds", [("robust",), ("lease", "central"), ("lease",)])
def test_every_variant_of_a_protocol_has_a_look_of_its_own(kinds: tuple[str, ...]) -> None:
    """Also where no mark is drawn, or no colour printed: shades and markers both differ."""
    lines = [Line(kinds[0], (), f"variant={order}", pd.DataFrame({"result": ["a"]}), order) for order in range(7)]
    looks = looks_of_lines(lines, kinds).values()
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == len(lines)
    assert all(lightness(look.colour) < 0.75 for look in looks)  # seen on white


def _grey(colour: str) -> float:
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def _contrast(colour: str) -> float:
    """Return the contrast with white as the guidelines for accessible pages define it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)
