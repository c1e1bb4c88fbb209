"""The `ratio` and `size` figures: estimate over truth, or error beside size, in the course of the games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from disttrack.privacy.plots.kinds import Ratio, SizeOverTime
from disttrack.simulator.experiments.results.formats import short
from disttrack.simulator.experiments.results.read import GAME, Tables
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
)
from disttrack.simulator.shown.plots.marks import BORDER
from disttrack.simulator.shown.plots.panels import looks_of_lines, shape, value_axis
from disttrack.simulator.shown.plots.sweep import MOST_LINES, cut_note, facets, of_games

_ITEMS: Final = Look("#888888", width=1.0, order=2)
_BANDS: Final = 3
"""Most bands that one panel has."""
_HALF: Final = 0.5
"""Where an estimate falls to this share of the truth, the scale of the ratios begins at 0."""


def over_time(plot: Ratio | SizeOverTime, tables: Tables) -> Description:
    """Return the figure: estimate over truth, or error beside size."""
    series, ratio = tables.series, isinstance(plot, Ratio)
    if series.empty or series["rel_error"].isna().all():
        raise ValueError(f"a {plot.kind} figure needs series.csv with relative errors; these games have none")
    if not ratio and not {"max_abs_error", "_max_abs_error"} & {*tables.trials}:
        raise ValueError(f"a {plot.kind} figure needs games on data sets; these are none")
    errors = series["rel_error"].astype(float)
    shown = 1 + errors if ratio else np.maximum(errors * np.maximum(series["items"], 1), 0.5)
    series = series.assign(_shown=shown)[np.isfinite(errors)]
    kinds = tables.protocols
    alphas = tables.trials["alpha"].dropna()
    drawn = []
    groups, crowded = facets(tables, most=_BANDS if ratio else MOST_LINES)
    rows, columns = shape(len(groups))
    looks = looks_of_lines((line for facet in groups for line in facet.lines), kinds)
    for place, facet in enumerate(groups):
        items: list[Item] = []
        named = columns == 1 or (not ratio and place == len(groups) - 1)
        if ratio:
            items.append(Rule(1, Look(BORDER, width=1.0, order=1)))
            if alphas.nunique() == 1:
                alpha = float(alphas.iloc[0])
                items.append(Region(1 - alpha, 1 + alpha, Fill("#000000", 0.06)))
        else:
            items += _line("items", facet.lines[0].games[:1], series, "items", _ITEMS, named=named)
        for line in facet.lines:
            # the checkpoints of games on data sets differ from game to game
            mine = line.games if ratio else line.games.sort_values(["point", "trial"])[:1]
            items += _line(line.label, mine, series, "_shown", replace(looks[line.label], width=1.4), named=named)
        drawn.append((facet.title, items))
    curves = [one for _, items in drawn for one in items if isinstance(one, Series)]
    if not curves:
        raise ValueError(f"a {plot.kind} figure needs the timelines of its games; series.csv has none of them")
    name = tables.called.get("items", "items")
    updates = Axis(name, ends=(0, max(float(one.x[-1]) for one in curves)), most=6, text=short)
    if ratio:
        y = Axis("estimate over truth", ends=_around([item for _, items in drawn for item in items]))
        marks = "medians, bands: 5 % to 95 % of games"
        note = "Grey: within α of the truth." * (alphas.nunique() == 1)
    else:
        lengths = np.concatenate([one.y for one in curves])
        y = value_axis("largest error over the family, in items", [max(1.0, np.quantile(lengths, 0.03)), max(lengths)])
        marks = f"the first game of each line, at {of_games([len(one.x) for one in curves], 'checkpoints')}"
        note = "Grey: items in the data set; above them, answers of 0 are better. "
        note += cut_note(one.name for one in curves if np.min(one.y) < (y.ends[0] or 0.0))
    entries = looks.items() if ratio and columns > 1 else ()
    return Description(
        [Panel(items, updates, y, title) for title, items in drawn], columns, (3.6 if columns < 2 else 2.6) * rows,
        legend=[(look, label) for label, look in entries], marks=marks, note=f"{note}{crowded}".strip(),
    )  # fmt: skip


def _around(items: Sequence[Item]) -> tuple[float | None, float | None]:
    """Return the ends of the scale of ratios: around all that is drawn; from 0 on where a part is half the truth."""
    ends: list[float] = []
    for one in items:
        if isinstance(one, Area | Region):
            ends += [float(np.min(one.low)), float(np.max(one.high))]
        elif isinstance(one, Series):
            ends += [float(np.min(one.y)), float(np.max(one.y))]
    low, high = min(ends), max(ends)
    room = 0.05 * (high - low)
    return (low - room, high + room) if low > _HALF and room else (0, None)


def _line(
    name: str, games: pd.DataFrame, series: pd.DataFrame, column: str, look: Look, *, named: bool
) -> Iterator[Item]:
    """Yield the median of games at each step, and its band; nothing of games without a step, as those of 0 items."""
    groups = series.merge(games[list(GAME)], on=list(GAME)).groupby("step")[column]
    if not len(groups):
        return
    middle = groups.median()
    low, high = (groups.quantile(end).to_numpy() for end in (0.05, 0.95))
    steps = middle.index.to_numpy(dtype=float)
    if len(games) > 1:
        yield Area(name, steps, low, high, Fill(look.colour, 0.15))
    yield Series(name, steps, middle.to_numpy(), look, low=low, high=high, label=name if named else "")
