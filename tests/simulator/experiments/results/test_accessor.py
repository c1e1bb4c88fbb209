"""`results.plot`: every kind of figure as a method that draws and returns axes."""

from __future__ import annotations

import inspect
import pydoc

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from synthetic_results import write_result

from disttrack.simulator.experiments.results.accessor import Plotter
from disttrack.simulator.experiments.results.folder import Results
from disttrack.simulator.kinds.registry import kinds
from disttrack.simulator.shown.plots import PLOTS


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("results")
    write_result(folder, sites=(16, 64), trials=2, protocols=("deterministic", "randomized"))
    return Results(folder)


def test_dir_lists_all_kinds_and_help_their_keys(results: Results) -> None:
    assert dir(results.plot) == sorted(name.replace("-", "_") for name in kinds("plot"))
    assert not hasattr(results.plot, "cots")
    taken = inspect.signature(results.plot.cost).parameters
    assert {"x", "y", "where", "title", "lower_bounds"} <= set(taken)
    assert "what to count" in pydoc.plain(pydoc.render_doc(results.plot.cost)).lower()


@pytest.mark.parametrize("kind", ["cost", "matrix"])
def test_a_figure_of_its_own(results: Results, kind: str) -> None:
    panels = getattr(results.plot, kind)()
    assert len(panels) >= 1
    assert all(isinstance(axes, Axes) for axes in panels)
    assert {axes.figure for axes in panels} == {panels.figure}
    assert panels._repr_png_().startswith(b"\x89PNG"), "what a notebook asks for"


def test_on_axes_of_the_users_own(results: Results) -> None:
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert results.plot.cost(ax=left, where="adversary == 'freeze'") is left
    own = results.plot.cost(where="adversary == 'freeze'")[0]
    assert len(left.lines) == len(own.lines)
    assert [list(line.get_ydata()) for line in left.lines] == [list(line.get_ydata()) for line in own.lines]
    assert left.get_xlabel() == own.get_xlabel()
    assert left.get_title(loc="left") or left.get_title()
    assert not right.lines
    results.plot.breakdown(ax=right, where="adversary == 'freeze' and sites == 64")
    assert right.patches
    assert right.get_legend() is not None
    assert figure.axes == [left, right]


def test_several_panels_on_a_list_of_axes(results: Results) -> None:
    figure = Figure()
    pair = figure.subplots(1, 2)  # an array
    assert results.plot.error(x="sites", ax=pair) is pair
    assert results.plot.error(x="sites", ax=list(pair)) == list(pair)
    assert all(axes.lines for axes in pair)
    assert pair[0].get_ylim() == pair[1].get_ylim()  # shared, as in a figure of its own


@pytest.mark.parametrize("ax", [[], 3, [None], "axes"])
def test_what_is_no_axes(results: Results, ax: object) -> None:
    with pytest.raises((ValueError, TypeError), match="ax must be matplotlib axes"):
        results.plot.cost(ax=ax)


def test_every_kind_is_known_to_editors_and_type_checkers() -> None:
    assert set(Plotter.__annotations__) == {name.replace("-", "_") for name in PLOTS}


def test_an_axis_may_be_given_without_its_name(results: Results) -> None:
    """Any other key is given by name: their order is none that a reader knows."""
    (axes,) = results.plot.cost("sites", where="adversary == 'freeze'")
    assert axes.get_xlabel() == results.plot.cost(x="sites", where="adversary == 'freeze'")[0].get_xlabel()
    with pytest.raises(TypeError, match="cost: only x needs no name; got 'sites', 'bits'"):
        results.plot.cost("sites", "bits")
    with pytest.raises(ValueError, match="timeline has no such parameter"):
        results.plot.timeline("sites")
