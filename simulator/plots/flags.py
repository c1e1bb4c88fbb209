"""The `flags` figure: mistakes in the course of a predictor's game, and the rounds in which its flag was set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from simulator.plots.base import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from simulator.results.read import Tables

_MOST: Final = 2
"""Games below each other in one figure."""
_SHADES: Final = {0: "#FFFFFF", 1: "#EDEDED", 2: "#D8E8F3", 3: "#F3C9AE"}
"""Background under each flag."""
_SAYS: Final = {0: "counts ones", 1: "mirrors, delayed", 2: "mirrors", 3: "has given up"}


@dataclass(frozen=True, kw_only=True)
class Flags(Plot):
    """Labels 1 and mistakes so far in one game of the predictor, over a background that shows its flag.

    A game of each of the first two points is shown, the one with the largest flag at its end.
    """

    kind: ClassVar[str] = "flags"
    says: ClassVar[str] = "mistakes and flags in the course of a predictor's game"

    def draw(self, tables: Tables) -> Figure:
        from matplotlib.lines import Line2D
        from matplotlib.patches import Patch

        from simulator.plots.style import INK, Legend, mark, new_figure
        from simulator.results.fixed import fixed

        trials = tables.trials
        if "_flag" not in trials or trials["_flag"].dropna().empty:
            raise ValueError("a flags figure needs games of the predictor: the column 'flag' is missing or empty")
        games = _chosen(trials.dropna(subset=["_flag"]))
        colour = mark("point-predictor", tuple(dict.fromkeys(trials["protocol"]))).colour
        shown = sorted({flag for game in games for flag, _ in _set_at(game)})
        entries: list[tuple[Any, str]] = [
            (Line2D([], [], color=colour, linewidth=1.8), "mistakes"),
            (Line2D([], [], color=INK, linewidth=1.1, linestyle=(0, (4, 2))), "labels 1"),
            *((Patch(facecolor=_SHADES[flag], edgecolor="#888888"), f"flag {flag}: {_SAYS[flag]}") for flag in shown),
        ]
        note = "One game each. Read at about 200 checkpoints. Dotted: what the predictor promises, K + 2L mistakes."
        height = 1.6 + 1.9 * len(games)
        subtitle = fixed(tables).rsplit(" · ", 1)[0]
        figure = new_figure(height, self.title or tables.title, subtitle, note, legends=[Legend("", entries)])
        axes = figure.subplots(len(games), 1, sharex=True, squeeze=False)[:, 0]
        for one, game in zip(axes, games, strict=True):
            _draw(one, game, _series(tables, game), colour)
        axes[-1].set_xlabel("rounds")
        return figure

    def caption(self, tables: Tables) -> str:
        from simulator.results.fixed import fixed

        told = []
        for game in _chosen(tables.trials.dropna(subset=["_flag"])):
            last = _set_at(game)[-1]
            flag = f"flag {last[0]} ({_SAYS[last[0]]}) from round {last[1]:,.0f} on"
            told.append(f"against {game['adversary']} {int(game['_mistakes']):,} mistakes, {flag}")
        return (
            "Labels 1 and mistakes so far against rounds, in one game each; the background is the flag, dotted "
            f"the promised number of mistakes. Fixed: {fixed(tables)}. {'; '.join(told)}."
        )


def _chosen(trials: pd.DataFrame) -> list[pd.Series[Any]]:
    """Return the games to show."""
    ordered = trials.sort_values(["_flag", "trial"], ascending=[False, True], kind="stable")
    first = ordered.drop_duplicates(["result", "point"]).sort_values("point").head(_MOST)
    return [game for _, game in first.iterrows()]


def _series(tables: Tables, game: pd.Series[Any]) -> pd.DataFrame:
    """Return the rows of series.csv of a game."""
    mine = tables.timeline(game)
    if mine.empty:
        raise ValueError("a flags figure needs the timelines of its games; series.csv has none of them")
    return mine.sort_values("step")


def _set_at(game: pd.Series[Any]) -> list[tuple[int, float]]:
    """Return the flags of a game with the rounds in which they were set, in order."""
    later = [(flag, float(game[f"_flag{flag}_at"])) for flag in (1, 2, 3)]
    return [(0, 1.0), *sorted((each for each in later if each[1] == each[1]), key=lambda each: each[1])]


def _draw(axes: Axes, game: pd.Series[Any], series: pd.DataFrame, colour: str) -> None:
    """Draw one game."""
    from simulator.plots.style import INK
    from simulator.results.formats import short

    steps = series["step"].to_numpy(dtype=float)
    flags = _set_at(game)
    ends = [*(begin for _, begin in flags[1:]), steps[-1]]
    for (flag, begin), end in zip(flags, ends, strict=True):
        axes.axvspan(begin, end, color=_SHADES[flag], linewidth=0, zorder=0)
    axes.plot(steps, series["items"].to_numpy(dtype=float), color=INK, linewidth=1.1, linestyle=(0, (4, 2)), zorder=3)
    axes.plot(steps, series["output"].to_numpy(dtype=float), color=colour, linewidth=1.8, zorder=4, label="mistakes")
    if game["_limit"] == game["_limit"]:
        axes.axhline(float(game["_limit"]), color=colour, linewidth=1.0, linestyle=(0, (1, 2)), zorder=2)
    axes.set_xscale("log")
    axes.set_xlim(1, steps[-1])
    axes.set_ylim(0, 1.25 * max(float(series["output"].max()), float(game["_limit"] or 0)))
    axes.set_ylabel("so far")
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.xaxis.set_major_formatter(lambda value, _: short(value))
    axes.set_title(f"against {game['adversary']}: {int(game['_mistakes']):,} mistakes", fontsize=9)
