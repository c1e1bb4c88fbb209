"""Which plots are asked for: requests checked against the tables, and figures that suit a scenario without any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from disttrack.simulator.errors import ScenarioError
from disttrack.simulator.plots.base import Plot
from disttrack.simulator.points.registry import find, parameters
from disttrack.simulator.points.source import source_of
from disttrack.simulator.results.folder import Results, class_of
from disttrack.simulator.results.read import Tables, swept_axes
from disttrack.simulator.scenario.figures import check_plot

Request = Plot | Mapping[str, Any] | str


def planned(results: Results, tables: Tables, requests: Sequence[Request] | None) -> tuple[dict[str, Plot], list[str]]:
    """Return the plots that are asked for, by the names of their files, and what is wrong with the other requests."""
    named = requests is not None
    if requests is None:
        requests = results.scenario.get("plots") or _suitable(tables)
    plots: dict[str, Plot] = {}
    faults = []
    names: dict[str, int] = {}
    for request in requests:
        try:
            plot = plot_of(request, tables, named=named)
        except ValueError as error:
            faults.append(f"{_kind_of(request)}: {error}")
            continue
        count = names[plot.name] = names.get(plot.name, 0) + 1
        plots[plot.name if count == 1 else f"{plot.name}-{count}"] = plot
    return plots, faults


def plot_of(request: Request, tables: Tables, *, named: bool = True) -> Plot:
    """Return the plot that is asked for, checked against the tables; `named` as for `_class_of`."""
    try:
        maker = None if isinstance(request, Plot) else _class_of(_kind_of(request), tables, named=named)
    except ScenarioError as error:
        raise ValueError(str(error)) from error
    plot: Plot = check_plot(request, swept_axes(tables.trials), called=tables.called, maker=maker)
    return plot


def _class_of(kind: str, tables: Tables, *, named: bool = True) -> Any:
    """Return the class of a plot; a file or module is loaded only if the user has named it, not a result."""
    try:
        return class_of("plot", kind, tables.own)
    except ScenarioError:
        if not named:
            raise
        return find("plot", kind, source_of(kind, Path.cwd()), Path.cwd())


def _kind_of(request: Request) -> str:
    """Return the kind that a request names."""
    if isinstance(request, Mapping):
        return str(request.get("kind"))
    return request.kind if isinstance(request, Plot) else str(request)


def with_axis(request: Request, tables: Tables) -> Request:
    """Return a request with the first swept axis put in where it needs one and names none."""
    asked: Request = {"kind": request} if isinstance(request, str) else request
    axes = _numeric_axes(tables) or swept_axes(tables.trials)
    if isinstance(asked, Mapping) and not asked.get("x") and axes:
        try:
            needed = parameters(_class_of(str(asked.get("kind")), tables)).get("x") is MISSING
        except ScenarioError:
            needed = False  # the check of the request says what is wrong
        return {**asked, "x": axes[0]} if needed else asked
    return asked


def _numeric_axes(tables: Tables) -> tuple[str, ...]:
    """Return the swept axes whose values are numbers, along which lines can be drawn."""
    return tuple(axis for axis in swept_axes(tables.trials) if tables.trials[axis].dtype.kind in "iuf")


def _suitable(tables: Tables) -> list[Request]:
    """Return figures for a scenario that asks for none."""
    if tables.kinds.empty:
        return []  # nothing was sent: a task of another kind than counting, whose columns only its scenario knows
    found: list[Request] = [{"kind": "cost", "x": axis} for axis in _numeric_axes(tables)[:1]]
    if tables.trials["adversary"].nunique() > 1 and tables.trials["verdict"].ne("undecided").any():
        found.append("matrix")
    found.append("breakdown")
    if not tables.series.empty:
        found.append("timeline")
    return found
