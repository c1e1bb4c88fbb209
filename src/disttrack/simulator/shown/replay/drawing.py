"""Some steps of a game as a drawing for a paper: SVG with text as text, read without colour too."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from functools import partial
from io import StringIO
from math import ceil
from pathlib import Path
from typing import Any, Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from disttrack.simulator.shown.replay.frames import Frames, on_one_clock
from disttrack.simulator.shown.replay.page import Style, chart_of, facts, looks
from disttrack.simulator.shown.replay.record import GameRecord

ROWS: Final = 120
"""Rows of a drawing; more steps than that share rows."""
BESIDE: Final = 60
"""Rows up to which a single game has the adversary's moves beside it."""
REACH: Final = 2.5
"""Errors in units of alpha that the chart shows; greater ones are drawn at its edge, and the foot says so."""
BROKEN: Final = 0.3
"""Columns before its site at which a lost message is broken off."""
LETTERS: Final = 95
"""Letters of text across a game."""
ACROSS: Final = 4
"""Kinds of messages on a line of the legend."""
ALONG: Final = 48
"""Letters of names of sites above its messages."""
EXPLAINED: Final = (
    "Columns: sites. Arrows: messages, from dot to head. Shaded: site fed. "
    "Right: estimate over truth at a row's end (line) and within it (bar); band 1 ± α, rows beyond it (!)."
)
NETWORKED: Final = "Late messages: drawn when sent; lost ones: a cross."
_FROM: Final = ("axes fraction", "offset points")
"""Where a text beside the panel is counted from, and how its distance is."""
EXTREMES: Final = ["low", "high", "quotient"]
CUT: Final = "Estimates beyond the chart: at its edge."


def drawing(records: Sequence[GameRecord], first: int = 0, last: int | None = None) -> str:
    """Return the steps from `first` to `last` of one game, or of two side by side, as SVG."""
    games, folded = on_one_clock(records, arrows=2**62, rows=ROWS, span=(first, last))
    ends = games[0].rows.index
    shown = ends[min(1, len(ends) - 1) :] if first else ends  # row 0 is what was before
    styles = looks(records)
    style = Path(__file__).with_name("drawing.mplstyle")
    with matplotlib.rc_context(matplotlib.rc_params_from_file(str(style), use_default_template=False)):
        figure = Figure(figsize=(7.6 * len(games), 0.17 * len(shown)))
        panels = figure.subplots(1, 2 * len(games), squeeze=False, width_ratios=[4, 1] * len(games))
        for game, picture, chart in zip(games, panels[0, ::2], panels[0, 1::2], strict=True):
            _picture(picture, game, shown, styles)
            _chart(chart, game, shown)
            if len(games) == 1 and len(shown) <= BESIDE:
                for row in shown.intersection(list(game.moves)):
                    chart.text(1.05, row, game.moves[row], va="center", transform=chart.get_yaxis_transform())
        cut = any((abs(game.rows.loc[shown, EXTREMES] - 1) > REACH * _unit(game)).any(axis=None) for game in games)
        notes = [NETWORKED * any(record.delayed for record in records), CUT * cut, folded]
        captions = [EXPLAINED, *notes, *(game.first[1] for game in games if game.first and game.first[0] in shown)]
        lines = [line for text in captions for line in textwrap.wrap(text, LETTERS * len(games))]
        below = -24 - 12 * max(ceil(len(_kinds(game, shown)) / ACROSS) for game in games)
        panels[0, 0].annotate("\n".join(lines), (0, 0), (0, below), *_FROM, va="top")
        svg = StringIO()
        title = " beside ".join(record.title for record in records)
        about = {"Date": None, "Title": title, "Creator": "disttrack replay"}
        figure.savefig(svg, format="svg", bbox_inches="tight", metadata=about)
    return svg.getvalue()


def _picture(axes: Axes, game: Frames, shown: Any, styles: Mapping[str, Style]) -> None:
    """Draw the sites that are fed, and the messages."""
    record, rows, wide = game.record, game.rows.loc[shown], len(game.columns)
    server = -0.5 - 0.09 * wide
    every = max(1, -(-wide * (1 + max(map(len, game.columns))) // ALONG))
    axes.set(xlim=(server - 0.02 * wide, wide - 0.5), ylim=(shown[-1] + 0.5, shown[0] - 0.5))
    axes.set_title("\n".join(line for text in (record.title, facts(record)) for line in textwrap.wrap(text, LETTERS)))
    axes.set_xticks([server, *range(0, wide, every)], ["server", *game.columns[::every]])
    axes.set_yticks(shown, [f"{'! ' * row.failing}{row.step:,}" for row in rows.itertuples()])
    axes.axvline(server, color="#999999", linewidth=1)
    fed = rows[rows.fed >= 0]
    axes.barh(fed.index, 1, height=1, left=fed.fed - 0.5, color="#ffdf80")
    for row, some in game.arrows[game.arrows.row.isin(shown)].groupby("row"):
        groups = list(some.groupby(["up", "kind", "lost"], sort=False))
        for nth, ((up, kind, lost), arrows) in enumerate(groups):
            y, look = row - 0.5 + (nth + 1) / (len(groups) + 1), styles[record.kinds[kind]]
            mark = partial(axes.plot, color=look["light"], markersize=3.5, linestyle="none", clip_on=False)
            near = (server + arrows.column.min()) / 2 if up and lost else server
            sites = arrows.column - BROKEN * (lost and not up)
            axes.plot([near, sites.max()], [y, y], **_stroke(look))
            mark(near, y, marker=("x" if lost else "<") if up else ".")
            mark(sites, [y] * len(arrows), marker="." if up else "x" if lost else ">")
            if len(groups) <= 2:
                box = {"facecolor": "white", "edgecolor": "none", "pad": 0.2}
                beside, own = ((8 + 8 * nth, 0), "data", _FROM[1]), look["light"]
                axes.annotate(look["letter"], (near, y), *beside, color=own, weight="bold", bbox=box, va="center")
    axes.annotate("step", (0, 1), (-14, 4), *_FROM, ha="right", va="bottom")
    kinds = [styles[kind] for kind in _kinds(game, shown)]
    keys = [Line2D([], [], label=f"{look['letter']}  {look['name']}", **_stroke(look)) for look in kinds]
    axes.legend(handles=keys, loc="upper left", bbox_to_anchor=(0, 0), handlelength=4, ncols=ACROSS)


def _kinds(game: Frames, shown: object) -> list[str]:
    """Return the kinds of the messages in these rows."""
    there = set(game.arrows.kind[game.arrows.row.isin(shown)])
    return [kind for place, kind in enumerate(game.record.kinds) if place in there]


def _stroke(look: Style) -> dict[str, Any]:
    return {"color": look["light"], "linewidth": 0.9, "linestyle": (0, look["dash"]) if look["dash"] else "-"}


def _unit(game: Frames) -> float:
    return game.record.about.alpha or 0.1


def _chart(axes: Axes, game: Frames, shown: Any) -> None:
    """Draw estimate against truth: the band, the extremes of each row, and the value at the row's end."""
    alpha, unit, rows = game.record.about.alpha, _unit(game), game.rows.loc[shown]
    low, high = 1 - REACH * unit, 1 + REACH * unit
    axes.set(xlim=(low, high), ylim=(shown[-1] + 0.5, shown[0] - 0.5), yticks=[], title=chart_of(game.record))
    axes.set_xticks([1 - unit, 1, 1 + unit] if alpha else [1], ["1−α", "1", "1+α"] if alpha else ["1"])
    axes.barh(shown[rows.failing], high - low, height=1, left=low, color="#f6cdbd")
    if alpha:
        axes.axvspan(1 - alpha, 1 + alpha, color="#e0e5ea")
    axes.axvline(1, color="#777777", linewidth=0.7, linestyle=(0, (3, 2)))
    extremes = rows[EXTREMES].clip(low, high)
    axes.barh(shown, (extremes.high - extremes.low).clip(0.005 * unit), height=0.5, left=extremes.low, color="#8db4da")
    axes.plot(extremes.quotient, shown, color="#0b5cad", linewidth=1.4)
