"""The panels of a timeline, a column per game: the error and its band, the words; of one game the estimate too.

Estimate and truth stand on linear scales, where an error can be seen: on logarithmic ones every estimate is the truth.
"""

from __future__ import annotations

import textwrap
from typing import Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from simulator.plots.edges import Edges
from simulator.plots.game_traces import GameTrace, from_game
from simulator.plots.style import QUIET, Legend, mark, new_figure
from simulator.results.formats import short

_DECADES: Final = 10_000.0
"""A timeline shows the last four decades of N, and more if a game failed before."""
_TRUTH: Final = "#888888"
_BAND: Final = "#E4E4E4"
_FAILING: Final = "#F3C9AE"
_SEEN: Final = Edges(-1e6, 1e6)
"""Errors, of which infinite ones are drawn as lines that leave the panel."""


def draw_game(game: Any) -> Figure:
    """Return the timeline of one `Game`."""
    parts = [f"{game.sites:,} sites", f"{game.items:,} items"]
    if game.start:
        parts.append(f"after {game.start:,}")
    if game.alpha is not None:
        parts.append(f"α = {game.alpha:g}")
    parts += [f"seed {game.seed}", f"{game.words:,} words", outcome(game.verdict, game.failing_fraction)]
    title = f"{game.protocol} against {game.adversary}"
    return draw_traces([from_game(game, "")], title, " · ".join(part for part in parts if part), "")


def outcome(verdict: str, failing_fraction: float | None) -> str:
    """Return in words how the game ended."""
    if verdict == "ok":
        return "within α at every step"
    if verdict == "failed" and failing_fraction is not None:
        share = 100 * failing_fraction
        digits = 0 if 1 <= share <= 99 else 2
        return f"fails at {share:.{digits}f} % of steps" if share >= 0.01 else "fails at a few steps"
    return "no accuracy promised" if verdict == "undecided" else verdict


def draw_traces(traces: list[GameTrace], title: str, subtitle: str, which: str) -> Figure:
    """Return the figure: a column per game, with its estimate, its error and its words."""
    failing = any(trace.failing for trace in traces)
    promised = any(trace.alpha is not None for trace in traces)
    exact = all(trace.exact for trace in traces)
    note = which + ("Every step is shown." if exact else "Read at about 200 checkpoints, not at every step.")
    alone = len(traces) == 1
    legend = Legend("", _entries(traces, promised, failing))
    figure = new_figure(5.9 if alone else 4.6, title, subtitle, note, legends=[legend])
    shares = [1.3, 0.95] if not alone else [1.1, 1.3, 0.95]
    made: dict[str, Any] = {
        "sharex": "col",
        "sharey": "row",
        "squeeze": False,
        "gridspec_kw": {"height_ratios": shares},
    }
    axes = figure.subplots(len(shares), len(traces), **made)
    heads = [_headed(trace, len(traces)) for trace in traces]
    for column, trace in enumerate(traces):
        top, middle, bottom = axes[0, column], axes[-2, column], axes[-1, column]
        if len(traces) > 1:
            # titles stand on the axes: fill up the shorter ones, so that all begin at one height
            lines = heads[column] + [" "] * (max(map(len, heads)) - len(heads[column]))
            top.set_title("\n".join(lines), size=8.5, linespacing=1.35)
        for one in axes[:, column]:
            for begin, end in trace.failing:
                one.axvspan(begin, end, color=_FAILING, linewidth=0, zorder=0, gid="failing")
        if alone:
            _draw_estimate(top, trace)
        _draw_error(middle, trace)
        bottom.plot(trace.cost_items, trace.words, color=mark(trace.protocol).colour, linewidth=1.5, label="words")
        bottom.set_xlabel("items, N")
    if alone:
        axes[0, 0].set_ylabel("items counted")
    axes[-2, 0].set_ylabel("error, in units of α" if promised else "relative error")
    axes[-1, 0].set_ylabel("words so far")
    _scales(axes, traces)
    figure.align_ylabels(axes[:, 0])
    return figure


def _headed(trace: GameTrace, columns: int) -> list[str]:
    """Return the lines that stand above a column, broken to its width."""
    text = [trace.protocol, f"against {trace.adversary}", *trace.note.split("\n")]
    return [line for part in text for line in textwrap.wrap(part, 104 // columns)]


def _entries(traces: list[GameTrace], promised: bool, failing: bool) -> list[tuple[Any, str]]:
    """Return the entries of the legend."""
    colour = mark(traces[0].protocol).colour if len(traces) == 1 else "#333333"
    entries: list[tuple[Any, str]] = [
        (Line2D([], [], color=colour, linewidth=1.5), "the server's estimate"),
        (Line2D([], [], color=_TRUTH, linewidth=1.2, linestyle=(0, (4, 2))), "the truth"),
    ]
    if promised:
        entries.append((Patch(color=_BAND, linewidth=0), "within ± α of the truth"))
    if failing:
        entries.append((Patch(color=_FAILING, linewidth=0), "failing: further away"))
    return entries


def _draw_estimate(axes: Axes, trace: GameTrace) -> None:
    """Draw estimate and truth, and the band around the truth."""
    # the truth is a curve where items stand on a logarithmic axis
    ends = np.geomspace(max(1.0, trace.items.min()), max(1.0, trace.items.max()), 200)
    if trace.alpha is not None:
        axes.fill_between(ends, ends * (1 - trace.alpha), ends * (1 + trace.alpha), color=_BAND, linewidth=0, zorder=1)
    shown = trace.output > 0
    look: dict[str, Any] = {"color": mark(trace.protocol).colour, "linewidth": 1.5, "zorder": 3}
    axes.plot(trace.items[shown], trace.output[shown], label="the server's estimate", **look)
    axes.plot(ends, ends, color=_TRUTH, linewidth=1.2, linestyle=(0, (4, 2)), zorder=4)


def _draw_error(axes: Axes, trace: GameTrace) -> None:
    """Draw the signed error in units of alpha, and the band of 1 on both sides."""
    unit = trace.alpha if trace.alpha is not None else 1.0
    if trace.alpha is not None:
        axes.axhspan(-1, 1, color=_BAND, linewidth=0, zorder=1)
    axes.axhline(0, color=_TRUTH, linewidth=0.9, linestyle=(0, (4, 2)), zorder=2)
    colour = mark(trace.protocol).colour
    if np.array_equal(trace.low, trace.high):
        look: dict[str, Any] = {"color": colour, "linewidth": 1.1, "zorder": 3, "label": "error"}
        _SEEN.plot(axes, trace.error_items, trace.high / unit, **look)
        return
    low, high = trace.low / unit, trace.high / unit
    band = axes.fill_between(
        trace.error_items, _SEEN.clipped(low), _SEEN.clipped(high), color=colour, linewidth=0.4, zorder=3, label="error"
    )
    _SEEN.kept(band, low, high)


def _scales(axes: Any, traces: list[GameTrace]) -> None:
    """Set the scales: items by powers of ten, the error by what came up, estimate and words from zero."""
    errors = [np.abs(np.r_[trace.low, trace.high]) / (trace.alpha or 1.0) for trace in traces]
    worst = max(float(each[np.isfinite(each)].max(initial=0.0)) for each in errors)
    promised = any(trace.alpha for trace in traces)
    reach = min(max(1.35, 1.12 * worst), 12.0) if promised else max(1e-6, 1.2 * worst)
    axes[-2, 0].set_ylim(-reach, reach)
    axes[-1, 0].set_ylim(0, max(1.0, 1.06 * max(float(trace.words.max()) for trace in traces)))
    axes[-1, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value else "0"))
    for column, trace in enumerate(traces):
        high = float(trace.items.max())
        low = max(
            1.0,
            float(trace.items.min()),
            min([high / _DECADES, *(0.8 * begin for begin, _ in trace.failing)]),
        )
        axes[0, column].set_xscale("log")
        axes[0, column].set_xlim(low, max(high, low * 1.01))
        axes[-1, column].xaxis.set_major_locator(LogLocator(10, numticks=5 if len(traces) > 2 else 9))
        axes[-1, column].xaxis.set_minor_locator(NullLocator())
    if len(traces) == 1:
        axes[0, 0].set_ylim(0, 1.1 * max(float(traces[0].items.max()), float(traces[0].output.max())))
        axes[0, 0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: short(value) if value else "0"))
    for one in axes.flat:
        one.tick_params(labelcolor=QUIET)
