"""The `cost` figure: words against a swept axis, a line a protocol, with fitted law and bound."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from simulator.plots import sweep
from simulator.plots.kinds import PlotRequest
from simulator.plots.labels import EndLabel, label_ends
from simulator.plots.style import mark, new_figure, short
from simulator.plots.tables import Tables, fixed
from simulator.plots.theory import cost_bound

_LINEAR_SPAN = 60.0
"""Against N the law is logarithmic: a linear scale shows it straight, unless costs differ by more than this."""


def draw_cost(tables: Tables, request: PlotRequest) -> Figure:
    """Return words (or messages, or bits) against the swept axis `request.x`."""
    trials = tables.trials
    kinds = tuple(dict.fromkeys(trials["protocol"]))
    parts = sweep.panels(tables)
    several = len(parts) > 1
    logarithmic = request.x in ("items", "start") and _span(trials, request.y) < _LINEAR_SPAN

    def theory(game: pd.Series) -> float | None:  # type: ignore[type-arg]
        return cost_bound(tables.scenarios.get(str(game["result"]), {}), game.to_dict())

    drawn = [
        (title, sweep.curves(games, request.x, lambda games: games[request.y].astype(float), theory if request.y != "bits" else None))
        for title, games in parts
    ]
    bounded = any(np.isfinite(curve.bound).any() for _, found in drawn for curve in found)
    note = sweep.band_note(trials)
    if bounded:
        note += " Thin dashes: the bound that theory gives on expected messages."
    if logarithmic:
        note += " Beside each line: what one doubling of N adds at its end."
    else:
        note += f" Beside each line: the power of {sweep.axis_label(request.x)} fitted through all its marks."
    rows = sweep.rows_of(len(parts))
    figure = new_figure(
        max(3.9, 2.7 * rows), request.title or tables.title, fixed(trials), note
    )
    axes = sweep.grid(figure, len(parts))
    labels = []
    for place, (one, (title, found)) in enumerate(zip(axes, drawn, strict=True)):
        last = place % (len(axes) // rows or 1) == (len(axes) // rows or 1) - 1 or place == len(axes) - 1
        if several:
            one.set_title(title if tables.several else f"adversary: {title}")
        for curve in found:
            sweep.draw_curve(one, curve, kinds)
            law = _growth(curve) if logarithmic else _power(curve, request.x)
            text = f"{curve.line.label}  {law}".strip() if last or not several else law
            if text:
                labels.append(
                    EndLabel(one, curve.x[-1], curve.middle[-1], text, mark(curve.line.protocol, kinds).colour)
                )
        sweep.scale_x(one, request.x, [x for curve in found for x in curve.x])
        if not logarithmic:
            one.set_yscale("log")
    values = np.concatenate([np.r_[curve.low, curve.high] for _, found in drawn for curve in found])
    bounds = np.concatenate([curve.bound for _, found in drawn for curve in found])
    _scale_y(axes[0], values, bounds, logarithmic)
    for place, one in enumerate(axes):
        spec = one.get_subplotspec()
        if spec is not None and spec.is_first_col():
            one.set_ylabel(request.y)
        if place + len(axes) // rows >= len(axes):
            one.set_xlabel(sweep.axis_label(request.x))
    label_ends(figure, labels)
    return figure


def _span(trials: pd.DataFrame, measure: str) -> float:
    """Return the ratio of the largest to the least median cost over the protocols."""
    medians = trials.groupby("protocol")[measure].median()
    return float(medians.max() / max(1.0, medians.min()))


def _power(curve: sweep.Curve, axis: str) -> str:
    """Return the fitted law of a line, as text."""
    slope = sweep.exponent(curve.x, curve.middle)
    symbol = sweep.SYMBOLS.get(axis, "x")
    return "" if slope is None else rf"$\propto {symbol}^{{\,{slope:.2f}}}$"


def _growth(curve: sweep.Curve) -> str:
    """Return what one doubling adds over the last two places of a line, as text."""
    if len(curve.x) < 2:
        return ""
    doublings = np.log2(curve.x[-1] / curve.x[-2])
    return f"+{short(max(0.0, float(curve.middle[-1] - curve.middle[-2]) / doublings))}"


def _scale_y(axes, values, bounds, linear: bool) -> None:  # type: ignore[no-untyped-def]
    """Fit the scale of costs to what was measured; a bound far above it may leave the picture."""
    if linear:
        axes.set_ylim(0, values.max() * 1.08)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value else "0"))
        return
    low, high = values[values > 0].min(), values.max()
    top = np.nanmax(bounds) if np.isfinite(bounds).any() else high
    axes.set_ylim(low / 1.6, max(high * 1.4, min(top * 1.2, high * 6)))
    axes.yaxis.set_major_locator(LogLocator(10, numticks=8))
    axes.yaxis.set_minor_locator(NullLocator())
