"""The `timeline` figure: the error and its band, and the words, in the course of a game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from simulator.results.read import Tables

_MOST: Final = 4
"""Games beside each other in one figure."""


@dataclass(frozen=True, kw_only=True)
class Timeline(Plot):
    """Error and words in the course of a few games: of each protocol the one furthest off, four at most."""

    kind: ClassVar[str] = "timeline"
    says: ClassVar[str] = "error and words in the course of a game"
    narrow: ClassVar[bool] = False

    def draw(self, tables: Tables) -> Figure:
        from simulator.plots.game_traces import from_series
        from simulator.plots.timeline_panels import draw_traces
        from simulator.results.fixed import fixed

        if tables.series.empty:
            raise ValueError("a timeline figure needs series.csv, which is missing or empty")
        if tables.series["rel_error"].isna().all():
            raise ValueError("a timeline figure needs relative errors; this task has none")
        chosen, left_out = _choose(tables.trials)
        traces = []
        for _, game in chosen.iterrows():
            mine = tables.timeline(game)
            if len(mine):
                traces.append(from_series(game, mine, _what_sets_apart(game, tables, chosen)))
        if not traces:
            raise ValueError("a timeline figure needs the timelines of its games; series.csv has none of them")
        which = ""
        if len(tables.trials) > len(traces):
            which = "Of each protocol, the game with the largest error over α"
            same = chosen["adversary"].nunique() == 1 and tables.trials["adversary"].nunique() > 1
            which += " against this adversary, the one that drives any of them furthest. " * same or ". "
        if left_out:
            which += f"Not shown: {', '.join(left_out)}. "
        return draw_traces(traces, self.title or tables.title, fixed(tables).rsplit(" · ", 1)[0], which)

    def caption(self, tables: Tables) -> str:
        from simulator.plots.telling import rounded
        from simulator.results.fixed import fixed

        told = []
        chosen, _ = _choose(tables.trials)
        for _, game in chosen.iterrows():
            apart = _what_sets_apart(game, tables, chosen).replace("\n", ", ")
            told.append(
                f"{game['protocol']} against {game['adversary']}: {apart}, {rounded(float(game['words']))} words"
            )
        return (
            "Error in units of α, with the band that is promised, and words so far against items, in one game of each "
            f"protocol; shaded where it fails. Fixed: {fixed(tables)}. {'; '.join(told)}."
        )


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
    from simulator.plots.timeline_panels import outcome
    from simulator.results.read import said, swept_axes

    others = tables.trials[tables.trials["protocol"] == game["protocol"]]
    same = {axis for axis in swept_axes(others) if len(chosen) > 1 and chosen[axis].nunique(dropna=False) == 1}
    parts = [said(axis, game[axis]) for axis in swept_axes(others) if axis not in same]
    if tables.several:
        parts.insert(0, str(game["result"]))
    result = outcome(str(game["verdict"]), float(game["failing_fraction"]))
    return "\n".join([*parts, result])
