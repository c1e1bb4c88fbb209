"""The figures themselves: files, captions, bytes that stay the same, and labels that cover nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import matplotlib
import numpy as np
import pandas as pd
import pytest
from drawn import figure, shown
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from synthetic_results import write_result

from disttrack.protocols import Robust
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.experiments.results.lines import Line
from disttrack.simulator.experiments.results.read import read_tables
from disttrack.simulator.game.tasks.tracking import Count
from disttrack.simulator.kinds.registry import Kind
from disttrack.simulator.shown.plots import check_plot, compare, draw
from disttrack.simulator.shown.plots.bars import COLOURS, SPARE
from disttrack.simulator.shown.plots.description import Series
from disttrack.simulator.shown.plots.marks import Mark, lightness, mark, stated
from disttrack.simulator.shown.plots.panels import looks_of_lines
from disttrack.simulator.shown.plots.requests import caption_of, described_of, planned
from disttrack.simulator.shown.plots.style import ink, save

TRACKERS = {kind: look for kind in Count.kinds("protocol") if (look := stated(kind))}
REQUESTS: list[dict[str, Any]] = [
    {"kind": "cost", "x": "sites"},
    {"kind": "error", "x": "sites"},
    {"kind": "frontier"},
    {"kind": "measure", "x": "sites", "y": "seconds"},
    {"kind": "breakdown", "x": "sites"},
    {"kind": "matrix", "where": "sites == 256"},
    {"kind": "timeline", "where": "sites == 256"},
]
NAMES = ["cost-sites", "error-sites", "frontier", "measure-sites-seconds", "breakdown-sites", "matrix", "timeline"]
FEW: dict[str, Any] = {"protocols": ("deterministic", "randomized"), "adversaries": ("freeze",)}


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


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a result of one panel, whose figures are written."""
    folder, plots = tmp_path_factory.mktemp("plots") / "small", [REQUESTS[place] for place in (0, 3, 5)]
    return write_result(folder, plots=plots, trials=1, sites=(16, 256), adversaries=("freeze",))


@pytest.fixture(scope="module")
def written(small: Path) -> list[Path]:
    """Return the files of all its figures."""
    return draw(small)


def captions(folder: Path) -> dict[str, str]:
    """Return the captions of the figures of a result, of which nothing is drawn."""
    tables = read_tables([folder])
    plots, _ = planned(Results(folder), tables, None)
    return {name: caption_of(plot, described_of(tables, plot)) for name, plot in plots.items()}


def test_each_figure_has_a_caption_of_one_line_and_nothing_is_drawn_for_it(result: Path) -> None:
    texts = captions(result)
    assert list(texts) == NAMES
    assert all("\n" not in text and text.endswith(".") and 60 < len(text) < 1400 for text in texts.values())
    assert len(set(texts.values())) == len(texts)
    assert not list(result.glob("figures/*"))


@pytest.mark.slow
def test_each_figure_that_is_asked_for_is_written_twice_with_its_caption(small: Path, written: list[Path]) -> None:
    names = [NAMES[place] for place in (0, 3, 5)]
    assert [path.name for path in written] == [f"{name}.{form}" for name in names for form in ("png", "svg")]
    assert all(path.parent == small / "figures" and path.stat().st_size > 5_000 for path in written)
    assert not list((small / "figures").glob(".*"))
    beside = json.loads((small / "figures" / "captions.json").read_text(encoding="utf-8"))
    assert beside == captions(small)
    assert set(beside) == set(names)


@pytest.mark.slow
def test_the_same_tables_give_the_same_bytes_and_others_do_not(
    small: Path, written: list[Path], tmp_path: Path
) -> None:
    first = {path: path.read_bytes() for path in written if path.stem == "cost-sites"}
    assert len(first) == 2
    # a user's own settings play no part, those that the house style says nothing of neither
    matplotlib.rcParams.update({"font.size": 23, "lines.markeredgewidth": 7})
    try:
        again = {path: path.read_bytes() for path in draw(small, REQUESTS[:1])}
    finally:
        matplotlib.rcdefaults()
    assert first == again
    other = write_result(tmp_path / "small", trials=2, sites=(16, 256), adversaries=("freeze",))
    ours = next(path for path in written if path.name == "matrix.png")
    assert ours.read_bytes() != draw(other, REQUESTS[5:6])[0].read_bytes()


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


def test_a_figure_that_cannot_be_drawn_does_not_keep_the_others_from_being(tmp_path: Path) -> None:
    folder = write_result(tmp_path / "one", trials=1, sites=(16,), adversaries=("freeze",))
    with pytest.raises(ValueError, match="frontier-sites-3: where: no game meets"):
        draw(folder, [{"kind": "frontier", "where": "sites == 3"}, {"kind": "breakdown"}])
    assert (folder / "figures" / "breakdown.svg").exists()


def boxes(made: Figure, name: str) -> list[Bbox]:
    """Return the boxes of what has such an id; of labels without their leaders."""
    found = made.findobj(lambda one: str(one.get_gid()).endswith(name))
    for artist in found:
        artist.get_window_extent()  # a label takes its place
    return [(Text if isinstance(one, Text) else type(one)).get_window_extent(one) for one in found]


@pytest.mark.slow
@pytest.mark.parametrize("request_", REQUESTS[::2], ids=lambda one: one["kind"])
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


@pytest.mark.slow
def test_results_are_compared_on_one_scale(tmp_path: Path) -> None:
    headline, crowded = (
        write_result(tmp_path / name, trials=trials, sites=(16, 256), **FEW)
        for name, trials in (("headline", 3), ("crowded", 2))
    )
    made = compare([headline, crowded], {"kind": "cost", "where": "sites <= 256"}, tmp_path)
    assert made.path == tmp_path / "compare-cost-sites.svg"
    assert made.path.exists()
    assert made.path.with_suffix(".png").exists()
    assert made.described is not None
    (panel,) = made.described.panels  # lines of both results, one over the other
    assert {series.name for series in panel.of(Series, "")} == {
        f"{kind}(result={name})" for kind in FEW["protocols"] for name in ("headline", "crowded")
    }
    tables = read_tables([headline, crowded]).where("sites == 256")
    for kind, titles in (("frontier", [""]), ("matrix", ["headline", "crowded"])):
        made = described_of(tables, check_plot(kind))
        assert made is not None
        assert [panel.title for panel in made.panels] == titles
        assert made.share[0] == "all"


@pytest.mark.parametrize("request_", [REQUESTS[0], REQUESTS[2]], ids=["cost", "frontier"])
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


def test_messages_have_colours_that_no_tracker_has() -> None:
    colours = [*COLOURS.values(), *SPARE, *(look.colour for look in TRACKERS.values())]
    assert len(set(colours)) == len(colours)
