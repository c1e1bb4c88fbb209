"""Interactive figures have the values of the drawn ones: every artist of every kind of plot is found again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.colors import LogNorm
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from synthetic_results import write_result

from simulator import run
from simulator.plots import PLOTS
from simulator.plots.figures import figure_of, planned
from simulator.plots.interactive import Interactive, Unsupported, interactive
from simulator.plots.style import house_style
from simulator.results.folder import Results
from simulator.results.read import read_tables

EVIL = "<script>alert('x')</script>%{x}"
REFERENCE = Path(__file__).resolve().parents[3] / "results" / "reference"
SYNTHETIC = [
    "matrix",
    "breakdown",
    "frontier",
    "timeline",
    {"kind": "cost", "x": "sites"},
    {"kind": "error", "x": "sites"},
]
RATIOS = """\
name: ratios
task: second-moment
updates: 300
trials: 3
protocol: {kind: ams, rows: 16}
adversary: [{kind: ams-attack}, {kind: random-updates}]
plots: [ratio]
"""
SHIPPED = {
    "flags": "flags",
    "budget": "dynamic",
    "measure": "experts",
    "size": "dynamic",
    "spread": "queries",
    "share": "pan-privacy",
    "halts": "monitor",
}


def figures_of(folder: Path, wanted: set[str]) -> Iterator[tuple[str, Figure]]:
    """Yield the first figure of each of some kinds."""
    results = Results(folder)
    tables = read_tables([results])
    for plot in planned(results).values():
        if plot.kind not in wanted:
            continue
        wanted.remove(plot.kind)
        with house_style():
            yield plot.kind, figure_of(tables, plot)


def panels(figure: Figure) -> list[Axes]:
    return [axes for axes in figure.axes if axes.get_visible() and axes.get_label() != "<colorbar>"]


def missing(figure: Figure, made: Interactive) -> list[str]:
    """Return what the artists of a figure show and no trace or shape of the same panel does."""
    found = []
    for number, axes in enumerate(panels(figure), start=1):
        own = "x" if number == 1 else f"x{number}"
        traces = [trace for trace in made.data if trace["xaxis"] == own]
        shapes = [shape for shape in made.layout["shapes"] if own in (shape["xref"], shape["xref"].split(" ")[0])]
        lines = [(trace["x"], trace["y"]) for trace in traces if trace["type"] == "scatter"]
        # the ends of error bars are those of the bars
        caps = {cap for each in axes.containers if isinstance(each, ErrorbarContainer) for cap in each[1]}
        for line in (each for each in axes.lines if each not in caps):
            x, y = (np.asarray(part, dtype=float).tolist() for part in (line.get_xdata(), line.get_ydata()))
            across = not all(line.get_transform().contains_branch_seperately(axes.transData))
            if x and not ((x, y) in lines if not across else any(shape["type"] == "line" for shape in shapes)):
                found.append(f"{number}: line {line.get_label()}")
        ends = [set(zip(x, y, strict=True)) for x, y in lines]
        for area in axes.collections:
            if isinstance(area, PolyCollection):
                corners = {tuple(place) for path in area.get_paths() for place in path.vertices[1:-2].tolist()}
                if not any(corners <= there for there in ends):
                    found.append(f"{number}: area {area.get_label()}")
        bars = {
            place
            for trace in traces
            if trace["type"] == "bar"
            for place in zip(trace["base"], trace["width"], strict=True)
        }
        flat = [t for t in traces if t["type"] == "bar"]
        lengths = [value for trace in flat for value in (trace["x"] if trace["orientation"] == "h" else trace["y"])]
        for container in (each for each in axes.containers if isinstance(each, BarContainer)):
            for patch in container:
                length = patch.get_width() if container.orientation == "horizontal" else patch.get_height()
                if not np.isclose(lengths, length).any() or not bars:
                    found.append(f"{number}: bar {length}")
        for image in axes.images:
            cells = np.sort(np.ma.filled(image.get_array().astype(float), np.nan), axis=None)
            heat = [np.sort(np.array(t["z"], dtype=float), axis=None) for t in traces if t["type"] == "heatmap"]
            if not any(np.array_equal(cells, one, equal_nan=True) for one in heat):
                found.append(f"{number}: image")
    return found


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Figure, Interactive]]:
    folder = write_result(tmp_path_factory.mktemp("i") / "r", sites=(16, 64, 256), trials=3, plots=SYNTHETIC)
    (folder.parent / "ratios.yaml").write_text(RATIOS)
    run(folder.parent / "ratios.yaml", out=folder.parent / "ratios", workers=1)
    synthetic = {one["kind"] if isinstance(one, dict) else one for one in SYNTHETIC}
    kinds = {folder: synthetic, folder.parent / "ratios": {"ratio"}}
    for name in SHIPPED.values():
        kinds[REFERENCE / name] = {kind for kind, other in SHIPPED.items() if other == name}
    return [
        (kind, figure, interactive(figure))
        for place, wanted in kinds.items()
        for kind, figure in figures_of(place, wanted)
    ]


@pytest.mark.slow
def test_every_built_in_kind_shows_the_values_that_its_artists_have(
    drawn: list[tuple[str, Figure, Interactive]],
) -> None:
    assert {kind for kind, _, _ in drawn} >= set(PLOTS)
    assert {kind: lost for kind, figure, made in drawn if (lost := missing(figure, made))} == {}


@pytest.mark.slow
def test_a_value_that_is_changed_is_missed(drawn: list[tuple[str, Figure, Interactive]]) -> None:
    """The control of the test above."""
    _, figure, made = next(each for each in drawn if each[0] == "cost")
    longest = max((t for t in made.data if t["type"] == "scatter" and not t.get("fill")), key=lambda t: len(t["x"]))
    before = longest["y"][0]
    longest["y"][0] = before * 1.001
    assert missing(figure, made)
    longest["y"][0] = before


def test_series_are_called_by_their_names_and_told_apart(drawn: list[tuple[str, Figure, Interactive]]) -> None:
    for kind, _, made in drawn:
        names = {trace["meta"]["series"] for trace in made.data}
        assert not [name for name in names if name.startswith("series ")], kind
        if kind in ("cost", "error"):
            assert {"deterministic", "randomized", "robust", "martingale"} <= names


def test_scales_and_ranges_are_those_of_the_panels(drawn: list[tuple[str, Figure, Interactive]]) -> None:
    for _, figure, made in drawn:
        for panel, axes in zip(made.panels, panels(figure), strict=True):
            for which, (low, high), kind in (
                ("x", axes.get_xlim(), axes.get_xscale()),
                ("y", axes.get_ylim(), axes.get_yscale()),
            ):
                one = made.layout[panel.key(which)]
                ends = np.log10([low, high]) if kind == "log" else np.array([low, high])
                assert one["type"] == kind
                np.testing.assert_allclose(one["range"], ends)
                assert 0 <= one["domain"][0] < one["domain"][1] <= 1


def test_they_are_plain_values(drawn: list[tuple[str, Figure, Interactive]]) -> None:
    for _, _, made in drawn:
        json.dumps(made.values(), allow_nan=False)


def test_every_other_artist_of_a_users_own_plot_is_shown() -> None:
    figure = Figure()
    one, other = figure.subplots(1, 2)
    one.errorbar([1, 2, 3], [4, 5, 6], yerr=[[0.5, 1, 1], [1, 2, 0.25]], label="bars", capsize=2)
    one.scatter([1, 2], [3, 4], s=[16, 25], c=["red", "blue"], label="dots")
    one.hist([1, 1, 2, 5], bins=[0, 2, 4, 6], label="heights")
    one.vlines([1.5], [0], [2], label="sticks")
    one.step([1, 2], [1, 3], where="post", label="stairs")
    one.axvspan(1, 2)
    one.legend()
    other.pcolormesh([1, 10, 100], [0, 1, 2], [[1, 10], [100, 1000]], norm=LogNorm(1, 1000))
    other.fill([0, 1, 1], [0, 0, 1], label="corner")
    other.set_xscale("log")
    made = interactive(figure)
    by_name = {trace["meta"]["series"]: trace for trace in made.data}
    assert by_name["bars"]["error_y"]["array"] == [1, 2, 0.25]
    assert by_name["bars"]["error_y"]["arrayminus"] == [0.5, 1, 1]
    assert (by_name["dots"]["x"], by_name["dots"]["y"]) == ([1, 2], [3, 4])
    assert by_name["dots"]["marker"]["color"] == ["#ff0000", "#0000ff"]
    assert (by_name["heights"]["x"], by_name["heights"]["y"]) == ([1, 3, 5], [2, 1, 1])
    assert (by_name["sticks"]["x"], by_name["sticks"]["y"]) == ([1.5, 1.5], [0, 2])
    assert by_name["stairs"]["line"]["shape"] == "hv"
    assert made.layout["shapes"][0] | {"line": None} == {
        "type": "rect", "xref": "x", "yref": "y domain", "x0": 1, "x1": 2, "y0": 0, "y1": 1, "layer": "below",
        "fillcolor": "#1f77b4", "line": None,
    }  # fmt: skip
    heat = next(trace for trace in made.data if trace["type"] == "heatmap")
    assert heat["z"] == [[1, 10], [100, 1000]]
    assert heat["x"] == [1, 10, 100]
    assert [round(place, 3) for place, _ in heat["colorscale"]][16] == pytest.approx((10**1.5 - 1) / 999, abs=1e-3)
    corner = by_name["corner"]
    assert (corner["fill"], sorted(set(zip(corner["x"], corner["y"], strict=True)))) == (
        "toself",
        [(0, 0), (1, 0), (1, 1)],
    )


def test_a_line_knows_the_band_around_it() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.fill_between([1, 2], [0, 1], [4, 5], color="red", alpha=0.2, label="a")
    axes.plot([1, 2], [2, 3], color="red", label="a")
    line = next(trace for trace in interactive(figure).data if not trace.get("fill"))
    assert line["customdata"] == [[0, 4], [1, 5]]


def test_annotations_stand_where_they_stood_also_on_logarithmic_axes() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set(xscale="log", xlim=(1, 100), title="a panel")
    axes.text(10, 3, "ten")
    axes.text(0.5, 0.5, "middle", transform=axes.transAxes)
    axes.annotate("$k^{0.5}$", (100, 4), xytext=(6, 3), textcoords="offset points")
    ten, middle, power, heading = interactive(figure).layout["annotations"]
    assert (ten["x"], ten["y"], ten["xref"]) == (1.0, 3, "x")
    assert (middle["x"], middle["xref"]) == (0.5, "x domain")
    assert (power["text"], power["x"], power["xshift"], power["yshift"]) == ("k<sup>0.5</sup>", 2.0, 8.0, 4.0)
    assert (heading["name"], heading["text"]) == ("heading", "a panel")


def test_names_cannot_become_markup_or_placeholders() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.plot([1, 2], label=EVIL)
    axes.set(title=EVIL, xlabel=EVIL, ylabel=EVIL)
    axes.set_xticks([0, 1], [EVIL, "b"])
    axes.text(0, 1, EVIL)
    made = interactive(figure)
    shown = json.dumps([[t["name"], t["hovertemplate"], t["legendgroup"]] for t in made.data]) + json.dumps(made.layout)
    assert "<script" not in shown
    assert shown.count("%{x") == 1  # the pointer's own
    assert made.data[0]["meta"]["series"] == EVIL


@pytest.mark.parametrize("way", ["polar", "scale", "twin"])
def test_what_cannot_be_shown_is_refused_by_name(way: str) -> None:
    figure = Figure()
    axes = figure.add_subplot(projection="polar" if way == "polar" else None)
    if way == "scale":
        axes.set_yscale("symlog")
    if way == "twin":
        axes.twinx()
    with pytest.raises(Unsupported, match={"polar": "polar", "scale": "symlog", "twin": "second scale"}[way]):
        interactive(figure)
