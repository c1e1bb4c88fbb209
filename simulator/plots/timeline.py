"""The `timeline` figure: the error and its band, and the words, in the course of a game of each protocol."""

from __future__ import annotations

import textwrap
from typing import Any, Final

import pandas as pd

from disttrack.simulator.plots.description import Description, rounded
from disttrack.simulator.plots.kinds import Timeline
from disttrack.simulator.plots.panels import error_over_alpha
from disttrack.simulator.plots.traces import described, from_series, outcome
from disttrack.simulator.results.formats import with_name
from disttrack.simulator.results.parameters import fixed
from disttrack.simulator.results.read import Tables, swept_axes

_MOST: Final = 4
"""Games beside each other in one figure."""


def describe(plot: Timeline, tables: Tables) -> Description:
    """Return the figure."""
    if tables.series.empty or tables.series["rel_error"].isna().all():
        raise ValueError("a timeline figure needs series.csv with relative errors; these games have none")
    chosen, left = _choose(tables.trials)
    traces, seen = [], []
    for _, game in chosen.iterrows():
        parts = _parts(game, tables, chosen)
        lines = [line for part in parts for line in textwrap.wrap(part, 104 // len(chosen))]
        mine = tables.timeline(game)
        if len(mine):
            traces.append(from_series(str(game["protocol"]), game["alpha"], mine, "\n".join(lines)))
        seen.append(f"{' '.join(parts[:2])}: {', '.join(parts[2:])}, {rounded(float(game['words']))} words")
    if not traces:
        raise ValueError("a timeline figure needs the timelines of its games; series.csv has none of them")
    which = ""
    if len(tables.trials) > len(traces):
        which = "Of each protocol, the game with the largest error over α, against one adversary if all met it. "
    if left:
        which += f"Not shown: {', '.join(left)}. "
    subtitle = fixed(tables).rsplit(" · ", 1)[0]
    return described(
        traces,
        plot.title or tables.title,
        subtitle,
        which,
        f"Error and words in the course of a game: {'; '.join(seen)}.",
    )


def _choose(trials: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the game with the largest error of each protocol, in their order, and the protocols without room.

    All are against one adversary if there is one that all of them met: games against different ones do not compare
    protocols. It is the one that drives any of them furthest.
    """
    worst = error_over_alpha(trials).fillna(trials["max_rel_error"].astype(float)).fillna(0.0)
    games = trials.assign(_worst=worst).sort_values("_worst", ascending=False, kind="stable")
    met = games.groupby("adversary")["protocol"].nunique()
    by_all = [name for name in games["adversary"] if met[name] == games["protocol"].nunique()]
    if by_all:
        games = games[games["adversary"] == by_all[0]]
    order = list(dict.fromkeys(zip(trials["result"], trials["protocol"], strict=True)))
    each = games.drop_duplicates(["result", "protocol"])
    places = [order.index(key) for key in zip(each["result"], each["protocol"], strict=True)]
    kept = each.assign(_order=places)[:_MOST]
    return kept.sort_values("_order"), sorted(each["protocol"][_MOST:])


def _parts(game: pd.Series[Any], tables: Tables, chosen: pd.DataFrame) -> list[str]:
    """Return protocol, adversary, the parameters that set a game apart, and its outcome."""
    others = tables.trials[tables.trials["protocol"] == game["protocol"]]
    axes = [axis for axis in swept_axes(others) if len(chosen) == 1 or chosen[axis].nunique(dropna=False) > 1]
    own = [str(game["result"])] * tables.several + [with_name(axis, game[axis]) for axis in axes]
    ending = outcome(str(game["verdict"]), float(game["failing_fraction"]))
    return [str(game["protocol"]), f"against {game['adversary']}", *own, ending]
