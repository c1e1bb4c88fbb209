"""The `cost` figure: words against a swept axis, a line per protocol, with fitted power and bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import log1p
from typing import Any, Final

import numpy as np
import pandas as pd

from disttrack.simulator.plots.description import Axis, Description, Item
from disttrack.simulator.plots.kinds import EFOLD, Cost
from disttrack.simulator.plots.lower_bounds import LOOK, NOTE, lower_bounds
from disttrack.simulator.plots.panels import Curves, room_for_labels
from disttrack.simulator.plots.sentences import of_curves
from disttrack.simulator.plots.sweep import (
    Curve,
    Drawn,
    Floats,
    marks_note,
    panels_of_curves,
    power,
    power_note,
    symbol,
)
from disttrack.simulator.plots.theory import cost_bound
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import Tables

_LINEAR_SPAN: Final = 60.0
"""Against N costs grow logarithmically: a linear scale shows that straight, if they differ by less than this."""
_LABELS: Final = {EFOLD: "words per e-fold of the stream"}


def describe(plot: Cost, tables: Tables) -> Description:
    """Return the figure."""
    column = "words" if plot.y == EFOLD else plot.y
    drawn = _drawn(plot, tables, column)
    found = [curve for _, part in drawn for curve in part]
    medians = tables.trials.groupby("protocol")[column].median()
    linear = plot.x in ("items", "start") and bool(medians.max() / max(1.0, medians.min()) < _LINEAR_SPAN)
    least = lower_bounds(tables.trials, plot.x, _start_of(tables), _efolds(plot, tables)) if plot.lower_bounds else []
    named = room_for_labels(len(drawn))

    def beside(curve: Curve) -> str:
        return _growth(curve) if linear else power(curve, plot.x)

    def more(place: int) -> Sequence[Item]:
        return least if named and place == len(drawn) - 1 else [replace(bound, label="") for bound in least]

    bounds = np.concatenate([curve.bound for curve in found])
    values = np.concatenate([*(np.r_[curve.low, curve.high] for curve in found), *(bound.y for bound in least)])
    note = [marks_note(tables.trials, found)]
    if np.isfinite(bounds).any():
        note.append("Thin dashes: the bound that theory gives on expected messages.")
    if least:
        note.append(NOTE)
    if named and linear:
        note.append(f"Beside each line: the {column} that the last doubling of {symbol(plot.x)} added.")
    elif named:
        note.append(power_note(found, plot.x).strip())
    what = _LABELS.get(plot.y, plot.y)
    extra = " Thin dashes are the bounds that theory gives." if np.isfinite(bounds).any() else ""
    extra += " Dots are lower bounds, up to a constant factor." if plot.lower_bounds else ""
    curves = Curves(tables, plot.x, drawn, _axis(what, values, bounds, linear), beside)
    return curves.description(
        plot.title, " ".join(note), of_curves(tables, what, plot.x, drawn, extra), more,
        [(LOOK, f"bound {bound.name}") for bound in least[:1]],
    )  # fmt: skip


def _drawn(plot: Cost, tables: Tables, column: str) -> Drawn:
    """Return the lines of each panel."""
    efolds = _efolds(plot, tables)

    def theory(game: dict[str, Any]) -> float | None:
        point = tables.points.get(str(game["result"]), {}).get(int(game["point"]), {})
        bound = cost_bound(point, int(game["items"]), tables.own)
        return None if bound is None else bound / efolds(game)

    def cost(games: pd.DataFrame) -> pd.Series[float]:
        return games[column].astype(float) / games.apply(efolds, axis=1)

    there = tables.trials[column].notna().any()
    drawn = panels_of_curves(tables, plot.x, cost, theory if column != "bits" else None) if there else []
    if not drawn:
        raise ValueError(f"a cost figure needs games with {column}; these have none")
    return drawn


def _efolds(plot: Cost, tables: Tables) -> Callable[[Any], float]:
    """Return by what the cost of a game is divided."""
    start = _start_of(tables)
    return lambda game: log1p(int(game["items"]) / max(1, start(game))) if plot.y == EFOLD else 1.0


def _start_of(tables: Tables) -> Callable[[Any], int]:
    """Return what tells the items before a game."""
    points = tables.points
    return lambda game: int(points.get(str(game["result"]), {}).get(int(game["point"]), {}).get("start") or 0)


def _growth(curve: Curve) -> str:
    """Return what the last doubling added, as text."""
    if len(curve.x) < 2:
        return ""
    doublings = np.log2(curve.x[-1] / curve.x[-2])
    return f"+{short(max(0.0, float(curve.middle[-1] - curve.middle[-2]) / doublings))}"


def _axis(label: str, values: Floats, bounds: Floats, linear: bool) -> Axis:
    """Return the scale of costs, by what was measured; a bound far above it may leave the picture."""
    high = float(values.max())
    top = float(np.nanmax(bounds)) if np.isfinite(bounds).any() else high
    if linear:
        ends = (0.0, max(high * 1.08, min(top * 1.04, high * 1.5)))
        return Axis(label, ends=ends, text=lambda value: short(value) if value else "0")
    ends = (float(values[values > 0].min()) / 1.6, max(high * 1.4, min(top * 1.2, high * 6)))
    return Axis(label, "log", ends, most=8, text=short)
