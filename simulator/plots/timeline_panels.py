"""The panels of a timeline, a column per game: the error and its band, the words; of one game the estimate too.

Estimate and truth stand on linear scales, where an error can be seen: on logarithmic ones every estimate is the truth.
"""

from __future__ import annotations

import textwrap
from typing import Any, Final

import numpy as np

from disttrack.simulator.plots.description import (
    THIN,
    Area,
    Axis,
    Description,
    Fill,
    Item,
    Look,
    Panel,
    Region,
    Rule,
    Series,
)
from disttrack.simulator.plots.game_traces import GameTrace, from_game
from disttrack.simulator.plots.marks import mark
from disttrack.simulator.results.formats import short

_DECADES: Final = 10_000.0
"""A timeline shows the last four decades of N, and more if a game failed before."""
_TRUTH: Final = Look("#888888", "", THIN, 1.2, order=4)
_BAND: Final = Fill("#E4E4E4")
_FAILING: Final = Fill("#F3C9AE")
_SEEN: Final = (-1e6, 1e6)
"""Errors, of which infinite ones are drawn as lines that leave the panel."""


def game_described(game: Any) -> Description:
    """Return the timeline of one `Game`."""
    parts = [f"{game.sites:,} sites", f"{game.items:,} items"]
    if game.start:
        parts.append(f"after {game.start:,}")
    if game.alpha is not None:
        parts.append(f"α = {game.alpha:g}")
    parts += [f"seed {game.seed}", f"{game.words:,} words", outcome(game.verdict, game.failing_fraction)]
    title = f"{game.protocol} against {game.adversary}"
    return traces_described([from_game(game, "")], title, " · ".join(part for part in parts if part), "")


def outcome(verdict: str, failing_fraction: float | None) -> str:
    """Return in words how the game ended."""
    if verdict == "ok":
        return "within α at every step"
    if verdict == "failed" and failing_fraction is not None:
        share = 100 * failing_fraction
        digits = 0 if 1 <= share <= 99 else 2
        return f"fails at {share:.{digits}f} % of steps" if share >= 0.01 else "fails at a few steps"
    return "no accuracy promised" if verdict == "undecided" else verdict


def traces_described(traces: list[GameTrace], title: str, subtitle: str, which: str, caption: str = "") -> Description:
    """Return the figure: a column per game, with its estimate, its error and its words."""
    exact = all(trace.exact for trace in traces)
    note = which + ("Every step is shown." if exact else "Read at about 200 checkpoints, not at every step.")
    alone, columns = len(traces) == 1, len(traces)
    heads = [_headed(trace, columns) for trace in traces]
    tallest = max(map(len, heads))
    # titles stand on the axes: shorter ones are filled up, so that all begin at one height
    titles = ["\n".join(head + [" "] * (tallest - len(head))) if columns > 1 else "" for head in heads]
    along = [_items_axis(trace, columns) for trace in traces]
    rows = [(_estimate, _estimate_axis(traces[0]))] if alone else []
    rows += [(_error, _error_axis(traces)), (_words, _words_axis(traces))]
    panels = [
        Panel([*_failing(trace), *items(trace)], x, y, "" if row else above, 8.5)
        for row, (items, y) in enumerate(rows)
        for trace, x, above in zip(traces, along, titles, strict=True)
    ]
    heights = [1.1, 1.3, 0.95] if alone else [1.3, 0.95]
    return Description(
        panels, columns, 5.9 if alone else 4.6, title, subtitle, note, caption, _entries(traces),
        share=("col", "row"), heights=heights,
    )  # fmt: skip


def _headed(trace: GameTrace, columns: int) -> list[str]:
    """Return the lines that stand above a column, broken to its width."""
    text = [trace.protocol, f"against {trace.adversary}", *trace.note.split("\n")]
    return [line for part in text for line in textwrap.wrap(part, 104 // columns)]


def _entries(traces: list[GameTrace]) -> list[tuple[Look | Fill, str]]:
    """Return the entries of the legend."""
    colour = mark(traces[0].protocol).colour if len(traces) == 1 else "#333333"
    entries: list[tuple[Look | Fill, str]] = [(Look(colour, width=1.5), "the server's estimate"), (_TRUTH, "the truth")]
    if any(trace.alpha is not None for trace in traces):
        entries.append((_BAND, "within ± α of the truth"))
    if any(trace.failing for trace in traces):
        entries.append((_FAILING, "failing: further away"))
    return entries


def _failing(trace: GameTrace) -> list[Item]:
    return [Region(begin, end, _FAILING, "x", "failing") for begin, end in trace.failing]


def _estimate(trace: GameTrace) -> list[Item]:
    """Return estimate and truth, and the band around the truth."""
    # the truth is a curve where items stand on a logarithmic axis
    ends = np.geomspace(max(1.0, trace.items.min()), max(1.0, trace.items.max()), 200)
    alpha, shown = trace.alpha, trace.output > 0
    band = [Area("the truth", ends, ends * (1 - alpha), ends * (1 + alpha), _BAND, order=1)] if alpha else []
    look = Look(mark(trace.protocol).colour, width=1.5)
    estimate = Series("the server's estimate", trace.items[shown], trace.output[shown], look)
    return [*band, estimate, Series("the truth", ends, ends, _TRUTH)]


def _error(trace: GameTrace) -> list[Item]:
    """Return the signed error in units of alpha, and the band of 1 on both sides."""
    items: list[Item] = [Region(-1, 1, _BAND, name="promised")] if trace.alpha is not None else []
    items.append(Rule(0, Look(_TRUTH.colour, "", THIN, 0.9, order=2)))
    low, high = trace.low / (trace.alpha or 1.0), trace.high / (trace.alpha or 1.0)
    colour = mark(trace.protocol).colour
    if np.array_equal(low, high):
        return [*items, Series("error", trace.error_items, high, Look(colour, width=1.1))]
    return [*items, Area("error", trace.error_items, low, high, Fill(colour, edge=colour, width=0.4), order=3)]


def _words(trace: GameTrace) -> list[Item]:
    look = Look(mark(trace.protocol).colour, width=1.5)
    return [Series("words", trace.cost_items, trace.words, look)]


def _items_axis(trace: GameTrace, columns: int) -> Axis:
    high = float(trace.items.max())
    low = min([high / _DECADES, *(0.8 * begin for begin, _ in trace.failing)])
    low = max(1.0, float(trace.items.min()), low)
    return Axis("items, N", "log", (low, max(high, low * 1.01)), most=5 if columns > 2 else 9)


def _estimate_axis(trace: GameTrace) -> Axis:
    return Axis("items counted", ends=(0, 1.1 * max(float(trace.items.max()), float(trace.output.max()))), text=_short)


def _error_axis(traces: list[GameTrace]) -> Axis:
    """Return the axis of errors, by what came up."""
    errors = [np.abs(np.r_[trace.low, trace.high]) / (trace.alpha or 1.0) for trace in traces]
    worst = max(float(each[np.isfinite(each)].max(initial=0.0)) for each in errors)
    promised = any(trace.alpha for trace in traces)
    reach = min(max(1.35, 1.12 * worst), 12.0) if promised else max(1e-6, 1.2 * worst)
    return Axis("error, in units of α" if promised else "relative error", ends=(-reach, reach), edges=_SEEN)


def _words_axis(traces: list[GameTrace]) -> Axis:
    most = max(float(trace.words.max()) for trace in traces)
    return Axis("words so far", ends=(0, max(1.0, 1.06 * most)), text=_short)


def _short(value: float) -> str:
    return short(value) if value else "0"
