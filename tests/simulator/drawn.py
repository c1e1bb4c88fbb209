"""Figures for tests to look at, made once from the same tables, and parts of what they describe."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from disttrack.simulator.experiments.results.read import Tables, read_tables
from disttrack.simulator.experiments.runs.runner import run
from disttrack.simulator.shown.plots import check_plot
from disttrack.simulator.shown.plots.description import Description, Panel, Series
from disttrack.simulator.shown.plots.requests import described_of, figure_of
from disttrack.simulator.shown.plots.style import house_style, lay_out


def figure(folder: Path, request: dict[str, Any], laid_out: bool = False) -> Figure:
    """Return a figure of a result, to be looked at and not changed.

    Parameters
    ----------
    laid_out
        Whether places matter, and not only what is shown.
    """
    state = state_of(folder)
    made = _figure(folder, state, json.dumps(request, sort_keys=True))
    if laid_out:
        with house_style():
            lay_out(made)
    return made


def described(folder: Path, request: dict[str, Any]) -> Description:
    """Return what a figure of a result shows."""
    return _described(folder, state_of(folder), json.dumps(request, sort_keys=True))


@cache
def _described(folder: Path, state: tuple[int, ...], request: str) -> Description:
    made = described_of(_tables(folder, state), check_plot(json.loads(request)))
    assert made is not None
    return made


def state_of(folder: Path) -> tuple[int, ...]:
    """Return what changes when a table does."""
    return tuple(path.stat().st_mtime_ns for path in sorted(folder.glob("*.csv")))


@cache
def _figure(folder: Path, state: tuple[int, ...], request: str) -> Figure:
    with house_style():
        return figure_of(_tables(folder, state), check_plot(json.loads(request)))


@cache
def _tables(folder: Path, _: tuple[int, ...]) -> Tables:
    return read_tables([folder])


def shown(made: Figure) -> list[Axes]:
    """Return the panels of a figure that are seen."""
    return [axes for axes in made.axes if axes.get_visible()]


def played(folder: Path, text: str) -> Path:
    """Play a scenario and return the folder of its result."""
    (folder / "game.yaml").write_text(text, encoding="utf-8")
    run(folder / "game.yaml", out=folder / "out", workers=1)
    return folder / "out"


def of(panel: Panel, name: str, role: str = "") -> Series:
    """Return the line of a panel that has a name and a role."""
    (one_series,) = (one for one in panel.of(Series, role) if one.name == name)
    return one_series


def marks(panel: Panel, role: str = "") -> dict[str, float]:
    """Return the mark of each row by the row's name."""
    return {panel.y.names[round(one.y[0])]: float(one.x[0]) for one in panel.of(Series, role)}
