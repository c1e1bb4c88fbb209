"""The `flags` figure: mistakes in the course of a predictor's game, and the rounds in which its flag was set."""

from __future__ import annotations

from typing import Any, Final

import pandas as pd

from disttrack.simulator.plots.description import THIN, Axis, Description, Fill, Item, Look, Panel, Region, Rule, Series
from disttrack.simulator.plots.kinds import Flags
from disttrack.simulator.plots.marks import INK, mark
from disttrack.simulator.results.fixed import fixed
from disttrack.simulator.results.formats import short
from disttrack.simulator.results.read import Tables

_MOST: Final = 2
"""Games below each other in one figure."""
_SHADES: Final = {0: "#FFFFFF", 1: "#EDEDED", 2: "#D8E8F3", 3: "#F3C9AE"}
"""Background under each flag."""
_SAYS: Final = {0: "counts ones", 1: "mirrors, delayed", 2: "mirrors", 3: "has given up"}


def describe(plot: Flags, tables: Tables) -> Description:
    """Return the figure."""
    trials = tables.trials
    if "_flag" not in trials or trials["_flag"].dropna().empty:
        raise ValueError("a flags figure needs games of the predictor: the column 'flag' is missing or empty")
    games = _chosen(trials.dropna(subset=["_flag"]))
    colour = mark("point-predictor", tuple(dict.fromkeys(trials["protocol"]))).colour
    labels, mistakes = Look(INK, "", THIN, 1.1), Look(colour, width=1.8, order=4)
    made, seen = [], []
    for game in games:
        made.append(_panel(game, tables, labels, mistakes))
        flag, since = _set_at(game)[-1]
        text = f"against {game['adversary']} {int(game['_mistakes']):,} mistakes"
        seen.append(f"{text}, flag {flag} ({_SAYS[flag]}) from round {since:,.0f} on")
    shown = sorted({flag for game in games for flag, _ in _set_at(game)})
    shades = [(Fill(_SHADES[flag], edge="#888888", width=1.0), f"flag {flag}: {_SAYS[flag]}") for flag in shown]
    caption = (
        "Labels 1 and mistakes so far against rounds, in one game each; the background is the flag, dotted "
        f"the promised number of mistakes. Fixed: {fixed(tables)}. {'; '.join(seen)}."
    )
    note = "One game each. Read at about 200 checkpoints. Dotted: what the predictor promises, K + 2L mistakes."
    return Description(
        made, 1, 1.6 + 1.9 * len(games), plot.title or tables.title, fixed(tables).rsplit(" · ", 1)[0], note, caption,
        [(mistakes, "mistakes"), (labels, "labels 1"), *shades], share=("all", "none"),
    )  # fmt: skip


def _chosen(trials: pd.DataFrame) -> list[pd.Series[Any]]:
    """Return the games to show."""
    ordered = trials.sort_values(["_flag", "trial"], ascending=[False, True], kind="stable")
    first = ordered.drop_duplicates(["result", "point"]).sort_values("point").head(_MOST)
    return [game for _, game in first.iterrows()]


def _set_at(game: pd.Series[Any]) -> list[tuple[int, float]]:
    """Return the flags of a game with the rounds in which they were set, in order."""
    later = [(flag, float(game[f"_flag{flag}_at"])) for flag in (1, 2, 3)]
    return [(0, 1.0), *sorted((each for each in later if each[1] == each[1]), key=lambda each: each[1])]


def _panel(game: pd.Series[Any], tables: Tables, labels: Look, mistakes: Look) -> Panel:
    """Return the panel of one game."""
    series = tables.timeline(game).sort_values("step")
    if series.empty:
        raise ValueError("a flags figure needs the timelines of its games; series.csv has none of them")
    steps, ones, wrong = (series[name].to_numpy(dtype=float) for name in ("step", "items", "output"))
    flags = _set_at(game)
    ends = [*(begin for _, begin in flags[1:]), steps[-1]]
    items: list[Item] = [
        Region(begin, end, Fill(_SHADES[flag]), "x", f"flag {flag}")
        for (flag, begin), end in zip(flags, ends, strict=True)
    ]
    items += [Series("labels 1", steps, ones, labels), Series("mistakes", steps, wrong, mistakes)]
    limit = float(game["_limit"])
    if limit == limit:
        items.append(Rule(limit, Look(mistakes.colour, "", (0, (1, 2)), 1.0, order=2), name="promised"))
    high = 1.25 * max(float(wrong.max()), float(game["_limit"] or 0))
    x = Axis("rounds", "log", (1, float(steps[-1])), text=short)
    y = Axis("so far", ends=(0, high), text=lambda value: f"{value:,.0f}")
    return Panel(items, x, y, f"against {game['adversary']}: {int(game['_mistakes']):,} mistakes", 9)
