"""A measure of games against a swept axis: medians, bands over trials, fitted exponents, panels.

Shared by the figures of cost and of error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from simulator.plots.style import DASHES, mark, number
from simulator.plots.tables import Line, Tables, lines, name

SYMBOLS = {"sites": "k", "items": "N", "alpha": "(1/α)", "start": "N_0"}
_AXIS_NAMES = {"sites": "sites k", "items": "items N", "alpha": "accuracy 1/α", "start": "items at the start"}


@dataclass(frozen=True)
class Curve:
    """One line of a panel.

    Parameters
    ----------
    line
        The games behind it.
    x, middle, low, high
        Places on the axis and, at each, the median and the ends of the band.
    bound
        Theory at each place, NaN where there is none.
    """

    line: Line
    x: np.ndarray[Any, np.dtype[np.float64]]
    middle: np.ndarray[Any, np.dtype[np.float64]]
    low: np.ndarray[Any, np.dtype[np.float64]]
    high: np.ndarray[Any, np.dtype[np.float64]]
    bound: np.ndarray[Any, np.dtype[np.float64]] = field(default_factory=lambda: np.array([]))


def place(games: pd.DataFrame, axis: str) -> pd.Series[float]:
    """Return where games stand on an axis; the axis of alpha shows 1/alpha."""
    values = pd.to_numeric(games[axis], errors="coerce").astype(float)
    return 1.0 / values if axis == "alpha" else values


def panels(tables: Tables) -> list[tuple[str, pd.DataFrame]]:
    """Return the games of each panel with its title: a panel an adversary, and a result where several are compared."""
    by = ["result"] * tables.several + ["adversary"]
    found = []
    for values, games in tables.trials.groupby(by, sort=False):
        found.append((" · ".join(str(value) for value in values), games))
    return found


def curves(
    games: pd.DataFrame, axis: str, measure: Callable[[pd.DataFrame], pd.Series[float]],
    theory: Callable[[pd.Series[Any]], float | None] | None = None,
) -> list[Curve]:
    """Return the lines of one panel.

    The band is least to largest up to 20 games at a place, and the 5 % to 95 % quantiles beyond.
    """  # fmt: skip
    found = []
    for line in lines(games, axis, apart=("adversary", "result")):
        table = pd.DataFrame({"x": place(line.games, axis), "y": measure(line.games)}).dropna()
        if table.empty:
            continue
        groups = table.groupby("x")["y"]
        many = groups.size().max() > 20
        bounds = []
        for x in groups.groups:
            row = line.games.loc[place(line.games, axis) == x].iloc[0]
            bound = theory(row) if theory else None
            bounds.append(np.nan if bound is None else bound)
        found.append(
            Curve(
                line,
                groups.median().index.to_numpy(dtype=float),
                groups.median().to_numpy(dtype=float),
                groups.quantile(0.05 if many else 0.0).to_numpy(dtype=float),
                groups.quantile(0.95 if many else 1.0).to_numpy(dtype=float),
                np.array(bounds, dtype=float),
            )
        )
    return found


def exponent(x: Sequence[float] | Any, y: Sequence[float] | Any) -> float | None:
    """Return the slope of the least-squares line through log y over log x; None without two places.

    >>> round(exponent([1, 10, 100], [3, 30, 300]), 6)
    1.0
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    usable = (x > 0) & (y > 0)
    if len(set(x[usable])) < 2:
        return None
    return float(np.polyfit(np.log(x[usable]), np.log(y[usable]), 1)[0])


def band_note(games: pd.DataFrame) -> str:
    """Return in words what the lines and bands are."""
    most = int(games.groupby(["result", "point"]).size().max())
    if most == 1:
        return "Marks: one game each."
    return f"Marks: medians. Bands: {'5 % to 95 % of the' if most > 20 else 'least to largest of'} {most} games."


def grid(figure: Figure, number_of_panels: int) -> list[Axes]:
    """Return the axes of so many panels, in rows, with common scales."""
    columns = min(number_of_panels, 2 if number_of_panels in (2, 4) else 3)
    rows = ceil(number_of_panels / columns)
    made = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for spare in made.flat[number_of_panels:]:
        spare.set_visible(False)
    axes = list(made.flat[:number_of_panels])
    for place_of, one in enumerate(axes):
        if place_of + columns >= number_of_panels:
            one.tick_params(labelbottom=True)
    return axes


def rows_of(number_of_panels: int) -> int:
    """Return how many rows `grid` takes."""
    return ceil(number_of_panels / min(number_of_panels, 2 if number_of_panels in (2, 4) else 3))


def draw_curve(axes: Axes, curve: Curve, kinds: tuple[str, ...]) -> None:
    """Draw a line with its marks, its band and its theory curve."""
    look = mark(curve.line.protocol, kinds)
    order = curve.line.order
    if np.any(curve.high > curve.low):
        axes.fill_between(curve.x, curve.low, curve.high, color=look.colour, alpha=0.18, linewidth=0, zorder=2)
    if len(curve.bound) and np.isfinite(curve.bound).any():
        axes.plot(curve.x, curve.bound, color=look.colour, linewidth=0.9, linestyle=(0, (4, 2)), zorder=1.5, gid="bound")
    axes.plot(
        curve.x, curve.middle, color=look.colour, marker=look.marker, linestyle=DASHES[order % len(DASHES)], zorder=3,
        markerfacecolor="white" if order % 2 else look.colour, clip_on=False, gid="line",
    )  # fmt: skip


def scale_x(axes: Axes, axis: str, values: Sequence[float]) -> None:
    """Make the x axis logarithmic, with ticks at the swept values where they are few."""
    axes.set_xscale("log")
    distinct = sorted(set(values))
    axes.set_xlim(distinct[0], distinct[-1]) if len(distinct) > 1 else None
    if len(distinct) <= 12:
        axes.xaxis.set_major_locator(FixedLocator(_thinned(distinct)))
    else:
        axes.xaxis.set_major_locator(LogLocator(10, numticks=8))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(float(f"{value:.4g}"))))
    axes.xaxis.set_minor_locator(NullLocator())


def _thinned(values: list[float]) -> list[float]:
    """Return the values whose tick labels have room, counted from the last: 7 at most."""
    step = ceil(len(values) / 7)
    return values[::-1][::step][::-1]


def axis_label(axis: str) -> str:
    """Return the label of a swept axis with its unit."""
    return _AXIS_NAMES.get(axis, name(axis))
