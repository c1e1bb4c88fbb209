"""The `timeline` figure: the error and its band, and the words, in the course of a game."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from disttrack.simulator.plots.description import Description
from disttrack.simulator.plots.game_traces import from_series
from disttrack.simulator.plots.kinds import Timeline
from disttrack.simulator.plots.sentences import rounded
from disttrack.simulator.plots.timeline_panels import outcome, traces_described
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.read import Tables, said, swept_axes

_MOST: Final = 4
"""Games beside each other in one figure."""


def describe(plot: Timeline, tables: Tables) -> Description:
    """Return the figure."""
    if tables.series.empty:
        raise ValueError("a timeline figure needs series.csv, which is missing or empty")
    if tables.series["rel_error"].isna().all():
        raise ValueError("a timeline figure needs relative errors; this task has none")
    chosen, left_out = _choose(tables.trials)
    traces, seen = [], []
    for _, game in chosen.iterrows():
        mine, apart = tables.timeline(game), _what_sets_apart(game, tables, chosen)
        if len(mine):
            traces.append(from_series(game, mine, apart))
        text = f"{game['protocol']} against {game['adversary']}: {apart}".replace("\n", ", ")
        seen.append(f"{text}, {rounded(float(game['words']))} words")
    if not traces:
        raise ValueError("a timeline figure needs the timelines of its games; series.csv has none of them")
    which = ""
    if len(tables.trials) > len(traces):
        which = "Of each protocol, the game with the largest error over α"
        same = chosen["adversary"].nunique() == 1 and tables.trials["adversary"].nunique() > 1
        which += " against this adversary, the one that drives any of them furthest. " * same or ". "
    if left_out:
        which += f"Not shown: {', '.join(left_out)}. "
    caption = (
        "Error in units of α, with the band that is promised, and words so far against items, in one game of each "
        f"protocol; shaded where it fails. Fixed: {fixed(tables)}. {'; '.join(seen)}."
    )
    return traces_described(traces, plot.title or tables.title, fixed(tables).rsplit(" · ", 1)[0], which, caption)


def _choose(trials: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the games to show, in the order of the protocols, and the protocols that have no room.

    All are against one adversary if there is one that all of them met: games against different ones tell nothing of
    protocols. It is the one that drives any of them furthest.
    """
    alpha = trials["alpha"].astype(float).fillna(1.0)
    worst = (trials["max_rel_error"].astype(float) / alpha).fillna(0.0)
    games = trials.assign(_worst=worst).sort_values("_worst", ascending=False, kind="stable")
    met = games.groupby("adversary")["protocol"].nunique()
    by_all = [name for name in games["adversary"] if met[name] == games["protocol"].nunique()]
    if by_all:
        games = games[games["adversary"] == by_all[0]]
    each = games.drop_duplicates(["result", "protocol"])
    kept = each.head(_MOST)
    all_keys = dict.fromkeys(zip(trials["result"], trials["protocol"], strict=True))
    order = {key: place for place, key in enumerate(all_keys)}
    kept = kept.assign(_order=[order[key] for key in zip(kept["result"], kept["protocol"], strict=True)])
    return kept.sort_values("_order"), sorted(each.tail(max(0, len(each) - _MOST))["protocol"])


def _what_sets_apart(game: pd.Series[Any], tables: Tables, chosen: pd.DataFrame) -> str:
    """Return what tells a game from the others of its protocol, and its outcome, in short lines."""
    others = tables.trials[tables.trials["protocol"] == game["protocol"]]
    axes = swept_axes(others)
    same = {axis for axis in axes if len(chosen) > 1 and chosen[axis].nunique(dropna=False) == 1}
    parts = [str(game["result"])] * tables.several + [said(axis, game[axis]) for axis in axes if axis not in same]
    return "\n".join([*parts, outcome(str(game["verdict"]), float(game["failing_fraction"]))])
