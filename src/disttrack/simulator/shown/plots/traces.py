"""The `timeline` figure, and that of a single game: estimate, error and words over the items, a column per game.

Estimate and truth have linear scales, where an error can be seen: on logarithmic ones every estimate is the truth.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from disttrack.simulator.experiments.results.formats import short, sides_of
from disttrack.simulator.experiments.results.lines import GameRow, named, swept_axes, terms_of
from disttrack.simulator.experiments.results.read import Tables, fixed
from disttrack.simulator.experiments.scenario.settings import SIDES, setting_in_words
from disttrack.simulator.game.columns import ADVERSARY, FAILED, OK, PROTOCOL, RESULT
from disttrack.simulator.game.tasks.answers import judged_error, over_alpha
from disttrack.simulator.kinds.names import count, with_name
from disttrack.simulator.shown.plots.description import (
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
    rounded,
)
from disttrack.simulator.shown.plots.kinds import Timeline
from disttrack.simulator.shown.plots.marks import mark
from disttrack.simulator.shown.plots.sweep import of_games

Floats = npt.NDArray[np.float64]

_DECADES: Final = 10_000.0
"""A timeline shows the last four decades of N, and more if a game failed before."""
_MOST: Final = 12.0
"""Errors, in units of alpha, for which there is room; larger ones leave the panel."""
_MOST_GAMES: Final = 4
"""Games beside each other in one figure."""
_LINE: Final = [RESULT, PROTOCOL]
"""Columns in which all games of a line agree."""
_SHOWN: Final = "the server's estimate"
_TRUE: Final = "the truth"
_TRUTH: Final = Look("#888888", width=1.0, order=4)
_BAND: Final = Fill("#E4E4E4")


@dataclass(frozen=True)
class Trace:
    """One game over its items, N.

    Parameters
    ----------
    protocol
        Its name.
    title
        Lines above its column.
    alpha
        The promised relative error, None if nothing is promised.
    items, output, error
        The estimate and its signed relative error when there are `items` items.
    cost_items, words
        Words sent in all by the time there are `cost_items` items.
    exact
        True if every step is shown; False if they are read at checkpoints.
    """

    protocol: str
    title: str
    alpha: float | None
    items: Floats
    output: Floats
    error: Floats
    cost_items: Floats
    words: Floats
    exact: bool

    @property
    def over_alpha(self) -> Floats:
        """Return its errors in units of alpha; relative ones if nothing is promised."""
        return self.error / (self.alpha or 1.0)


def from_series(protocol: str, alpha: float | None, series: pd.DataFrame, title: str) -> Trace:
    """Return a game at its checkpoints, its rows of series.csv."""
    series = series.sort_values("step")
    items, output, error, words = series[["items", "output", "rel_error", "words"]].to_numpy(dtype=float).T
    # where alpha is 0 it is no unit to measure in
    promised = float(alpha) if alpha is not None and alpha > 0 else None
    return Trace(protocol, title, promised, items, output, error, items, words, exact=False)


def from_game(game: Any, title: str) -> Trace:
    """Return a `Game`; a recorded one at both ends of the time of each output."""
    trace = from_series(game.protocol, game.alpha, game.series, title)
    try:
        outputs: pd.DataFrame = game.outputs
    except ValueError:
        return trace  # not recorded
    steps = outputs.step.to_numpy(dtype=float)
    values = np.array([float(value) for value in outputs.output])
    if not len(steps) or steps[0] > 1:
        steps, values = np.r_[1.0, steps], np.r_[float(game.start), values]
    checkpoints = game.series.step
    last_step = float(checkpoints.iloc[-1])
    firsts: Floats = np.maximum(steps, 1.0)
    ends: Floats = np.r_[firsts[1:] - 1, last_step]
    # exact where no step was skipped; else interpolated between the checkpoints
    known = np.r_[0.0, checkpoints], np.r_[float(game.start), trace.items]
    at = np.interp(np.column_stack((firsts, ends)).ravel(), *known)
    both = np.repeat(values, 2)
    there = np.repeat(ends >= firsts, 2) & (at > 0)
    at, both = at[there], both[there]
    return Trace(
        trace.protocol, title, trace.alpha, at, both, both / at - 1.0, trace.cost_items, trace.words, exact=True
    )


def timeline(plot: Timeline, tables: Tables) -> Description:
    """Return a `timeline` figure."""
    if tables.series.empty or tables.series.rel_error.isna().all():
        raise ValueError("no relative errors in series.csv")
    if tables.trials.max_rel_error.isna().all():  # a quota
        raise ValueError("not judged by relative errors")
    chosen, left, where = _choose(tables.trials)
    traces, seen = [], []
    for _, game in chosen.iterrows():
        mine = tables.timeline(game)
        parts = _parts(game, mine, tables, chosen)
        if len(mine):
            traces.append(from_series(str(game.protocol), game.alpha, mine, "\n".join(parts)))
        seen.append(f"{', '.join(parts)}, {count(float(game.words), 'word', rounded)}")
    if not traces:
        raise ValueError("series.csv has no such games")
    notes = []
    if (games := len(tables.trials)) > len(traces):
        each = " of each protocol" * (len(traces) > 1)
        notes = [f"{len(traces)} of {count(games, 'game')}, the largest error/α{each}{where}"]
        notes += [f"larger elsewhere: {', '.join(names)}" for names in [_further(tables.trials, chosen)] if names]
    if left:
        notes.append(f"no room: {', '.join(left)}")
    if "_max_lag_error" in tables.trials:
        notes.append("judged, not drawn: the lag-aware error")
    subtitle = " · ".join(dict.fromkeys([*_alike(tables, chosen), *fixed(tables).split(" · ")[:-1]]))
    return described(
        traces,
        (title := "Error and words in a game"),
        subtitle,
        notes,
        f"{title}: {'; '.join(seen)}.",
    )


def _choose(trials: pd.DataFrame) -> tuple[pd.DataFrame, list[str], str]:
    """Return the game with the largest error of each protocol, in their order, the protocols without room, and where.

    All are against one adversary, with one number of sites and items and one accuracy, if there are games of all
    protocols there: games at different places do not compare protocols. It is the place that drives any of them
    furthest, in words.
    """
    games = trials.assign(_worst=_off(trials)).sort_values("_worst", ascending=False, kind="stable")
    sizes = [axis for axis in swept_axes(trials) if axis in ("sites", "items", "start")]
    sides, where = games.groupby(_LINE).ngroup(), ""
    accuracy = [axis for axis in terms_of(games) if axis == "alpha"]
    for place in ([ADVERSARY, *sizes, *accuracy], [ADVERSARY, *sizes], [ADVERSARY]):
        met = sides.groupby([games[name] for name in place]).transform("nunique") == sides.nunique()
        if met.any():
            first = games[met].iloc[0]
            games = games[(games[place] == first[place]).all(axis="columns")]
            words = [f"against {first.adversary}", *(with_name(size, first[size]) for size in place[1:])]
            where = f", {', '.join(words)}"
            break
    order = trials.groupby(_LINE, sort=False).ngroup()
    each = games.drop_duplicates(_LINE)
    kept = each.index[:_MOST_GAMES]
    return each.loc[order[kept].sort_values().index], sorted(each.protocol[_MOST_GAMES:]), where


def _further(trials: pd.DataFrame, chosen: pd.DataFrame) -> list[str]:
    """Return the protocols that are shown and have a larger error in other games, and whether one fails there only."""
    most = _off(trials).groupby([trials[name] for name in _LINE]).max()
    failing = trials[trials.verdict == FAILED].groupby(_LINE).size()
    parts = []
    for _, game in chosen.iterrows():
        key = tuple(game[_LINE])
        if most[key] > game["_worst"]:
            fails = game.verdict != FAILED and key in failing
            parts.append(f"{game.protocol}{' (fails)' * fails}")
    return parts


def _off(trials: pd.DataFrame) -> pd.Series[float]:
    """Return how far off each game is, in units of alpha if it promises one."""
    worst: pd.Series[float] = over_alpha(trials).fillna(judged_error(trials)).fillna(0.0)
    return worst


def _alike(tables: Tables, chosen: pd.DataFrame) -> list[str]:
    """Return the parameters that the scenario sweeps and the games that are shown share."""
    swept = [axis for axis in swept_axes(tables.trials) if axis not in SIDES]
    return setting_in_words({
        axis: chosen[axis].iloc[0]
        for axis in swept
        if len(chosen) > 1 and chosen[axis].nunique(dropna=False) == 1
    })  # fmt: skip


def _parts(game: GameRow, mine: pd.DataFrame, tables: Tables, chosen: pd.DataFrame) -> list[str]:
    """Return protocol, the parameters that set a game apart, adversary and outcome."""
    others = tables.trials[tables.trials.protocol == game.protocol]
    axes = [axis for axis in swept_axes(others) if len(chosen) == 1 or chosen[axis].nunique(dropna=False) > 1]
    if "alpha" in terms_of(chosen) and "alpha" not in axes and game.alpha > 0:
        axes.append("alpha")
    own = [str(game.result)] * tables.several + setting_in_words({axis: game[axis] for axis in axes})
    lagged = bool(game.get("_max_lag", 0) > 0)
    ending = outcome(str(game.verdict), float(game.failing_fraction), game.alpha == game.alpha, lagged)
    if game.verdict == FAILED and mine.rel_error.isna().all():
        ending += ": its output is no number"
    return [named(game, axes), *own, f"against {game.adversary}", ending]


def game_described(game: Any) -> Description:
    """Return the timeline of one `Game`; ValueError if it has no step."""
    if not len(game.series):
        raise ValueError("plot: no item was sent")
    parts = [count(game.sites, "site"), count(game.items, "item")]
    if game.start:
        parts.append(f"after {game.start:,}")
    if game.alpha is not None:
        parts.append(f"α = {game.alpha:g}")
    ending = outcome(game.verdict, game.failing_fraction, game.alpha is not None, game.max_lag > 0)
    parts += [f"seed {game.seed}", count(game.words, "word"), ending]
    return described([from_game(game, "")], sides_of(game), " · ".join(parts))


def record_described(record: Any) -> Description:
    """Return the timeline of one `Record`, or a `Game` of items: a panel for each column of its series."""
    called = {"output": "output", "rel_error": "relative error", "words": "words"}
    shown = [name for name in called if name in record.series]
    steps = np.array(record.series.get("step", []), dtype=float)
    if not shown or not len(steps):
        raise ValueError("plot: the game keeps no timeline")
    x = Axis("step", "log", (max(1.0, steps.min()), max(1.01, steps.max())))
    values = {name: np.array(record.series[name], dtype=float) for name in shown}
    look = Look("#333333", width=1.2)
    panels = [Panel([Series(called[name], steps, values[name], look)], x, Axis(called[name])) for name in shown]
    text = repr(record).strip("<>").removeprefix("game: ")
    height = 1.0 + 1.8 * len(panels)
    return Description(panels, 1, height, "A game at its checkpoints", text, "", text, share=("col", "none"))


def outcome(verdict: str, failing_fraction: float | None, promised: bool, lagged: bool = False) -> str:
    """Return in words how the game ended; `lagged` ones are judged by another error than is drawn."""
    if verdict == OK:
        within = "lag-aware error within α" if lagged else "within α at every step"
        return within if promised else "holds at every step"
    if verdict == FAILED and failing_fraction is not None:
        return f"fails at {100 * failing_fraction:.3g} % of steps"
    undecided = "no step was judged" if promised else "no accuracy promised"
    return undecided if verdict == "undecided" else verdict


def described(
    traces: list[Trace], title: str, subtitle: str, notes: Sequence[str] = (), caption: str = ""
) -> Description:
    """Return the figure: a column per game with its error and its words; of a single game its estimate too, if any."""
    along = _items_axis(traces)
    first = float(along.ends[0] or 0.0)
    since = f" from item {ceil(first):,} on" if first > traces[0].items.min() else ""
    drawn = of_games([int((trace.items >= first).sum()) for trace in traces], "checkpoints")
    note = "; ".join([*notes, f"at every step{since}" if traces[0].exact else f"at {drawn}"]) + "."
    errors = np.abs(np.concatenate([trace.over_alpha for trace in traces]))
    worst = float(errors[np.isfinite(errors)].max(initial=0.0))
    promised = any(trace.alpha for trace in traces)
    reach = min(max(1.35, 1.12 * worst), _MOST) if promised else max(1e-6, 1.2 * worst)
    most = max(float(trace.words.max()) for trace in traces)
    error = Axis("error, in units of α" if promised else "relative error", ends=(-reach, reach), edges=(-1e6, 1e6))
    words = Axis("words so far", ends=(0, max(1.0, 1.06 * most)), text=short)
    above = [Panel(_error(trace), along, error, trace.title) for trace in traces]
    below = [Panel([_words(trace)], along, words) for trace in traces]
    estimated = len(traces) == 1 and bool((traces[0].output > 0).any())
    if estimated:
        high = 1.1 * max(float(traces[0].items.max()), float(traces[0].output.max()))
        counted = Axis("items counted", ends=(0, high), text=short)
        above = [Panel(_estimate(traces[0]), along, counted, traces[0].title), replace(above[0], title="")]
    colour = mark(traces[0].protocol).colour if len(traces) == 1 else "#333333"
    lines = (_SHOWN, _TRUE) if estimated else ("error of the estimate", "no error")
    legend: list[tuple[Look | Fill, str]] = [(Look(colour, width=1.5), lines[0]), (_TRUTH, lines[1])]
    return Description(
        [*above, *below], len(traces), 5.9 if estimated else 4.6, title, subtitle, note, caption,
        legend + [(_BAND, "within ± α")] * promised, share=("col", "row"),
    )  # fmt: skip


def _estimate(trace: Trace) -> list[Item]:
    """Return estimate and truth, and the band around the truth."""
    # the truth is a curve where items are on a logarithmic axis
    ends = np.geomspace(max(1.0, trace.items.min()), max(1.0, trace.items.max()), 200)
    alpha, shown = trace.alpha, trace.output > 0
    band = [Area(_TRUE, ends, ends * (1 - alpha), ends * (1 + alpha), _BAND, order=1)] if alpha else []
    look = Look(mark(trace.protocol).colour, width=1.5)
    estimate = Series(_SHOWN, trace.items[shown], trace.output[shown], look)
    return [*band, estimate, Series(_TRUE, ends, ends, _TRUTH)]


def _error(trace: Trace) -> list[Item]:
    """Return the signed error in units of alpha, and the band of 1 on both sides."""
    band = [Region(-1, 1, _BAND)] if trace.alpha is not None else []
    line = Series("error", trace.items, trace.over_alpha, Look(mark(trace.protocol).colour, width=1.1))
    return [*band, Rule(0, Look(_TRUTH.colour, width=0.9, order=2)), line]


def _words(trace: Trace) -> Series:
    return Series("words", trace.cost_items, trace.words, Look(mark(trace.protocol).colour, width=1.5))


def _items_axis(traces: list[Trace]) -> Axis:
    """Return the common axis of all games: the last decades of items of each, and those from its first failure on."""
    lows, highs = [], []
    for trace in traces:
        high = float(trace.items.max())
        failing = trace.items[np.abs(trace.over_alpha) > 1] if trace.alpha else trace.items[:0]
        lows.append(max(1.0, float(trace.items.min()), min([high / _DECADES, *(0.8 * failing[:1])])))
        highs.append(high)
    low = min(lows)
    ends, most = (low, max(*highs, low * 1.01)), 5 if len(traces) > 2 else 9
    return Axis("items, N", "log", ends, most=most, text=short)
